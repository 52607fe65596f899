"""Which part of a run counts: steps by number, or a stretch of the common time axis."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from tui.errors import NothingThere, UsageError
from tui.ranks import limits
from tui.ranks.alignment import Alignment
from tui.ranks.arrivals import took
from tui.ranks.holes import least, most
from tui.ranks.match import Matched
from tui.ranks.step_grid import StepGrid
from tui.ranks.waits import Waits
from tui.report.columns import NULL, Bool, Int64
from tui.text.times import parse_time

_STEPS = re.compile(r"step:(\d+)(\.\.(\d*))?")


@dataclass(frozen=True)
class SetRange:
    """What ``--range`` of a set means. Without steps and times: everything."""

    text: str
    steps: tuple[int, int | None] | None = None
    """The first and last step, from 1; None: to the last."""
    low: int | None = None
    high: int | None = None
    """Bounds on the common axis (ns)."""


def parse_range(text: str) -> SetRange:
    """Read ``step:3``, ``step:3..5``, ``step:3..``, ``1.5s/1.62s`` or ``/``; UsageError for anything else."""
    text = text.strip()
    if text == "/":
        return SetRange(text)
    if match := _STEPS.fullmatch(text):
        first = int(match[1])
        last = first if match[2] is None else int(match[3]) if match[3] else None
        if first < 1 or (last is not None and last < first):
            raise UsageError(f"{text!r} is no range of steps such as step:3, step:3..5 or step:3..")
        return SetRange(text, steps=(first, last))
    start, slash, end = text.partition("/")
    if not slash:
        raise UsageError(f"{text!r} is no range of a set such as step:3, step:3..5 or 1.5s/1.62s")
    low = parse_time(start) if start.strip() else None
    high = parse_time(end) if end.strip() else None
    if low is not None and high is not None and high <= low:
        raise UsageError(f"the range {text!r} ends before it starts")
    return SetRange(text, low=low, high=high)


def chosen_steps(grid: StepGrid, starts: Int64, ends: Int64, asked: SetRange | None) -> Bool:
    """Which columns of the grid ``asked`` means: all by default; of times those that overlap on some rank.

    ``starts`` and ``ends``: of the steps on the axis, NULL unknown. Raises NothingThere where there are none.
    """
    chosen = np.ones(len(grid), bool)
    if asked is None:
        return chosen
    if not len(grid):
        if asked.steps is not None:
            raise NothingThere(f"{asked.text}: no steps found")
        return chosen
    if asked.steps is not None:
        first, last = asked.steps
        last = len(grid) if last is None else last
        if not 1 <= first <= last <= len(grid):
            raise NothingThere(f"{asked.text}: there are steps 1 to {len(grid)}")
        number = np.arange(1, len(grid) + 1)
        return (number >= first) & (number <= last)
    first_in, last_out = least(starts, 0), most(ends, 0)
    known = first_in != NULL
    if asked.low is not None:
        chosen &= known & (last_out > asked.low)
    if asked.high is not None:
        chosen &= known & (first_in < asked.high)
    if not chosen.any():
        raise NothingThere(f"no step overlaps {asked.text}")
    return chosen


def compared_steps(grid: StepGrid, chosen: Bool, asked: SetRange | None) -> Bool:
    """Which of the ``chosen`` columns ranks are compared over: those that all have to the end.

    A rank with less than half of the usual steps was cut short and decides nothing. What was ``asked`` for
    is taken as it is, and where no step is common all are.
    """
    counts = grid.finished.sum(axis=1)
    with_steps = counts > 0
    if asked is not None or not with_steps.any():
        return chosen
    usual = float(np.median(counts[with_steps]))
    whole = with_steps & (counts >= limits.SHORT_RANK.value * usual)
    common: Bool = chosen & grid.finished[whole].all(axis=0)
    return common if (common & grid.steady.any(axis=0)).any() else chosen


def step_columns(matched: Matched, grid: StepGrid) -> list[Int64]:
    """By communicator: the column of the grid that each instance belongs to; -1 outside steps."""
    column_of = []
    for place in grid.place:
        known = np.flatnonzero(place >= 0)
        of_step = np.full(int(place.max(initial=-1)) + 1, -1, np.int64)
        of_step[place[known]] = known
        column_of.append(of_step)
    found = []
    for communicator in matched.communicators:
        columns = np.full(len(communicator), -1, np.int64)
        for participant in communicator.participants:
            mine, of_step = took(matched, participant), column_of[participant.rank]
            if len(of_step):
                theirs = np.where(mine.step >= 0, of_step[np.maximum(mine.step, 0)], -1)
                rows = mine.instance
                columns[rows] = np.where(columns[rows] < 0, theirs, columns[rows])
        found.append(columns)
    return found


def chosen_instances(
    waits: Waits, columns: list[Int64], alignment: Alignment, chosen: Bool, asked: SetRange | None
) -> tuple[Bool, ...]:
    """By communicator: which instances count.

    Those of the ``chosen`` steps; without steps, or where none is in a step, all in the time that was asked.
    """
    in_steps = [
        (column >= 0) & chosen[np.maximum(column, 0)] if len(chosen) else column >= 0 for column in columns
    ]
    if any((column >= 0).any() for column in columns):
        return tuple(in_steps)
    found = []
    for table in waits.instances:
        mask = np.ones(len(table), bool)
        if asked is not None and alignment.related:
            if asked.low is not None:
                mask &= table.end_ns > asked.low
            if asked.high is not None:
                mask &= table.start_ns < asked.high
        found.append(mask)
    return tuple(found)
