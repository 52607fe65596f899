"""How evenly the steps of a run go on: over the ranks of each step, and over the steps of each rank.

In a synchronous job every rank's step lasts as long as that of the slowest, for all wait for it: it is the
own time, a step less the waiting for others in it, that tells ranks apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tui.analysis.step_table import Spread, outliers, spread_of
from tui.ranks import holes, limits
from tui.ranks.step_grid import StepGrid
from tui.report.columns import NULL, Bool, Int64, Positions


@dataclass(frozen=True)
class StepPace:
    """Each step over the ranks that have it; arrays of one entry a step, ns, NULL where nothing is known."""

    start: Int64
    """When the first rank begins it, on the common axis."""
    ranks: Int64
    """How many ranks have it."""
    least: Int64
    median: Int64
    most: Int64
    slowest: Positions
    """Row of the rank that takes longest; -1: none, or all take as long."""
    own_median: Int64
    own_most: Int64
    own_slowest: Positions
    outlier: Bool
    """Whether its longest duration is far from that of the others."""

    @property
    def spread(self) -> Int64:
        """How much longer the slowest rank takes than the median."""
        return holes.less(self.most, self.median)


@dataclass(frozen=True)
class RankPace:
    """The steady steps of one rank."""

    spread: Spread | None
    outliers: Positions
    """Columns of the grid."""
    drift_ns: float | None
    """Nanoseconds that each step takes longer than the one before; None where that is lost in the scatter."""
    lag_ns: int | None
    """How much further behind the median rank it is at its last step than at the first; negative: ahead."""


def pace_of_steps(grid: StepGrid, own: Int64, starts: Int64) -> StepPace:
    """The pace of each step. ``own`` and ``starts``: matrices of (ranks, steps), the latter on the axis."""
    durations = grid.duration
    most = holes.most(durations, 0)
    far = np.zeros(len(grid), bool)
    steady = np.flatnonzero(grid.steady.any(axis=0) & (most != NULL))
    if (spread := spread_of(most[steady])) is not None:
        judged = np.flatnonzero(most != NULL)
        far[judged] = outliers(most[judged], spread)
    return StepPace(
        start=holes.least(starts, 0),
        ranks=np.asarray((grid.place >= 0).sum(axis=0), np.int64),
        least=holes.least(durations, 0),
        median=holes.median(durations, 0),
        most=most,
        slowest=_ahead(durations),
        own_median=holes.median(own, 0),
        own_most=holes.most(own, 0),
        own_slowest=_ahead(own),
        outlier=far,
    )


def _ahead(values: Int64) -> Positions:
    """The row of the greatest value of each column; -1 where there is none, or all of several are equal."""
    alike = (holes.least(values, 0) == holes.most(values, 0)) & (holes.count(values, 0) > 1)
    return np.where(alike, -1, holes.place_of_most(values, 0))


def pace_of_ranks(grid: StepGrid) -> list[RankPace]:
    """The pace of each rank."""
    durations = np.where(grid.steady, grid.duration, NULL)
    lags = lag(grid)
    return [_rank_pace(row, behind) for row, behind in zip(durations, lags, strict=True)]


def _rank_pace(durations: Int64, lags: Int64) -> RankPace:
    present = np.flatnonzero(durations != NULL)
    spread = spread_of(durations[present])
    far = present[outliers(durations[present], spread)] if spread is not None else present
    behind = lags[lags != NULL]
    return RankPace(spread, far, drift(durations), int(behind[-1]) if len(behind) else None)


def progress(grid: StepGrid) -> Int64:
    """When each step begins after the rank's first one (ns): a matrix that needs no common clock."""
    starts = grid.values([rank.steps.start for rank in grid.ranks])
    common = np.flatnonzero((grid.place >= 0)[[bool(len(rank.steps)) for rank in grid.ranks]].all(axis=0))
    first = starts[:, common[:1]] if len(common) else np.full((len(starts), 1), NULL, np.int64)
    return holes.less(starts, first)


def lag(grid: StepGrid) -> Int64:
    """How far each rank's progress is behind the median rank's (ns); negative where it is ahead."""
    done = progress(grid)
    return holes.less(done, holes.median(done, 0)[None, :])


def drift(values: Int64) -> float | None:
    """How much ``values`` grow from one to the next (ns): the median slope; None where the scatter hides it.

    NULL are holes. The slope counts where over all values it exceeds their median deviation
    several times.
    """
    index = np.flatnonzero(values != NULL)
    known = values[index]
    if len(known) < limits.DRIFT_STEPS.value:
        return None
    slope = median_slope(index, known)
    scatter = float(np.median(np.abs(known - np.median(known))))
    reach = abs(slope) * float(index[-1] - index[0])
    return slope if reach > limits.DRIFT_DEVIATIONS.value * scatter else None


def median_slope(index: Positions, values: Int64) -> float:
    """The Theil-Sen slope; of many values from the pairs that lie half the series apart."""
    size = len(values)
    if size <= limits.ALL_PAIRS.value:
        low, high = np.triu_indices(size, 1)
    else:
        low = np.arange(size - size // 2)
        high = low + size // 2
    slopes = (values[high] - values[low]) / (index[high] - index[low])
    return float(np.median(slopes))


@dataclass(frozen=True)
class PhasePace:
    """One label inside the steps over the ranks: mean time a steady step (ns), NULL where not known."""

    phase: str | None
    ranks: int
    host: Int64
    """One entry a rank: its thread's time in it outside MPI calls."""
    mpi: Int64
    device: Int64
    """Time of the device work that it launched."""


def pace_of_phases(grid: StepGrid, among: Bool | None = None) -> list[PhasePace]:
    """What each phase takes a step, those first in which some rank exceeds the median most.

    ``among``: which columns of the grid count, all by default.
    """
    steady = grid.steady if among is None else grid.steady & among
    times: dict[str | None, Int64] = {}
    for row, rank in enumerate(grid.ranks):
        steps = grid.place[row][steady[row]]
        if not len(steps):
            continue
        phases = rank.phases
        mine = np.flatnonzero(np.isin(phases.step, steps))
        for number in np.unique(phases.phase[mine]).tolist():
            chosen = mine[phases.phase[mine] == number]
            name = rank.names[number] if number >= 0 else None
            cells = times.setdefault(name, np.full((3, len(grid.ranks)), NULL, np.int64))
            sums = [int(column[chosen].sum()) for column in (phases.host_ns, phases.mpi_ns, phases.device_ns)]
            sums[0] -= sums[1]
            cells[:, row] = [-(-2 * value // len(steps)) // 2 if value else 0 for value in sums]
            if rank.host_only:
                cells[2, row] = NULL
    found = [
        PhasePace(name, int((cells[0] != NULL).sum()), cells[0], cells[1], cells[2])
        for name, cells in times.items()
    ]
    return sorted(
        found, key=lambda phase: (-max(excess(phase.host)[1], excess(phase.device)[1]), phase.phase or "")
    )


def excess(values: Int64) -> tuple[int, int]:
    """(row of the greatest value, how much it exceeds the median); (-1, 0) for none, or all alike."""
    row = int(_ahead(values[:, None])[0])
    return row, int(values[row]) - int(holes.median(values, 0)) if row >= 0 else 0


def spread_over(values: Int64) -> Sequence[int | None]:
    """(least, median, most) of values with holes."""
    return [holes.one(int(find(values, 0))) for find in (holes.least, holes.median, holes.most)]
