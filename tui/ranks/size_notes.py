"""What has to be said of the sizes of messages: that an export left them out, or that waits are in a rate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tui.analysis.payloads.reading import LEFT_OUT
from tui.ranks.collective_table import best_bandwidth
from tui.ranks.judged import Judged
from tui.report.extra.tables import PAYLOAD_SCHEMAS


def size_notes(judged: Judged, tables: Iterable[str]) -> Iterator[str]:
    """The notes on the rows of a judged set. ``tables``: those that its reports have."""
    rows = [row for run in judged.runs for row in run.collectives]
    if any(best_bandwidth(row).algorithm is not None for row in rows):
        yield "best: what the fastest instance moved; what its rank waited in it is part of its time"
    sized = any(row.bytes is not None for row in rows)
    if rows and not sized and PAYLOAD_SCHEMAS.source in tables:
        yield LEFT_OUT
