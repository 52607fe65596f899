"""Tables of an export that hold no events: names, and facts about the capture and the machine."""

from __future__ import annotations

FACTS = {
    "StringIds": "the names of events",
    "PROCESSES": "names of processes",
    "ThreadNames": "names of threads",
    "UnwindMethodType": "labels of numbers in other tables",
    "ANALYSIS_DETAILS": "when the capture began and ended",
    "ANALYSIS_FILE": "files of the capture",
    "META_DATA_CAPTURE": "options of the capture",
    "META_DATA_EXPORT": "versions of the export",
    "EXPORT_META_DATA": "versions of the export",
    "TARGET_INFO_SESSION_START_TIME": "the time of day at which the capture began",
    "TARGET_INFO_GPU": "GPUs of the machine",
    "TARGET_INFO_CUDA_GPU": "GPUs of the machine",
    "TARGET_INFO_CUDA_DEVICE": "which GPU a process means by a number",
    "TARGET_INFO_CUDA_CONTEXT_INFO": "CUDA contexts",
    "TARGET_INFO_CUDA_NULL_STREAM": "default streams of CUDA contexts",
    "TARGET_INFO_CUDA_STREAM": "priorities of CUDA streams",
    "TARGET_INFO_NVTX_CUDA_CONTEXT": "names that the program gave to CUDA contexts",
    "TARGET_INFO_NVTX_CUDA_DEVICE": "names that the program gave to GPUs",
    "TARGET_INFO_NVTX_CUDA_STREAM": "names that the program gave to CUDA streams",
    "TARGET_INFO_PROCESS": "OpenGL versions of processes",
    "TARGET_INFO_SYSTEM_ENV": "facts about the machine",
    "TARGET_INFO_XMC_SPEC": "memory clients of the machine",
    "TARGET_INFO_PERF_METRIC": "names of CPU counters",
    **dict.fromkeys(
        (
            "NVTX_PAYLOAD_SCHEMA_ENTRIES", "NVTX_PAYLOAD_ENUMS", "NVTX_PAYLOAD_ENUM_ENTRIES", "NVTX_SCOPES",
            "NVTX_COUNTERS", "NVTX_COUNTER_GROUPS", "NVTX_SEMANTICS",
        ),
        "what NVTX payloads and counters consist of",
    ),
}  # fmt: skip
"""What is in each of them."""
LABELS = "ENUM_"
"""How the names of tables begin that hold labels of numbers in other tables."""
MACHINE = "TARGET_INFO_"
"""How the names of tables begin that hold facts about the machine."""
