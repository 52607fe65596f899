"""Tables of intervals without a descriptor of their own (MPI, cuDNN, profiler overhead, ...)."""

from __future__ import annotations

from dataclasses import dataclass

from tui.report.columns import Columns, Int32, Int64
from tui.report.data import ReportData
from tui.report.tables import words
from tui.report.tables.table import EventTable, LaneShape, Owner, Pairs, Phase, Reading, always
from tui.text import safe

OTHERS, OTHERS_TITLE = "others", "other events"
"""All of them while they are being read."""
PREFIX = "other:"
"""Before the source's name in the name of such a table."""
TITLES = {"PROFILER_OVERHEAD": "profiler", "CUPTI_ACTIVITY_KIND_OVERHEAD": "CUPTI"}
"""Tables whose own name would not say what they hold."""
SPELLINGS = {
    "MPI": "MPI", "CUDNN": "cuDNN", "CUBLAS": "cuBLAS", "OPENGL": "OpenGL", "OPENACC": "OpenACC",
    "OPENMP": "OpenMP", "OPENSHMEM": "OpenSHMEM", "VULKAN": "Vulkan", "CUDA": "CUDA", "API": "API",
    "UCX": "UCX",
}  # fmt: skip


@dataclass(frozen=True)
class OtherEvents(Columns):
    """Rows of a table that the product only sums up (MPI, cuDNN, profiler overhead, ...)."""

    start: Int64
    end: Int64
    thread: Int32
    name: Int32
    event_class: Int64
    rowid: Int64


def other_table(source: str) -> EventTable[OtherEvents]:
    """The descriptor of the events of ``source``, a table of the export."""

    def details(report: ReportData, row: int) -> Pairs:
        events = table.of(report)
        return [
            ("table", safe(source)),
            ("thread", words.thread(report, int(events.thread[row]))),
            ("class", words.plain(events.event_class[row])),
        ]

    name, title = PREFIX + source, _title(source)
    table = EventTable(
        name,
        OtherEvents,
        {"event_class": "eventClass"},
        sources=(source,),
        title=title,
        noun="Event",
        owner=Owner.THREAD,
        lanes=(LaneShape(title, key=name),),
        style=always("other"),
        aside=True,
        comes_with=OTHERS,
        details=details,
        phase=Phase.APART,
        reading=Reading(("nameId", "textId")),
    )
    return table


def _title(source: str) -> str:
    """``MPI_COLLECTIVES_EVENTS`` -> ``MPI collectives``."""
    if source in TITLES:
        return TITLES[source]
    parts = source.removeprefix("CUPTI_ACTIVITY_KIND_").removesuffix("_EVENTS").split("_")
    return safe(" ".join(SPELLINGS.get(part, part.lower()) for part in parts))
