"""NVTX_EVENTS -> ranges, marks, domain and thread names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tui.report import schema
from tui.report.columns import NULL, Array, Bool, Int32, Int64, NamedColumns
from tui.report.importing.context import Context
from tui.report.importing.doubts import LIMIT
from tui.report.importing.global_ids import global_pid_of
from tui.report.importing.name_pool import NamePool
from tui.report.importing.range_levels import Nesting, stacked
from tui.report.importing.sorting import Reader, spans
from tui.report.importing.table_rows import TableRows, names_of
from tui.report.model import RangeStyle
from tui.report.spool import Collector, Spool

_RANGES = schema.NVTX_PUSH_POP + schema.NVTX_START_END


@dataclass
class RawNvtx:
    """The rows of NVTX_EVENTS by kind, trusted."""

    ranges: TableRows
    """In the file's order; after :meth:`close` by start, longer first."""
    marks: TableRows
    domains: dict[tuple[int, int], int]  # (domainId, globalPid) -> pool index
    thread_names: dict[int, str]  # globalTid -> name
    unknown_types: dict[int, int]  # eventType -> rows
    total: int
    last: int | None
    """The latest start or end of a trusted row of any kind; None: no row has an end."""
    capture_end: int = 0

    @classmethod
    def read(cls, context: Context) -> RawNvtx:
        whole = TableRows.read(context, schema.NVTX, schema.NVTX_COLUMNS, ("text",))

        def names(kind: int) -> Iterator[tuple[int, int, int]]:
            """Yield (globalTid, domainId, pool index) of the rows of a kind that have a name."""
            rows = whole.where("eventType", lambda kinds: kinds == kind)
            tids, domains, text_ids = map(rows.blocks, ("globalTid", "domainId", "textId"))
            for tid, domain, text, text_id in zip(
                tids, domains, rows.blocks("text", -1), text_ids, strict=True
            ):
                name = np.where(text < 0, context.strings.find(text_id), text)
                there = name >= 0
                yield from zip(tid[there].tolist(), domain[there].tolist(), name[there].tolist(), strict=True)

        types: Counter[int] = Counter()
        for kinds in whole.blocks("eventType"):
            rest, counts = np.unique(kinds[~np.isin(kinds, _RANGES)], return_counts=True)
            types.update(dict(zip(rest.tolist(), counts.tolist(), strict=True)))
        ranges = whole.where("eventType", lambda kinds: np.isin(kinds, _RANGES))
        ranges = ranges.trusted(context.doubts, open_end=True)
        others = whole.where("eventType", lambda kinds: ~np.isin(kinds, _RANGES))
        marks = whole.where("eventType", lambda kinds: kinds == schema.NVTX_MARK)
        threads = {tid: name for tid, _, name in names(schema.NVTX_THREAD_NAME)}
        texts = context.pool.texts(np.array([*threads.values()], np.int32))
        return cls(
            ranges=ranges,
            marks=marks.trusted(context.doubts, instants=True).by_start(),
            domains={(domain, global_pid_of(tid)): name for tid, domain, name in names(schema.NVTX_DOMAIN)},
            thread_names=dict(zip(threads, texts, strict=True)),
            unknown_types={kind: n for kind, n in sorted(types.items()) if kind not in schema.NVTX_TYPES},
            total=whole.total,
            last=_last(ranges, others),
        )

    def spans(self) -> Iterator[tuple[int, int]]:
        """Yield (first start, last end) of blocks of ranges; an open one ends where it starts."""
        for start, end in zip(self.ranges.blocks("start"), self.ranges.blocks("end"), strict=True):
            yield int(start.min()), int(np.maximum(start, end).max())

    @property
    def any_open(self) -> bool:
        """Whether a range has no end."""
        return any((end == NULL).any() for end in self.ranges.blocks("end"))

    def close(self, capture_end: int) -> None:
        """End open ranges with the capture, and sort all of them."""
        self.capture_end = capture_end
        ends = self.ends()
        self.ranges = self.ranges.by_start(lambda low, high: -ends(low, high))

    def ends(self) -> Reader:
        """Read the ends of the ranges: of open ones the capture's end."""
        starts, ends = self.ranges.reader("start"), self.ranges.reader("end")

        def closed(low: int, high: int) -> Int64:
            end = ends(low, high)
            unfinished = end == NULL
            if unfinished.any():
                end = np.where(unfinished, np.maximum(starts(low, high), self.capture_end), end)
            return end

        return closed


