"""What a set of reports comes to: per run the verdict, per rank and per step the figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tui.ranks.alignment import Alignment
from tui.ranks.collective_rows import CollectiveRow
from tui.ranks.efficiency import Efficiency
from tui.ranks.exposure import StepSplit
from tui.ranks.match import Matched
from tui.ranks.pace import StepPace
from tui.ranks.rank_set import Rank, RankSet, Run
from tui.ranks.step_grid import StepGrid
from tui.ranks.straggler import Verdict
from tui.ranks.typical import UsualStep
from tui.ranks.waits import Waits
from tui.ranks.why import Excess
from tui.report.columns import Bool, Int64


@dataclass(frozen=True)
class RankRow:
    """One rank of a run."""

    rank: Rank
    report: str
    """The name of its report's file."""
    gpus: tuple[int, ...]
    """The numbers of its GPUs on the host, as far as its environment says; else those in its report."""
    doubtful: int
    span_ns: int
    """From its first op or step to its last."""
    steps: int
    """How many of its steps are in the range that was asked for, all by default."""
    usual: UsualStep | None
    """Its usual step; where no rank of the run has steps, its whole window. None: unknown."""
    busy_pct: float | None
    """CUDA work of any kind, of its window."""
    times_last: int | None
    """In how many collectives it was the last one in; None: no collective can tell."""
    collectives: int
    """How many collectives that it took part in can tell who was last."""
    caused_ns: int | None
    """What all others together would not have waited for it, had it come with the next to last."""
    why: tuple[Excess, ...]
    partial: bool
    """Too few of its collectives have their counterparts in the other reports."""

    @property
    def last_pct(self) -> float | None:
        """The share of the collectives in which it was last."""
        return None if self.times_last is None else round(100 * self.times_last / self.collectives, 1)

    @property
    def status(self) -> str:
        """``ok``, or what its figures lack."""
        if not len(self.rank.summary.steps):
            return "no steps"
        return "partial" if self.partial else "ok"


@dataclass(frozen=True)
class JudgedRun:
    """One run of a set."""

    run: Run
    alignment: Alignment
    matched: Matched
    waits: Waits
    verdict: Verdict
    cost_ns: int
    """By how much all last arrivers were late, in the communicator that loses most."""
    costs: Mapping[str, int]
    """The same of each that the verdict names, by name."""
    grid: StepGrid
    chosen: Bool
    """Which steps of the grid are in the window."""
    compared: Bool
    """Which of them the ranks are compared over: those that all have, unless others were asked for."""
    telling: Bool
    """Which of those hold an operation that can tell who was last."""
    window: tuple[int, int] | None
    """The time that the figures are about, on the common axis; None where nothing relates the ranks."""
    instances: tuple[Bool, ...]
    """By communicator: which of its instances count."""
    columns: tuple[Int64, ...]
    """By communicator: the step of each of its instances, a column of the grid; -1 outside steps."""
    splits: tuple[StepSplit | None, ...]
    own: Int64
    """Own times of the finished steps, a matrix of (ranks, steps); NULL where unknown."""
    starts: Int64
    """Starts of the steps on the common axis, another such matrix; NULL where nothing relates the ranks."""
    pace: StepPace
    rows: tuple[RankRow, ...]
    collectives: tuple[CollectiveRow, ...]
    """Those of the window, most time first."""
    efficiency: Efficiency
    why: tuple[Excess, ...]
    """Why those that the verdict names are late."""
    notes: tuple[str, ...]

    @cached_property
    def steady(self) -> Bool:
        """Which steps of the grid count in medians on some rank."""
        steady: Bool = self.grid.steady.any(axis=0) & self.compared
        return steady

    @property
    def step_ns(self) -> int | None:
        """The median over the ranks of their usual steps; None: no rank has steps."""
        steps = [step for row in range(len(self.rows)) if (step := self.step_of(row)) is not None]
        return int(np.median(steps)) if steps else None

    def step_of(self, row: int) -> int | None:
        """The usual step of one rank (ns); None: it has none."""
        found = self.rows[row]
        return found.usual.step if found.usual is not None and found.steps else None


@dataclass(frozen=True)
class Judged:
    """All runs of a set."""

    rank_set: RankSet
    runs: tuple[JudgedRun, ...]
