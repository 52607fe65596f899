"""By how much memory grows from one step to the next."""

from __future__ import annotations

import numpy as np

from tui.analysis.index import Index
from tui.analysis.memory.levels import Level
from tui.analysis.scope import Window
from tui.analysis.steps import find_steps
from tui.report.columns import NULL, Int64

ENOUGH_STEPS = 10
_MOST = 500
"""Of more steps as many, evenly spaced, are compared with each other."""


def growth_per_step(level: Level, starts: Int64) -> float | None:
    """The Theil-Sen slope of the bytes alive when steps begin; None: fewer than ten steps.

    That is the median of the slopes between any two steps: single outliers don't move it.
    """
    return None if len(starts) < ENOUGH_STEPS else _slope(level, starts)


def late_growth(level: Level, starts: Int64) -> float | None:
    """The same of the later half of the steps: what only grows at first has none."""
    return None if len(starts) < ENOUGH_STEPS else _slope(level, starts[len(starts) // 2 :])


def _slope(level: Level, starts: Int64) -> float:
    number = np.arange(len(starts))
    if len(starts) > _MOST:
        number = np.unique(np.linspace(0, len(starts) - 1, _MOST).astype(np.int64))
    value = level.at(starts[number])
    one, other = np.triu_indices(len(number), 1)
    slopes = (value[other] - value[one]) / (number[other] - number[one])
    return float(np.median(slopes))


def step_starts(index: Index, global_pid: int, window: Window) -> Int64:
    """When the steps of a process begin inside a window."""
    report = index.report
    process = next((p.index for p in report.processes if p.global_pid == global_pid), None)
    if process is None or global_pid == NULL:
        return np.zeros(0, np.int64)
    for sequence in find_steps(index).sequences:
        if sequence.process == process:
            start = sequence.start
            return start[(start >= window.start) & (start < window.end)]
    return np.zeros(0, np.int64)
