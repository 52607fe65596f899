"""One side of a comparison: runs and their matched steps, the unit that repeats.

The ranks of one step are not independent, they wait for each other: one step of a run gives one value, the
median or the largest of its ranks. Leading warm-up steps are left out by the same rule on every side.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tui.ranks import holes
from tui.ranks.judged import Judged, JudgedRun
from tui.ranks.limits import SHORT_RANK
from tui.ranks.rank_set import Rank, RankSet, Run
from tui.ranks.reduce import JudgeOptions, judge
from tui.ranks.run_figures import run_figures, who_is_late
from tui.ranks.summary import ReportSummary
from tui.report.columns import NULL, Int64, Positions
from tui.report.kernels.class_table import KernelClass

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
_RECORDED = ("compute", "exposed", "copies", "other", "unknown", "idle", "kernels", "launches")


class Over(Enum):
    """What one step's value is, of those of its ranks."""

    MAX = "max"
    MEDIAN = "median"


@dataclass(frozen=True)
class SideRun:
    """A run and its steps that count. Matrices are of (ranks, steps that count), NULL where unknown."""

    judged: JudgedRun
    reports: tuple[ReportSummary, ...]
    """Of each rank."""
    rows: Positions
    """The ranks whose steps count, rows of the grid."""
    columns: Positions
    """The steps that count, columns of the grid: those that all these ranks have finished."""
    figures: Mapping[str, float] = field(default_factory=dict)
    """Figures of the whole run by the name of their metric."""
    late: str | None = None
    """Who is late, in a few words."""

    @property
    def run(self) -> Run:
        """The run."""
        return self.judged.run

    @property
    def ranks(self) -> list[Rank]:
        """The ranks whose steps count."""
        return [self.run.ranks[row] for row in self.rows]

    @cached_property
    def place(self) -> Int64:
        """Position of each step in its rank's steps."""
        chosen: Int64 = self.judged.grid.place[np.ix_(self.rows, self.columns)]
        return chosen

    @cached_property
    def recorded(self) -> Mapping[str, Int64]:
        """What the steps of each rank say of themselves; each rank is read once."""
        found = {name: np.full(self.place.shape, NULL, np.int64) for name in ("duration", *_RECORDED)}
        for row, rank in enumerate(self.ranks):
            steps, place = rank.summary.steps, self.place[row]
            found["duration"][row] = (steps.end - steps.start)[place]
            for name in _RECORDED:
                values = getattr(steps, name)
                if values is not None:
                    found[name][row] = values[place]
        return found

    @cached_property
    def classes(self) -> Mapping[int, Int64]:
        """The summed kernel time by position in :data:`CLASSES`, of those that have any."""
        found: dict[int, Int64] = {}
        known = self.recorded["compute"] != NULL
        for row, rank in enumerate(self.ranks):
            table = rank.summary.steps.class_ns
            if table is None:
                continue
            mine = table[self.place[row]]
            for position in np.flatnonzero(mine.any(axis=0)).tolist():
                if position not in found:
                    found[position] = np.where(known, 0, NULL)
                found[position][row] = mine[:, position]
        return found

    @property
    def duration(self) -> Int64:
        """How long each step takes."""
        return self.recorded["duration"]

    @property
    def exposed(self) -> Int64:
        """Communication that no compute covers."""
        return self.recorded["exposed"]

    @cached_property
    def parts(self) -> Mapping[str, Int64]:
        """The parts of each step by the names of :data:`PARTS`."""
        names = {"exposed_transfer": "transfer", "exposed_wait": "wait", "exposed_unsplit": "unsplit"}
        found = {name: np.full(self.place.shape, NULL, np.int64) for name in names}
        for row, rank in enumerate(self.rows.tolist()):
            if (split := self.judged.splits[rank]) is not None:
                for name, key in names.items():
                    found[name][row] = getattr(split, key)[self.place[row]]
        recorded = self.recorded
        found["copies_only"] = recorded["copies"]
        found |= {name: recorded[name] for name in ("compute", "other", "unknown", "idle")}
        outside = self.duration - np.where(self.exposed == NULL, 0, self.exposed)
        found[HOST] = np.where(recorded["compute"] == NULL, outside, NULL)
        return found

    @cached_property
    def own(self) -> Int64:
        """Each step less the wait for other ranks in it."""
        chosen: Int64 = self.judged.own[np.ix_(self.rows, self.columns)]
        return chosen

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
    judged: Judged
    runs: tuple[SideRun, ...]
    narrowed: bool
    """Only some of the steps were asked for."""
    notes: tuple[str, ...]

    @property
    def rank_set(self) -> RankSet:
        """All reports, broken ones too."""
        return self.judged.rank_set

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


def make_side(label: str, rank_set: RankSet, options: JudgeOptions | None = None) -> Side:
    """Return the side that ``rank_set`` is. Raises NothingThere where ``options.range`` holds nothing."""
    options = options or JudgeOptions()
    judged = judge(rank_set, options)
    narrowed = options.range is not None and options.range.text != "/"
    runs, notes = [], []
    for run in judged.runs:
        made, said = _side_run(rank_set, run, narrowed)
        runs.append(made)
        notes += said
    return Side(label, judged, tuple(runs), narrowed, tuple(dict.fromkeys(notes)))


def _side_run(rank_set: RankSet, judged: JudgedRun, narrowed: bool) -> tuple[SideRun, list[str]]:
    """Return a run with its steps that count: the steady ones; where some were asked for, these."""
    grid, ranks = judged.grid, judged.run.ranks
    notes = list(judged.notes)
    counts = (grid.place >= 0).sum(axis=1)
    enough = counts >= SHORT_RANK.value * (np.median(counts[counts > 0]) if counts.any() else 0)
    rows = np.flatnonzero(enough & (counts > 0))
    if short := [ranks[row].name for row in np.flatnonzero((counts > 0) & ~enough)]:
        notes.append(f"ranks with few steps are left out: {', '.join(short)}")
    counted = (grid.finished if narrowed else grid.steady)[rows] & judged.chosen[None, :]
    columns = np.flatnonzero(counted.all(axis=0)) if len(rows) else np.zeros(0, np.intp)
    reports = tuple(rank_set.report_of(rank) for rank in ranks)
    return SideRun(judged, reports, rows, columns, run_figures(judged), who_is_late(judged)), notes
