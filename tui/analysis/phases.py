"""What to call the phase that a range stands for, so that instances group."""

from __future__ import annotations

from enum import Enum

import numpy as np

from tui.analysis.grouping import by_text, dense
from tui.analysis.index import Index
from tui.analysis.steps import Steps
from tui.report.columns import Int64, Positions


class Phase(Enum):
    INNER = "inner"
    """The innermost range."""
    OUTER = "outer"
    """The range just inside the step; where there is no step, the outermost."""


def phases(index: Index, ranges: Int64, which: Phase, steps: Steps) -> tuple[Positions, list[str | None]]:
    """(number of each range's phase, label of each phase). Ranges are positions in the report, -1 none."""
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
    """For each range its outermost ancestor below a step (itself, where it is a step or has no parent)."""
    parent = index.report.ranges.parent
    is_step = steps.mask(len(index.report.ranges))
    current = ranges.copy()
    climbing = np.flatnonzero(~is_step[current]) if len(current) else np.zeros(0, np.intp)
    while len(climbing):
        above = parent[current[climbing]]
        climbing, above = climbing[above >= 0], above[above >= 0]
        inside = ~is_step[above]
        climbing, above = climbing[inside], above[inside]
        current[climbing] = above
    return current
