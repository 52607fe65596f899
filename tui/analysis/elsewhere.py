"""The NVTX ranges open during a gap that do not belong to the thread responsible for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from tui.analysis.index import Index
from tui.intervals import Stabber
from tui.report.columns import Bool, Int32, Int64, Positions, distinct_values
from tui.text.stacks import DEEPEST

Found = Iterator[tuple[Positions, Int64]]
"""(question, range): positions among the times, and in ``Report.ranges``."""


@dataclass(frozen=True)
class OtherRange:
    """A range open during a gap that does not belong to the responsible thread."""

    range: int
    """Position in ``Report.ranges``; -n for n ranges that are left out."""
    thread: int
    """Position in ``Report.threads``; -1 unknown."""
    crosses_threads: bool
    """A start/end range that one thread opened and another closed: it owns no work by thread."""


def other_ranges(index: Index, times: Int64, threads: Int64) -> list[list[OtherRange]]:
    """Per time, the innermost range of each other thread, and the ranges that cross threads, latest first.

    ``threads``: the responsible thread per time (-1: none). Its own ranges are left out, and those of other
    processes. Of more than :data:`DEEPEST` that cross threads only the latest are listed, and how many
    others there are.
    """
    rows: list[list[OtherRange]] = [[] for _ in range(len(times))]
    pairs = [*_innermost(index, times, threads), *_crossing(index, times, threads)]
    none = np.zeros(0, np.int64)
    question, found = map(np.concatenate, zip((none, none), *pairs, strict=True))
    # Entries for what is left out are negative: they come last.
    order = np.lexsort((-found, question))
    question, found = question[order], found[order]
    left = found < 0
    owner = np.where(left, -1, index.report.ranges.thread[found])
    crosses = left | index.crossing_ranges[found]
    for q, r, thread, crossing in zip(*(a.tolist() for a in (question, found, owner, crosses)), strict=True):
        rows[q].append(OtherRange(r, thread, crossing))
    return rows


def _innermost(index: Index, times: Int64, threads: Int64) -> Found:
    """The innermost range of each thread other than the responsible one that belongs to that thread."""
    process = index.process_of_thread
    for thread in distinct_values(index.report.ranges.thread[index.thread_ranges]).tolist():
        same = process[threads] == process[thread]
        asked = np.flatnonzero((threads < 0) | (same & (threads != thread)))
        found = index.range_at(times[asked], thread)
        yield asked[found >= 0], found[found >= 0]
    unowned = np.flatnonzero((index.report.ranges.thread < 0) & ~index.crossing_ranges)
    asked = np.flatnonzero(threads < 0)
    if len(unowned) and len(asked):
        found = _stabber(index, unowned).latest_open(times[asked])
        yield asked[found >= 0], unowned[found[found >= 0]]


def _crossing(index: Index, times: Int64, threads: Int64) -> Found:
    """The ranges that cross threads: of the responsible thread's process, without such a thread of all."""
    crossing, process = np.flatnonzero(index.crossing_ranges), index.process_of_thread
    if not len(crossing):
        return
    owners = process[index.report.ranges.thread[crossing]]
    anyone: Bool = threads < 0
    for asked, stabber, group in (
        (np.flatnonzero(anyone), _stabber(index, crossing), np.zeros(len(times), np.int64)),
        (np.flatnonzero(~anyone), _stabber(index, crossing, owners), process[threads]),
    ):
        low = times[asked]
        for question, found in islice(stabber.holding(low, low + 1, group[asked]), DEEPEST):
            yield asked[question], crossing[found]
        left = stabber.count_holding(low, low + 1, group[asked]) - DEEPEST
        yield asked[left > 0], -left[left > 0]


def _stabber(index: Index, rows: Positions, group: Int32 | None = None) -> Stabber:
    ranges = index.report.ranges
    return Stabber(ranges.start[rows], ranges.end[rows], group)
