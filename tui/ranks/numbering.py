"""The numbers of the ranks of one run: the first source that answers for all of them and contradicts itself
nowhere is used for the whole run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tui.ranks.file_numbers import file_numbers
from tui.ranks.identity import value_of
from tui.ranks.rank_set import RankSource
from tui.report.launch_names import PURPOSES
from tui.text.numbers import plural

Numbers = list[int | None]
"""A number a rank; None: the source says nothing of it."""


@dataclass(frozen=True)
class Unnumbered:
    """One rank before it has a number."""

    member: int
    """Position of its report in the set."""
    path: Path
    pid: int
    devices: tuple[int, ...]
    """The numbers of its GPUs, ascending; none for a rank without device work."""
    identity: Mapping[str, Any]
    alone: bool = True
    """Whether no other process of its report works on a device: the environment is its own then."""

    @property
    def sort_key(self) -> tuple[Any, ...]:
        """Sorts the ranks of one report: by the ordinal of the device, then pid."""
        return (self.devices or (1 << 30,), self.pid)

    def variable(self, name: str, purpose: str) -> int | None:
        """The number that the launcher's variable ``name`` holds."""
        value = value_of(self.identity.get("variables", {}), name, purpose)
        return value if isinstance(value, int) else None


@dataclass(frozen=True)
class Numbering:
    """The numbers of a run's ranks, in the order of the ranks."""

    numbers: Numbers
    source: RankSource
    variable: str | None = None
    """The environment variable that they came from."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Offer:
    source: RankSource
    words: str
    """What the notes call it."""
    numbers: Numbers
    variable: str | None = None


def numbered(ranks: Sequence[Unnumbered], size: int | None) -> Numbering:
    """Number the ranks of a run that are ``size`` in all (None: not known), as the reports say themselves.

    Notes name each source that was dropped: for giving one number to two ranks, a number that the run is too
    small for, or none to some of the ranks while another numbers all.
    """
    notes: list[str] = []
    partial: _Offer | None = None
    for offer in _offers(ranks, size, notes):
        known = [number for number in offer.numbers if number is not None]
        if not known:
            continue
        if (fault := _fault(offer, ranks, size)) is not None:
            notes.append(fault)
        elif len(known) == len(ranks):
            if partial is not None:
                notes.append(f"{partial.words} {_part(partial)}; not used")
            return Numbering(offer.numbers, offer.source, offer.variable, tuple(notes))
        else:
            partial = partial or offer
    if partial is not None:
        notes.append(f"{partial.words} {_part(partial)}; nothing numbers the others")
        return Numbering(partial.numbers, partial.source, partial.variable, tuple(notes))
    return Numbering([None] * len(ranks), RankSource.UNKNOWN, None, tuple(notes))


def doubled(numbers: Sequence[int | None]) -> tuple[int, int] | None:
    """The positions of the first two ranks of one number; None where each has its own."""
    seen: dict[int, int] = {}
    for position, number in enumerate(numbers):
        if number is not None and seen.setdefault(number, position) != position:
            return seen[number], position
    return None


def both(ranks: Sequence[Unnumbered], pair: tuple[int, int]) -> str:
    """Two ranks in words: their files, or their processes where the file is one."""
    first, second = (ranks[position] for position in pair)
    if first.path == second.path:
        return f"the processes {first.pid} and {second.pid} of {first.path.name}"
    if first.path.name == second.path.name:
        return f"{first.path} and {second.path}"
    return f"{first.path.name} and {second.path.name}"


def size_of(ranks: Sequence[Unnumbered]) -> tuple[int | None, tuple[str, ...]]:
    """How many ranks the run has in all as its reports say, and notes on sources that can't be right.

    An environment around several ranks is that of their launcher: what it counts are launchers.
    """
    notes: list[str] = []
    if all(rank.alone for rank in ranks):
        for name in PURPOSES["ranks"]:
            said = {size for rank in ranks if (size := rank.variable(name, "ranks"))}
            if len(said) == 1:
                if (size := said.pop()) >= len(ranks):
                    return size, tuple(notes)
                notes.append(f"{name} says {plural(size, 'rank')} and there are {len(ranks)}: not used")
            elif said:
                listed = ", ".join(map(str, sorted(said)))
                notes.append(f"{name} differs between the reports ({listed}): not used")
    return _largest_group(ranks), tuple(notes)


def node_numbers(ranks: Sequence[Unnumbered]) -> Numbers:
    """The node of each rank, as its launcher says: by name, else as the launchers' own number."""
    names = [("node", name) for name in PURPOSES["node"]]
    if not all(rank.alone for rank in ranks):
        names += [("rank", name) for name in PURPOSES["rank"]]
    for purpose, name in names:
        found = [rank.variable(name, purpose) for rank in ranks]
        if all(number is not None for number in found) and not _shared(ranks, found):
            return found
    return [None] * len(ranks)


