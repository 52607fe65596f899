"""What Windows traces of graphics queues and of memory."""

from __future__ import annotations

from tui.analysis.kinds.kind import Kind

QUEUES = Kind(
    "queues of the display driver",
    "WDDM_QUEUE_PACKET_START_EVENTS",
    "stats -r wddm_queue_sum; lanes of packets",
    "--trace=wddm, on Windows,",
    also=tuple(
        f"WDDM_{kind}_EVENTS"
        for kind in (
            "QUEUE_PACKET_STOP", "QUEUE_PACKET_INFO", "DMA_PACKET_START", "DMA_PACKET_STOP",
            "DMA_PACKET_INFO", "PAGING_QUEUE_PACKET_START", "PAGING_QUEUE_PACKET_STOP",
            "PAGING_QUEUE_PACKET_INFO", "HW_QUEUE", "EVICT_ALLOCATION",
        )
    ),
    parts=("TARGET_INFO_WDDM_CONTEXTS",),
    rare=True,
)  # fmt: skip
GPU_MEMORY = tuple(
    Kind(
        name,
        table,
        f"Windows' own records of graphics memory, {what}; not CUDA's",
        "--trace=wddm, on Windows,",
        rare=True,
    )
    for name, table, what in (
        ("graphics memory in use", "GPU_MEMORY_USAGE_EVENTS", "what a process uses"),
        ("graphics memory budget", "GPU_MEMORY_BUDGET_EVENTS", "what a process may use"),
        ("graphics memory demoted", "DEMOTED_BYTES_EVENTS", "what was moved away from the GPU"),
        ("graphics memory resident", "TOTAL_BYTES_RESIDENT_IN_SEGMENT_EVENTS", "what is in a segment"),
        ("graphics memory moves", "MEMORY_TRANSFER_EVENTS", "what was moved"),
    )
)
ETW = Kind(
    "events of Windows",
    "ETW_EVENTS",
    "lanes where they have a start and an end, else counted",
    "--trace=wddm with additional ETW providers, on Windows,",
    also=("ETW_EVENTS_DEPRECATED_TABLE",),
    parts=("ETW_PROVIDERS", "ETW_TASKS"),
    rare=True,
)
KINDS = (QUEUES, *GPU_MEMORY, ETW)
