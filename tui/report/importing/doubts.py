"""Rows whose times or names can't be right: what is checked, and the list of what was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tui.report.columns import NULL, Bool, Int64
from tui.report.model import Doubtful
from tui.report.sqlite.values import FRACTION, ROUNDED, Odd

LIMIT = 1 << 62
"""Times beyond this many ns (146 years) can't be true; below it no difference overflows int64."""

NO_TIMESTAMP = "no timestamp"
NO_END = "no end"
ENDS_EARLY = "ends before it starts"
OUT_OF_RANGE = "time out of range"
DANGLING_NAME = "name not in the export"
NO_DEVICE = "no device"
NO_WHOLE_TIME = "a fraction where whole nanoseconds belong"
TIMES = ("start", "end")
"""Columns without which a row is not known to be anywhere."""
SWALLOWS = "covers two or more later ones on its stream"


class Doubts:
    """Counts doubtful rows by kind and table, in the order found."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, str], Doubtful] = {}

    def add(
        self, kind: str, table: str, count: int, example: str, *, excluded: bool, column: str = ""
    ) -> None:
        """Count more rows of ``table``; the first example is the one that is kept.

        ``column``: the one that the doubt is about, where others are counted apart.
        """
        if count > 0:
            first = Doubtful(kind, 0, f"{table} {example}", excluded)
            key = kind, table, column
            found = self._found.setdefault(key, first)
            self._found[key] = replace(found, count=found.count + count)

    def note_odd(self, table: str, rowid: Int64, odd: Sequence[Odd]) -> Int64:
        """List values that are not what belongs in their column; the ids of the rows without times for it.

        ``rowid``: those of the chunk that ``odd`` tells of. Elsewhere than in a time the row counts.
        """
        lost: Int64 = np.empty(0, np.int64)
        for found in sorted(odd, key=lambda found: found.column not in TIMES):
            rows = found.rows
            excluded = found.column in TIMES and found.what != ROUNDED
            if excluded:
                rows = np.setdiff1d(rows, lost)
                lost = np.union1d(lost, rows)
            kind = NO_WHOLE_TIME if excluded and found.what == FRACTION else found.what
            example = f"row {rowid[found.rows[0]]}: {found.column} {found.example}"
            self.add(
                kind, table, len(rows), example, excluded=excluded, column="" if excluded else found.column
            )
        return rowid[lost]

    def listed(self) -> tuple[Doubtful, ...]:
        return tuple(self._found.values())


def trusted(
    table: str,
    rowid: Int64,
    start: Int64,
    end: Int64 | None,
    doubts: Doubts,
    *,
    open_end: bool = False,
    lost: Int64 | None = None,
) -> Bool:
    """Find the rows whose times can be true; the others go to ``doubts``.

    ``lost``: ids of rows that have gone there already, as :meth:`Doubts.note_odd` returns them.
    ``end`` None: the rows are instants. ``open_end``: a NULL end is an interval that was still
    open when the capture ended, not a fault.
    """
    good = np.ones(len(start), bool) if lost is None or not len(lost) else ~np.isin(rowid, lost)
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