def _last(*parts: TableRows) -> int | None:
    """Find the latest plausible start or end; None where no row has an end."""
    latest = {}
    for column in ("start", "end"):
        blocks = (times for rows in parts for times in rows.blocks(column))
        known = (times[(times >= -LIMIT) & (times <= LIMIT)] for times in blocks)  # a NULL is far below
        latest[column] = max((int(times.max()) for times in known if len(times)), default=None)
    start, end = latest["start"], latest["end"]
    return None if start is None or end is None else max(start, end)


def _domains(rows: TableRows, domains: dict[tuple[int, int], int], pool: NamePool) -> Iterator[Int32]:
    """Name each row's domain by its pool index, -1 for the default one; an unnamed one shows its number."""
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


def range_columns(raw: RawNvtx, threads: Array, context: Context) -> NamedColumns:
    """Make the columns of ranges, push/pop ones nested. ``threads``: the number of each range's thread."""
    rows, ends = raw.ranges, raw.ends()
    yield "start", rows.blocks("start")
    yield "end", (ends(low, high) for low, high in spans(len(rows)))
    yield "unfinished", (end == NULL for end in rows.blocks("end"))
    paired = map(_paired, rows.blocks("eventType"))
    yield "style", (np.where(p, RangeStyle.START_END, RangeStyle.PUSH_POP).astype(np.uint8) for p in paired)
    level, parent = _nest(raw, threads, context.spool)
    yield "level", [level]
    yield "parent", [parent]
    del level, parent
    yield from _common_columns(rows, raw, context)
    yield "category", rows.blocks("category")


def mark_columns(raw: RawNvtx, context: Context) -> NamedColumns:
    yield "start", raw.marks.blocks("start")
    yield from _common_columns(raw.marks, raw, context)


def _common_columns(rows: TableRows, raw: RawNvtx, context: Context) -> NamedColumns:
    name = names_of(rows, context, "textId")
    yield "name", (name(low, high) for low, high in spans(len(rows)))
    yield "domain", _domains(rows, raw.domains, context.pool)
    yield "color", rows.blocks("color")
    yield "rowid", rows.blocks("rowid")


def _paired(kinds: Int64) -> Bool:
    return np.isin(kinds, schema.NVTX_START_END)


def _nest(raw: RawNvtx, threads: Array, spool: Spool) -> tuple[Array, Array]:
    """Find level and parent (a position, -1: none) of push/pop ranges; start/end ones get 0 and -1."""
    start, end, kind = raw.ranges.reader("start"), raw.ends(), raw.ranges.reader("eventType")
    levels, parents = Collector(spool, np.int32), Collector(spool, np.int32)
    nesting = Nesting()

    def pieces() -> Iterator[tuple[int, int, Int64, Int32, Int64, Int64]]:
        """Yield blocks: first, end; positions, threads, starts and ends of the push/pop ranges in it."""
        for low, high in spans(len(raw.ranges)):
            at = np.flatnonzero(~_paired(kind(low, high)))
            yield low, high, at + low, threads[low:high][at], start(low, high)[at], end(low, high)[at]

    for low, high, at, thread, begin, until in pieces():
        level, parent = np.zeros(high - low, np.int32), np.full(high - low, -1, np.int32)
        level[at - low], parent[at - low] = nesting.add(at, begin, until, thread)
        levels.add(level)
        parents.add(parent)
    found = levels.done()
    if nesting.crossed:
        found = found.copy()
    for group in nesting.crossed:

        def times(group: int = group) -> Iterator[tuple[int, int]]:
            for _, _, _, thread, begin, until in pieces():
                mine = thread == group
                yield from zip(begin[mine].tolist(), until[mine].tolist(), strict=True)

        where = np.concatenate([at[thread == group] for _, _, at, thread, _, _ in pieces()])
        found[where] = stacked(times())
    return found, parents.done()
