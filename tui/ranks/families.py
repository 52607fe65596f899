"""Families: chains whose operations have the same names in the same order, so that they may be communicators.

Order restarts at the steps where the ranks have some. Without steps, chains are equal as a whole or but for a
few operations at either end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tui.ranks import limits
from tui.ranks.chains import Chain, ChainReader
from tui.ranks.clocks import Clocks
from tui.ranks.cuts import Cut, choose_cut, fitting_part, possible_cuts
from tui.ranks.placement import Placement
from tui.ranks.segments import Agreement, Segments, cut_at_steps
from tui.report.columns import Int64, Positions

StepKeys = Sequence[Int64 | None]
_LOOKED_AT = 2_048
"""Rows of a chain that its fit to others is judged by."""


@dataclass(frozen=True)
class Family:
    """Chains, and which instance each of their rows is."""

    chains: tuple[Chain, ...]
    cuts: tuple[Cut | None, ...]
    """By chain: what of it is equal to the first chain; None: it agrees step by step only."""
    keys: StepKeys
    """By rank, see :func:`tui.ranks.step_keys.step_keys`."""
    placements: tuple[Placement, ...]
    instances: int
    by_steps: bool
    """Whether order restarts at the steps."""

    def part(self, reader: ChainReader, group: Positions) -> Family:
        """The same of some chains: what others don't have in common with them no longer counts."""
        if len(group) == len(self.chains) and self.by_steps:
            return self
        which = group.tolist()
        chains, cuts = [self.chains[i] for i in which], [self.cuts[i] for i in which]
        return _family(reader, chains, cuts, self.keys, fitted=True)


def find_families(reader: ChainReader, chains: Sequence[Chain], keys: StepKeys) -> list[Family]:
    """Put chains together that are equal as a whole or step by step."""
    classes: dict[tuple[bool, bytes], list[Chain]] = {}
    for chain in chains:
        classes.setdefault((chain.host, chain.digest), []).append(chain)
    grown: list[tuple[list[Chain], list[Cut | None]]] = []
    for same in sorted(classes.values(), key=lambda some: (-len(some), -some[0].length)):
        for family, cuts in grown:
            if family[0].host != same[0].host:
                continue
            if all(_alike(reader, family[0], chain, keys) for chain in same):
                family += same
                cuts += [None] * len(same)
                break
        else:
            grown.append((list(same), [Cut(0, 0, chain.length) for chain in same]))
    return [_family(reader, family, cuts, keys) for family, cuts in grown]


class Fit(NamedTuple):
    """How a chain may be a participant of a family that it isn't equal to as a whole."""

    cut: Cut
    spread: float
    """How far its ends are from the family's, but for an offset, in ns."""


def fit(reader: ChainReader, family: Family, chain: Chain, clocks: Clocks) -> Fit | None:
    """Return what of a chain is equal to a family but for a few operations at its ends; None: nothing is."""
    model = family.chains[0]
    if model.host != chain.host or abs(model.length - chain.length) > 2 * limits.CUT.value:
        return None
    if family.by_steps or any(other.rank == chain.rank for other in family.chains):
        return None
    theirs, model_ends = reader.read(model.rank, model.key).name, _ends(reader, model, clocks)
    mine, ends = reader.read(chain.rank, chain.key).name, _ends(reader, chain, clocks)
    one, other = clocks.domain[chain.rank], clocks.domain[model.rank]
    allowed = None
    if clocks.domains[one].placed and clocks.domains[other].placed:
        allowed = limits.DOMAIN_SPLIT.value if one == other else limits.CLOCK_PRIOR.value
    cut = choose_cut(possible_cuts(theirs, mine), lambda found: _apart(model_ends, ends, found, allowed))
    if cut is None:
        return None
    cut = _fitted(model_ends, ends, cut)
    return Fit(cut, _apart(model_ends, ends, cut, None)[0])


def spread_within(reader: ChainReader, family: Family, clocks: Clocks) -> float:
    """How far the ends of two equal chains of a family are apart, but for an offset, in ns: as of a fit."""
    model, chain, *_ = family.chains
    theirs, mine = (_ends(reader, one, clocks) for one in (model, chain))
    return _apart(theirs, mine, Cut(0, 0, chain.length), None)[0]


def alone_of(reader: ChainReader, chain: Chain, keys: StepKeys) -> Family:
    """Return a family of one chain, of which nothing is an instance yet."""
    return _family(reader, [chain], [Cut(0, 0, chain.length)], keys)


def with_chain(reader: ChainReader, family: Family, chain: Chain, cut: Cut) -> Family:
    """Return a family with one more chain."""
    return _family(reader, [*family.chains, chain], [*family.cuts, cut], family.keys, fitted=True)


