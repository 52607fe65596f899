"""The steps of a run, matched over its ranks: which step of one rank is which of another.

Steps that carry numbers in their names are matched by these, others by their order. A rank that has fewer
steps than the longest one is matched where its first step agrees best in time; without common clocks from
the beginning. What a rank lacks is a hole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from tui.ranks.holes import gathered, where_known
from tui.ranks.summary import RankSummary
from tui.report.columns import Bool, Int64
from tui.text.labels import starred
from tui.text.numbers import plural

_NUMBERS = re.compile(r"\d+")


@dataclass(frozen=True)
class StepGrid:
    """The matched steps of a run: a row a rank, a column a step, by order."""

    ranks: tuple[RankSummary, ...]
    place: Int64
    """Shape (ranks, steps): position in the rank's steps, -1 where it has none."""
    names: tuple[str | None, ...]
    """What each step is called, on the first rank that has it."""
    how: str
    notes: tuple[str, ...]
    warm_up: int
    """How many leading steps are warm-up on some rank."""

    def __len__(self) -> int:
        return int(self.place.shape[1])

    @cached_property
    def finished(self) -> Bool:
        """Shape (ranks, steps): which ranks have the step, and to its end."""
        unfinished = self.values([rank.steps.unfinished.astype(np.int64) for rank in self.ranks])
        found: Bool = unfinished == 0
        return found

    @cached_property
    def steady(self) -> Bool:
        """Shape (ranks, steps): the finished ones after the warm-up, which medians are about."""
        steady = self.finished.copy()
        steady[:, : self.warm_up] = False
        return steady

    @cached_property
    def duration(self) -> Int64:
        """Shape (ranks, steps): how long each finished step took (ns); NULL in holes."""
        durations = self.values([rank.steps.end - rank.steps.start for rank in self.ranks])
        return where_known(durations, self.finished)

    def values(self, columns: Sequence[Int64 | None]) -> Int64:
        """Values of each rank's steps as a matrix of (ranks, steps); NULL in holes, and where None."""
        return gathered(self.place, columns)


def match_steps(ranks: Sequence[RankSummary], starts: Sequence[Int64 | None]) -> StepGrid:
    """Match the steps of ``ranks``. ``starts``: theirs on the common axis (ns); None where unknown."""
    labels = [step_names(rank) for rank in ranks]
    numbered = _by_number(labels)
    place, how, notes = numbered if numbered is not None else _by_order(ranks, starts)
    names = tuple(
        next((labels[rank][place[rank, step]] for rank in np.flatnonzero(place[:, step] >= 0)), None)
        for step in range(place.shape[1])
    )
    warm = [np.flatnonzero((row >= 0) & (row < rank.warm_up)) for row, rank in zip(place, ranks, strict=True)]
    warm_up = max((int(found[-1]) + 1 for found in warm if len(found)), default=0)
    if warm_up > max(
        1, place.shape[1] // 10
    ):  # a rank that came late has its warm-up where others are steady
        warm_up = max((rank.warm_up for rank in ranks), default=0)
    return StepGrid(tuple(ranks), place, names, how, notes, warm_up)


def step_names(rank: RankSummary) -> list[str | None]:
    """What each step of a rank is called."""
    return [rank.names[label] if label >= 0 else None for label in rank.steps.label.tolist()]


Placed = tuple[Int64, str, tuple[str, ...]]


def _by_number(labels: Sequence[Sequence[str | None]]) -> Placed | None:
    """Match by the numbers in the names; None where they don't tell every rank's steps apart."""
    parsed: dict[str | None, tuple[str, tuple[int, ...]]] = {}  # ranks repeat each other's names
    for name in {name for names in labels for name in names}:
        text = name or ""
        parsed[name] = starred(text), tuple(map(int, _NUMBERS.findall(text)))
    stars = {star for star, _ in parsed.values()}
    if len(stars) != 1 or "*" not in (star := stars.pop()):
        return None
    keys = [[parsed[name][1] for name in names] for names in labels]
    width = star.count("*")
    if any(len(set(mine)) != len(mine) or any(len(key) != width for key in mine) for mine in keys):
        return None
    if any(later < earlier for mine in keys for earlier, later in pairwise(mine)):
        return None
    column = {key: place for place, key in enumerate(sorted({key for mine in keys for key in mine}))}
    place = np.full((len(labels), len(column)), -1, np.int64)
    for rank, mine in enumerate(keys):
        place[rank, [column[key] for key in mine]] = np.arange(len(mine))
    holes = place[[bool(mine) for mine in keys]] < 0
    lacking = int(holes.any(axis=0).sum())
    notes = (f"{lacking:,} of {plural(len(column), 'step')} are not on every rank",) if lacking else ()
    return place, "by the number in their name", notes


def _by_order(ranks: Sequence[RankSummary], starts: Sequence[Int64 | None]) -> Placed:
    counts = [len(rank.steps) for rank in ranks]
    longest = max(counts, default=0)
    place = np.full((len(ranks), longest), -1, np.int64)
    reference = starts[counts.index(longest)] if counts else None
    shifted = 0
    guessed = 0
    for rank, (count, start) in enumerate(zip(counts, starts, strict=True)):
        shift = 0
        if 0 < count < longest:
            if reference is None or start is None:
                guessed += 1
            else:
                shift = int(np.argmin(np.abs(reference[: longest - count + 1] - start[0])))
                shifted += 1
        place[rank, shift : shift + count] = np.arange(count)
    uneven = [count for count in counts if 0 < count < longest]
    notes: list[str] = []
    if uneven:
        fewest = min(uneven)
        notes.append(f"steps differ: {fewest:,} to {longest:,} a rank; the matched ones are compared")
    if shifted:
        notes.append("ranks with fewer steps are matched where their first step agrees best in time")
    if guessed:
        notes.append("ranks with fewer steps are matched from the first one: no clock relates them")
    return place, "by their order", tuple(notes)
