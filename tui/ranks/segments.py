"""Chains cut at the steps: what of them is equal on all ranks, step by step.

Within a step (or between two) that holds the same operations on all ranks, order restarts. So an operation
that one rank didn't record spoils that step, not all that follow.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tui.ranks.chains import ChainRows
from tui.report.columns import Bool, Int64

UInt64 = NDArray[np.uint64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


@dataclass(frozen=True)
class Segments:
    """One chain by segment; segments of a step and of what follows it until the next alternate."""

    key: Int64
    """Ascending; even: the step of half that key, odd: what follows it."""
    count: Int64
    digest: UInt64
    """Equal for equal sequences of names."""
    first: Int64
    """The row of the chain at which it begins."""

    def names_alike(self, other: Segments) -> float:
        """The share of segments, of those that both have and either fills, that are equal."""
        _, mine, theirs = np.intersect1d(self.key, other.key, assume_unique=True, return_indices=True)
        filled = (self.count[mine] > 0) | (other.count[theirs] > 0)
        same = (self.count[mine] == other.count[theirs]) & (self.digest[mine] == other.digest[theirs])
        return float((same & filled).sum()) / max(1, int(filled.sum()))


def cut_at_steps(chain: ChainRows, keys: Int64) -> Segments:
    """Cut a chain; ``keys`` are those of its rank's steps.

    A step between the first and the last filled one in which the chain has no row is a segment of none.
    """
    step = np.where(chain.step >= 0, keys[np.clip(chain.step, 0, None)] if len(keys) else -1, -1)
    # What is launched outside steps follows the last step that was seen before it.
    inside = chain.step >= 0
    seen = np.maximum.accumulate(np.where(inside, step, np.int64(-1)))
    key = np.where(inside, 2 * seen, 2 * seen + 1).astype(np.int64)
    key = np.maximum.accumulate(key)
    starts = np.flatnonzero(np.diff(key, prepend=key[0] - 1 if len(key) else 0))
    count = np.diff(starts, append=len(key))
    place = np.arange(len(key)) - np.repeat(starts, count)
    digest = np.add.reduceat(_mixed(chain.name, place), starts) if len(key) else np.zeros(0, np.uint64)
    found = key[starts]
    if len(found):
        empty = 2 * keys[(2 * keys > found[0]) & (2 * keys < found[-1])]
        empty = empty[~np.isin(empty, found)]
        at = np.searchsorted(found, empty)
        zeros = np.zeros(len(empty), np.int64)
        return Segments(
            np.insert(found, at, empty),
            np.insert(count, at, zeros),
            np.insert(digest, at, zeros.astype(np.uint64)),
            np.insert(starts, at, np.append(starts, len(key))[at]),
        )
    return Segments(found, count, digest, starts.astype(np.int64))


class Agreement:
    """Folds the segments of the participants: which are equal on all that have them."""

    def __init__(self, first: Segments) -> None:
        self.key, self.count, self.digest = first.key, first.count.copy(), first.digest.copy()
        self.agree: Bool = np.ones(len(first.key), bool)
        self.chains: Int64 = np.ones(len(first.key), np.int64)

    def add(self, other: Segments) -> None:
        """Take in one more participant."""
        if not np.array_equal(self.key, other.key):
            self._widen(other.key)
        at = np.searchsorted(self.key, other.key)
        known = self.chains[at] > 0
        same = (self.count[at] == other.count) & (self.digest[at] == other.digest)
        self.agree[at] &= same | ~known
        self.count[at] = np.where(known, self.count[at], other.count)
        self.digest[at] = np.where(known, self.digest[at], other.digest)
        self.chains[at] += 1

    def _widen(self, keys: Int64) -> None:
        whole = np.union1d(self.key, keys)
        at = np.searchsorted(whole, self.key)
        for name, default in (("count", 0), ("digest", 0), ("chains", 0), ("agree", True)):
            old = getattr(self, name)
            new = np.full(len(whole), default, old.dtype)
            new[at] = old
            setattr(self, name, new)
        self.key = whole

    @property
    def usable(self) -> Bool:
        """Which segments are equal on all participants that have them, and on two at least."""
        return self.agree & (self.chains > 1) & (self.count > 0)

    @property
    def instances(self) -> int:
        """How many instances the usable segments hold."""
        return int(self.count[self.usable].sum())

    def place(self, mine: Segments, length: int) -> Int64:
        """The instance of each row of a participant's chain; -1 in segments that aren't equal."""
        held = np.where(self.usable, self.count, 0)
        base = np.cumsum(held) - held
        at = np.searchsorted(self.key, mine.key)
        first = np.where(self.usable[at], base[at], -1)
        found = np.repeat(first, mine.count)
        place = np.arange(length, dtype=np.int64) - np.repeat(mine.first, mine.count)
        return np.where(found >= 0, found + place, -1).astype(np.int64)


def _mixed(name: NDArray[np.int32], place: NDArray[np.intp]) -> UInt64:
    """A number for each (name, place) that sums of others don't hit: splitmix64 of both."""
    with np.errstate(over="ignore"):
        value = (name.astype(np.uint64) + np.uint64(1)) * _MIX[0] + (
            place.astype(np.uint64) + np.uint64(1)
        ) * _GOLDEN
        for shift, factor in ((30, _MIX[0]), (27, _MIX[1])):
            value = (value ^ (value >> np.uint64(shift))) * factor
        mixed: UInt64 = value ^ (value >> np.uint64(31))
    return mixed
