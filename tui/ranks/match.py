"""Which operations of the ranks of a run are one: communicators, and their instances.

A match is by what the export recorded where all ranks have it (number and communicator, or communicator and
order), else by order in streams (of threads, for MPI) whose operations have the same names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tui.ranks import limits
from tui.ranks.chains import Chain, ChainKey, ChainReader
from tui.ranks.clocks import Clocks
from tui.ranks.families import Family, StepKeys, alone_of, find_families, fit, spread_within, with_chain
from tui.ranks.names import CanonicalName
from tui.ranks.partners import Sample, find_partners, may_be, sample_places
from tui.ranks.placement import Placement
from tui.ranks.rank_set import Run
from tui.ranks.step_keys import step_keys
from tui.report.columns import Bool, Int32, Int64, Positions


class MatchKind(Enum):
    """How instances were put together, best first."""

    ID = "id"
    SEQUENCE = "sequence"
    ORDER = "order"
    NEAREST = "nearest"
    NONE = "none"


@dataclass(frozen=True)
class Participant:
    """One rank of a communicator."""

    rank: int
    """Position in ``Run.ranks``."""
    key: ChainKey
    rows: int
    """How many operations its chain holds."""
    placement: Placement

    @property
    def unmatched(self) -> int:
        """Its operations that are no instance."""
        return self.rows - self.placement.matched

    @property
    def partial(self) -> bool:
        """Whether so little is matched that figures of it stand for a part."""
        return self.placement.matched < limits.PARTIAL_RANK.value * self.rows


@dataclass(frozen=True)
class Communicator:
    """Ranks that communicate with each other, and what they did together, in order."""

    label: str
    """For people: its recorded id, or its stream."""
    host: bool
    """True: calls of MPI; False: kernels."""
    match: MatchKind
    expected: int | None
    """How many ranks there should be, where that is known."""
    participants: tuple[Participant, ...]
    """By rank."""
    name: Int32
    """By instance: position in :attr:`Matched.names`."""
    ambiguous: int = 0
    """How many instances could be others."""

    @property
    def ranks(self) -> tuple[int, ...]:
        """Positions of its participants in ``Run.ranks``."""
        return tuple(p.rank for p in self.participants)

    def __len__(self) -> int:
        return len(self.name)


class MatchedRows(NamedTuple):
    """By row of a rank's collectives."""

    communicator: Int32
    """Position in :attr:`Matched.communicators`; -1 unmatched."""
    instance: Int64
    """Position in that communicator's instances; -1 unmatched."""


@dataclass(frozen=True)
class Matched:
    """All communicators of a run, and what is in none."""

    run: Run
    names: tuple[CanonicalName, ...]
    communicators: tuple[Communicator, ...]
    rows: tuple[int, ...]
    """By rank: how many operations may be matched at all."""
    ambiguous: tuple[int, ...]
    """By rank: how many operations could be matched in several ways, and so are not."""
    left_out: tuple[int, ...]
    """By rank: how many can't be: point-to-point, grouped, not blocking, of unknown kind."""
    reader: ChainReader
    notes: tuple[str, ...] = ()

    def of_rank(self, rank: int) -> MatchedRows:
        """Return what each row of a rank (position in ``run.ranks``) is."""
        length = len(self.run.ranks[rank].summary.collectives)
        communicator = np.full(length, -1, np.int32)
        instance = np.full(length, -1, np.int64)
        for at, participant in self._parts[rank]:
            rows = self.reader.read(rank, participant.key).rows
            placed = participant.placement.by_row(len(rows))
            rows, placed = rows[placed >= 0], placed[placed >= 0]
            communicator[rows], instance[rows] = at, placed
        return MatchedRows(communicator, instance)

    def parts(self, rank: int) -> list[tuple[int, Participant]]:
        """The communicators that a rank is in, by position, and as what."""
        return self._parts[rank]

    @cached_property
    def _parts(self) -> list[list[tuple[int, Participant]]]:
        """By rank: the communicators that it is in, and as what."""
        found: list[list[tuple[int, Participant]]] = [[] for _ in self.run.ranks]
        for at, communicator in enumerate(self.communicators):
            for participant in communicator.participants:
                found[participant.rank].append((at, participant))
        return found

    def matched(self, rank: int) -> int:
        """How many operations of a rank are instances."""
        return sum(participant.placement.matched for _, participant in self._parts[rank])

    def unmatched(self, rank: int) -> int:
        """How many operations of a rank could be instances and are not."""
        return self.rows[rank] - self.matched(rank)

    def measured(self, communicator: int) -> Bool:
        """By instance of a communicator: whether durations tell who waited."""
        table = np.array([*(name.measures_waits for name in self.names), False], bool)
        found: Bool = table[self.communicators[communicator].name]
        return found


def match(run: Run, clocks: Clocks, *, group: int | None = None) -> Matched:
    """Match the operations of a run's ranks.

    ``group``: how many ranks with numbers in a row make one communicator, for streams that time can't tell
    apart.
    """
    return _Matching(run, clocks, group).done()


