"""The names of nsys's tables and columns that are read, and its built-in enums."""

from __future__ import annotations

import re
from collections.abc import Iterable

KERNEL = "CUPTI_ACTIVITY_KIND_KERNEL"
MEMCPY = "CUPTI_ACTIVITY_KIND_MEMCPY"
MEMSET = "CUPTI_ACTIVITY_KIND_MEMSET"
GRAPH = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"
RUNTIME = "CUPTI_ACTIVITY_KIND_RUNTIME"
DRIVER = "CUPTI_ACTIVITY_KIND_DRIVER"
NVTX = "NVTX_EVENTS"

OP_TABLES = (KERNEL, MEMCPY, MEMSET, GRAPH)
"""Device work, in the order of :class:`~tui.report.event_tables.ops.OpKind`."""
CALL_TABLES = (RUNTIME, DRIVER)
OP_COLUMNS = (
    "start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid", "demangledName"
)  # fmt: skip
CALL_COLUMNS = ("start", "end", "globalTid", "correlationId", "nameId", "eventClass", "returnValue")
NVTX_COLUMNS = (
    "start", "end", "eventType", "globalTid", "endGlobalTid", "textId", "domainId", "color", "category"
)  # fmt: skip

BACKTRACE_CLASS = 67
"""eventClass of the rows that repeat a call to carry its backtrace."""
NVTX_MARK = 34
NVTX_THREAD_NAME = 39
NVTX_PUSH_POP = (59, 70)
NVTX_START_END = (60, 71)
NVTX_DOMAIN = 75
NVTX_TYPES = frozenset(
    {33, NVTX_MARK, NVTX_THREAD_NAME, *NVTX_PUSH_POP, *NVTX_START_END, NVTX_DOMAIN, 76, 97, 98, 99}
)

SUPPORTED_MAJOR_VERSIONS = ("2", "3")

SMALL_TABLES = (
    "StringIds", "ThreadNames", "PROCESSES", "TARGET_INFO_GPU", "TARGET_INFO_CUDA_DEVICE",
    "TARGET_INFO_CUDA_GPU", "TARGET_INFO_SESSION_START_TIME", "META_DATA_EXPORT", "META_DATA_CAPTURE",
    "EXPORT_META_DATA", "ENUM_CUDA_MEMCPY_OPER", "ENUM_CUDA_MEM_KIND", "ENUM_CUPTI_SYNC_TYPE",
    "DIAGNOSTIC_EVENT",
)  # fmt: skip

NOT_INTERVALS = frozenset(
    {
        "COMPOSITE_EVENTS", "SCHED_EVENTS", "OSRT_FILE_ACCESS_EVENTS", "CUDA_GPU_MEMORY_USAGE_EVENTS",
        "CUDA_UM_CPU_PAGE_FAULT_EVENTS", "CUDA_UM_GPU_PAGE_FAULT_EVENTS", "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
        "NIC_METRIC_EVENTS",
    }
)  # fmt: skip
"""Event tables whose rows are no intervals: left out unless a descriptor reads them."""
LEFT_OUT = NOT_INTERVALS | {"CUDA_GRAPH_EVENTS"}  # from 2026.4 on a list of graphs without times

ENUMS: dict[str, tuple[str, dict[int, str]]] = {
    "copy_kind": (
        "ENUM_CUDA_MEMCPY_OPER",
        {
            0: "Unknown", 1: "Host-to-Device", 2: "Device-to-Host", 3: "Host-to-Array", 4: "Array-to-Host",
            5: "Array-to-Array", 6: "Array-to-Device", 7: "Device-to-Array", 8: "Device-to-Device",
            9: "Host-to-Host", 10: "Peer-to-Peer", 11: "Unified Host-to-Device", 12: "Unified Device-to-Host",
            13: "Unified Device-to-Device",
        },
    ),
    "mem_kind": (
        "ENUM_CUDA_MEM_KIND",
        {
            0: "Pageable", 1: "Pinned", 2: "Device", 3: "Array", 4: "Managed", 5: "Device Static",
            6: "Managed Static", 7: "Unknown",
        },
    ),
    "sync_kind": (
        "ENUM_CUPTI_SYNC_TYPE",
        {0: "Unknown", 1: "Event sync", 2: "Stream wait sync", 3: "Stream sync", 4: "Context sync"},
    ),
}  # fmt: skip
"""Name of an enum -> its table in the file, and the labels for files without that table."""


_SAMPLES = re.compile(r"METRIC|PMU_EVENT|CPU_RAW_EVENT", re.IGNORECASE)
_COUNTERS = {"metricid", "metricsidx", "counterid", "counter_id"}


def holds_samples(table: str, columns: Iterable[str]) -> bool:
    """Whether a table holds values of counters, of a device or a CPU, over time: no work and no calls.

    ``start`` and ``end`` of such a row are the time that a value was taken over.
    """
    return bool(_SAMPLES.search(table) or _COUNTERS & {column.lower() for column in columns})


def looks_like_events(table: str) -> bool:
    """Whether a table's name says that it holds events."""
    base = table.upper()
    head, _, version = base.rpartition("_V")
    if head and version.isdigit():
        base = head
    return base.startswith("CUPTI_ACTIVITY_KIND_") or base.endswith(("_EVENTS", "_API", "_WORKLOAD"))
