"""Kinds of data of which nothing but a word is given yet."""

from __future__ import annotations

from tui.analysis.kinds.kind import Kind

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
KINDS = (
    MEMORY_USAGE, MEMORY_POOLS, GPU_FAULTS, CPU_FAULTS, GPU_CONTEXTS, NIC_METRICS,
    SWITCH_METRICS,
)  # fmt: skip