class _Matching:
    def __init__(self, run: Run, clocks: Clocks, group: int | None) -> None:
        self.run = run
        self.clocks = clocks
        self.group = group
        self.reader = ChainReader(run)
        self.found: list[Communicator] = []
        self.kept: list[tuple[Family, MatchKind]] = []
        """What is taken for communicators so far, and how."""
        self.left: list[Chain] = []
        """Chains that are in none."""
        self.ambiguous = [0] * len(run.ranks)

    def done(self) -> Matched:
        recorded, numbered = self.reader.offers()
        chains = list(self.reader.chains(recorded, numbered))
        keys = step_keys(self.run, self.clocks)
        of: dict[int, list[Chain]] = defaultdict(list)
        others: list[Chain] = []
        for chain in chains:
            if chain.key.lane < 0:
                of[chain.key.communicator].append(chain)
            else:
                others.append(chain)
        for together in of.values():
            if numbered:
                self._by_number(together)
            else:
                self._by_order(together, keys, MatchKind.SEQUENCE)
        self._by_order(others, keys, MatchKind.ORDER)
        rows, left_out = self._counts()
        return Matched(
            self.run,
            tuple(self.reader.book.names),
            tuple(self.found),
            rows,
            tuple(self.ambiguous),
            left_out,
            self.reader,
        )

    def _by_order(self, chains: Sequence[Chain], keys: StepKeys, kind: MatchKind) -> None:
        """Match chains that are equal, then those that are equal to them but for their ends."""
        self.kept, self.left = [], []
        for family in find_families(self.reader, chains, keys):
            if kind is MatchKind.SEQUENCE:
                self._accept(family, np.arange(len(family.chains)), kind)
            else:
                self._part(family)
        self._attach(keys)
        for family, how in self.kept:
            self._finish(family, how)

    def _attach(self, keys: StepKeys) -> None:
        """Find a communicator for what is left: that with which its ends go together best."""
        for chain in sorted(self.left, key=lambda chain: -chain.length):
            fits = []
            for at, (family, kind) in enumerate(self.kept):
                found = fit(self.reader, family, chain, self.clocks)
                if found is not None:
                    fits.append((found.spread, at, family, kind, found.cut))
            fits.sort(key=lambda found: found[:2])
            alone = len(fits) == 1 or (len(fits) > 1 and fits[0][0] * limits.APART.value <= fits[1][0])
            if alone:
                _, at, family, kind, cut = fits[0]
                wider = with_chain(self.reader, family, chain, cut)
                if self._possible(wider):
                    self.kept[at] = (wider, kind)
                    continue
            elif not fits:
                # Two that are equal to nothing else may still be equal to each other but for their ends.
                self.kept.append((alone_of(self.reader, chain, keys), MatchKind.ORDER))
                continue
            self._give_up([chain])

    def _by_number(self, chains: Sequence[Chain]) -> None:
        """Instances are what all ranks gave the same number and name."""
        if len(chains) < 2:
            return
        known = np.zeros(0, np.int64)
        for chain in chains:
            known = np.union1d(known, self._numbers(chain))
        counts = np.zeros(len(known), np.int64)
        for chain in chains:
            counts[np.searchsorted(known, np.unique(self._numbers(chain)))] += 1
        shared = known[counts > 1]
        if not len(shared):
            return
        participants = []
        for chain in chains:
            numbers = self._numbers(chain)
            at = np.clip(np.searchsorted(shared, numbers), 0, len(shared) - 1)
            placed = np.where((shared[at] == numbers) & (numbers >= 0), at, -1)
            participants.append(Participant(chain.rank, chain.key, chain.length, Placement.of(placed)))
        name = (shared % _NAMES).astype(np.int32)
        self._add(chains[0], MatchKind.ID, participants, name)

    def _numbers(self, chain: Chain) -> Int64:
        read = self.reader.read(chain.rank, chain.key)
        return np.where(read.sequence >= 0, read.sequence * _NAMES + read.name, -1)

    def _part(self, family: Family) -> None:
        """Find who of a family was together, by time."""
        if len(family.chains) < 2:
            self.left += family.chains
            return
        sample = self._sample(family)
        numbers = [self.run.ranks[chain.rank].number for chain in family.chains]
        partners = find_partners(sample, numbers, self.group, self.clocks)
        if partners.ambiguous and (parts := self._by_device(family.chains)):
            for part in parts:
                self._part(family.part(self.reader, part))
            return
        if partners.ambiguous:
            known = {at for group in partners.groups for at in group.tolist()}
            self._give_up([chain for at, chain in enumerate(family.chains) if at not in known])
        for group in partners.groups:
            self._accept(family, group, MatchKind.ORDER)

    def _by_device(self, chains: Sequence[Chain]) -> list[Positions]:
        """Part chains of ranks with several devices: those of each rank's first device, of its second, ...

        Nothing where that tells none apart, or a device has several.
        """
        if any(chain.key.lane < 0 or chain.host for chain in chains):
            return []
        ranks = [self.run.ranks[chain.rank].summary for chain in chains]
        devices = [rank.lanes[chain.key.lane].device for rank, chain in zip(ranks, chains, strict=True)]
        place = np.array(
            [
                sorted({lane.device for lane in rank.lanes}).index(d)
                for rank, d in zip(ranks, devices, strict=True)
            ]
        )
        once = len({(chain.rank, at) for chain, at in zip(chains, place.tolist(), strict=True)}) == len(
            chains
        )
        parts = [np.flatnonzero(place == at) for at in np.unique(place)]
        return parts if once and len(parts) > 1 else []

    def _accept(self, family: Family, group: Positions, kind: MatchKind) -> None:
        """Take chains for one communicator, unless time says that they can't be."""
        part = family.part(self.reader, group)
        if len(group) < 2 or self._fits_better(part):
            self.left += part.chains
        elif self._possible(part):
            self.kept.append((part, kind))
        else:
            self._give_up(part.chains)

    def _fits_better(self, part: Family) -> bool:
        """Whether chains that are equal go together far better with others: each of them lacks something."""
        # Those of one class are equal: what they go together with is theirs already.
        others = [family for family, _ in self.kept if family.chains[0].digest != part.chains[0].digest]
        if part.by_steps or not others:
            return False
        within = spread_within(self.reader, part, self.clocks)
        for chain in part.chains:
            fits = (fit(self.reader, family, chain, self.clocks) for family in others)
            best = min((found.spread for found in fits if found is not None), default=np.inf)
            if best * limits.APART.value > within:
                return False
        return True

    def _possible(self, family: Family) -> bool:
        """Whether time lets the chains of a family be together."""
        return family.instances > 0 and may_be(self._sample(family), self.clocks)

    def _finish(self, part: Family, kind: MatchKind) -> None:
        chains = part.chains
        if len(chains) < 2:
            return
        name = np.full(part.instances, -1, np.int32)
        participants = []
        for chain, placement in zip(chains, part.placements, strict=True):
            participants.append(Participant(chain.rank, chain.key, chain.length, placement))
            if (name < 0).any():
                placed = placement.by_row(chain.length)
                name[placed[placed >= 0]] = self.reader.read(chain.rank, chain.key).name[placed >= 0]
        self._add(chains[0], kind, participants, name)

    def _give_up(self, chains: Sequence[Chain]) -> None:
        for chain in chains:
            self.ambiguous[chain.rank] += chain.length

    def _add(self, chain: Chain, kind: MatchKind, participants: list[Participant], name: Int32) -> None:
        participants.sort(key=lambda p: p.rank)
        everyone = {rank for rank, _ in enumerate(self.run.ranks)} == {p.rank for p in participants}
        expected = self._recorded_size(chain) or (self.run.expected if everyone else None)
        self.found.append(
            Communicator(
                self._label(chain, participants), chain.host, kind, expected, tuple(participants), name
            )
        )

    def _recorded_size(self, chain: Chain) -> int | None:
        """How many ranks a recorded communicator has; None where that isn't recorded."""
        sizes = self.run.ranks[chain.rank].summary.collectives.size
        if chain.key.lane >= 0 or sizes is None:
            return None
        found = np.unique(sizes[self.reader.read(chain.rank, chain.key).rows])
        return int(found[0]) if len(found) == 1 and found[0] > 0 else None

    def _label(self, chain: Chain, participants: Sequence[Participant]) -> str:
        if chain.key.lane < 0:
            return f"{chain.key.communicator & (1 << 64) - 1:#x}"
        if chain.host:
            return "MPI"
        lanes = {self.run.ranks[p.rank].summary.lanes[p.key.lane].stream for p in participants}
        return f"stream {lanes.pop()}" if len(lanes) == 1 else "streams"

    def _sample(self, family: Family) -> Sample:
        """Take a few instances of chains of a family."""
        places = sample_places(family.instances)
        chains = family.chains
        shape = (len(chains), len(places))
        start, end, there = np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(shape, bool)
        n_by_n = np.zeros(len(places), bool)
        for at, chain in enumerate(chains):
            read = self.reader.read(chain.rank, chain.key)
            found = self.run.ranks[chain.rank].summary.collectives
            at_row, there[at] = family.placements[at].rows_of(places)
            rows = read.rows[at_row]
            base = self.clocks.base_ns[chain.rank]
            start[at], end[at] = found.start[rows] + base, found.end[rows] + base
            n_by_n |= there[at] & self.reader.book.which("measures_waits")[read.name[at_row]]
        next_to = np.diff(places, prepend=-2) == 1
        ranks = np.array([chain.rank for chain in chains], np.int64)
        return Sample(ranks, start, end, there, n_by_n, next_to)

    def _counts(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        rows, left_out = [], []
        for rank in range(len(self.run.ranks)):
            names = self.reader.names(rank)
            ordered = int(self.reader.book.which("ordered")[names].sum())
            rows.append(ordered)
            left_out.append(len(names) - ordered)
        return tuple(rows), tuple(left_out)


_NAMES = 1 << 12
"""More than there are canonical names: a number and a name make one key."""
