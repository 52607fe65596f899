"""Which operations of NCCL each kernel carries out: those of the call, or group of calls, that made it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.index import Index
from tui.analysis.nccl.calls import CallKind, NcclCalls, nccl_calls
from tui.intervals import Stabber
from tui.report.columns import NULL, Bool, Int64, Positions

_PAIRWISE = ("send", "recv")


@dataclass(frozen=True, eq=False)
class Carried:
    """What each of some kernels carries out. Arrays have one entry a kernel; NULL: unknown."""

    operations: Int64
    """How many operations."""
    operation: Int64
    """Position in :attr:`NcclCalls.operations` of what all of them are; -1: several, or unknown."""
    communicator: Int64
    """The one that all of them are of."""
    size: Int64
    """The messages of one rank together, in bytes, as NCCL gives them."""
    ranks: Int64
    root: Int64
    """The root's rank in the communicator, of a single operation."""
    sequence: Int64
    """The operation's number, of a single one."""


def carried(index: Index, kernels: Positions) -> Carried:
    """What kernels (positions in ``Report.ops``) carry out.

    A kernel without a recorded launch, or launched outside NCCL's ranges, is unknown, and so are the sizes
    where several kernels share a call: nobody says which part is whose.
    """
    calls, report = nccl_calls(index), index.report
    unknown = [np.full(len(kernels), NULL) for _ in range(7)]
    if not len(calls) or not len(kernels):
        return Carried(*unknown)
    launch = report.ops.launch[kernels]
    asked = np.flatnonzero(launch >= 0)
    issued = launch[asked]
    launching = np.flatnonzero((calls.kind == CallKind.OPERATION) | (calls.kind == CallKind.GROUP_END))
    stabber = Stabber(calls.start[launching], calls.end[launching], calls.thread[launching])
    start, end = report.calls.start[issued], report.calls.end[issued]
    found = stabber.latest_holding(start, end, report.calls.thread[issued].astype(np.int64))
    asked, found = asked[found >= 0], launching[found[found >= 0]]
    # What a kernel belongs to: a call, or behind these a group.
    ends = calls.kind[found] == CallKind.GROUP_END
    group = calls.group[found]
    unit = np.where(ends, np.where(group >= 0, len(calls) + group, -1), found)
    asked, unit = asked[unit >= 0], unit[unit >= 0]
    made = _units(calls)
    alone = np.bincount(unit, minlength=len(made.operations))[unit] == 1
    for column, values, shared in (
        (0, made.operations, False),
        (1, made.operation, True),
        (2, made.communicator, True),
        (3, made.size, False),
        (4, made.ranks, True),
        (5, made.root, False),
        (6, made.sequence, False),
    ):
        unknown[column][asked] = np.where(alone | shared, values[unit], NULL)
    return Carried(*unknown)


def payloads_of(index: Index, found: Carried) -> Int64:
    """The payload of one rank in bytes, of each kernel, as `tui.ranks.bandwidth` needs it; NULL: unknown.

    NCCL gives the size of one part of an all-to-all: the payload is what the rank sends in all.
    """
    names = nccl_calls(index).operations
    to_all = np.isin(found.operation, [at for at, name in enumerate(names) if name == "alltoall"])
    known = (found.size != NULL) & (found.ranks > 0)
    whole = np.where(known, found.size, 0) * np.where(known, found.ranks, 0)
    return np.where(to_all, np.where(known, whole, NULL), found.size)


def _units(calls: NcclCalls) -> Carried:
    """What each call, and behind all calls each group, carries out."""
    doing = np.flatnonzero(calls.kind == CallKind.OPERATION)
    grouped = doing[calls.group[doing] >= 0]
    count = len(calls) + int(calls.group.max(initial=-1)) + 1
    unit = np.concatenate([doing, len(calls) + calls.group[grouped]])
    source = np.concatenate([doing, grouped])
    operations = np.bincount(unit, minlength=count)
    mixed = _mixed(calls)
    return Carried(
        operations=np.where(operations > 0, operations, NULL),
        operation=np.where((same := _same(unit, calls.operation[source], count)) == NULL, -1, same),
        communicator=_same(unit, calls.communicator[source], count),
        size=np.where(_uneven(unit, mixed[source], count), NULL, _sums(unit, calls.size[source], count)),
        ranks=_same(unit, calls.ranks[source], count),
        root=np.where(operations == 1, _same(unit, calls.root[source], count), NULL),
        sequence=np.where(operations == 1, _same(unit, calls.sequence[source], count), NULL),
    )


def _mixed(calls: NcclCalls) -> Int64:
    """What sizes may be added of: the operation, all messages between two ranks alike."""
    pairs = [name in _PAIRWISE for name in calls.operations]
    first = pairs.index(True) if True in pairs else 0
    table = np.array([*(first if pair else at for at, pair in enumerate(pairs)), -1], np.int64)
    return table[calls.operation]


def _uneven(unit: Int64, values: Int64, count: int) -> Bool:
    least, most = _bounds(unit, values, count)
    differ: Bool = least != most
    return differ


def _bounds(unit: Int64, values: Int64, count: int) -> tuple[Int64, Int64]:
    least, most = np.full(count, np.iinfo(np.int64).max), np.full(count, NULL)
    np.minimum.at(least, unit, values)
    np.maximum.at(most, unit, values)
    return least, most


def _same(unit: Int64, values: Int64, count: int) -> Int64:
    """The value that all parts of a unit have; NULL where they differ, one is unknown, or there is none."""
    least, most = _bounds(unit, values, count)
    return np.where(least == most, most, NULL)


def _sums(unit: Int64, values: Int64, count: int) -> Int64:
    """The sum of the parts of a unit; NULL where one is unknown, or there is none."""
    total, known, parts = (
        np.zeros(count, np.int64),
        np.zeros(count, np.int64),
        np.bincount(unit, minlength=count),
    )
    np.add.at(total, unit, np.where(values == NULL, 0, values))
    np.add.at(known, unit, values != NULL)
    return np.where((parts > 0) & (known == parts) & (total >= 0), total, NULL)
