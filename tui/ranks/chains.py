"""Chains: the operations of one rank that belong to one communicator, in their order.

A chain is a lane (a stream or a thread), or what the export says to be one communicator. Chains are read
again from the summary wherever they are needed: those of all ranks are never held at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

import numpy as np

from tui.ranks import limits
from tui.ranks.names import CanonicalName, canonical_name
from tui.ranks.rank_set import Run
from tui.ranks.summary import RankSummary
from tui.report.columns import Bool, Int32, Int64, Positions

UNKNOWN = -1
"""A communicator that isn't recorded; any other value may be one."""


DEVICE_ROWS, HOST_ROWS = -1, -2
"""Stand for a lane: the rows of any stream, or of any thread."""


class NameBook:
    """Numbers canonical names the same on all ranks."""

    def __init__(self) -> None:
        self.names: list[CanonicalName] = []
        self._number: dict[tuple[object, ...], int] = {}

    def number(self, name: CanonicalName) -> int:
        """The number of a name; equal for names that differ in algorithm or protocol only."""
        found = self._number.get(name.key)
        if found is None:
            found = self._number[name.key] = len(self.names)
            self.names.append(name)
        return found

    def table(self, summary: RankSummary) -> Int32:
        """The numbers of a rank's names: shape (2, names + 1), of kernels and of calls; the last: no name."""
        rows = summary.collectives
        host = np.array([lane.host for lane in summary.lanes], bool)[rows.lane]
        numbers = np.full((2, len(summary.names) + 1), -1, np.int32)
        for side in (0, 1):
            seen = np.zeros(len(summary.names) + 1, bool)
            seen[rows.name[host == bool(side)]] = True
            for at in np.flatnonzero(seen).tolist():
                text = summary.names[at] if at < len(summary.names) else ""
                numbers[side, at] = self.number(canonical_name(text, bool(side)))
        return numbers

    def which(self, attribute: str) -> Bool:
        """By number: whether the names have the attribute; one entry more, False, for no name."""
        return np.array([*(getattr(name, attribute) for name in self.names), False], bool)


class ChainKey(NamedTuple):
    """Names a chain within its rank."""

    lane: int
    """Position in the rank's lanes, or :data:`DEVICE_ROWS` or :data:`HOST_ROWS`."""
    communicator: int
    """What the export calls it; -1: rows of any."""
    by_sequence: bool
    """Its rows are in the order of their recorded numbers, not by start."""


class ChainRows(NamedTuple):
    """The rows of a chain."""

    rows: Positions
    """Positions in the rank's collectives."""
    name: Int32
    """Their canonical names."""
    sequence: Int64
    step: Int32


@dataclass(frozen=True)
class Chain:
    """One chain, without its rows."""

    rank: int
    """Position in ``Run.ranks``."""
    key: ChainKey
    host: bool
    length: int
    digest: bytes
    """Equal digests are equal sequences of canonical names."""


class ChainReader:
    """Reads chains of the ranks of a run, one rank at a time."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.book = NameBook()
        self._at = -1
        self._tables: dict[int, Int32] = {}
        self._names: Int32 = np.zeros(0, np.int32)
        self._ordered: Bool = np.zeros(0, bool)
        self._host: Bool = np.zeros(0, bool)

    def names(self, rank: int) -> Int32:
        """Canonical names of all rows of a rank."""
        self._load(rank)
        return self._names

    def read(self, rank: int, key: ChainKey) -> ChainRows:
        """The rows of one chain."""
        self._load(rank)
        found = self.run.ranks[rank].summary.collectives
        chosen = self._ordered.copy()
        if key.lane >= 0:
            chosen &= found.lane == key.lane
        else:
            chosen &= self._host if key.lane == HOST_ROWS else ~self._host
        if key.communicator != UNKNOWN:
            chosen &= found.communicator == key.communicator
        rows = np.flatnonzero(chosen)
        if key.by_sequence:
            rows = rows[np.lexsort((found.start[rows], self._names[rows], found.sequence[rows]))]
        return ChainRows(rows, self._names[rows], found.sequence[rows], found.step[rows])

    def chains(self, recorded: bool, sequence: bool) -> Iterator[Chain]:
        """Yield the chains of all ranks; ``recorded``: those on devices by the recorded communicator."""
        for rank in range(len(self.run.ranks)):
            for key, host in self._keys(rank, recorded, sequence):
                read = self.read(rank, key)
                if len(read.rows):
                    digest = blake2b(np.ascontiguousarray(read.name).tobytes(), digest_size=16).digest()
                    yield Chain(rank, key, host, len(read.rows), digest)

    def offers(self) -> tuple[bool, bool]:
        """Whether all ranks recorded the communicators of device work, and its operations' numbers."""
        communicator = sequence = True
        seen = False
        for rank in range(len(self.run.ranks)):
            self._load(rank)
            rows = self.run.ranks[rank].summary.collectives
            mine = self._ordered & ~self._host
            if count := int(mine.sum()):
                seen = True
                least = limits.PARTIAL_RANK.value * count
                communicator = communicator and int((rows.communicator[mine] != UNKNOWN).sum()) >= least
                sequence = sequence and int((rows.sequence[mine] >= 0).sum()) >= least
                if not communicator:
                    break
        return seen and communicator, seen and communicator and sequence

    def _keys(self, rank: int, recorded: bool, sequence: bool) -> Sequence[tuple[ChainKey, bool]]:
        self._load(rank)
        summary = self.run.ranks[rank].summary
        rows = summary.collectives
        keys: list[tuple[ChainKey, bool]] = []
        on_device = self._ordered & ~self._host
        if recorded:
            known = np.unique(rows.communicator[on_device & (rows.communicator != UNKNOWN)])
            keys += [(ChainKey(DEVICE_ROWS, int(value), sequence), False) for value in known]
        for at, lane in enumerate(summary.lanes):
            if lane.host:
                # The handle of a communicator is an address: it tells calls of a thread apart, no more.
                mine = self._ordered & (rows.lane == at)
                keys += [(ChainKey(at, int(v), False), True) for v in np.unique(rows.communicator[mine])]
            elif not recorded:
                keys.append((ChainKey(at, UNKNOWN, False), False))
        return keys

    def _load(self, rank: int) -> None:
        if rank == self._at:
            return
        summary = self.run.ranks[rank].summary
        rows = summary.collectives
        self._at = rank
        if not len(rows):
            self._names, self._ordered, self._host = (
                np.zeros(0, np.int32),
                np.zeros(0, bool),
                np.zeros(0, bool),
            )
            return
        table = self._tables.get(rank)
        if table is None:
            table = self._tables[rank] = self.book.table(summary)
        hosts = np.array([lane.host for lane in summary.lanes], bool)
        self._host = hosts[rows.lane]
        kernels, calls = table
        if hosts.any():
            self._names = np.where(self._host, calls[rows.name], kernels[rows.name])
        else:
            self._names = kernels[rows.name]
        self._ordered = self.book.which("ordered")[self._names]
