"""What programs do on GPUs and ask CUDA and the system for: most captures have it."""

from __future__ import annotations

from tui.analysis.kinds.kind import Kind

_CUPTI = "CUPTI_ACTIVITY_KIND_"

KERNELS = Kind("kernels", f"{_CUPTI}KERNEL", "GPU lanes, stats, gaps, steps: everything", "--trace=cuda")
COPIES = Kind("copies", f"{_CUPTI}MEMCPY", "GPU lanes, stats, gaps", "--trace=cuda")
MEMSETS = Kind("memsets", f"{_CUPTI}MEMSET", "GPU lanes, stats, gaps", "--trace=cuda")
WHOLE_GRAPHS = Kind(
    "CUDA graphs recorded whole",
    f"{_CUPTI}GRAPH_TRACE",
    "GPU lanes; the kernels in them are not recorded",
    "--cuda-graph-trace=graph",
    rare=True,
)
GRAPH_NODES = Kind(
    "nodes of CUDA graphs",
    "CUDA_GRAPH_NODE_EVENTS",
    "lanes of the calls that made them",
    "--cuda-graph-trace=node",
    also=("CUDA_GRAPH_EVENTS",),
    rare=True,
)
WAITS = Kind(
    "synchronisation",
    f"{_CUPTI}SYNCHRONIZATION",
    "lanes of waits: who waits for which stream",
    "--trace=cuda",
)
CUDA_EVENTS = Kind(
    "CUDA events",
    f"{_CUPTI}CUDA_EVENT",
    "what a stream or thread waits for: gaps, details",
    "--trace=cuda, and where it has --cuda-event-trace=true",
)
CUDA_CALLS = Kind(
    "CUDA calls",
    f"{_CUPTI}RUNTIME",
    "API lanes, launches, gaps, stats",
    "--trace=cuda",
    also=(f"{_CUPTI}DRIVER",),
)
RANGES = Kind("NVTX ranges and marks", "NVTX_EVENTS", "ranges, phases, steps", "--trace=nvtx")
OS_CALLS = Kind("OS calls", "OSRT_API", "OS lanes, gaps, stats", "--trace=osrt")
KINDS = (
    KERNELS, COPIES, MEMSETS, WHOLE_GRAPHS, GRAPH_NODES, WAITS, CUDA_EVENTS, CUDA_CALLS, RANGES, OS_CALLS,
)  # fmt: skip
