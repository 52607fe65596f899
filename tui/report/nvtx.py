"""NVTX_EVENTS -> ranges, marks, domain and thread names."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.report import schema
from tui.report.assemble import Named
from tui.report.decode import global_pid_of
from tui.report.doubts import DANGLING_NAME, Doubts
from tui.report.model import NULL, Bool, Int32, Int64, RangeStyle
from tui.report.names import NamePool, StringTable, fill_missing
from tui.report.nesting import levels, parents
from tui.report.people import People
from tui.report.progress import Meter
from tui.report.rows import Rows
from tui.report.source import Source


@dataclass
class RawNvtx:
    """NVTX_EVENTS by kind of row; names resolved, times not yet closed."""

    ranges: Rows
    marks: Rows
    range_names: Int32
    mark_names: Int32
    domains: dict[tuple[int, int], int]  # (domainId, globalPid) -> pool index
    thread_names: dict[int, str]  # globalTid -> name
    unknown_types: dict[int, int]  # eventType -> rows
    total: int

    @classmethod
    def read(
        cls, source: Source, strings: StringTable, pool: NamePool, doubts: Doubts, meter: Meter
    ) -> RawNvtx:
        def part(keep: Bool) -> Rows:
            rows = whole.view()
            rows.select(keep)
            return rows

        whole = Rows.read(source, schema.NVTX, schema.NVTX_COLUMNS, ("text",), pool=pool, meter=meter)
        kind = whole.ints("eventType")
        ranges = part(np.isin(kind, schema.NVTX_PUSH_POP + schema.NVTX_START_END))
        marks = part(kind == schema.NVTX_MARK)
        ranges.trust(doubts, open_end=True)
        marks.trust(doubts, instants=True)

        def words(keep: Bool) -> list[tuple[int, int, int]]:
            rows = part(keep)
            names = rows.texts("text")
            names = np.where(names < 0, strings.find(rows.ints("textId")), names)
            return list(
                zip(
                    rows.ints("globalTid").tolist(),
                    rows.ints("domainId").tolist(),
                    names.tolist(),
                    strict=True,
                )
            )

        unknown = ~np.isin(kind, list(schema.NVTX_KNOWN))
        types, counts = np.unique(kind[unknown], return_counts=True)
        return cls(
            ranges=ranges,
            marks=marks,
            range_names=_names(ranges, strings, pool, doubts),
            mark_names=_names(marks, strings, pool, doubts),
            domains={
                (domain, global_pid_of(tid)): name
                for tid, domain, name in words(kind == schema.NVTX_DOMAIN)
                if name >= 0
            },
            thread_names={
                tid: pool.texts(np.array([name], np.int32))[0]
                for tid, _, name in words(kind == schema.NVTX_THREAD_NAME)
                if name >= 0
            },
            unknown_types=dict(zip(types.tolist(), counts.tolist(), strict=True)),
            total=whole.total,
        )


def _names(rows: Rows, strings: StringTable, pool: NamePool, doubts: Doubts) -> Int32:
    """``text``, else ``textId``, else a placeholder."""
    names = rows.texts("text")
    if (names < 0).any():
        ids = rows.ints("textId")
        names = np.where(names < 0, strings.find(ids), names)
        dangling = fill_missing(names, ids, pool)
        if dangling.any():
            i = int(np.argmax(dangling))
            example = f"row {rows.ints('rowid')[i]}: textId {ids[i]}"
            doubts.add(DANGLING_NAME, rows.table, int(dangling.sum()), example, excluded=False)
    return names


def _domain_names(rows: Rows, domains: dict[tuple[int, int], int], pool: NamePool) -> Int32:
    """Pool index of each row's domain, -1 for the default one; an unnamed domain shows its number."""
    domain, tid = rows.ints("domainId"), rows.ints("globalTid")
    out = np.full(len(domain), -1, np.int32)
    custom = np.flatnonzero((domain != NULL) & (domain != 0))
    if not len(custom):
        return out
    numbers, which = np.unique(domain[custom], return_inverse=True)
    pids, whose = np.unique(
        np.where(tid[custom] == NULL, NULL, global_pid_of(tid[custom])), return_inverse=True
    )
    pairs, inverse = np.unique(which * len(pids) + whose, return_inverse=True)
    found = []
    for pair in pairs.tolist():
        number, pid = int(numbers[pair // len(pids)]), int(pids[pair % len(pids)])
        name = domains.get((number, pid))
        found.append(pool.intern(f"domain {number}") if name is None else name)
    out[custom] = np.array(found, np.int32)[inverse]
    return out


def range_columns(raw: RawNvtx, capture_end: int, pool: NamePool, people: People) -> Named:
    """Open ranges closed at ``capture_end``, push/pop ranges nested per thread; by start, longer first."""
    rows = raw.ranges
    start, end = rows.ints("start"), rows.ints("end")
    unfinished = end == NULL
    end = np.where(unfinished, np.maximum(start, capture_end), end)
    order = np.lexsort((-end, start))
    yield "unfinished", unfinished[order]
    start, end = start[order], end[order]
    yield "start", start
    yield "end", end
    thread = people.thread_index(rows.ints("globalTid"))[order]
    yield "thread", thread
    paired = np.isin(rows.ints("eventType"), schema.NVTX_START_END)[order]
    yield "style", np.where(paired, RangeStyle.START_END, RangeStyle.PUSH_POP).astype(np.uint8)
    level, parent = _nest(start, end, thread, np.flatnonzero(~paired))
    yield "level", level
    yield "parent", parent
    del start, end, thread, paired, level, parent
    yield "end_thread", people.thread_index(rows.ints("endGlobalTid"))[order]
    yield "name", raw.range_names[order]
    yield "domain", _domain_names(rows, raw.domains, pool)[order]
    yield "color", rows.ints("color")[order]
    yield "category", rows.ints("category")[order]
    yield "rowid", rows.ints("rowid")[order]


def _nest(start: Int64, end: Int64, thread: Int32, stacked: Int64) -> tuple[Int32, Int32]:
    """Level and parent (a position, -1 none) of the ranges at ``stacked``; the others get 0 and -1.

    The ranges come sorted by start, longer first.
    """
    level = np.zeros(len(start), np.int32)
    parent = np.full(len(start), -1, np.int32)
    order = stacked[np.argsort(thread[stacked], kind="stable")]
    group = thread[order].astype(np.int64)
    found = parents(end[order], group)
    level[order] = levels(start[order], end[order], group, found)
    parent[order] = np.where(found < 0, -1, order[found])
    return level, parent


def mark_columns(raw: RawNvtx, pool: NamePool, people: People) -> Named:
    rows = raw.marks
    yield "start", rows.ints("start")
    yield "thread", people.thread_index(rows.ints("globalTid"))
    yield "name", raw.mark_names
    yield "domain", _domain_names(rows, raw.domains, pool)
    yield "color", rows.ints("color")
    yield "rowid", rows.ints("rowid")
