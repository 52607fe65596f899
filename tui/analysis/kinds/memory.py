"""What is recorded of memory: allocations, pools, unified memory, and the contexts of a GPU."""

from __future__ import annotations

from tui.analysis.kinds.kind import Kind
from tui.report.model import Report

ALLOCATIONS = Kind(
    "memory allocations",
    "CUDA_GPU_MEMORY_USAGE_EVENTS",
    "how much memory is in use, by whom: memory",
    "--cuda-memory-usage=true",
)
POOLS = Kind(
    "memory pools",
    "CUDA_GPU_MEMORY_POOL_EVENTS",
    "what pools hold reserved: memory --pools",
    "--cuda-memory-usage=true",
    rare=True,
)
CPU_FAULTS = Kind(
    "CPU page faults",
    "CUDA_UM_CPU_PAGE_FAULT_EVENTS",
    "unified memory that the host waited for: um",
    "--cuda-um-cpu-page-faults=true",
)
GPU_FAULTS = Kind(
    "GPU page faults",
    "CUDA_UM_GPU_PAGE_FAULT_EVENTS",
    "unified memory that kernels waited for: um --by kernel",
    "--cuda-um-gpu-page-faults=true",
)
CONTEXT_SWITCHES = Kind(
    "GPU context switches",
    "GPU_CONTEXT_SWITCH_EVENTS",
    "which process a GPU worked for: gaps",
    "--gpuctxsw=true",
    also=("FECS_EVENTS",),
    rare=True,
)
KINDS = (ALLOCATIONS, POOLS, CPU_FAULTS, GPU_FAULTS, CONTEXT_SWITCHES)
_MIGRATIONS = (11, 12, 13)
"""Kinds of copies of unified memory."""


def has_memory_data(report: Report) -> bool:
    """Whether a report holds rows of any of these kinds, or migrations of unified memory. Reads none."""
    tables = {table for kind in KINDS for table in kind.tables}
    if any(info.rows for info in report.tables if info.name in tables):
        return True
    return any((report.copies.copy_kind == kind).any() for kind in _MIGRATIONS)
