"""NVTX_EVENTS -> ranges, marks, domain and thread names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from tui.report import schema
from tui.report.columns import NULL, Array, Bool, Int32, Int64, NamedColumns
from tui.report.importing.doubts import DANGLING_NAME, Doubts
from tui.report.importing.global_ids import global_pid_of
from tui.report.importing.name_pool import NamePool, StringTable, fill_missing
from tui.report.importing.range_levels import Nesting, stacked
from tui.report.importing.sorting import Keys, spans
from tui.report.importing.table_rows import TableRows
from tui.report.model import RangeStyle
from tui.report.progress import Meter
from tui.report.spool import Collector, Spool
from tui.report.sqlite.source import Source


@dataclass
class RawNvtx:
    """NVTX_EVENTS by kind of row, trusted; times not yet closed."""

    ranges: TableRows
    """By start, longer first: after :meth:`close`."""
    marks: TableRows
    domains: dict[tuple[int, int], int]  # (domainId, globalPid) -> pool index
    thread_names: dict[int, str]  # globalTid -> name
    unknown_types: dict[int, int]  # eventType -> rows
    total: int
    capture_end: int = field(default=0)

    @classmethod
    def read(
        cls, source: Source, strings: StringTable, pool: NamePool, doubts: Doubts, meter: Meter, spool: Spool
    ) -> RawNvtx:
        whole = TableRows.read(
            source, schema.NVTX, schema.NVTX_COLUMNS, ("text",), pool=pool, meter=meter, spool=spool
        )

        def words(kind: int) -> Iterator[tuple[int, int, int]]:
            rows = whole.where("eventType", lambda kinds: kinds == kind)
            for tid, domain, text, text_id in zip(
                rows.blocks("globalTid"),
                rows.blocks("domainId"),
                rows.blocks("text", -1),
                rows.blocks("textId"),
                strict=True,
            ):
                names = np.where(text < 0, strings.find(text_id), text)
                yield from zip(tid.tolist(), domain.tolist(), names.tolist(), strict=True)

        types: dict[int, int] = {}
        for kinds in whole.blocks("eventType"):
            unknown = ~_among(kinds, schema.NVTX_KNOWN)
            if unknown.any():
                for kind, count in zip(*np.unique(kinds[unknown], return_counts=True), strict=True):
                    types[int(kind)] = types.get(int(kind), 0) + int(count)
        ranges = whole.where("eventType", lambda k: _among(k, schema.NVTX_PUSH_POP + schema.NVTX_START_END))
        marks = whole.where("eventType", lambda kinds: kinds == schema.NVTX_MARK)
        return cls(
            ranges=ranges.trusted(doubts, open_end=True),
            marks=marks.trusted(doubts, instants=True).by_start(),
            domains={
                (domain, global_pid_of(tid)): name
                for tid, domain, name in words(schema.NVTX_DOMAIN)
                if name >= 0
            },
            thread_names={
                tid: pool.texts(np.array([name], np.int32))[0]
                for tid, _, name in words(schema.NVTX_THREAD_NAME)
                if name >= 0
            },
            unknown_types=dict(sorted(types.items())),
            total=whole.total,
        )

    def span(self) -> tuple[int, int] | None:
        """(first start, last end) of the ranges; an open one ends where it starts."""
        found = None
        for start, end in zip(self.ranges.blocks("start"), self.ranges.blocks("end"), strict=True):
            low, high = int(start.min()), int(np.maximum(start, end).max())
            found = (low, high) if found is None else (min(found[0], low), max(found[1], high))
        return found

    @property
    def any_open(self) -> bool:
        """Whether a range waits for the capture's end."""
        return any((end == NULL).any() for end in self.ranges.blocks("end"))

    def close(self, capture_end: int) -> None:
        """End open ranges with the capture and sort all of them."""
        self.capture_end = capture_end

        def shortness(rows: TableRows) -> Keys:
            ends = _Ends(rows, capture_end)
            return lambda low, high: -ends.at(low, high)

        self.ranges = self.ranges.by_start(shortness)


class _Ends:
    """The ends of ranges, open ones closed."""

    def __init__(self, rows: TableRows, capture_end: int) -> None:
        self._start, self._end = rows.reader("start"), rows.reader("end")
        self._capture_end = capture_end

    def at(self, low: int, high: int) -> Int64:
        end = self._end.at(low, high)
        unfinished = end == NULL
        if unfinished.any():
            end = np.where(unfinished, np.maximum(self._start.at(low, high), self._capture_end), end)
        return end


def _among(values: Int64, few: Iterable[int]) -> Bool:
    """Which values are one of few non-negative ones."""
    few = list(few)
    table = np.zeros(max(few) + 1, bool)
    table[few] = True
    inside = (values >= 0) & (values < len(table))
    return inside & table[np.where(inside, values, 0)]


