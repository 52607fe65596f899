"""The NVTX ranges that work belongs to, and the phase that a range is an instance of.

An op belongs to the ranges of the launching thread that contain its API call in time, bounds included.
All nesting levels count. Ranges that one thread opened and another closed own nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

import numpy as np

from tui.analysis.grouping import by_text, dense
from tui.analysis.index import Index
from tui.analysis.steps import Steps
from tui.report.columns import Int32, Int64, Positions


class Phase(Enum):
    """Which of the ranges around a call names its phase."""

    INNER = "inner"
    """The innermost range."""
    OUTER = "outer"
    """The outermost range inside the step; where there is no step, the outermost of all."""


def phase_of_calls(index: Index, calls: Positions | Int64) -> Int64:
    """The innermost range around each of these calls: positions in ``Report.ranges``, -1 none."""
    table = index.report.calls
    return index.range_holding(table.start[calls], table.end[calls], table.thread[calls])


def call_range_pairs(index: Index, calls: Positions) -> Iterator[tuple[Positions, Positions]]:
    """(call, range) for every range around each of these calls, innermost first.

    Yields one pair of arrays a nesting depth: positions in ``Report.calls`` and in ``Report.ranges``.
    """
    return ((calls[question], ranges) for question, ranges in _ranges_around(index, calls))


def op_range_pairs(index: Index, ops: Positions | None = None) -> Iterator[tuple[Positions, Positions]]:
    """(op, range) for every range around each op's launch, innermost first.

    ``ops``: positions in ``Report.ops`` (default: all). Ops without a recorded launch have no pairs.
    """
    launch = index.report.ops.launch
    wanted = np.arange(len(launch)) if ops is None else ops
    wanted = wanted[launch[wanted] >= 0]
    return ((wanted[question], ranges) for question, ranges in _ranges_around(index, launch[wanted]))


def _ranges_around(index: Index, calls: Positions | Int32) -> Iterator[tuple[Positions, Positions]]:
    table = index.report.calls
    return index.ranges_holding(table.start[calls], table.end[calls], table.thread[calls])


def phases(index: Index, ranges: Int64, which: Phase, steps: Steps) -> tuple[Positions, list[str | None]]:
    """(number of each range's phase, label of each phase); ranges are positions in the report, -1 none."""
    groups, used = dense(ranges)
    real = used >= 0
    named = used[real]
    if which is Phase.OUTER:
        named = just_inside_step(index, named, steps)
    names = np.full(len(used), -1, np.int64)
    names[real] = index.report.ranges.name[named]
    number, labels = by_text(names, lambda name: index.labels[name] if name >= 0 else None)
    return number[groups], labels


def just_inside_step(index: Index, ranges: Int64, steps: Steps) -> Int64:
    """The outermost ancestor of each range below a step (the range itself where it is a step or a root)."""
    parent = index.report.ranges.parent
    is_step = steps.mask(len(index.report.ranges))
    current = ranges.copy()
    climbing = np.flatnonzero(~is_step[current])
    while len(climbing):
        above = parent[current[climbing]]
        inside = (above >= 0) & ~is_step[above]  # a parent of -1 reads the last entry, which does not matter
        climbing = climbing[inside]
        current[climbing] = above[inside]
    return current
