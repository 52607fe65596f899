"""From when to when a report has anything recorded."""

from __future__ import annotations

from tui.report.extra.extra_table import Times
from tui.report.model import Report


def recorded_span(report: Report) -> tuple[int, int] | None:
    """(first start, last end) of all events, else of the rows of tables read on demand; None: of nothing."""
    return report.span or _span_on_demand(report)


def _span_on_demand(report: Report) -> tuple[int, int] | None:
    """The time that tables read on demand cover: where there is nothing else, their reports still count."""
    from tui.report.extra.tables import EXTRA_TABLES

    spans = []
    for table in EXTRA_TABLES:
        if table.times is not Times.NONE and len(rows := report.extra_rows(table)):
            ends = rows.columns.get("end", rows["start"])
            spans.append((int(rows["start"].min()), int(max(rows["start"].max(), ends.max()))))
    return (min(start for start, _ in spans), max(end for _, end in spans)) if spans else None
