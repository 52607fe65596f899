"""Search over the names of slices: which of a report's names match, then which events bear them."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tui.errors import UsageError
from tui.report.columns import Int64
from tui.report.model import Report, Strings
from tui.timeline.catalogue import columns_of, times_of
from tui.timeline.slices import SliceId

_NO_ROWS = np.zeros(0, np.intp)
TABLES = ("ops", "calls", "ranges", "marks", "os_calls", "syncs")


@dataclass(frozen=True)
class Matches:
    """Events whose name matches, by start. ``table`` holds positions in ``tables``."""

    tables: tuple[str, ...]
    start: Int64
    end: Int64
    table: NDArray[np.intp]
    index: NDArray[np.intp]

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


def search(report: Report, text: str, *, regex: bool = False) -> Matches:
    """All events whose recorded name contains ``text`` (any case), or matches it as a regular expression.

    UsageError where the expression is none.
    """
    named = matching_names(report.strings, text, regex=regex)
    tables = (*TABLES, *(f"other:{name}" for name in report.others))
    found: list[tuple[int, NDArray[np.intp], Int64, Int64]] = []
    for number, table in enumerate(tables):
        hit = _matching_rows(report, table, named, text, regex) if text else _NO_ROWS
        if len(hit):
            start, end = times_of(report, table)
            found.append((number, hit, start[hit], end[hit]))
    if not found:
        none = np.zeros(0, np.int64)
        return Matches(tables, none, none, none.astype(np.intp), none.astype(np.intp))
    starts = np.concatenate([s for _, _, s, _ in found])
    order = np.argsort(starts, kind="stable")
    return Matches(
        tables,
        starts[order],
        np.concatenate([e for _, _, _, e in found])[order],
        np.concatenate([np.full(len(hit), number) for number, hit, _, _ in found])[order],
        np.concatenate([hit for _, hit, _, _ in found])[order],
    )


def _matching_rows(
    report: Report, table: str, named: NDArray[np.bool_], text: str, regex: bool
) -> NDArray[np.intp]:
    """Rows of ``table`` whose name is among ``named``."""
    if table == "syncs":
        labels = report.enums.get("sync_kind", {})
        pattern = _compiled(text, regex)
        kinds = [kind for kind, label in labels.items() if pattern.search(label)]
        return np.flatnonzero(np.isin(report.syncs.kind, kinds)) if kinds else _NO_ROWS
    name = columns_of(report, table).name
    if not len(name) or not named.any():
        return _NO_ROWS
    return np.flatnonzero(named[np.maximum(name, 0)] & (name >= 0))


def matching_names(strings: Strings, text: str, *, regex: bool = False) -> NDArray[np.bool_]:
    """For each of the report's strings whether it matches."""
    hit = np.zeros(len(strings), bool)
    if not text:
        return hit
    if not regex and text.isascii():  # one search over all names at once
        needle = text.lower().encode()
        where = [
            m.start() for m in re.finditer(b"(?=" + re.escape(needle) + b")", strings.blob.tobytes().lower())
        ]
        begin = np.array(where, np.int64)
        name = np.searchsorted(strings.offsets, begin, "right") - 1
        inside = begin + len(needle) <= strings.offsets[name + 1]
        hit[name[inside]] = True
        return hit
    pattern = _compiled(text, regex)
    for i, string in enumerate(strings):
        if pattern.search(string):
            hit[i] = True
    return hit


def _compiled(text: str, regex: bool) -> re.Pattern[str]:
    try:
        return re.compile(text if regex else re.escape(text), re.IGNORECASE)
    except re.error as error:
        raise UsageError(f"{text!r} is no regular expression: {error}") from error
