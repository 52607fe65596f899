"""Search over the names of slices: which of a report's names match, then which events bear them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tui.errors import UsageError
from tui.report.columns import Bool, Int64, Positions, distinct_values
from tui.report.event_tables import HOST_FIRST, other_tables_of
from tui.report.event_tables.event_table import EventTable
from tui.report.model import OpKind, Report, Strings
from tui.timeline.slices import SliceId

_NO_ROWS = np.zeros(0, np.intp)
_WORK = (OpKind.KERNEL, OpKind.GRAPH)
_COPIES = (OpKind.MEMCPY, OpKind.MEMSET)
KINDS: dict[str, tuple[tuple[str, ...], tuple[OpKind, ...]]] = {
    "k": (("ops",), _WORK),
    "c": (("ops",), _COPIES),
    "n": (("ranges", "marks"), ()),
    "a": (("calls",), ()),
    "o": (("os_calls",), ()),
    "s": (("syncs",), ()),
}
"""The letter of a kind -> its tables, and the kinds of ops."""
KIND_WORDS = "k: kernels, c: copies, n: NVTX, a: CUDA calls, o: OS calls, s: synchronisation"
_KIND = re.compile(r"([a-z]):(?!:)\s*(.*)", re.DOTALL | re.IGNORECASE)
_LANE = re.compile(r"(.*?)\s*(?:^|\s)@(\S.*)", re.DOTALL)


@dataclass(frozen=True)
class Wanted:
    """What is searched for: a text in any case, or a regular expression; of a kind, of a lane."""

    text: str
    expression: re.Pattern[str] | None = None
    kind: str = ""
    lane: str = ""

    @property
    def all_names(self) -> bool:
        """Whether every name will do: only a kind or a lane is given."""
        return not self.text and self.expression is None and bool(self.kind or self.lane)


def wanted_of(text: str) -> Wanted:
    """Read ``k:flash``, ``n:/^fwd/``, ``gemm @GPU 1``; UsageError for a wrong expression."""
    lane = kind = ""
    if (found := _KIND.fullmatch(text)) is not None and found[1].lower() in KINDS:
        kind, text = found[1].lower(), found[2]
    if not _enclosed(text) and (found := _LANE.fullmatch(text)) is not None:
        text, lane = found[1], found[2].strip()
    if not _enclosed(text):
        return Wanted(text, None, kind, lane)
    try:
        return Wanted(text, re.compile(text[1:-1], re.IGNORECASE), kind, lane)
    except re.error as error:
        raise UsageError(f"{text} is no regular expression: {error}") from None


def _enclosed(text: str) -> bool:
    return len(text) > 2 and text[0] == text[-1] == "/"


@dataclass(frozen=True)
class Matches:
    """Events whose name matches, by start (ns). ``table`` holds positions in ``tables``."""

    tables: tuple[str, ...]
    start: Int64
    table: Positions
    index: Positions
    sizes: tuple[int, ...] = field(default=())
    """How many rows each of the tables has."""

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

    def hits(self) -> dict[str, Bool]:
        """Return which rows of each table match; tables without any are left out."""
        found = {}
        for number, (name, size) in enumerate(zip(self.tables, self.sizes, strict=True)):
            mine = self.index[self.table == number]
            if len(mine):
                found[name] = np.zeros(size, bool)
                found[name][mine] = True
        return found


def search(report: Report, text: str) -> Matches:
    """Find all events whose recorded name contains ``text`` (any case)."""
    return search_for(report, Wanted(text))


def search_for(
    report: Report, wanted: Wanted, lanes: Iterable[tuple[str, Positions]] | None = None
) -> Matches:
    """Find all events that are wanted; ``lanes``: (table, rows) of the lanes that ``wanted`` names."""
    tables = (*HOST_FIRST, *other_tables_of(report))
    named = _matching(report.strings, wanted)
    rows = [_matching_rows(report, table, named, wanted) for table in tables]
    if lanes is not None:
        rows = _within(tables, rows, lanes)
    start = np.concatenate([table.times(report)[0][hit] for table, hit in zip(tables, rows, strict=True)])
    number = np.repeat(np.arange(len(tables)), [len(hit) for hit in rows])
    order = np.argsort(start, kind="stable")
    names = tuple(table.name for table in tables)
    sizes = tuple(len(table.of(report)) for table in tables)
    return Matches(names, start[order], number[order], np.concatenate(rows)[order], sizes)


def _within(
    tables: Iterable[EventTable[Any]], rows: list[Positions], lanes: Iterable[tuple[str, Positions]]
) -> list[Positions]:
    """Keep the rows that are in one of the lanes."""
    in_lanes: dict[str, list[Positions]] = {}
    for name, members in lanes:
        in_lanes.setdefault(name, []).append(members)
    return [
        hit[np.isin(hit, np.concatenate(in_lanes[table.name]))] if table.name in in_lanes else _NO_ROWS
        for table, hit in zip(tables, rows, strict=True)
    ]


def _matching_rows(report: Report, table: EventTable[Any], named: Bool, wanted: Wanted) -> Positions:
    """Return the rows of a table that are wanted: by name, or by word where names are codes."""
    if not (wanted.text or wanted.all_names):
        return _NO_ROWS
    if wanted.kind and table.name not in KINDS[wanted.kind][0]:
        return _NO_ROWS
    codes = table.codes(report)
    if wanted.all_names:
        rows = np.arange(len(codes))
    elif not table.named_by_string:
        pattern = wanted.expression or _pattern(wanted.text)
        hits = [code for code in distinct_values(codes).tolist() if pattern.search(table.word(report, code))]
        rows = np.flatnonzero(np.isin(codes, hits)) if hits else _NO_ROWS
    elif not len(codes) or not named.any():
        rows = _NO_ROWS
    else:
        rows = np.flatnonzero(named[codes])
    kinds = KINDS[wanted.kind][1] if wanted.kind else ()
    return rows[np.isin(report.ops.kind[rows], kinds)] if kinds else rows


def _matching(strings: Strings, wanted: Wanted) -> Bool:
    """Return for each of the report's strings whether it is wanted."""
    if wanted.expression is None:
        return matching_names(strings, wanted.text)
    matches = wanted.expression.search
    return np.fromiter((bool(matches(string)) for string in strings), bool, count=len(strings))


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
