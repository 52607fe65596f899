"""How far clocks are off against each other, by the ends of the collectives that they saw together.

No participant of an N x N collective ends before the last has begun, and all end within the latency of one
chunk. So true ends agree, and what is left is the difference of the clocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tui.ranks import limits
from tui.ranks.anchors import Anchors, sorted_median
from tui.ranks.drift import drift_of, was_set
from tui.report.columns import Bool, Int64

Float = NDArray[np.float64]
_ROUNDS = 3


@dataclass(frozen=True)
class Estimate:
    """What anchors say of each domain."""

    offset: Int64
    """What is added to its times, in ns, to bring them to the reference of its island, without drift."""
    spread: Float
    """1.4826 MAD of its residuals, in ns; NaN without anchors."""
    anchors: Int64
    dropped: Int64
    violations: Int64
    drift: Float
    """How much faster than the reference it runs, ns per ns."""
    drift_from: Int64
    """The moment at which the offset holds, in the domain's clock's ns."""
    island: Int64
    usable: Bool
    """False: its clock drifts too fast."""
    was_set: Bool
    refused: Bool
    """Its anchors contradict each other: an end before another's start, whatever the offset."""


def guard(start: Int64, end: Int64, other_start: Int64, other_end: Int64) -> tuple[int, int]:
    """Return what the other's offset less this one's is at least and at most, in ns.

    The times of the same collectives on two ranks: neither may end before the other has begun.
    """
    return int((start - other_end).max()), int((end - other_start).min())


def estimate(anchors: Anchors, domain: Sequence[int], ranks_of: Sequence[int]) -> Estimate:
    """Estimate the clocks of domains.

    ``domain``: by rank. ``ranks_of``: by domain, how many ranks it has.
    """
    return _Estimation(anchors, np.array(domain), np.array(ranks_of)).done()