def _names(rows: TableRows, strings: StringTable, pool: NamePool, doubts: Doubts) -> Iterator[Int32]:
    """``text``, else ``textId``, else a placeholder."""
    texts, text_ids = rows.reader("text", -1), rows.reader("textId")
    for low, high in spans(len(rows)):
        names = texts.at(low, high).astype(np.int32)
        if (names < 0).any():
            ids = text_ids.at(low, high)
            names = np.where(names < 0, strings.find(ids), names)
            dangling = fill_missing(names, ids, pool)
            if dangling.any():
                i = int(np.argmax(dangling))
                row = rows.reader("rowid").at(low + i, low + i + 1)[0]
                example = f"row {row}: textId {ids[i]}"
                doubts.add(DANGLING_NAME, rows.table, int(dangling.sum()), example, excluded=False)
        yield names


def _domains(rows: TableRows, domains: dict[tuple[int, int], int], pool: NamePool) -> Iterator[Int32]:
    """Pool index of each row's domain, -1 for the default one; an unnamed domain shows its number."""
    for domain, tid in zip(rows.blocks("domainId"), rows.blocks("globalTid"), strict=True):
        out = np.full(len(domain), -1, np.int32)
        custom = np.flatnonzero((domain != NULL) & (domain != 0))
        if len(custom):
            numbers, which = np.unique(domain[custom], return_inverse=True)
            own = tid[custom]
            pids, whose = np.unique(np.where(own == NULL, NULL, global_pid_of(own)), return_inverse=True)
            pairs, inverse = np.unique(which * len(pids) + whose, return_inverse=True)
            found = []
            for pair in pairs.tolist():
                number, pid = int(numbers[pair // len(pids)]), int(pids[pair % len(pids)])
                name = domains.get((number, pid))
                found.append(pool.intern(f"domain {number}") if name is None else name)
            out[custom] = np.array(found, np.int32)[inverse]
        yield out


def range_columns(
    raw: RawNvtx, threads: Array, strings: StringTable, pool: NamePool, doubts: Doubts, spool: Spool
) -> NamedColumns:
    """Open ranges closed, push/pop ranges nested per thread. ``threads``: any number per thread and range."""
    rows, ends = raw.ranges, _Ends(raw.ranges, raw.capture_end)
    yield "start", rows.blocks("start")
    yield "end", (ends.at(low, high) for low, high in spans(len(rows)))
    yield "unfinished", (end == NULL for end in rows.blocks("end"))
    yield (
        "style",
        (
            np.where(_paired(kinds), RangeStyle.START_END, RangeStyle.PUSH_POP).astype(np.uint8)
            for kinds in rows.blocks("eventType")
        ),
    )
    level, parent = _nest(raw, threads, spool)
    yield "level", [level]
    yield "parent", [parent]
    del level, parent
    yield "name", _names(rows, strings, pool, doubts)
    yield "domain", _domains(rows, raw.domains, pool)
    yield "color", rows.blocks("color")
    yield "category", rows.blocks("category")
    yield "rowid", rows.blocks("rowid")


def _paired(kinds: Int64) -> Bool:
    return _among(kinds, schema.NVTX_START_END)


def _nest(raw: RawNvtx, threads: Array, spool: Spool) -> tuple[Array, Array]:
    """Level and parent (a position, -1 none) of push/pop ranges; start/end ones get 0 and -1."""
    rows, ends = raw.ranges, _Ends(raw.ranges, raw.capture_end)
    start, kind = rows.reader("start"), rows.reader("eventType")
    levels, parents = Collector(spool, np.int32), Collector(spool, np.int32)
    nesting = Nesting()

    def pieces() -> Iterator[tuple[int, int, Int64, Int32, Int64, Int64]]:
        """Block by block: first, end; positions, threads, starts and ends of the push/pop ranges in it."""
        for low, high in spans(len(rows)):
            stacked_ones = np.flatnonzero(~_paired(kind.at(low, high)))
            yield (
                low, high, stacked_ones + low, threads[low:high][stacked_ones],
                start.at(low, high)[stacked_ones], ends.at(low, high)[stacked_ones],
            )  # fmt: skip

    for low, high, at, thread, begin, end in pieces():
        level, parent = np.zeros(high - low, np.int32), np.full(high - low, -1, np.int32)
        level[at - low], parent[at - low] = nesting.add(at, begin, end, thread)
        levels.add(level)
        parents.add(parent)
    found = levels.done()
    if nesting.crossed:
        found = found.copy()
    for group in nesting.crossed:

        def times(group: int = group) -> Iterator[tuple[int, int]]:
            for _, _, _, thread, begin, end in pieces():
                mine = thread == group
                yield from zip(begin[mine].tolist(), end[mine].tolist(), strict=True)

        where = np.concatenate([at[thread == group] for _, _, at, thread, _, _ in pieces()])
        found[where] = stacked(times())
    return found, parents.done()


def mark_columns(raw: RawNvtx, strings: StringTable, pool: NamePool, doubts: Doubts) -> NamedColumns:
    rows = raw.marks
    yield "start", rows.blocks("start")
    yield "name", _names(rows, strings, pool, doubts)
    yield "domain", _domains(rows, raw.domains, pool)
    yield "color", rows.blocks("color")
    yield "rowid", rows.blocks("rowid")
