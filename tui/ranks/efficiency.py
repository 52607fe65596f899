"""How much of the devices' time is computing, and what the rest is lost to.

parallel = load balance x communication x orchestration, exactly. The names and factors are those that POP and
TALP use for accelerators, except that communication kernels count as active and not as useful. A factor
whose divisor is zero is unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tui.ranks.step_grid import StepGrid
from tui.report.columns import NULL, Bool, Int64

Factors = tuple[float | None, float | None, float | None, float | None]
"""(parallel, load balance, communication, orchestration)."""


@dataclass(frozen=True)
class Efficiency:
    """Shares from 0 to 1; None unknown."""

    parallel: float | None
    """Computing time of all devices, of their number times the window."""
    load_balance: float | None
    """The mean device's computing time, of that of the one that computes most."""
    communication: float | None
    """The computing time of the one that computes most, of the time of the one that is active most."""
    orchestration: float | None
    """The time of the one that is active most, of the window."""
    own_balance: float | None
    """The mean rank's own time of a step, of that of the slowest: the median over the steps."""
    devices: int
    basis: str
    """What the window is: `the steady steps` or `each rank's window`."""


def efficiency(useful: Sequence[int], active: Sequence[int], window: int) -> Factors:
    """(parallel, load balance, communication, orchestration) of devices (ns) over a window (ns)."""
    if not useful or window <= 0:
        return None, None, None, None
    total, most, busiest = sum(useful), max(useful), max(active)
    return (
        total / (len(useful) * window),
        total / len(useful) / most if most else None,
        most / busiest if busiest and most else None,
        busiest / window,
    )


def efficiency_of(grid: StepGrid, own: Int64, among: Bool | None = None) -> Efficiency:
    """The efficiency of a run. ``own``: own times, a matrix of (ranks, steps); ``among``: columns that count.

    Where each rank has one device and steps, the window is the steady steps; else that of each rank, from its
    first op or step to its last, the longest of them counting as the length of all.
    """
    ranks = [rank for rank in grid.ranks if not rank.host_only]
    devices = sum(len(rank.devices) for rank in ranks)
    steady = grid.steady if among is None else grid.steady & among
    balance = own_balance(np.where(steady, own, NULL))
    if ranks and all(len(rank.devices) == 1 and rank.steps.compute is not None for rank in ranks):
        figures = _of_steps(grid, steady)
        if figures is not None:
            return Efficiency(*efficiency(*figures), balance, devices, "the steady steps")
    facts = [device for rank in ranks for device in rank.devices]
    window = max((rank.window[1] - rank.window[0] for rank in ranks), default=0)
    found = efficiency([d.useful_ns for d in facts], [d.active_ns for d in facts], window)
    return Efficiency(*found, balance, devices, "each rank's window")


def _of_steps(grid: StepGrid, steady: Bool) -> tuple[list[int], list[int], int] | None:
    """(useful, active, window) over the steps that are steady on all ranks with devices; None for none."""
    rows = [row for row, rank in enumerate(grid.ranks) if not rank.host_only]
    common = np.flatnonzero(steady[rows].all(axis=0))
    if not len(common):
        return None
    useful: list[int] = []
    active: list[int] = []
    lengths: list[int] = []
    for row in rows:
        steps, place = grid.ranks[row].steps, grid.place[row][common]
        if steps.compute is None or steps.exposed is None or steps.copies is None:
            return None
        useful.append(int(steps.compute[place].sum()))
        active.append(useful[-1] + int(steps.exposed[place].sum()) + int(steps.copies[place].sum()))
        lengths.append(int((steps.end[place] - steps.start[place]).sum()))
    return useful, active, max(lengths)


def own_balance(own: Int64) -> float | None:
    """The mean own time of a step over that of its slowest rank, the median over the steps; None for none.

    A matrix of (ranks, steps), NULL where unknown; a step that only one rank knows says nothing of balance.
    """
    known = own != NULL
    several = np.flatnonzero(known.sum(axis=0) > 1)
    if not len(several):
        return None
    own, known = own[:, several], known[:, several]
    mean = np.where(known, own, 0).sum(axis=0) / known.sum(axis=0)
    most = own.max(axis=0)
    shares = mean[most > 0] / most[most > 0]
    return float(np.median(shares)) if len(shares) else None
