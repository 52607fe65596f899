"""Search over the names of slices: which of a report's names match, then which events bear them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from tui.report.columns import Bool, Int64, Positions
from tui.report.event_tables import HOST_FIRST, other_tables_of
from tui.report.event_tables.event_table import EventTable
from tui.report.model import Report, Strings
from tui.timeline.slices import SliceId

_NO_ROWS = np.zeros(0, np.intp)


@dataclass(frozen=True)
class Matches:
    """Events whose name matches, by start (ns). ``table`` holds positions in ``tables``."""

    tables: tuple[str, ...]
    start: Int64
    table: Positions
    index: Positions

    def __len__(self) -> int:
        return len(self.start)

    def id(self, position: int) -> SliceId:
        """Return the slice of match ``position``."""
        return SliceId(self.tables[int(self.table[position])], int(self.index[position]))

    def position(self, slice_id: SliceId) -> int | None:
        """Return which match a slice is; None if it is none."""
        if slice_id.table not in self.tables:
            return None
        same = (self.index == slice_id.index) & (self.table == self.tables.index(slice_id.table))
        return int(same.argmax()) if same.any() else None

    def after(self, time: int) -> int:
        """Return the first match that starts after ``time``; the very first one past the last."""
        return int(np.searchsorted(self.start, time, "right")) % len(self)

    def before(self, time: int) -> int:
        """Return the last match that starts before ``time``; the very last one before the first."""
        return (int(np.searchsorted(self.start, time, "left")) - 1) % len(self)


def search(report: Report, text: str) -> Matches:
    """Find all events whose recorded name contains ``text`` (any case)."""
    named = matching_names(report.strings, text)
    tables = (*HOST_FIRST, *other_tables_of(report))
    rows = [_matching_rows(report, table, named, text) if text else _NO_ROWS for table in tables]
    start = np.concatenate([table.times(report)[0][hit] for table, hit in zip(tables, rows, strict=True)])
    number = np.repeat(np.arange(len(tables)), [len(hit) for hit in rows])
    order = np.argsort(start, kind="stable")
    names = tuple(table.name for table in tables)
    return Matches(names, start[order], number[order], np.concatenate(rows)[order])


def _matching_rows(report: Report, table: EventTable[Any], named: Bool, text: str) -> Positions:
    """Return the rows whose name is among ``named``, or whose word contains ``text`` where it is a code."""
    codes = table.codes(report)
    if not table.named_by_string:
        matches = _pattern(text).search
        hits = [code for code in np.unique(codes).tolist() if matches(table.word(report, code))]
        return np.flatnonzero(np.isin(codes, hits)) if hits else _NO_ROWS
    if not len(codes) or not named.any():
        return _NO_ROWS
    return np.flatnonzero(named[codes])


def matching_names(strings: Strings, text: str) -> Bool:
    """Return for each of the report's strings whether it contains ``text`` (any case)."""
    hit = np.zeros(len(strings), bool)
    if not text:
        return hit
    if text.isascii():  # one search over all names at once
        needle = text.lower().encode()
        found = re.finditer(b"(?=" + re.escape(needle) + b")", strings.blob.tobytes().lower())
        begin = np.array([match.start() for match in found], np.int64)
        name = np.searchsorted(strings.offsets, begin, "right") - 1
        inside = begin + len(needle) <= strings.offsets[name + 1]
        hit[name[inside]] = True
        return hit
    matches = _pattern(text).search
    return np.fromiter((bool(matches(string)) for string in strings), bool, count=len(strings))


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(re.escape(text), re.IGNORECASE)
