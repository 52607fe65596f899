"""Below the host: numbers that programs attach to their NVTX marks, as lines of values."""

from __future__ import annotations

from collections.abc import Iterator

from tui.analysis.index import Index
from tui.analysis.network.stretches import Stretches
from tui.analysis.payloads.counters import Counter, counters, may_have_counters
from tui.report.columns import Int64
from tui.report.model import Report
from tui.text import safe
from tui.text.numbers import plural
from tui.text.rates import show_amount
from tui.timeline.lane import Lane, LaneKind
from tui.timeline.series import Cells, Level

STYLE = "series.5"
UNVERIFIED = "unverified: taken from the payloads of marks; how NVTX counters are exported is not known"
SHOWN_FOLDED = 2


def counter_lanes(report: Report) -> Iterator[Lane]:
    """One lane of all counters, where a capture may have any."""
    if may_have_counters(report):
        about = "values that the program attaches to NVTX marks"
        yield Lane("counters", LaneKind.SERIES, "counters", about, late=load_counters, brief=SHOWN_FOLDED)


def load_counters(index: Index) -> tuple[Level, ...]:
    """A line a counter. What never changes from 0 is left out."""
    found = [one for one in counters(index) if one.values.value.any()]
    several = len({one.pid for one in found}) > 1
    return tuple(_level(one, several) for one in found)


def _level(one: Counter, several: bool) -> Level:
    greatest, least = float(one.values.value.max()), float(one.values.value.min())
    owner = f" {one.pid}" if several and one.pid is not None else ""
    details = (
        ("values", plural(len(one.values), "value")),
        ("least", show_amount(least, "")),
        ("greatest", show_amount(greatest, "")),
        ("between", "each value holds until the next one"),
    )
    return Level(
        title=f"{safe(one.name)}{owner}", details=details, note=UNVERIFIED, values=_Values(one.values),
        style=STYLE, top=greatest if greatest > 0 else 1.0, words=lambda value: show_amount(value, ""),
    )  # fmt: skip


class _Values:
    def __init__(self, stretches: Stretches) -> None:
        self._stretches = stretches

    def over(self, edges: Int64) -> Cells:
        return Cells(*self._stretches.over(edges))
