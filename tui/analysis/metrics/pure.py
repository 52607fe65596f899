"""Samples that only one thing can have made: those whose interval lies inside its time, nothing beside it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tui.intervals import Grouped, union_by_group
from tui.report.columns import Int64, Positions


class Alone(NamedTuple):
    """Disjoint stretches of time, ascending, in which one group and no other has anything running."""

    start: Int64
    end: Int64
    group: Positions


def alone(spans: Grouped, groups: int) -> Alone:
    """When each of some groups runs alone; ``spans``: merged intervals, those of one group disjoint.

    An interval of no length takes no time from others.
    """
    lasting = spans.end > spans.start
    start, end, group = spans.start[lasting], spans.end[lasting], spans.group[lasting]
    times = np.concatenate([start, end])
    order = np.argsort(times, kind="stable")
    times = times[order]
    # How many groups run, and the sum of their numbers: of one group alone that is its number.
    steps = np.concatenate([np.ones(len(start), np.int64), np.full(len(end), -1, np.int64)])[order]
    numbers = np.concatenate([group, group])[order]
    running, which = np.cumsum(steps), np.cumsum(steps * numbers)
    one = np.flatnonzero((running[:-1] == 1) & (times[1:] > times[:-1]))
    low, high, mine = times[one], times[one + 1], which[one]
    # Pieces of one group that touch are one stretch.
    joins = (low[1:] == high[:-1]) & (mine[1:] == mine[:-1])
    first = np.append(True, ~joins)[: len(low)]
    last = np.append(~joins, True)[-len(low) :] if len(low) else first
    return Alone(low[first], high[last], mine[first].astype(np.intp))


def inside(stretches: Alone, begin: Int64, end: Int64) -> Positions:
    """The group of the stretch that holds each ``[begin, end)`` altogether; -1: none does."""
    if not len(stretches.start):
        return np.full(len(begin), -1, np.intp)
    at = np.searchsorted(stretches.start, begin, "right") - 1
    held = (at >= 0) & (stretches.end[np.maximum(at, 0)] >= end)
    return np.where(held, stretches.group[np.maximum(at, 0)], -1).astype(np.intp)


def clipped(start: Int64, end: Int64, group: Positions, low: int, high: int) -> Grouped:
    """The merged intervals of each group inside ``[low, high)``, by group and start."""
    start, end = np.maximum(start, low), np.minimum(end, high)
    there = end > start
    return union_by_group(start[there], end[there], group[there])
