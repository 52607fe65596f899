"""Tables of intervals without a descriptor of their own (MPI, cuDNN, profiler overhead, ...)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.report.columns import Columns, Int32, Int64
from tui.report.data import ReportData
from tui.report.event_tables import words
from tui.report.event_tables.event_table import EventTable, LaneShape, Owner, Phase, Reading, always
from tui.text import safe

OTHERS, OTHERS_TITLE = "others", "other events"
"""The name and the title of all these tables together, while they are being read."""
PREFIX = "other:"
"""The name of such a table is this and the name of its source."""
PROFILER_OVERHEAD, CUDA_OVERHEAD = "PROFILER_OVERHEAD", "CUPTI_ACTIVITY_KIND_OVERHEAD"
"""What the profiler costs the program; what it and CUDA's driver cost it, as CUPTI tells."""
TITLES = {
    PROFILER_OVERHEAD: "profiler", CUDA_OVERHEAD: "CUDA overhead", "UCP_EVENTS": "UCX",
    "UCP_SUBMIT_EVENTS": "UCX submit", "UCP_PROGRESS_EVENTS": "UCX progress", "SYSCALL": "system calls",
}  # fmt: skip
"""Titles of tables whose own name does not say what they hold."""
SPELLINGS = {
    "MPI": "MPI", "CUDNN": "cuDNN", "CUBLAS": "cuBLAS", "OPENGL": "OpenGL", "OPENACC": "OpenACC",
    "OPENMP": "OpenMP", "OPENSHMEM": "OpenSHMEM", "VULKAN": "Vulkan", "CUDA": "CUDA", "API": "API",
    "UCX": "UCX", "CUSPARSE": "cuSPARSE", "CUSOLVER": "cuSOLVER", "CUFFT": "cuFFT", "SLI": "SLI",
    "NVVIDEO": "video", "ETW": "ETW",
}  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class OtherEvents(Columns):
    """Rows of a table that the product only sums up (MPI, cuDNN, profiler overhead, ...)."""

    start: Int64
    end: Int64
    thread: Int32
    name: Int32
    event_class: Int64
    gpu: Int64  # of graphics work: TARGET_INFO_GPU.id of the GPU; NULL in tables of calls
    context: Int64  # of graphics work
    file: Int32  # of OpenACC: the source file; -1 unknown
    line: Int64  # of OpenACC: the line in it
    kind: Int64  # of overhead: which, as the table numbers it
    rowid: Int64


def is_gpu_work(source: str) -> bool:
    """Whether the rows of ``source`` are work of a GPU (of another API than CUDA), not what a thread did."""
    return source.endswith("_WORKLOAD")


def gpu_of(report: ReportData, table: OtherEvents) -> Int32:
    """The device (position in ``Report.devices``) of each row of GPU work; -1 where it is unknown.

    By the number of the GPU; a report with one device has no other that it could be.
    """
    found = np.full(len(table.start), -1, np.int32)
    if len(report.devices) == 1:
        found[:] = 0
    for device in report.devices:
        if len(report.devices) > 1 and device.gpu_id is not None:
            found[table.gpu == device.gpu_id] = device.index
    return found


def other_table(source: str) -> EventTable[OtherEvents]:
    """The descriptor of the events of ``source``, a table of the export."""
    name, title = PREFIX + source, _title(source)
    return EventTable(
        name,
        OtherEvents,
        {
            "event_class": "eventClass",
            "gpu": "gpu",
            "file": "srcFile",
            "line": "lineNo",
            "kind": "overheadType overheadKind",
            "context": "shortContextId" if source.startswith("DX") else "contextId",
        },
        facts=(
            ("table", "", lambda report: safe(source)),
            ("thread", "thread", words.thread),
            ("class", "event_class", words.number),
            ("GPU", "gpu", words.number_if_any),
        ),
        sources=(source,),
        title=title,
        noun="Event",
        owner=Owner.THREAD,
        lanes=(LaneShape(title, key=name),),
        style=always("other"),
        aside=True,
        comes_with=OTHERS,
        phase=Phase.APART,
        reading=Reading(("nameId", "textId")),
    )


def _title(source: str) -> str:
    """``MPI_COLLECTIVES_EVENTS`` -> ``MPI collectives``."""
    if source in TITLES:
        return TITLES[source]
    parts = source.removeprefix("CUPTI_ACTIVITY_KIND_").removesuffix("_EVENTS").split("_")
    return safe(" ".join(SPELLINGS.get(part, part.lower()) for part in parts))
