"""What is recorded of CPUs: who ran, in which function, called by whom."""

from __future__ import annotations

from tui.analysis.kinds.kind import Kind
from tui.report.model import Report

SCHEDULING = Kind(
    "scheduling", "SCHED_EVENTS", "how long threads ran: threads, gaps --cpu", "--cpuctxsw=process-tree"
)
CPU_SAMPLES = Kind("CPU samples", "COMPOSITE_EVENTS", "which functions ran: samples", "--sample=process-tree")
SAMPLED_STACKS = Kind(
    "sampled stacks",
    "SAMPLING_CALLCHAINS",
    "how they came to run: samples --by stack",
    "--sample=process-tree",
)
OS_BACKTRACES = Kind(
    "OS backtraces", "OSRT_CALLCHAINS", "who waits in long OS calls: samples --callers os", "--trace=osrt"
)
CUDA_BACKTRACES = Kind(
    "CUDA backtraces",
    "CUDA_CALLCHAINS",
    "who makes CUDA calls: samples --callers cuda",
    "--trace=cuda --cudabacktrace=all",
)
KINDS = (SCHEDULING, CPU_SAMPLES, SAMPLED_STACKS, OS_BACKTRACES, CUDA_BACKTRACES)


def has_cpu_data(report: Report) -> bool:
    """Whether a report holds any rows of these kinds."""
    tables = {kind.table for kind in KINDS}
    return any(table.rows > 0 for table in report.tables if table.name in tables)
