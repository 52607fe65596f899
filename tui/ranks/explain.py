"""Where a difference went: parts of the step, reasons for idle time, phases of the host. Each table adds up.

Figures are means per step. Sums stay whole numbers and their ratios fractions; only what is shown is rounded,
each column so that its rows add up to its rounded total.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, TypeVar

from tui.ranks.contents import Content, Reason
from tui.ranks.sides import PARTS
from tui.text.numbers import rounded_parts

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True)
class Change(Generic[K]):
    """One row: what it is of, and its mean per step (whole ns) on both sides."""

    what: K
    before: int
    after: int

    @property
    def delta(self) -> int:
        return self.after - self.before


@dataclass(frozen=True)
class Changes(Generic[K]):
    """Rows that add up to ``total`` in every column."""

    rows: tuple[Change[K], ...]
    total: Change[str]

    def by_size(self) -> Changes[K]:
        """The same with the largest change first."""
        rows = sorted(self.rows, key=lambda row: (-abs(row.delta), -row.after))
        return Changes(tuple(rows), self.total)


def changes(
    before: Mapping[K, int],
    after: Mapping[K, int],
    steps: tuple[int, int],
    keys: Sequence[K] | None = None,
    totals: tuple[int | None, int | None] = (None, None),
) -> Changes[K]:
    """Return how sums over ``steps`` (before, after) steps differ per step, by key.

    ``keys``: which, in their order; by default all, in the order in which they come. ``totals``: what
    the columns add up to, where another table says it already.
    """
    every = list(dict.fromkeys([*before, *after])) if keys is None else list(keys)
    columns = []
    for sums, count, total in zip((before, after), steps, totals, strict=True):
        columns.append(rounded_parts([Fraction(sums.get(key, 0), max(1, count)) for key in every], total))
    rows = tuple(Change(*row) for row in zip(every, *columns, strict=True))
    return Changes(rows, Change("total", *(sum(column) for column in columns)))


@dataclass(frozen=True)
class Explanation:
    """Where the difference of the steps of one rank each went."""

    step: Changes[str]
    """By the names of ``PARTS``, those that are there on a side; adds up to the step."""
    idle: Changes[Reason]
    """Adds up to the part ``idle``."""
    phases: Changes[str | None]
    """Of the host; see :attr:`Content.phases`."""
    who: tuple[Mapping[str, int], Mapping[str, int]]
    """In how many steps it was which rank, before and after."""

    def largest(self, worse: int = 1) -> Change[str] | None:
        """Return the part that grew most (-1: shrank most); None where none did."""
        row = max(self.step.rows, key=lambda row: worse * row.delta, default=None)
        return row if row is not None and worse * row.delta > 0 else None


def explain(before: Content, after: Content) -> Explanation:
    """Return where the steps of ``after`` differ from those of ``before``."""
    steps = before.steps, after.steps
    parts = [name for name in PARTS if before.parts.get(name) or after.parts.get(name)]
    step = changes(before.parts, after.parts, steps, parts)
    idle = [(side.idle, side.parts.get("idle")) for side in (before, after)]
    host = [(side.phases, side.parts.get("host")) for side in (before, after)]
    return Explanation(
        step,
        changes(before.idle, after.idle, steps, totals=_told(step, "idle", idle)).by_size(),
        changes(before.phases, after.phases, steps, totals=_told(step, "host", host)).by_size(),
        (before.who, after.who),
    )


def _told(
    step: Changes[str], part: str, sides: Sequence[tuple[Mapping[K, int], int | None]]
) -> tuple[int | None, int | None]:
    """What the table of the step says of a part, on the sides where the sums explain all of it."""
    shown = [(row.before, row.after) for row in step.rows if row.what == part]
    if not shown:
        return None, None
    whole = [sum(sums.values()) == of for sums, of in sides]
    return shown[0][0] if whole[0] else None, shown[0][1] if whole[1] else None
