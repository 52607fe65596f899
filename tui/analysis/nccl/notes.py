"""What has to be said of the payloads of a report."""

from __future__ import annotations

from collections.abc import Iterator

from tui.analysis.index import Index
from tui.report.extra.tables import PAYLOAD_SCHEMAS
from tui.text import safe
from tui.text.numbers import plural


def payload_notes(index: Index) -> Iterator[str]:
    """Say that the export left out the values of payloads, or how many of them can't be told, and why.

    Reads nothing of an export that describes no payloads. Never quotes one.
    """
    if not any(table.name == PAYLOAD_SCHEMAS.source and table.rows for table in index.report.tables):
        return
    from tui.analysis.nccl.calls import has_calls
    from tui.analysis.payloads.reading import LEFT_OUT, payloads

    found = payloads(index)
    if found.are_absent:
        yield LEFT_OUT if has_calls(index) else LEFT_OUT.replace("message sizes", "payloads of NVTX events")
    if found.fault is not None:
        yield f"payloads of NVTX events are not known: {safe(found.fault)}"
    for why, count in sorted(found.unknown.items()):
        yield f"{plural(count, 'payload')} of NVTX events can't be told: {why}"
