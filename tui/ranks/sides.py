"""One side of a comparison: runs and their matched steps, the unit that repeats.

The ranks of one step are not independent, they wait for each other: one step of a run gives one value, the
median or the largest of its ranks. Leading warm-up steps are left out by the same rule on every side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tui.analysis.kernel_classes import KernelClass
from tui.ranks import holes
from tui.ranks.exposure import StepSplit, split_steps
from tui.ranks.limits import SHORT_RANK
from tui.ranks.rank_set import Rank, RankSet, Run
from tui.ranks.step_grid import StepGrid, match_steps
from tui.ranks.summary import ReportSummary
from tui.report.columns import NULL, Int64, Positions

Values = NDArray[np.float64]
ADDENDS = (
    "compute", "exposed_transfer", "exposed_wait", "exposed_unsplit", "copies_only",
    "other", "unknown", "idle",
)  # fmt: skip
"""The parts of a step on the device's clock; they add up to it."""
HOST = "host"
"""Of a rank without device work: its step outside MPI calls."""
PARTS = (HOST, *ADDENDS)
CLASSES = tuple(KernelClass)


class Over(Enum):
    """What one step's value is, of those of its ranks."""

    MAX = "max"
    MEDIAN = "median"


@dataclass(frozen=True)
class StepChoice:
    """Which steps of each rank count: by number, 1 for the first of the process, both ends included."""

    first: int
    last: int | None
    """None: to the last one."""