def _alike(reader: ChainReader, model: Chain, chain: Chain, keys: StepKeys) -> bool:
    """Whether two chains hold the same in most steps."""
    mine, theirs = keys[chain.rank], keys[model.rank]
    if mine is None or theirs is None:
        return False
    segments = cut_at_steps(reader.read(model.rank, model.key), theirs)
    return segments.names_alike(cut_at_steps(reader.read(chain.rank, chain.key), mine)) > (
        limits.LANE_AGREES.value
    )


def _apart(model: Int64, ends: Int64, cut: Cut, allowed: float | None) -> tuple[float, float | None]:
    """What :func:`choose_cut` asks; ``allowed``: how far the clocks may be apart, in ns, where known."""
    # Of long chains a part in the middle says as much as all.
    low = max(cut.low, (cut.low + cut.high - _LOOKED_AT) // 2)
    high = min(cut.high, low + _LOOKED_AT)
    off = ends[low:high] - model[low + cut.shift : high + cut.shift]
    spread = 1.4826 * float(np.median(np.abs(np.diff(off)))) if len(off) > 2 else np.inf
    if allowed is None or not len(off):
        return spread, None
    middle = float(off[0]) + float(np.median(off - off[0]))
    return spread, abs(middle) - allowed


def _family(
    reader: ChainReader,
    chains: Sequence[Chain],
    cuts: Sequence[Cut | None],
    keys: StepKeys,
    fitted: bool = False,
) -> Family:
    """``fitted``: the chains are one communicator, so that their ends go together."""
    if all(keys[chain.rank] is not None for chain in chains) and len(chains) > 1:
        placements, instances = _by_steps(reader, chains, keys)
        least = limits.OVERLAP.value * min(chain.length for chain in chains)
        if any(cut is None for cut in cuts) or instances >= least:
            return Family(tuple(chains), tuple(cuts), keys, placements, instances, True)
    kept = [at for at, cut in enumerate(cuts) if cut is not None]
    chains, whole = [chains[at] for at in kept], [cut for cut in cuts if cut is not None]
    if fitted and len(chains) > 1:
        ends = _ends(reader, chains[0])
        rest = [_fitted(ends, _ends(reader, c), cut) for c, cut in zip(chains[1:], whole[1:], strict=True)]
        whole = [whole[0], *rest]
    placements, instances = _by_cuts(chains, whole)
    return Family(tuple(chains), tuple(whole), keys, placements, instances, False)


def _fitted(model: Int64, ends: Int64, cut: Cut) -> Cut:
    """The part of a cut whose ends go together with those of the model."""
    theirs = model[cut.low + cut.shift : cut.high + cut.shift]
    low, high = fitting_part(theirs, ends[cut.low : cut.high])
    return Cut(cut.shift, cut.low + low, cut.low + high)


def _ends(reader: ChainReader, chain: Chain, clocks: Clocks | None = None) -> Int64:
    """When the operations of a chain end, as recorded or in the clocks' ns."""
    rows = reader.read(chain.rank, chain.key).rows
    ends: Int64 = reader.run.ranks[chain.rank].summary.collectives.end[rows]
    return ends if clocks is None else ends + np.int64(clocks.base_ns[chain.rank])


def _by_cuts(chains: Sequence[Chain], cuts: Sequence[Cut]) -> tuple[tuple[Placement, ...], int]:
    """Instances are rows of the model that two chains or more have."""
    if not chains:
        return (), 0
    origin = min(cut.low + cut.shift for cut in cuts)
    length = max(cut.high + cut.shift for cut in cuts) - origin
    edges = np.zeros(length + 1, np.int64)
    for cut in cuts:
        edges[cut.low + cut.shift - origin] += 1
        edges[cut.high + cut.shift - origin] -= 1
    shared = np.cumsum(edges)[:-1] > 1
    number = np.where(shared, np.cumsum(shared) - 1, -1).astype(np.int64)
    placements = []
    for chain, cut in zip(chains, cuts, strict=True):
        instances = np.full(chain.length, -1, np.int64)
        first = cut.low + cut.shift - origin
        instances[cut.low : cut.high] = number[first : first + cut.equal]
        placements.append(Placement.of(instances))
    return tuple(placements), int(shared.sum())


def _by_steps(
    reader: ChainReader, chains: Sequence[Chain], keys: StepKeys
) -> tuple[tuple[Placement, ...], int]:
    """Instances are what each step holds, where it holds the same on all."""
    cut = [_segments(reader, chain, keys) for chain in chains]
    agreement = Agreement(cut[0])
    for segments in cut[1:]:
        agreement.add(segments)
    placements = tuple(
        Placement.of(agreement.place(segments, chain.length))
        for segments, chain in zip(cut, chains, strict=True)
    )
    return placements, agreement.instances


def _segments(reader: ChainReader, chain: Chain, keys: StepKeys) -> Segments:
    mine = keys[chain.rank]
    assert mine is not None
    return cut_at_steps(reader.read(chain.rank, chain.key), mine)
