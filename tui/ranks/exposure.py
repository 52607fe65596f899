"""Exposed communication, split into what it takes and what is waiting for ranks that come later.

transfer + wait + unsplit = exposed, exactly, in any stretch of time. An instant at which several operations
run is transfer where one of them transfers, else wait where one of them waits; what only unmatched ones
cover is unsplit, for nobody knows what of it was waiting.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tui.intervals import Coverage, intersect, union
from tui.ranks.summary import RankSummary, StepColumns
from tui.report.columns import Bool, Int64


@dataclass(frozen=True)
class StepSplit:
    """The exposed communication of each step of a rank (ns): ``transfer + wait + unsplit = exposed``."""

    transfer: Int64
    wait: Int64
    unsplit: Int64

    @property
    def known(self) -> Bool:
        """In which steps the wait is known: nothing was exposed there, or some of it is split."""
        split: Bool = (self.transfer + self.wait > 0) | (self.unsplit == 0)
        return split


class Exposed:
    """When a rank communicates and computes nothing, and why."""

    def __init__(self, rank: RankSummary, wait_ns: Int64 | None) -> None:
        """``wait_ns``: of each of the rank's collectives, -1 unknown; None: of all unknown."""
        done, pieces = rank.collectives, rank.pieces
        self.all = Coverage(pieces.start, pieces.end)
        known = np.zeros(len(done), bool) if wait_ns is None else wait_ns >= 0
        start, end = done.start[known], done.end[known]
        waited = np.zeros(0, np.int64) if wait_ns is None else wait_ns[known]
        arrived = np.minimum(start + waited, end)
        self.transfer = Coverage.of(*intersect(union(arrived, end), self.all.spans))
        self._split = Coverage.of(*intersect(union(start, end), self.all.spans))

    def between(self, low: ArrayLike, high: ArrayLike) -> StepSplit:
        """The split of each ``[low, high)``."""
        transfer, split = self.transfer.between(low, high), self._split.between(low, high)
        return StepSplit(transfer, split - transfer, self.all.between(low, high) - split)


def split_steps(rank: RankSummary, wait_ns: Int64 | None) -> StepSplit | None:
    """The split of each step of ``rank``; None where its steps' communication is unknown."""
    if rank.steps.exposed is None:
        return None
    return Exposed(rank, wait_ns).between(rank.steps.start, rank.steps.end)


def own_time(steps: StepColumns, split: StepSplit | None) -> tuple[Int64, Bool]:
    """(each step less the exposed wait in it, whether that is known)."""
    duration = steps.end - steps.start
    if split is None:
        return duration, np.zeros(len(steps), bool)
    return duration - split.wait, split.known
