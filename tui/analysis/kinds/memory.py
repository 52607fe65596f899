"""What is recorded of memory: allocations, pools, unified memory, and the contexts of a GPU."""

from __future__ import annotations

from tui.analysis.kinds.kind import Kind

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