def _shared(ranks: Sequence[Unnumbered], nodes: Numbers) -> bool:
    """Whether two reports of several ranks each have one node: it names neither of them."""
    owner: dict[int | None, int] = {}
    return any(
        owner.setdefault(node, rank.member) != rank.member
        for rank, node in zip(ranks, nodes, strict=True)
        if not rank.alone
    )


def _offers(ranks: Sequence[Unnumbered], size: int | None, notes: list[str]) -> Iterator[_Offer]:
    """What each source says, the best first."""
    told = [rank.identity.get("mpi_ranks", {}).get(str(rank.pid)) for rank in ranks]
    yield _Offer(RankSource.MPI, "MPI_RANKS", told)
    for name in PURPOSES["rank"]:
        said = [rank.variable(name, "rank") if rank.alone else None for rank in ranks]
        yield _Offer(RankSource.ENVIRONMENT, name, said, name)
    yield _Offer(RankSource.NCCL, "NCCL", _nccl(ranks, size))
    if len({rank.member for rank in ranks}) == len(ranks) > 1:
        found = file_numbers([rank.path.stem for rank in ranks], [rank.pid for rank in ranks])
        if found.refused:
            notes.append(f"the numbers in the file names are {found.refused}: not used")
        yield _Offer(RankSource.NAME, "the numbers in the file names", found.numbers or [None] * len(ranks))


def _fault(offer: _Offer, ranks: Sequence[Unnumbered], size: int | None) -> str | None:
    """Why an offer can't be true."""
    if (pair := doubled(offer.numbers)) is not None:
        return f"{offer.words}: rank {offer.numbers[pair[0]]} is both of {both(ranks, pair)}; not used"
    largest = max(number for number in offer.numbers if number is not None)
    if size is not None and largest >= size:
        return f"{offer.words}: rank {largest} of {plural(size, 'rank')}; not used"
    return None


def _part(offer: _Offer) -> str:
    known = sum(number is not None for number in offer.numbers)
    return f"number{'s' if re.match('[A-Z]', offer.words) else ''} {known} of {len(offer.numbers)} ranks"


def _groups(rank: Unnumbered) -> dict[int, set[int]]:
    """The rank's numbers in its communicators, by how many ranks these have."""
    found: dict[int, set[int]] = {}
    for one in rank.identity.get("nccl", {}).get(str(rank.pid), ()):
        found.setdefault(one["ranks"], set()).add(one["rank"])
    return found


def _nccl(ranks: Sequence[Unnumbered], size: int | None) -> Numbers:
    """The numbers in the communicator of all; where ``size`` is not known: the largest that has one size in
    all reports and no number twice.
    """
    groups = [_groups(rank) for rank in ranks]
    if size is not None:
        return [_only(group, size) for group in groups]
    for candidate in _common_sizes(groups):
        numbers = [_only(group, candidate) for group in groups]
        if None not in numbers and doubled(numbers) is None:
            return numbers
    return [None] * len(ranks)


def _largest_group(ranks: Sequence[Unnumbered]) -> int | None:
    """The size of the communicator that numbers all ranks; None without one."""
    groups = [_groups(rank) for rank in ranks]
    for candidate in _common_sizes(groups):
        numbers = [_only(group, candidate) for group in groups]
        if None not in numbers and doubled(numbers) is None:
            return candidate
    return None


def _common_sizes(groups: Sequence[Mapping[int, set[int]]]) -> list[int]:
    """The sizes that a communicator of every rank has, the largest first."""
    common = set.intersection(*(set(group) for group in groups)) if groups else set()
    return sorted((size for size in common if size >= len(groups)), reverse=True)


def _only(group: Mapping[int, set[int]], size: int) -> int | None:
    """The rank's number in communicators of that size, where it has one."""
    numbers = group.get(size, set())
    return next(iter(numbers)) if len(numbers) == 1 else None