@dataclass(frozen=True)
class SideRun:
    """A run with its matched steps. Matrices are of (ranks, chosen steps), NULL in holes."""

    run: Run
    reports: tuple[ReportSummary, ...]
    """Of each rank."""
    grid: StepGrid
    splits: tuple[StepSplit | None, ...]
    rows: Positions
    """The ranks whose steps count, rows of the grid."""
    columns: Positions
    """The steps that count, columns of the grid."""
    judged: Mapping[str, float] = field(default_factory=dict)
    """Figures of the whole run by the name of their metric."""
    verdict: str | None = None
    """Who is late, in a few words."""

    @property
    def ranks(self) -> list[Rank]:
        """The ranks whose steps count."""
        return [self.run.ranks[row] for row in self.rows]

    @cached_property
    def place(self) -> Int64:
        """Position of each chosen step in its rank's steps."""
        chosen: Int64 = self.grid.place[np.ix_(self.rows, self.columns)]
        return chosen

    def gathered(self, columns: Sequence[Int64 | None]) -> Int64:
        """Values of the steps of each rank whose steps count."""
        return holes.gathered(self.place, columns)

    @cached_property
    def duration(self) -> Int64:
        return self.gathered([rank.summary.steps.end - rank.summary.steps.start for rank in self.ranks])

    @cached_property
    def parts(self) -> Mapping[str, Int64]:
        """The parts of each step by the names of :data:`PARTS`, NULL where unknown."""
        steps = [rank.summary.steps for rank in self.ranks]
        splits = [self.splits[row] for row in self.rows]
        found = {
            "exposed_transfer": self.gathered([s and s.transfer for s in splits]),
            "exposed_wait": self.gathered([s and s.wait for s in splits]),
            "exposed_unsplit": self.gathered([s and s.unsplit for s in splits]),
            "copies_only": self.gathered([s.copies for s in steps]),
        }
        for name in ("compute", "other", "unknown", "idle"):
            found[name] = self.gathered([getattr(s, name) for s in steps])
        exposed = self.gathered([s.exposed for s in steps])
        outside = self.duration - np.where(exposed == NULL, 0, exposed)
        found[HOST] = np.where((found["compute"] == NULL) & (self.duration != NULL), outside, NULL)
        return found

    @cached_property
    def exposed(self) -> Int64:
        """Communication that no compute covers."""
        return self.gathered([rank.summary.steps.exposed for rank in self.ranks])

    @cached_property
    def own(self) -> Int64:
        """Each step less the wait for other ranks in it."""
        durations = []
        for rank, row in zip(self.ranks, self.rows, strict=True):
            split, steps = self.splits[row], rank.summary.steps
            waits = None if split is None else np.where(split.known, split.wait, NULL)
            durations.append(None if waits is None else holes.less(steps.end - steps.start, waits))
        return self.gathered(durations)

    def counts(self, name: str) -> Int64:
        """``kernels`` or ``launches`` of each step."""
        return self.gathered([getattr(rank.summary.steps, name) for rank in self.ranks])

    def of_class(self, position: int) -> Int64:
        """The summed kernel time of one class, a position in :data:`CLASSES`."""
        tables = [rank.summary.steps.class_ns for rank in self.ranks]
        return self.gathered([None if table is None else table[:, position] for table in tables])

    @cached_property
    def busy_pct(self) -> Values:
        """The share of each step in which a device did something, in percent; NaN unknown."""
        away = [self.parts[name] for name in ("idle", "unknown")]
        known = (away[0] != NULL) & (away[1] != NULL) & (self.duration > 0)
        length = np.where(known, self.duration, 1)
        busy: Values = np.where(known, 100 * (length - away[0] - away[1]) / length, np.nan)
        return busy

    @cached_property
    def lateness(self) -> Int64:
        """By what ranks of one step are ordered: own time, else the step without exposed communication, else
        its duration; what all ranks of the step have.
        """
        whole = holes.less(self.duration, self.exposed)
        found = self.duration
        for better in (whole, self.own):
            known = ((better != NULL) | (self.duration == NULL)).all(axis=0)
            found = np.where(known, better, found)
        return found

    @cached_property
    def latest(self) -> Positions:
        """The row of the latest rank of each step, of equal ones the first."""
        rows: Positions = np.argmax(self.lateness, axis=0)
        return rows

    @cached_property
    def middle(self) -> Positions:
        """The row of the median rank of each step, of two the earlier."""
        order = np.argsort(self.lateness, axis=0, kind="stable")
        rows: Positions = order[(len(order) - 1) // 2]
        return rows


@dataclass(frozen=True)
class Side:
    """One side: its runs, and what it was made of."""

    label: str
    rank_set: RankSet
    runs: tuple[SideRun, ...]
    chosen: StepChoice | None
    notes: tuple[str, ...]

    @property
    def steps(self) -> int:
        """How many steps count, over all runs."""
        return sum(len(run.columns) for run in self.runs)

    @property
    def ranks(self) -> list[Rank]:
        """The ranks of all runs."""
        return [rank for run in self.runs for rank in run.run.ranks]

    @property
    def step_name(self) -> str | None:
        """What a step is, on the first rank that has any."""
        return next((rank.summary.step_name for rank in self.ranks if rank.summary.step_name), None)


Waits = Sequence[Sequence[Int64 | None]]
"""By run and rank: the wait of each collective (ns), -1 unknown; None: of none."""


def make_side(
    label: str, rank_set: RankSet, waits: Waits | None = None, chosen: StepChoice | None = None
) -> Side:
    """Return the side that ``rank_set`` is; without ``waits`` those between ranks are unknown."""
    runs = []
    notes: list[str] = []
    for number, run in enumerate(rank_set.runs):
        waited = waits[number] if waits is not None else [None] * len(run.ranks)
        made, said = _side_run(rank_set, run, waited, chosen)
        runs.append(made)
        notes += said
    return Side(label, rank_set, tuple(runs), chosen, tuple(dict.fromkeys(notes)))


def _side_run(
    rank_set: RankSet, run: Run, waits: Sequence[Int64 | None], chosen: StepChoice | None
) -> tuple[SideRun, list[str]]:
    summaries = [rank.summary for rank in run.ranks]
    grid = match_steps(summaries, [None] * len(summaries))
    notes = list(grid.notes)
    counts = np.array([len(summary.steps) for summary in summaries], np.int64)
    enough = counts >= SHORT_RANK.value * (np.median(counts[counts > 0]) if counts.any() else 0)
    rows = np.flatnonzero(enough & (counts > 0))
    if short := [run.ranks[row].name for row in np.flatnonzero((counts > 0) & ~enough)]:
        notes.append(f"ranks with few steps are left out: {', '.join(short)}")
    counted = grid.finished[rows]
    if chosen is None:
        counted = grid.steady[rows]
    elif len(rows):
        number = holes.gathered(grid.place[rows], [summaries[row].steps.number for row in rows])
        high = np.iinfo(np.int64).max if chosen.last is None else chosen.last
        counted = counted & (number >= chosen.first) & (number <= high)
    columns = np.flatnonzero(counted.all(axis=0)) if len(rows) else np.zeros(0, np.intp)
    splits = tuple(split_steps(s, w) for s, w in zip(summaries, waits, strict=True))
    reports = tuple(rank_set.report_of(rank) for rank in run.ranks)
    return SideRun(run, reports, grid, splits, rows, columns), notes
