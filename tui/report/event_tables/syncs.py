"""CUPTI's records of synchronisation: the device's side of a call that waits."""

from __future__ import annotations

from dataclasses import dataclass

from tui.report.columns import NULL, Columns, Int32, Int64
from tui.report.data import ReportData
from tui.report.event_tables import words
from tui.report.event_tables.event_table import EventTable, LaneShape, Owner, Phase, Reading, always


@dataclass(frozen=True, eq=False, repr=False)
class Syncs(Columns):
    """CUPTI synchronisation records, by start. Not device work."""

    start: Int64
    end: Int64
    device: Int32  # -1 where the device does no work in the report
    process: Int32
    context: Int64
    stream: Int64
    correlation: Int64
    kind: Int64  # 1 event, 2 stream wait, 3 stream, 4 context
    rowid: Int64


def _word(report: ReportData, kind: int) -> str:
    """The export's label of a kind, else the kind's number."""
    other = "synchronisation" if kind == NULL else f"synchronisation, kind {kind}"
    return report.enums.get("sync_kind", {}).get(kind, other)


SYNCS = EventTable(
    "syncs",
    Syncs,
    {"context": "contextId", "stream": "streamId", "correlation": "correlationId", "kind": "syncType"},
    facts=(
        ("device", "device", words.device),
        ("process", "process", words.process),
        ("stream", "stream", words.number),
        ("context", "context", words.number),
        ("correlation", "correlation", words.number),
    ),
    sources=("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",),
    title="sync",
    noun="Synchronisation",
    owner=Owner.DEVICE,
    lanes=(LaneShape("sync"),),
    style=always("sync"),
    name_column="kind",
    word=_word,
    phase=Phase.APART,
    reading=Reading(),
)
