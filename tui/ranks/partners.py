"""Who was in a collective with whom, by time: participants end together, whatever their clocks say.

Ends are compared as differences of consecutive ends, from which a clock's offset and most of its drift drop
out. Only what can't be (an end before another's start, whatever the offset of two clocks) refuses a match.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tui.ranks import limits
from tui.ranks.clocks import Clocks, Relation
from tui.report.columns import Bool, Int64, Positions

Float = NDArray[np.float64]
_PROBES = 8
"""How many chains are compared with all others before each is with each."""
_PAIRS = 64
"""How many pairs of consecutive instances are compared."""
_MANY = 256
"""Chains from which on fewer pairs are compared."""
_PIECE = 16
"""Instances over which a clock's offset is taken for constant."""
_QUANTILE, _NORMAL = 0.8, 1.2816
"""The quantile of differences that a spread is taken from, and what it is of a deviation of 1."""
_FEWEST = 4
"""Pairs from which a spread says something."""


@dataclass(frozen=True)
class Sample:
    """Some instances of chains that may be one communicator."""

    rank: Int64
    """By chain: its rank."""
    start: Int64
    """Shape (chains, instances), in the clocks' ns; meaningless where absent."""
    end: Int64
    there: Bool
    n_by_n: Bool
    """By instance: whether nobody may end before the last began."""
    next: Bool
    """By instance: whether it follows the one before it directly."""

    def of(self, chains: Positions) -> Sample:
        """The same of some chains."""
        return Sample(
            self.rank[chains],
            self.start[chains],
            self.end[chains],
            self.there[chains],
            self.n_by_n,
            self.next,
        )


def sample_places(instances: int) -> Int64:
    """Return instances to look at: pairs that follow each other, evenly over all."""
    pairs = min(_PAIRS, max(0, instances - 1))
    low = np.linspace(0, max(0, instances - 2), pairs).astype(np.int64) if pairs else np.zeros(0, np.int64)
    return np.unique(np.concatenate((low, low + 1, np.arange(min(1, instances)))))


