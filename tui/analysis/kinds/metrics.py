"""What is sampled of GPUs, of the chip around them, of power and of CPUs."""

from __future__ import annotations

from tui.analysis.kinds.kind import Kind

GPU_METRICS = Kind(
    "GPU metrics",
    "GPU_METRICS",
    "how full busy time is: metrics, classes, gaps",
    "--gpu-metrics-devices=all",
    parts=("TARGET_INFO_GPU_METRICS",),
)
SOC_METRICS = Kind(
    "SoC metrics",
    "SOC_METRICS",
    "metrics of the machine: metrics",
    "--soc-metrics=true",
    parts=("TARGET_INFO_SOC_METRICS",),
    rare=True,
)
PLUGIN_METRICS = Kind(
    "events of plugins",
    "GENERIC_EVENTS",
    "power, temperature, GPU metrics of early releases: metrics",
    "--enable=nvml_metrics",
    parts=("GENERIC_EVENT_SOURCES", "GENERIC_EVENT_TYPES", "GENERIC_EVENT_TYPE_FIELDS", "GENERIC_EVENT_DATA"),
    rare=True,
)
CPU_COUNTERS = Kind(
    "CPU counters",
    "PMU_EVENTS",
    "rates of the machine: metrics",
    "--event-sample=system-wide --cpu-core-events=2",
    also=(
        "PERF_EVENT_CPU_RAW_EVENT",
        "PERF_EVENT_SOC_OR_CPU_RAW_EVENT",
        "UNCORE_PMU_EVENTS",
        "PERF_EVENT_CPU_CORE",
        "PERF_EVENT_CPU_SOCKET",
        "CPU_RAW_EVENTS",
    ),
    parts=("PMU_EVENT_COUNTERS", "PMU_EVENT_REQUESTS", "UNCORE_PMU_EVENT_VALUES", "TARGET_INFO_PERF_METRIC"),
    rare=True,
)
KINDS = (GPU_METRICS, SOC_METRICS, PLUGIN_METRICS, CPU_COUNTERS)
