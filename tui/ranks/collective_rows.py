"""The communication of a run by kind: communicator, operation and size, with transfers, waits, bandwidth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tui.analysis.grouping import combined
from tui.ranks import limits
from tui.ranks.exposure import Exposed
from tui.ranks.holes import median, one
from tui.ranks.names import CanonicalName, canonical_name
from tui.ranks.straggler import TimeClass, time_class
from tui.ranks.summary import Collectives, RankSummary
from tui.ranks.waits import Waits
from tui.report.columns import Bool, Int64, Positions


@dataclass(frozen=True)
class CollectiveRow:
    """One kind of operation: of one communicator, name and payload. None: unknown; times in ns."""

    communicator: int | None
    """Position in ``Matched.communicators``; None: of no communicator, for nobody knows who took part."""
    name: CanonicalName
    bytes: int | None
    """Payload of one rank."""
    ranks: int
    instances: int
    complete: int
    """Instances in which all participants of the communicator are seen."""
    transfer_ns: int | None
    """Median over the instances."""
    wait_ns: int | None
    """Median over ranks and instances."""
    duration_ns: int
    """Median over ranks and instances."""
    total_ns: int
    """Sum over ranks and instances."""
    fastest_ns: int
    """Of any rank and instance, its wait included."""
    recorded: int | None
    """The communicator that the export names; None: none, or several."""
    size: int | None
    """How many ranks that one has."""
    operations: int | None
    """How many operations the instances carry out; None where it isn't recorded of all."""
    exposed_ns: int
    """Sum over ranks and instances of what no compute covers."""
    kind: TimeClass | None
    """What takes the time; None where durations don't tell."""
    last: Int64
    """How often each rank of the run was last, of the resolved ones in verdicts."""
    judged: int
    """How many instances are resolved and count in verdicts."""
    cost_ns: int | None
    """What those would be shorter had the last come with the next to last."""


@dataclass(frozen=True)
class _Group:
    communicator: int
    name: int
    bytes: int
    of: Positions
    """Positions of its instances."""


@dataclass(frozen=True)
class _Alone:
    """Operations of one rank without counterparts."""

    rank: int
    count: int
    durations: Int64
    exposed: int
    told: _Told


class _Told(NamedTuple):
    """What rows of one kind say that needs no match."""

    total_ns: int
    fastest_ns: int
    size: int
    """How many ranks their communicator has; -1: not recorded, or several."""
    operations: int
    """-1: not recorded of all."""

    @classmethod
    def of(cls, done: Collectives, rows: Positions) -> _Told:
        durations = done.end[rows] - done.start[rows]
        sizes = np.unique(done.size[rows]) if done.size is not None else np.zeros(0, np.int32)
        parts = done.parts[rows] if done.parts is not None else np.full(len(rows), -1)
        return cls(
            int(durations.sum()),
            int(durations.min()),
            int(sizes[0]) if len(sizes) == 1 else -1,
            int(parts.sum()) if (parts >= 0).all() else -1,
        )

    @classmethod
    def joined(cls, parts: Sequence[_Told]) -> _Told:
        sizes = {part.size for part in parts}
        operations = [part.operations for part in parts]
        return cls(
            sum(part.total_ns for part in parts),
            min(part.fastest_ns for part in parts),
            sizes.pop() if len(sizes) == 1 else -1,
            sum(operations) if min(operations) >= 0 else -1,
        )


