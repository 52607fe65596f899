"""Allocations of CUDA memory, each with the time from its allocation to its release.

A release ends the allocation of the same address in the same process and place. An address that is
allocated again while it is alive ends the older allocation; a release of an address that is not alive ends
nothing. Both are doubtful, and counted. What is never released lives to the end of the capture.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.grouping import combined
from tui.analysis.index import Index
from tui.analysis.memory.places import HOST, Place, places_of
from tui.intervals import NEVER
from tui.report.columns import NULL, Bool, Int32, Int64, Positions
from tui.report.data import Doubtful, Strings
from tui.report.extra.extra_table import ExtraRows
from tui.report.extra.tables import MEMORY_USAGE
from tui.report.model import Report

ALLOCATE, RELEASE = 0, 1
LARGEST = 1 << 50
"""No single allocation is larger than a pebibyte: such a size is damage."""


PAGEABLE, PINNED, DEVICE, ARRAY, MANAGED = range(5)
"""Kinds of memory, as ENUM_CUDA_MEM_KIND numbers them."""
HOST_KINDS = (PAGEABLE, PINNED)
USAGE_KINDS = (DEVICE, ARRAY)
"""What counts as the memory that is in use on a GPU: managed memory moves, static memory comes with code."""


@dataclass(frozen=True)
class Group:
    """Allocations of one kind that one process made in one place."""

    place: Place
    process: int
    """globalPid; NULL unknown."""
    kind: int
    """A number of ENUM_CUDA_MEM_KIND, or another; NULL unknown."""

    @property
    def on_host(self) -> bool:
        return self.kind in HOST_KINDS


@dataclass(frozen=True, eq=False)
class Lifetimes:
    """Allocations by start; equal ones in the file's order."""

    start: Int64
    end: Int64
    """NEVER: it was not released."""
    began: Positions
    """The row of the allocation, and of its end: positions in the order of all rows, by time."""
    ended: Positions
    """NEVER's row is the number of rows: after all others."""
    size: Int64
    group: Positions
    """Position in ``groups``."""
    address: Int64
    correlation: Int64
    process: Int64
    name: Int32
    """The name of a variable, a position in ``strings``; -1 none."""
    strings: Strings
    groups: tuple[Group, ...]
    releases: Int64
    """Times of all releases, by time: of those that ended no allocation, too."""
    release_group: Positions
    """Of each the group that it names."""
    events: int
    """Rows of the table that count."""
    doubtful: tuple[Doubtful, ...] = ()

    def __len__(self) -> int:
        return len(self.start)


def lifetimes(index: Index) -> Lifetimes:
    """The allocations of a report."""
    return index.once("memory lifetimes", lambda: _find(index.report))


def kind_words(report: Report, kind: int) -> str:
    """``device static``; a number that the export has no label for: ``kind 9``."""
    if kind == NULL:
        return "unknown"
    return report.enums.get("mem_kind", {}).get(kind, f"kind {kind}").lower()


def _find(report: Report) -> Lifetimes:
    rows = report.extra_rows(MEMORY_USAGE)
    usable, doubts = _usable(rows)
    doubts = [*rows.doubtful, *doubts]
    start, kind = rows["start"][usable], rows["memKind"][usable]
    address, process = rows["address"][usable], rows["globalPid"][usable]
    released = rows["memoryOperationType"][usable] == RELEASE
    size, rowid = rows["bytes"][usable], rows["rowid"][usable]
    place, places = places_of(report, process, rows["deviceId"][usable])
    place = np.where(np.isin(kind, HOST_KINDS), HOST, place)

    key, _ = combined(process, place, address)
    order = np.argsort(key, kind="stable")
    same = key[order][1:] == key[order][:-1]
    opens = ~released[order]
    before = np.append(False, same & opens[:-1])  # the row before is of this address, and allocates it
    after = np.full(len(order), len(order), np.intp)
    after[:-1][same] = order[1:][same]
    doubts += [
        _doubt("released without an allocation", rowid, order[~opens & ~before]),
        _doubt("allocated again while alive", rowid, order[opens & before]),
    ]
    began = order[opens]
    ended = after[opens]
    by_row = np.argsort(began)
    began, ended = began[by_row], ended[by_row]
    group, first = combined(place, process, kind)
    groups = tuple(
        Group(places[at] if at != HOST else Place(-1, None), pid, what)
        for at, pid, what in zip(*(column[first].tolist() for column in (place, process, kind)), strict=True)
    )
    return Lifetimes(
        start=start[began],
        end=np.append(start, NEVER)[ended],
        began=began,
        ended=ended,
        size=size[began],
        group=group[began].astype(np.intp),
        address=address[began],
        correlation=rows["correlationId"][usable][began],
        process=process[began],
        name=rows["name"][usable][began],
        strings=rows.strings,
        groups=groups,
        releases=start[released],
        release_group=group[released].astype(np.intp),
        events=len(usable),
        doubtful=tuple(doubt for doubt in doubts if doubt.count),
    )


def _usable(rows: ExtraRows) -> tuple[Positions, list[Doubtful]]:
    """The rows that say what happened to which address, and the doubts about the others."""
    operation, size = rows["memoryOperationType"], rows["bytes"]
    allocates, releases = operation == ALLOCATE, operation == RELEASE
    limit = min(LARGEST, (1 << 62) // max(1, len(rows)))  # so that no sum overflows
    unfit: Bool = ~(allocates | releases)
    homeless: Bool = ~unfit & (rows["address"] == NULL)
    unsized: Bool = ~unfit & ~homeless & allocates & ((size < 0) | (size > limit))
    doubts = [
        _doubt(kind, rows["rowid"], np.flatnonzero(mask), excluded=True)
        for kind, mask in (
            ("neither allocated nor released", unfit),
            ("memory without an address", homeless),
            ("allocation of an impossible size", unsized),
        )
    ]
    return np.flatnonzero(~(unfit | homeless | unsized)), doubts


def _doubt(kind: str, rowid: Int64, which: Positions, *, excluded: bool = False) -> Doubtful:
    example = f"{MEMORY_USAGE.source} row {rowid[which].min()}" if len(which) else ""
    return Doubtful(kind, len(which), example, excluded)
