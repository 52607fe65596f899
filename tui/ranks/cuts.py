"""Chains of captures that begin or end a few iterations apart: which of their operations are the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tui.ranks import limits
from tui.report.columns import Int32, Int64

_FEWEST = 8
"""Rows of which a part can be told to fit better than the rest."""


class Cut(NamedTuple):
    """Row ``i`` of a chain is row ``i + shift`` of the model, for low <= i < high."""

    shift: int
    low: int
    high: int

    @property
    def equal(self) -> int:
        """How many rows are left."""
        return self.high - self.low


def possible_cuts(model: Int32, chain: Int32) -> list[Cut]:
    """Return the ways to make two sequences of names equal by cutting few at either end; the best first.

    Only those that leave nearly as many rows as the best, and at least half of the shorter sequence.
    """
    most = int(limits.CUT.value)
    found = []
    for shift in range(-most, most + 1):
        cut = _best_at(model, chain, shift, most)
        if cut is not None and 2 * cut.equal >= min(len(model), len(chain)):
            found.append(cut)
    found.sort(key=lambda cut: (-cut.equal, abs(cut.shift)))
    return [cut for cut in found if cut.equal > (1 - limits.CUT_RIVAL.value) * found[0].equal]


def choose_cut(cuts: Sequence[Cut], apart: Callable[[Cut], tuple[float, float | None]]) -> Cut | None:
    """Return the one that fits, None where it can't be told.

    ``apart`` gives the spread of the ends that a cut puts together, but for an offset, and that offset in
    ns beyond what the clocks may be off by (None: unknown).
    """
    if len(cuts) < 2:
        return cuts[0] if cuts else None
    measured = [(*apart(cut), cut) for cut in cuts]
    by_spread = sorted(measured, key=lambda found: found[0])
    if by_spread[0][0] * limits.APART.value <= by_spread[1][0]:
        return by_spread[0][2]
    within = [cut for _, beyond, cut in measured if beyond is not None and beyond <= 0]
    return within[0] if len(within) == 1 else None


def fitting_part(model: Int64, chain: Int64) -> tuple[int, int]:
    """Return the rows, from and to, at which two sequences of ends (ns) go together, but for their offset.

    Where one of both lacks an operation, all that follow are put beside their neighbours: their ends spread
    as the distances between operations do. A clock that was set jumps as well, but its ends go on together.
    """
    off = (chain - model).astype(np.float64)
    if len(off) < _FEWEST:
        return 0, len(off)
    period = float(np.median(np.diff(chain)))
    breaks = np.flatnonzero(np.abs(np.diff(off)) > period / 2) + 1
    starts, ends = np.concatenate(([0], breaks)), np.append(breaks, len(off))
    longest = int(np.argmax(ends - starts))
    usual = limits.APART.value * max(_rough(off, starts[longest], ends[longest]), limits.CLOCK_FLOOR.value)
    low, high = int(starts[longest]), int(ends[longest])
    for order in (range(longest - 1, -1, -1), range(longest + 1, len(starts))):
        for at in order:
            few = ends[at] - starts[at] < 3
            if not few and _rough(off, starts[at], ends[at]) > usual:
                break
            if not few:
                low, high = min(low, int(starts[at])), max(high, int(ends[at]))
    return low, high


def _rough(off: NDArray[np.float64], start: int, end: int) -> float:
    """How much offsets change from one to the next, of a part of them."""
    return 1.4826 * float(np.median(np.abs(np.diff(off[start:end])))) if end - start > 1 else 0.0


def _best_at(model: Int32, chain: Int32, shift: int, most: int) -> Cut | None:
    """The longest stretch of equal names at one shift that cuts at most ``most`` off each end of both."""
    low, high = max(0, -shift), min(len(chain), len(model) - shift)
    latest_low = min(most, most - shift)
    earliest_high = max(len(chain) - most, len(model) - shift - most)
    if low >= high or low > latest_low or high < earliest_high:
        return None
    off = np.flatnonzero(chain[low:high] != model[low + shift : high + shift]) + low
    if not len(off):
        return Cut(shift, low, high)
    starts, ends = np.concatenate(([low], off + 1)), np.append(off, high)
    fits = (starts <= latest_low) & (ends >= earliest_high) & (ends > starts)
    if not fits.any():
        return None
    at = int(np.argmax(np.where(fits, ends - starts, -1)))
    return Cut(shift, int(starts[at]), int(ends[at]))