class CollectiveRows:
    """Gathers the rows of a run, one rank at a time."""

    def __init__(self, waits: Waits, chosen: tuple[Bool, ...]) -> None:
        """``chosen``: by communicator, which instances count."""
        self.waits = waits
        self.chosen = chosen
        self.groups: list[_Group] = []
        self._of_instance = []
        for at, (table, mine) in enumerate(zip(waits.instances, chosen, strict=True)):
            numbers, first = combined(table.name.astype(np.int64), table.bytes)
            self._of_instance.append(numbers + len(self.groups))
            for number, row in enumerate(first.tolist()):
                of = np.flatnonzero((numbers == number) & mine)
                self.groups.append(_Group(at, int(table.name[row]), int(table.bytes[row]), of))
        self._exposed = np.zeros(len(self.groups), np.int64)
        self._waits: list[list[Int64]] = [[] for _ in self.groups]
        self._durations: list[list[Int64]] = [[] for _ in self.groups]
        self._ranks = np.zeros(len(self.groups), np.int64)
        self._told: list[list[_Told]] = [[] for _ in self.groups]
        self._recorded: list[set[int]] = [set() for _ in self.groups]
        self._alone: dict[tuple[CanonicalName, int, int], list[_Alone]] = {}

    def add(self, rank: int, exposed: Exposed, among: Bool) -> None:
        """Add the rows of one rank (position in the run). ``among``: which of its collectives count."""
        summary = self.waits.matched.run.ranks[rank].summary
        done, found = summary.collectives, self.waits.of_rank(rank)
        alone = exposed.all.between(done.start, done.end)
        group = np.full(len(done), -1, np.int64)
        for at, of_instance in enumerate(self._of_instance):
            mine = np.flatnonzero((found.communicator == at) & among)
            mine = mine[self.chosen[at][found.instance[mine]]]
            group[mine] = of_instance[found.instance[mine]]
        matched = np.flatnonzero(group >= 0)
        np.add.at(self._exposed, group[matched], alone[matched])
        order = matched[np.argsort(group[matched], kind="stable")]
        cuts = np.flatnonzero(np.diff(group[order])) + 1
        for rows in np.split(order, cuts) if len(order) else ():
            number = int(group[rows[0]])
            self._ranks[number] += 1
            self._durations[number].append(self._thinned(done.end[rows] - done.start[rows]))
            self._told[number].append(_Told.of(done, rows))
            if not self.waits.matched.communicators[self.groups[number].communicator].host:
                self._recorded[number].update(np.unique(done.communicator[rows]).tolist())
            known = rows[found.wait_ns[rows] >= 0]
            self._waits[number].append(self._thinned(found.wait_ns[known]))
        self._unmatched(summary, rank, np.flatnonzero((group < 0) & (found.communicator < 0) & among), alone)

    def _thinned(self, values: Int64) -> Int64:
        """``values``, of very many evenly spread ones: their median is the same to the digits that count."""
        most = max(1, int(limits.MEDIAN_SAMPLE.value) // max(1, len(self.waits.matched.run.ranks)))
        return values[:: -(-len(values) // most) or 1].copy()  # a view would hold them all

    def _unmatched(self, summary: RankSummary, rank: int, rows: Positions, alone: Int64) -> None:
        done = summary.collectives
        if not len(rows):
            return
        hosts = np.array([lane.host for lane in summary.lanes], bool)[done.lane[rows]]
        recorded = np.where(hosts, -1, done.communicator[rows])  # of MPI it is an address
        numbers, first = combined(done.name[rows].astype(np.int64), done.bytes[rows], recorded)
        for number, at in enumerate(first.tolist()):
            mine = rows[numbers == number]
            row = int(mine[0])
            host = summary.lanes[int(done.lane[row])].host
            name = canonical_name(summary.names[int(done.name[row])], host)
            key = name, int(done.bytes[rows[at]]), int(recorded[at])
            durations = self._thinned(done.end[mine] - done.start[mine])
            entry = _Alone(rank, len(mine), durations, int(alone[mine].sum()), _Told.of(done, mine))
            self._alone.setdefault(key, []).append(entry)

    def rows(self) -> list[CollectiveRow]:
        """All rows, those that take most time first."""
        found = [*self._matched(), *self._left_alone()]
        return sorted(found, key=lambda row: (row.communicator is None, -row.exposed_ns, -row.duration_ns))

    def _matched(self) -> Iterator[CollectiveRow]:
        for number, group in enumerate(self.groups):
            if not len(group.of):
                continue
            table = self.waits.instances[group.communicator]
            measured = group.of[table.measured[group.of]]
            mask = np.zeros(len(table), bool)
            mask[measured] = True
            judged = measured[(table.judged & table.resolved)[measured]]
            last = np.bincount(table.last[judged], minlength=len(self.waits.matched.run.ranks))
            told = _Told.joined(self._told[number])
            recorded = self._recorded[number]
            participants = len(self.waits.matched.communicators[group.communicator].participants)
            yield CollectiveRow(
                communicator=group.communicator,
                name=self.waits.matched.names[group.name],
                bytes=group.bytes if group.bytes >= 0 else None,
                ranks=int(self._ranks[number]),
                instances=len(group.of),
                complete=int((table.participants[group.of] == participants).sum()),
                transfer_ns=_median(table.transfer_ns[measured]),
                wait_ns=_median(*self._waits[number]),
                duration_ns=_median(*self._durations[number]) or 0,
                total_ns=told.total_ns,
                fastest_ns=told.fastest_ns,
                recorded=_known(next(iter(recorded))) if len(recorded) == 1 else None,
                size=_known(told.size),
                operations=_known(told.operations),
                exposed_ns=int(self._exposed[number]),
                kind=time_class(table, mask) if len(measured) else None,
                last=last.astype(np.int64),
                judged=len(judged),
                cost_ns=int(table.margin_ns[judged].sum()) if len(measured) else None,
            )

    def _left_alone(self) -> Iterator[CollectiveRow]:
        ranks = len(self.waits.matched.run.ranks)
        for (name, size, recorded), entries in self._alone.items():
            told = _Told.joined([entry.told for entry in entries])
            yield CollectiveRow(
                communicator=None,
                name=name,
                bytes=size if size >= 0 else None,
                ranks=len({entry.rank for entry in entries}),
                instances=sum(entry.count for entry in entries),
                complete=0,
                transfer_ns=None,
                wait_ns=None,
                duration_ns=_median(*(entry.durations for entry in entries)) or 0,
                total_ns=told.total_ns,
                fastest_ns=told.fastest_ns,
                recorded=_known(recorded),
                size=_known(told.size),
                operations=_known(told.operations),
                exposed_ns=sum(entry.exposed for entry in entries),
                kind=None,
                last=np.zeros(ranks, np.int64),
                judged=0,
                cost_ns=None,
            )


def _known(value: int) -> int | None:
    return value if value >= 0 else None


def _median(*parts: Int64) -> int | None:
    """The median of values in parts; None for none."""
    values = np.concatenate([*parts, np.zeros(0, np.int64)]) if parts else np.zeros(0, np.int64)
    return one(int(median(values, 0))) if len(values) else None