class _Estimation:
    def __init__(self, anchors: Anchors, domain: Int64, ranks_of: Int64) -> None:
        self.anchors = anchors
        self.domain = domain
        self.ranks_of = ranks_of
        self.count = len(ranks_of)
        self.columns = [np.flatnonzero(domain == h) for h in range(self.count)]
        self.seen = np.zeros((self.count, len(anchors)), bool)
        for h, columns in enumerate(self.columns):
            self.seen[h] = anchors.there[:, columns].any(axis=1)
        self.island, rough = self._islands()
        self.rough = rough
        # Floats hold ns exactly for a hundred days: subtract what is common to all first.
        self.origin = self._origins()
        shift = (rough + self.origin)[domain][None, :]
        self.end = np.where(anchors.there, (anchors.end - shift).astype(np.float64), np.nan)
        self.start = np.where(anchors.there, (anchors.start - shift).astype(np.float64), np.nan)
        self.dropped = np.zeros(self.count, np.int64)
        self.refused = np.zeros(self.count, bool)
        self.kept = np.ones(len(anchors), bool)

    def done(self) -> Estimate:
        o, ref = self._offsets(self.end)
        drift, usable = self._drift(ref)
        middle = self._middle(ref)
        slope = drift[self.domain][None, :]
        end = self.end - slope * (self.end - middle)
        start = self.start - slope * (self.start - middle)
        if drift.any():
            o, ref = self._offsets(end)
        was = self._was_set(end, ref)
        if not was.any() and self._drop_impossible(start, end, o):
            end[~self.kept] = start[~self.kept] = np.nan
            o, ref = self._offsets(end)
        spread = np.full(self.count, np.nan)
        anchors = np.zeros(self.count, np.int64)
        for h, columns in enumerate(self.columns):
            off = end[:, columns] - ref[:, None] - o[h]
            known = off[~np.isnan(off)]
            anchors[h] = int((~np.isnan(off)).any(axis=1).sum())
            if len(known):
                spread[h] = 1.4826 * float(np.median(np.abs(known)))
        violations = self._violations(start, end, o)
        offset = np.zeros(self.count, np.int64)
        for island in np.unique(self.island):
            mine = np.flatnonzero(self.island == island)
            reference = self._reference(mine)
            theta = (
                self.rough[reference] - self.rough[mine] + np.rint(o[reference] - o[mine]).astype(np.int64)
            )
            offset[mine] = np.where(np.isnan(spread[mine]), 0, theta)
        return Estimate(
            offset,
            spread,
            anchors,
            self.dropped,
            violations,
            drift,
            np.int64(middle) + self.origin + self.rough,
            self.island,
            usable,
            was,
            self.refused,
        )

    def _reference(self, domains: Int64) -> int:
        """The domain with the most ranks; of equal ones that with the smallest rank."""
        first = [int(self.columns[h][0]) if len(self.columns[h]) else 0 for h in domains]
        return int(min(zip(-self.ranks_of[domains], first, domains, strict=True))[2])

    def _islands(self) -> tuple[Int64, Int64]:
        """Domains that anchors connect, and a first offset of each where one isn't enough."""
        island = np.full(self.count, -1, np.int64)
        rough = np.zeros(self.count, np.int64)
        medians = self._domain_ends()
        for root in sorted(range(self.count), key=lambda h: (-int(self.ranks_of[h]), self.columns[h].min())):
            if island[root] >= 0:
                continue
            island[root] = root
            frontier = [root]
            while frontier:
                at = frontier.pop(0)
                for h in range(self.count):
                    both = self.seen[at] & self.seen[h]
                    if island[h] < 0 and both.any():
                        island[h] = root
                        rough[h] = rough[at] + _int_median(medians[h][both] - medians[at][both])
                        frontier.append(h)
        # Where all anchors hold all domains, and clocks are near, nothing but medians is needed.
        if self.seen.all() and (np.abs(rough) < limits.SAME_BOOT.value).all():
            rough[:] = 0
        return island, rough

    def _origins(self) -> Int64:
        """By domain: the first end of its island."""
        origin = np.zeros(self.count, np.int64)
        for island in np.unique(self.island):
            mine = np.flatnonzero(self.island == island)
            columns = np.flatnonzero(np.isin(self.domain, mine))
            ends = self.anchors.end[:, columns][self.anchors.there[:, columns]]
            origin[mine] = ends.min() if len(ends) else 0
        return origin

    def _domain_ends(self) -> list[Int64]:
        """By domain: the middle of its ranks' ends of each anchor."""
        found = []
        for columns in self.columns:
            ends = np.sort(
                np.where(self.anchors.there[:, columns], self.anchors.end[:, columns], _LAST), axis=1
            )
            many = self.anchors.there[:, columns].sum(axis=1)
            at = np.clip((many - 1) // 2, 0, None)[:, None]
            found.append(np.take_along_axis(ends, at, 1)[:, 0])
        return found

    def _offsets(self, end: Float) -> tuple[Float, Float]:
        """How far each domain is ahead of the middle of all, and that middle, by anchor."""
        o = np.zeros(self.count)
        ref = self._middles(end, o)
        for number in range(_ROUNDS):
            moved = np.array([self._ahead(end, ref, h) for h in range(self.count)])
            settled = number and float(np.abs(moved - o).max()) <= limits.CLOCK_EXACT.value
            if settled:
                break
            o = moved
            last = ref
            ref = self._middles(end, o)
        return o, last

    def _ahead(self, end: Float, ref: Float, h: int) -> float:
        off = (end[:, self.columns[h]] - ref[:, None]).ravel()
        known = off[~np.isnan(off)]
        return float(np.median(known)) if len(known) else 0.0

    def _middles(self, end: Float, o: Float) -> Float:
        by_domain = np.array([sorted_median(end[:, columns]) for columns in self.columns]) - o[:, None]
        return sorted_median(by_domain.T)

    def _middle(self, ref: Float) -> float:
        known = ref[~np.isnan(ref)]
        return float(np.rint((known.min() + known.max()) / 2)) if len(known) else 0.0

    def _drift(self, ref: Float) -> tuple[Float, Bool]:
        """By domain: its drift against its island's reference, and whether that lets it be used."""
        drift, usable = np.zeros(self.count), np.ones(self.count, bool)
        series = [sorted_median(self.end[:, columns]) - ref for columns in self.columns]
        for island in np.unique(self.island):
            mine = np.flatnonzero(self.island == island)
            reference = self._reference(mine)
            for h in mine.tolist():
                off = series[h] - series[reference]
                if np.isnan(off).all():
                    off = series[h]
                known = ~np.isnan(off)
                slope = drift_of(ref[known], off[known]) if h != reference else 0.0
                usable[h] = slope is not None
                drift[h] = slope or 0.0
        return drift, usable

    def _was_set(self, end: Float, ref: Float) -> Bool:
        """By domain: whether its clock was set, so that no one offset fits."""
        was = np.zeros(self.count, bool)
        for h, columns in enumerate(self.columns):
            off = sorted_median(end[:, columns]) - ref
            known = ~np.isnan(off)
            was[h] = was_set(ref[known], off[known])
        return was

    def _drop_impossible(self, start: Float, end: Float, o: Float) -> bool:
        """Drop anchors that no offset of a domain allows; all of a domain where they are many."""
        impossible = self._late(start, end, o, limits.MARGIN_UNKNOWN.value)
        if not impossible.any():
            return False
        for h in range(self.count):
            broken = impossible[h]
            self.dropped[h] = int(broken.sum())
            many = int(self.seen[h].sum())
            self.refused[h] = many > 0 and broken.sum() > (1 - limits.OVERLAP.value) * many
            self.kept &= ~broken
        return True

    def _late(self, start: Float, end: Float, o: Float, slack: float) -> Bool:
        """By domain and anchor: whether one of its ranks begins after a rank of another has ended."""
        first_out = self._first_out(end, o)
        late = np.zeros((self.count, len(end)), bool)
        for h, columns in enumerate(self.columns):
            last_in = np.where(np.isnan(start[:, columns]), -np.inf, start[:, columns]).max(axis=1) - o[h]
            late[h] = last_in > first_out + slack
        return late

    def _first_out(self, end: Float, o: Float) -> Float:
        """By anchor: the first end of any rank."""
        first_out = np.full(len(end), np.inf)
        for h, columns in enumerate(self.columns):
            out = np.where(np.isnan(end[:, columns]), np.inf, end[:, columns]).min(axis=1) - o[h]
            first_out = np.minimum(first_out, out)
        return first_out

    def _violations(self, start: Float, end: Float, o: Float) -> Int64:
        """By domain: how many of its ranks' rows begin after another's end."""
        found = np.zeros(self.count, np.int64)
        first_out = self._first_out(end, o)
        for h, columns in enumerate(self.columns):
            found[h] = int((start[:, columns] - o[h] > first_out[:, None]).sum())
        return found


_LAST = np.iinfo(np.int64).max // 2


def _int_median(values: Int64) -> int:
    """The median of integers too large for floats."""
    first = int(values[0])
    return first + round(float(np.median((values - first).astype(np.float64))))
