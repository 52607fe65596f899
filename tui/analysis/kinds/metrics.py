"""What is sampled of GPUs, of the chip around them, of power and of CPUs."""

from __future__ import annotations

from tui.analysis.kinds.kind import Kind

GPU_METRICS = Kind(
    "GPU metrics", "GPU_METRICS", "how full busy time is: metrics, classes, gaps", "--gpu-metrics-devices=all"
)
SOC_METRICS = Kind("SoC metrics", "SOC_METRICS", "metrics of the machine: metrics", "--soc-metrics=true")
PLUGIN_METRICS = Kind(
    "events of plugins",
    "GENERIC_EVENTS",
    "power, temperature, metrics of early releases: metrics",
    "--enable=nvml_metrics",
)
CPU_COUNTERS = Kind(
    "CPU counters",
    "PERF_EVENT_CPU_RAW_EVENT",
    "rates of the machine: metrics",
    "--cpu-core-metrics=0,1,2 (or --cpu-core-events)",
)
KINDS = (GPU_METRICS, SOC_METRICS, PLUGIN_METRICS, CPU_COUNTERS)
