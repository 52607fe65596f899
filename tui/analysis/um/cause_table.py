"""Migrations of unified memory by direction and cause."""

from __future__ import annotations

from typing import Any

import numpy as np

from tui.analysis.grouping import combined, summed
from tui.analysis.index import Index
from tui.analysis.scope import Scope
from tui.analysis.stats.extra import left_out_note
from tui.analysis.table import Column, Table, Unit
from tui.analysis.um.address_table import ping_pong_words
from tui.analysis.um.migrations import DIRECTIONS, Unified, cause_words, unified
from tui.report.columns import NULL, Int64, Positions
from tui.text.numbers import plural


def cause_table(index: Index, scope: Scope) -> Table:
    """One row a (direction, cause), the most time first; bytes are unknown where any row's are."""
    found = unified(index, scope)
    copies, rows = found.copies, found.moved
    kind, cause = copies["copyKind"][rows], copies["migrationCause"][rows]
    group, first = combined(kind, cause)
    count = np.bincount(group, minlength=len(first))
    ns = summed(group, len(first), (copies["end"] - copies["start"])[rows])
    sizes = sums_of(group, len(first), found.sizes[rows])
    order = np.lexsort((cause[first], kind[first], -ns))
    columns = (
        Column("Direction", "direction", Unit.TEXT, [DIRECTIONS[k] for k in kind[first].tolist()]),
        Column("Cause", "cause", Unit.TEXT, [cause_words(c) for c in cause[first].tolist()]),
        Column("Count", "count", Unit.COUNT, count),
        Column("Bytes (B)", "bytes", Unit.BYTES, sizes),
        Column("Time (ns)", "ns", Unit.NS, ns),
        Column("Rate (GB/s)", "rate_gbps", Unit.DECIMAL, rates(sizes, ns)),
    )
    note = "; ".join(notes(index, scope)) or None
    return Table("um", "Unified memory", columns, note).ordered(order)


def sums_of(group: Positions | Int64, groups: int, values: Int64) -> Int64:
    """The sum of each group, NULL where a value in it is."""
    unknown = values == NULL
    sums = summed(group, groups, np.where(unknown, 0, values))
    sums[group[unknown]] = NULL
    return sums


def rates(sizes: Int64, ns: Int64) -> list[float | None]:
    """Gigabytes a second; None where bytes or time are not known."""
    pairs = zip(sizes.tolist(), ns.tolist(), strict=True)
    return [round(size / time, 1) if time > 0 and size != NULL else None for size, time in pairs]


def notes(index: Index, scope: Scope) -> list[str]:
    """Page faults in words, what went back and forth, and what is left out."""
    found = unified(index, scope)
    words = [fault_words(found)]
    if pong := ping_pong_words(index, scope):
        words.append(pong)
    if left := left_out_note(found.copies, found.cpu, found.gpu):
        words.append(left)
    return words


def fault_words(found: Unified) -> str:
    """``page faults: 12 of CPUs, 96 in 8 groups of GPUs``; a processor's that were not traced: unknown."""
    cpu = f"{len(found.cpu_rows):,} of CPUs" if found.cpu_traced else "those of CPUs unknown"
    if not found.gpu_traced:
        return f"page faults: {cpu}, those of GPUs unknown (not traced)"
    number = gpu_faults(found)
    gpu = "unknown how many" if number is None else f"{number:,}"
    return f"page faults: {cpu}, {gpu} in {plural(len(found.gpu_rows), 'group')} of GPUs"


def gpu_faults(found: Unified) -> int | None:
    """How many faults the groups in scope count; None: unknown."""
    faults = found.faults[found.gpu_rows]
    if not found.gpu_traced or (faults == NULL).any():
        return None
    return int(sum(faults.tolist()))


def coverage_document(index: Index, scope: Scope) -> dict[str, Any]:
    """What was captured, for JSON: page faults are null where they were not traced."""
    found = unified(index, scope)
    return {
        "migrations": len(found.moved),
        "cpu_page_faults": len(found.cpu_rows) if found.cpu_traced else None,
        "gpu_fault_groups": len(found.gpu_rows) if found.gpu_traced else None,
        "gpu_page_faults": gpu_faults(found),
    }
