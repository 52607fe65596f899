"""Kinds of data of which nothing but a word is given yet."""

from __future__ import annotations

from tui.analysis.kinds.kind import Kind

GPU_METRICS = Kind(
    "GPU metrics",
    "GPU_METRICS",
    "counted, not drawn",
    "--gpu-metrics-devices=all",
    also=("SOC_METRICS",),
    parts=("TARGET_INFO_GPU_METRICS",),
)
GENERIC = Kind(
    "generic events",
    "GENERIC_EVENTS",
    "counted, not drawn",
    "of a plugin, or --gpu-metrics-devices of early releases,",
    parts=("GENERIC_EVENT_SOURCES", "GENERIC_EVENT_TYPES", "GENERIC_EVENT_TYPE_FIELDS", "GENERIC_EVENT_DATA"),
    rare=True,
)
MEMORY_USAGE = Kind(
    "device memory", "CUDA_GPU_MEMORY_USAGE_EVENTS", "counted, not drawn", "--cuda-memory-usage=true"
)
MEMORY_POOLS = Kind(
    "memory pools", "CUDA_GPU_MEMORY_POOL_EVENTS", "counted, not drawn", "--cuda-memory-usage=true", rare=True
)
GPU_FAULTS = Kind(
    "page faults of GPUs",
    "CUDA_UM_GPU_PAGE_FAULT_EVENTS",
    "stats -r um_total_sum",
    "--cuda-um-gpu-page-faults=true",
)
CPU_FAULTS = Kind(
    "page faults of CPUs",
    "CUDA_UM_CPU_PAGE_FAULT_EVENTS",
    "stats -r um_cpu_page_faults_sum",
    "--cuda-um-cpu-page-faults=true",
)
GPU_CONTEXTS = Kind(
    "context switches of GPUs",
    "FECS_EVENTS",
    "counted, not drawn",
    "--gpuctxsw=true",
    also=("GPU_CONTEXT_SWITCH_EVENTS",),
    rare=True,
)
NIC_METRICS = Kind(
    "network metrics",
    "NET_NIC_METRIC",
    "stats -r network_congestion",
    "--nic-metrics=true",
    also=("NIC_METRIC_EVENTS", "NETWORK_DEVICE_EVENTS"),
    parts=("TARGET_INFO_NETWORK_METRICS", "TARGET_INFO_NIC_INFO", "NIC_ID_MAP"),
)
SWITCH_METRICS = Kind(
    "InfiniBand switches",
    "NET_IB_SWITCH_METRIC",
    "stats -r network_congestion",
    "--ib-switch-metrics-device=GUID",
    also=("NET_IB_SWITCH_CONGESTION_EVENT",),
    parts=("NET_IB_DEVICE_INFO", "NET_IB_PORT_INFO", "NET_IB_DEVICE_PORT_INFO"),
    rare=True,
)
CPU_COUNTERS = Kind(
    "CPU counters",
    "PMU_EVENTS",
    "counted, not drawn",
    "--event-sample=system-wide --cpu-core-events=2",
    also=(
        "PERF_EVENT_CPU_CORE", "PERF_EVENT_CPU_SOCKET", "PERF_EVENT_CPU_RAW_EVENT", "UNCORE_PMU_EVENTS",
        "PERF_EVENT_SOC_OR_CPU_RAW_EVENT", "CPU_RAW_EVENTS",
    ),
    parts=("PMU_EVENT_COUNTERS", "PMU_EVENT_REQUESTS", "UNCORE_PMU_EVENT_VALUES", "TARGET_INFO_PERF_METRIC"),
    rare=True,
)  # fmt: skip
KINDS = (
    GPU_METRICS, GENERIC, MEMORY_USAGE, MEMORY_POOLS, GPU_FAULTS, CPU_FAULTS, GPU_CONTEXTS, NIC_METRICS,
    SWITCH_METRICS, CPU_COUNTERS,
)  # fmt: skip
