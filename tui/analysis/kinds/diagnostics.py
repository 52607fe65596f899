"""What a capture says of itself: what it cost, what went wrong in it, what the program printed."""

from __future__ import annotations

from tui.analysis.kinds.kind import Kind

OVERHEAD = Kind(
    "profiler overhead",
    "PROFILER_OVERHEAD",
    "profiler lanes, gaps, diagnose",
    "of any recent release, with any trace,",
)
CUDA_OVERHEAD = Kind(
    "CUDA overhead",
    "CUPTI_ACTIVITY_KIND_OVERHEAD",
    "JIT compilation, module loads, full queues: lanes, gaps",
    "--trace=cuda, of a program that has any,",
)
DIAGNOSTICS = Kind(
    "messages of the profiler", "DIAGNOSTIC_EVENT", "notes: info, diagnose", "of any recent release"
)
STREAMS = Kind("output of the program", "ProcessStreams", "info --streams", "--show-output=true", rare=True)
KINDS = (OVERHEAD, CUDA_OVERHEAD, DIAGNOSTICS, STREAMS)
