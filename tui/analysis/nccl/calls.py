"""The calls of NCCL: ranges of its NVTX domain, with what their payloads say.

Which fields a payload has tells what it is; the numbers of schemas differ between versions of NCCL.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from tui.analysis.grouping import combined, that_fit
from tui.analysis.index import Index
from tui.analysis.payloads.reading import NO_PAYLOADS, Payloads, payloads
from tui.report.columns import NULL, Int64, Positions, UInt8, distinct_values

DOMAIN = "NCCL"
_CALL = re.compile(r"nccl[A-Z]\w*")
SIZE, COMMUNICATOR = "Message size [bytes]", "NCCL communicator ID"
RANKS, RANK, ROOT = "No. of ranks", "Rank", "Root"
_NUMBERS = ("seqNumber", "apiId")
"""Fields of the extended tracing that number operations alike on all ranks."""
_OPERATIONS = (
    "allreduce", "allgather", "reducescatter", "broadcast", "bcast", "reduce", "send", "recv", "alltoall",
    "gather", "scatter",
)  # fmt: skip


class CallKind(IntEnum):
    """What a call of NCCL does."""

    OTHER = 0
    OPERATION = 1
    GROUP_START = 2
    GROUP_END = 3


@dataclass(frozen=True, eq=False)
class NcclCalls:
    """The calls of NCCL on known threads, by start. Arrays have one entry a call."""

    range: Positions
    """Position in ``Report.ranges``."""
    thread: Int64
    start: Int64
    end: Int64
    kind: UInt8
    """:class:`CallKind`."""
    operation: Int64
    """Position in :attr:`operations`; -1: it is none."""
    communicator: Int64
    """63 bits of its id; NULL: unknown."""
    size: Int64
    """The message of one rank in bytes, as NCCL gives it; NULL: unknown."""
    ranks: Int64
    """How many ranks the communicator has; NULL: unknown."""
    root: Int64
    """The root's rank in the communicator; NULL: unknown, or none."""
    sequence: Int64
    """The operation's number in its communicator; NULL: unknown."""
    group: Int64
    """The group of calls that it is in, numbered per report; -1: none. Ends of groups have theirs, too."""
    operations: tuple[str, ...]
    """Names without ``nccl`` in lower case."""

    def __len__(self) -> int:
        return len(self.range)


def nccl_calls(index: Index) -> NcclCalls:
    """The calls of NCCL of a report, found once."""
    return index.once("nccl calls", lambda: _find(index))


def has_calls(index: Index) -> bool:
    """Whether there are any. Reads no payload."""
    return bool(len(_ranges(index)))


def _ranges(index: Index) -> Positions:
    """The ranges of NCCL: those of its domain, and those that are called as its calls are.

    A part of a capture may lack the event that names the domain.
    """
    return index.once("nccl ranges", lambda: _find_ranges(index))


def _find_ranges(index: Index) -> Positions:
    report = index.report
    ranges = report.ranges
    codes = [code for code in distinct_values(ranges.domain).tolist() if code >= 0]
    domains = [code for code in codes if report.strings[code].strip().upper() == DOMAIN]
    named = that_fit(ranges.name, lambda code: code >= 0 and _is_call(report.strings[code]))
    return np.flatnonzero((np.isin(ranges.domain, domains) | named) & (ranges.thread >= 0))


def _find(index: Index) -> NcclCalls:
    report, mine = index.report, _ranges(index)
    ranges = report.ranges
    found = payloads(index) if len(mine) else NO_PAYLOADS
    place = found.find(ranges.rowid[mine])
    names, which = np.unique(ranges.name[mine], return_inverse=True)
    words = [_word(report.strings[code]) for code in names.tolist()]
    operations = tuple(dict.fromkeys(word for word in words if word in _OPERATIONS))
    by_name = [operations.index(word) if word in operations else -1 for word in words]
    communicator = _of(found, found.identities(COMMUNICATOR), place)
    thread = ranges.thread[mine].astype(np.int64)
    process = index.process_of_thread[thread].astype(np.int64)
    kind = np.array([_kind(word) for word in words], np.uint8)[which]
    return NcclCalls(
        range=mine,
        thread=thread,
        start=ranges.start[mine],
        end=ranges.end[mine],
        kind=kind,
        operation=np.array(by_name, np.int64)[which],
        communicator=communicator,
        size=_not_negative(_of(found, found.integers(SIZE), place)),
        ranks=_ranks(process, communicator, _of(found, found.integers(RANKS), place)),
        root=_not_negative(_of(found, found.integers(ROOT), place)),
        sequence=_first([_of(found, found.integers(name), place) for name in _NUMBERS]),
        group=_groups(thread, kind),
        operations=operations,
    )


