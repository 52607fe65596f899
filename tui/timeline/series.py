"""Lines of a lane that show values over time instead of events: what each kind consists of.

How they are drawn is the business of :mod:`tui.timeline.series_drawing`. Every kind answers for any edges at
a cost that grows with the cells, never with the rows behind them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tui.intervals import Coverage, subtract
from tui.report.columns import Int64

Float64 = NDArray[np.float64]


class Cells(NamedTuple):
    """What a quantity was between consecutive edges, one value a cell; NaN: not known."""

    mean: Float64
    """Weighted by time."""
    low: Float64
    high: Float64


class Values(Protocol):
    """A quantity over time."""

    def over(self, edges: Int64) -> Cells:
        """What it was between consecutive ``edges`` (ns, ascending): one cell fewer than edges."""


class Counts(Protocol):
    """Things that happen at instants."""

    def over(self, edges: Int64) -> Int64:
        """How many there are from each edge up to, not including, the next."""


class NamedCells(NamedTuple):
    """What was seen between consecutive edges, one value a cell."""

    seen: Int64
    """How many things."""
    code: NDArray[np.int32]
    """The name that most of them have; -1: none."""
    share: Float64
    """The share of them that has that name; NaN for an empty cell."""


class Names(Protocol):
    """Named things at instants, such as samples of the functions that ran."""

    def over(self, edges: Int64) -> NamedCells:
        """What was seen from each edge up to, not including, the next."""

    def word(self, code: int) -> str:
        """The name of a code, safe for a screen."""


@dataclass(frozen=True, kw_only=True)
class Series:
    """What all kinds of lines have in common."""

    title: str
    """What the line is called, safe for a screen; empty for what its lane is called."""
    details: tuple[tuple[str, str], ...] = ()
    """Labels and values that hold for the whole line (unit, source, coverage, rules), safe for a screen."""
    note: str = ""
    """What has to be said wherever the line is shown: unverified, assumed, partial."""


@dataclass(frozen=True, kw_only=True)
class Level(Series):
    """One quantity: eighth-blocks in one row, an envelope of dots in more."""

    values: Values
    style: str
    top: float
    """The upper end of the scale, above 0: 100 for a percentage, else the greatest value of the capture."""
    words: Callable[[float], str]
    """A value with its unit."""
    tall: int = 1
    """Rows that it takes where there is room: 1 to 8."""


@dataclass(frozen=True, kw_only=True)
class Heat(Series):
    """One quantity as lightness: many lines of one kind compare."""

    values: Values
    style: str
    top: float
    words: Callable[[float], str]


@dataclass(frozen=True, kw_only=True)
class Pair(Series):
    """Two directions of one thing: half-blocks in one row, the first above the second."""

    upper: Level
    lower: Level


@dataclass(frozen=True, kw_only=True)
class Area(Series):
    """Kinds of one quantity stacked upon each other, the first lowest; their peak is marked."""

    parts: tuple[Level, ...]
    top: float
    words: Callable[[float], str]
    peak: tuple[int, float] | None = None
    """The time (ns) and height of the greatest sum; None: there is none."""


@dataclass(frozen=True, kw_only=True)
class OnCpu(Series):
    """Whether a thread ran: on a CPU; off it in a call; off it."""

    running: Coverage
    in_call: Coverage
    """The thread's calls, whether it ran or not."""
    known: tuple[int, int]
    """From when to when (ns) this is known."""

    @cached_property
    def waiting(self) -> Coverage:
        """When the thread was in a call without running: worked out once."""
        calls, running = self.in_call.spans, self.running.spans
        return Coverage.of(*subtract(calls, running)[:2])


@dataclass(frozen=True, kw_only=True)
class Sampled(Series):
    """Which function ran most, by samples: its name where it fills several cells, else how many samples."""

    names: Names
    style: Callable[[int], str]
    """The style of a code."""


@dataclass(frozen=True, kw_only=True)
class Density(Series):
    """How many of something happened: faults, switches, marks."""

    counts: Counts
    style: str
    noun: str
    """What one of them is called."""


@dataclass(frozen=True, kw_only=True)
class Heading(Series):
    """A line that shows nothing itself: what it is called stands above the lanes below it."""


@dataclass(frozen=True, kw_only=True)
class Failed(Series):
    """Stands where lines could not be gathered."""

    words: str
    """Why, safe for a screen."""


TALLEST = 8
"""Rows that one line of values takes at most."""
_AREA_ROWS = 3


def usual_rows(series: Series) -> int:
    """How many rows a line takes where there is room and nobody has said otherwise."""
    if isinstance(series, Level):
        return min(max(series.tall, 1), TALLEST)
    return _AREA_ROWS if isinstance(series, Area) else 1


def grows(series: Series) -> bool:
    """Whether more rows show more of it."""
    return isinstance(series, Level | Pair | Area)
