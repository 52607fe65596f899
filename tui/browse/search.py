"""Search over the names of slices: which of a report's names match, then which events bear them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from tui.report.columns import Bool, Int64, Positions
from tui.report.model import Report, Strings
from tui.report.tables import HOST_FIRST, other_tables_of
from tui.report.tables.table import EventTable
from tui.timeline.slices import SliceId

_NO_ROWS = np.zeros(0, np.intp)


@dataclass(frozen=True)
class Matches:
    """Events whose name matches, by start. ``table`` holds positions in ``tables``."""

    tables: tuple[str, ...]
    start: Int64
    end: Int64
    table: Positions
    index: Positions

    def __len__(self) -> int:
        return len(self.start)

    def id(self, position: int) -> SliceId:
        """The slice of match ``position``."""
        return SliceId(self.tables[int(self.table[position])], int(self.index[position]))

    def position(self, slice_id: SliceId) -> int | None:
        """Which match a slice is; None if it is none."""
        if slice_id.table not in self.tables:
            return None
        same = (self.index == slice_id.index) & (self.table == self.tables.index(slice_id.table))
        found = np.flatnonzero(same)
        return int(found[0]) if len(found) else None

    def after(self, time: int) -> int | None:
        """The first match that starts after ``time``; the very first one past the last."""
        if not len(self):
            return None
        return int(np.searchsorted(self.start, time, "right")) % len(self)

    def before(self, time: int) -> int | None:
        """The last match that starts before ``time``; the very last one before the first."""
        if not len(self):
            return None
        return (int(np.searchsorted(self.start, time, "left")) - 1) % len(self)


def search(report: Report, text: str) -> Matches:
    """All events whose recorded name contains ``text`` (any case)."""
    named = matching_names(report.strings, text)
    tables = (*HOST_FIRST, *other_tables_of(report))
    names = tuple(table.name for table in tables)
    found: list[tuple[int, Positions, Int64, Int64]] = []
    for number, table in enumerate(tables):
        hit = _matching_rows(report, table, named, text) if text else _NO_ROWS
        if len(hit):
            start, end = table.times(report)
            found.append((number, hit, start[hit], end[hit]))
    if not found:
        none = np.zeros(0, np.int64)
        return Matches(names, none, none, none.astype(np.intp), none.astype(np.intp))
    starts = np.concatenate([s for _, _, s, _ in found])
    order = np.argsort(starts, kind="stable")
    return Matches(
        names,
        starts[order],
        np.concatenate([e for _, _, _, e in found])[order],
        np.concatenate([np.full(len(hit), number) for number, hit, _, _ in found])[order],
        np.concatenate([hit for _, hit, _, _ in found])[order],
    )


def _matching_rows(report: Report, table: EventTable[Any], named: Bool, text: str) -> Positions:
    """Rows whose name is among ``named``, or contains ``text`` where it is no string of the report."""
    codes = table.codes(report)
    if not table.named_by_string:
        matches = _pattern(text).search
        hits = [code for code in np.unique(codes).tolist() if matches(table.word(report, code))]
        return np.flatnonzero(np.isin(codes, hits)) if hits else _NO_ROWS
    if not len(codes) or not named.any():
        return _NO_ROWS
    return np.flatnonzero(named[codes])


def matching_names(strings: Strings, text: str) -> Bool:
    """For each of the report's strings whether it contains ``text`` (any case)."""
    hit = np.zeros(len(strings), bool)
    if not text:
        return hit
    if text.isascii():  # one search over all names at once
        needle = text.lower().encode()
        where = [
            m.start() for m in re.finditer(b"(?=" + re.escape(needle) + b")", strings.blob.tobytes().lower())
        ]
        begin = np.array(where, np.int64)
        name = np.searchsorted(strings.offsets, begin, "right") - 1
        inside = begin + len(needle) <= strings.offsets[name + 1]
        hit[name[inside]] = True
        return hit
    matches = _pattern(text).search
    for i, string in enumerate(strings):
        if matches(string):
            hit[i] = True
    return hit


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(re.escape(text), re.IGNORECASE)