class Spreads:
    """How far the ends of chains of one sample are apart, but for their clocks' offsets."""

    def __init__(self, sample: Sample) -> None:
        whole = sample.there.all(axis=0)
        paired = np.flatnonzero(sample.next & whole & np.roll(whole, 1))
        if len(sample.rank) > _MANY and len(paired) > _PAIRS // 4:
            paired = paired[np.linspace(0, len(paired) - 1, _PAIRS // 4).astype(int)]
        self.pairs = len(paired)
        self.steps = (sample.end[:, paired] - sample.end[:, paired - 1]).astype(np.float64)
        self.taken = (sample.end - sample.start)[:, paired].astype(np.float64)

    def to(self, chain: int) -> Float:
        """The spread between one chain and each, in ns.

        Not by the median: what tells groups apart is often rare, as a rank that is late now and then.
        """
        off = np.sort(np.abs(self.steps - self.steps[chain]), axis=1)
        found: Float = off[:, int(_QUANTILE * (self.pairs - 1))] / _NORMAL
        return found

    @property
    def telling(self) -> bool:
        """Whether there is enough to tell chains apart by."""
        return self.pairs >= _FEWEST

    def between(self, some: Positions, others: Positions) -> tuple[float, float]:
        """The spread of two groups' ends, and how far their last arrivals are apart, in ns.

        What a group's last arriver takes is the transfer. Two communicators take the same for it and end
        apart; groups of one communicator end together, and one of them waits for the other.
        """
        steps = np.median(self.steps[some], axis=0) - np.median(self.steps[others], axis=0)
        arrivals = self.taken[some].min(axis=0) - self.taken[others].min(axis=0)
        return 1.4826 * float(np.median(np.abs(steps))), float(np.median(np.abs(arrivals)))

    def one_pair(self, some: Positions, others: Positions) -> bool:
        """Whether two groups are of one communicator."""
        ends, arrivals = self.between(some, others)
        return ends <= max(arrivals, limits.MARGIN_UNKNOWN.value)


@dataclass(frozen=True)
class Partners:
    """Chains that were in collectives together."""

    groups: list[Positions]
    ambiguous: int
    """How many chains could be in more than one."""


def find_partners(
    sample: Sample, numbers: Sequence[int | None], group: int | None, clocks: Clocks
) -> Partners:
    """Part chains that do the same into communicators; by time, else by blocks of ``group`` ranks.

    ``numbers``: the ranks' numbers by chain. Chains of which time says nothing are one communicator, unless
    that would hold a rank twice.
    """
    ranks = sample.rank
    chains = len(ranks)
    everyone = np.arange(chains)
    once = len(np.unique(ranks)) == chains
    spreads = Spreads(sample)
    if group is not None and chains > group and not _surely_one(spreads, numbers, group):
        found = [block for block in blocks(numbers, group) if len(np.unique(ranks[block])) == len(block)]
        return _partners(found, chains)
    if not spreads.telling:
        return Partners([everyone] if once else [], 0 if once else chains)
    if once and _all_near(spreads) and may_be(sample, clocks):
        return Partners([everyone], 0)
    found = _merged(spreads, _clusters(spreads, ranks), sample, clocks)
    return _partners(found, chains)


def _partners(groups: list[Positions], chains: int) -> Partners:
    several = [group for group in groups if len(group) > 1]
    return Partners(several, chains - sum(len(group) for group in several))


def _surely_one(spreads: Spreads, numbers: Sequence[int | None], group: int) -> bool:
    """Whether time says that blocks of ranks wait for each other."""
    if not spreads.telling:
        return False
    first, *rest = blocks(numbers, group)
    pairs = [spreads.between(first, block) for block in rest]
    return all(ends <= arrivals and arrivals > limits.MARGIN_UNKNOWN.value for ends, arrivals in pairs)


def _all_near(spreads: Spreads) -> bool:
    """Whether all chains end together within what ends of one collective differ by."""
    chains = len(spreads.steps)
    probes = np.unique(np.linspace(0, chains - 1, min(_PROBES, chains)).astype(int)).tolist()
    return all(bool(spreads.to(probe).max() <= limits.MARGIN_UNKNOWN.value) for probe in probes)


def _clusters(spreads: Spreads, ranks: Int64) -> list[Positions]:
    """Link chains that end about as close together as the best partner of either does.

    Of each rank one may be in a cluster; those with two are left out.
    """
    chains = len(ranks)
    near = np.empty(chains)
    for chain in range(chains):
        row = spreads.to(chain)
        row[ranks == ranks[chain]] = np.inf
        near[chain] = row.min()
    floor = limits.CLOCK_EXACT.value
    left = np.ones(chains, bool)
    found: list[Positions] = []
    for chain in range(chains):
        if not left[chain]:
            continue
        group = np.zeros(chains, bool)
        group[chain] = True
        frontier = [chain]
        while frontier:
            at = frontier.pop()
            linked = spreads.to(at) <= limits.LINKED.value * np.maximum(np.minimum(near[at], near), floor)
            linked &= left & ~group & (ranks != ranks[at])
            group |= linked
            frontier += np.flatnonzero(linked).tolist()
        left &= ~group
        found.append(np.flatnonzero(group))
    return [group for group in found if len(np.unique(ranks[group])) == len(group)]


def _merged(spreads: Spreads, found: list[Positions], sample: Sample, clocks: Clocks) -> list[Positions]:
    """Put clusters together that wait for each other: they are parts of one communicator."""
    whole: list[list[Positions]] = []
    for cluster in sorted(found, key=len, reverse=True):
        for group in whole:
            together = np.concatenate([*group, cluster])
            if len(np.unique(sample.rank[together])) < len(together):
                continue
            if spreads.one_pair(group[0], cluster) and may_be(sample.of(together), clocks):
                group.append(cluster)
                break
        else:
            whole.append([cluster])
    return [np.sort(np.concatenate(group)) for group in whole]


def _ahead(sample: Sample, clocks: Clocks) -> Int64:
    """By chain and instance: how far its domain's clock is ahead of the first chain's, in ns.

    Medians over a few instances each: clocks drift, and may be set during a capture.
    """
    clock = _clocks_of(sample, clocks)
    ahead = np.zeros(sample.end.shape, np.int64)
    places = np.arange(sample.end.shape[1])
    for piece in np.array_split(places, max(1, len(places) // _PIECE)):
        for value in np.unique(clock):
            mine = np.flatnonzero(clock == value)
            both = sample.there[0, piece] & sample.there[mine][:, piece]
            if both.any():
                off = (sample.end[mine][:, piece] - sample.end[0, piece])[both]
                ahead[mine[:, None], piece] = off[0] + round(float(np.median(off - off[0])))
    return ahead


def may_be(sample: Sample, clocks: Clocks) -> bool:
    """Whether the chains may be participants: each ends after all have begun, in nearly all instances.

    Offsets of clocks that aren't one are free; those within a domain are as recorded.
    """
    counted = sample.n_by_n & (sample.there.sum(axis=0) > 1)
    if not counted.any():
        return True
    off = _ahead(sample, clocks)
    never = np.iinfo(np.int64).max // 4
    last_in = np.where(sample.there, sample.start - off, -never).max(axis=0)
    first_out = np.where(sample.there, sample.end - off, never).min(axis=0)
    allowed = first_out >= last_in - _slack(sample, clocks)
    return float(allowed[counted].mean()) >= limits.OVERLAP.value


def _clocks_of(sample: Sample, clocks: Clocks) -> Int64:
    """By chain: a number of its clock; reports of one host through UTC may yet turn out to have several."""
    exact = (Relation.REPORT, Relation.SYSTEM, Relation.NONE)
    numbers = [
        clocks.domain[rank]
        if clocks.domains[clocks.domain[rank]].relation in exact
        else -1 - clocks.member[rank]
        for rank in sample.rank.tolist()
    ]
    return np.array(numbers, np.int64)


def _slack(sample: Sample, clocks: Clocks) -> int:
    """By how much recorded times may break it, in ns: reading a clock, or the ends between domains."""
    several = len(np.unique(_clocks_of(sample, clocks))) > 1
    return int(limits.MARGIN_UNKNOWN.value if several else limits.CLOCK_EXACT.value)


def blocks(numbers: Sequence[int | None], size: int) -> list[Positions]:
    """Group chains by blocks of ``size`` consecutive rank numbers; those of no number are in none."""
    of = np.array([-1 if number is None else number // size for number in numbers])
    return [np.flatnonzero(of == block) for block in np.unique(of[of >= 0])]