def _is_call(name: str) -> bool:
    return _CALL.fullmatch(name) is not None


def _of(found: Payloads, values: Int64, place: Positions) -> Int64:
    """The value of each call's payload; NULL without one."""
    return np.append(values, NULL)[place]


def _not_negative(values: Int64) -> Int64:
    return np.where(values < 0, NULL, values)


def _first(columns: list[Int64]) -> Int64:
    one, other = columns
    return _not_negative(np.where(one == NULL, other, one))


def _word(name: str) -> str:
    """The name of a call in lower case, without ``nccl`` and what stands behind the name."""
    word = name.strip().lower().removeprefix("nccl")
    return word.split("(", 1)[0].split(" ", 1)[0]


def _kind(word: str) -> CallKind:
    if word in _OPERATIONS:
        return CallKind.OPERATION
    return {"groupstart": CallKind.GROUP_START, "groupend": CallKind.GROUP_END}.get(word, CallKind.OTHER)


def _ranks(process: Int64, communicator: Int64, said: Int64) -> Int64:
    """How many ranks the communicator of each call has, by what its initialisation in the process says.

    Early versions of NCCL do not tell communicators apart: where a process made one, it is that.
    """
    made: dict[tuple[int, int], set[int]] = defaultdict(set)
    inits: dict[int, list[int]] = defaultdict(list)
    for at in np.flatnonzero(said > 0).tolist():
        made[int(process[at]), int(communicator[at])].add(int(said[at]))
        inits[int(process[at])].append(int(said[at]))
    found = np.full(len(process), NULL)
    which, first = combined(process, communicator)
    for number, row in enumerate(first.tolist()):
        owner, known = int(process[row]), int(communicator[row])
        sizes = made.get((owner, known), set()) if known != NULL else set(inits.get(owner, ()))
        single = len(sizes) == 1 and (known != NULL or len(inits[owner]) == 1)
        if single:
            found[which == number] = next(iter(sizes))
    return found


def _groups(thread: Int64, kind: UInt8) -> Int64:
    """The group of each call, calls by start: from a thread's outermost start to the end that closes it."""
    order = np.argsort(thread, kind="stable")
    opens, closes = (kind[order] == which for which in (CallKind.GROUP_START, CallKind.GROUP_END))
    owner = thread[order]
    begins = np.flatnonzero(np.diff(owner, prepend=-1 if not len(owner) else owner[0] - 1))
    depth = np.cumsum(opens.astype(np.int64) - closes)
    base = np.zeros(len(owner), np.int64)
    if len(owner):
        before = np.append(0, depth[:-1])[begins]
        base = np.repeat(before, np.diff(begins, append=len(owner)))
    level = depth - base
    least = _least_so_far(level, begins)  # ends without a start, at the capture's beginning
    level = level - np.minimum(least, 0)
    previous = level - opens + closes
    outermost = opens & (previous == 0)
    number = np.cumsum(outermost) - 1
    inside = (level > 0) | (closes & (previous > 0))
    found = np.empty(len(owner), np.int64)
    found[order] = np.where(inside & (number >= 0), number, -1)
    return found


def _least_so_far(level: Int64, begins: Positions) -> Int64:
    found = level.copy()
    if not len(level):
        return found
    for low, high in zip(begins.tolist(), [*begins[1:].tolist(), len(level)], strict=True):
        found[low:high] = np.minimum.accumulate(level[low:high])
    return found
