"""Rows whose times or names can't be right: what is checked, and the list of what was found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tui.report.columns import NULL, Bool, Int64
from tui.report.model import Doubtful

LIMIT = 1 << 62
"""Times beyond this many ns (146 years) can't be true; below it no difference overflows int64."""

NO_TIMESTAMP = "no timestamp"
NO_END = "no end"
ENDS_EARLY = "ends before it starts"
OUT_OF_RANGE = "time out of range"
DANGLING_NAME = "name not in the export"
NO_DEVICE = "no device"
SWALLOWS = "covers two or more later ones on its stream"


class Doubts:
    """Counts doubtful rows by kind and table, in the order found."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], Doubtful] = {}

    def add(self, kind: str, table: str, count: int, example: str, *, excluded: bool) -> None:
        """Count more rows of ``table``; the first example is the one that is kept."""
        if count > 0:
            first = Doubtful(kind, 0, f"{table} {example}", excluded)
            found = self._found.setdefault((kind, table), first)
            self._found[kind, table] = replace(found, count=found.count + count)

    def listed(self) -> tuple[Doubtful, ...]:
        return tuple(self._found.values())


def trusted(
    table: str, rowid: Int64, start: Int64, end: Int64 | None, doubts: Doubts, *, open_end: bool = False
) -> Bool:
    """Find the rows whose times can be true; the others go to ``doubts``.

    ``end`` None: the rows are instants. ``open_end``: a NULL end is an interval that was still
    open when the capture ended, not a fault.
    """
    good = np.ones(len(start), bool)
    far = (start > LIMIT) | (start < -LIMIT)

    def drop(kind: str, bad: Bool) -> None:
        bad = bad & good
        if bad.any():
            i = int(np.argmax(bad))
            shown = "" if end is None else f", end {_shown(end[i])}"
            example = f"row {rowid[i]}: start {_shown(start[i])}{shown}"
            doubts.add(kind, table, int(bad.sum()), example, excluded=True)
            good[bad] = False

    drop(NO_TIMESTAMP, start == NULL)
    if end is None:
        drop(OUT_OF_RANGE, far)
        return good
    drop(NO_TIMESTAMP, (start == 0) & (end == 0))
    open_rows = end == NULL
    if not open_end:
        drop(NO_END, open_rows)
    drop(OUT_OF_RANGE, far | (~open_rows & ((end > LIMIT) | (end < -LIMIT))))
    drop(ENDS_EARLY, ~open_rows & (end < start))
    return good


def _shown(time: np.int64) -> str:
    return "NULL" if time == NULL else str(time)
