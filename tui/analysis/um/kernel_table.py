"""Which kernels page faults and migrations held up: what overlaps them, device by device."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.grouping import dense
from tui.analysis.index import Index
from tui.analysis.scope import Scope
from tui.analysis.stats.select import op_rows
from tui.analysis.table import Column, Table, Unit
from tui.analysis.um.migrations import Unified, kernels_wait_for, unified
from tui.intervals import Coverage, overlap_length
from tui.report.columns import NULL, Bool, Int64, Positions
from tui.report.model import OpKind


@dataclass(frozen=True)
class FaultedKernel:
    """The kernels of one name on one device, and what overlapped them."""

    device: int
    """The number to show."""
    name: int
    """Position in ``Report.strings``."""
    kernels: int
    ns: int
    """How long any of them ran."""
    groups: int
    faults: int | None
    """None: not known."""
    fault_ns: int
    """How long faults were being served while any of them ran."""
    migrations: int
    """To the device, begun by page faults."""
    migration_ns: int


def faulted_kernels(index: Index, scope: Scope) -> list[FaultedKernel]:
    """Kernels that page faults or fault-driven migrations overlap, those first that they cost most."""
    found, report = unified(index, scope), index.report
    ops = report.ops
    rows = np.arange(len(ops))[op_rows(report, scope, OpKind.KERNEL)]
    made: list[FaultedKernel] = []
    for device in np.unique(np.concatenate((found.gpu_on, found.moved_on))).tolist():
        if device < 0:
            continue
        mine = rows[ops.device[rows] == device]
        made += _on_device(index, found, device, mine)
    return sorted(made, key=lambda row: (-(row.fault_ns + row.migration_ns), -row.groups, row.name))


def _on_device(index: Index, found: Unified, device: int, kernels: Positions) -> list[FaultedKernel]:
    ops = index.report.ops
    faults = found.gpu_rows[found.gpu_on == device]
    moved = kernels_wait_for(found, device)
    spans = [
        (table["start"][rows], np.maximum(table["end"][rows], table["start"][rows] + 1))
        for table, rows in ((found.gpu, faults), (found.copies, moved))
    ]
    # An event without a length is inside a kernel, too: for one nanosecond.
    touched = Coverage(*(np.concatenate(ends) for ends in zip(*spans, strict=True)))
    held = touched.between(ops.start[kernels], ops.end[kernels]) > 0
    numbers = found.faults[faults]
    serving, moving = (
        Coverage(table["start"][rows], table["end"][rows])
        for table, rows in ((found.gpu, faults), (found.copies, moved))
    )
    made = []
    names, used = dense(ops.name[kernels])
    for number in np.unique(names[held]).tolist():
        mine = kernels[names == number]
        running = Coverage(ops.start[mine], ops.end[mine])
        of_fault, of_move = (running.between(*ends) > 0 for ends in spans)
        made.append(
            FaultedKernel(
                index.report.devices[device].cuda_id,
                int(used[number]),
                len(mine),
                running.total,
                int(of_fault.sum()),
                _sum(numbers, of_fault) if found.gpu_traced else None,
                overlap_length(serving.spans, running.spans),
                int(of_move.sum()),
                overlap_length(moving.spans, running.spans),
            )
        )
    return made


def _sum(numbers: Int64, which: Bool) -> int | None:
    chosen = numbers[which]
    return None if (chosen == NULL).any() else sum(chosen.tolist())


def kernel_table(index: Index, scope: Scope) -> Table:
    """One row a (device, kernel name) that faults or fault-driven migrations overlap."""
    rows = faulted_kernels(index, scope)
    traced = unified(index, scope).gpu_traced
    rate = [None if r.faults is None or not r.ns else round(r.faults / (r.ns / 10**6), 1) for r in rows]
    columns = (
        Column("Device", "device", Unit.ID, [row.device for row in rows]),
        Column("Kernel", "name", Unit.TEXT, [index.report.strings[row.name] for row in rows]),
        Column("Kernels", "kernels", Unit.COUNT, [row.kernels for row in rows]),
        Column("Run time (ns)", "kernel_ns", Unit.NS, [row.ns for row in rows]),
        Column("Fault groups", "fault_groups", Unit.COUNT, [r.groups if traced else None for r in rows], 1),
        Column("Faults", "faults", Unit.COUNT, [row.faults for row in rows]),
        Column("Faults a ms", "faults_per_ms", Unit.DECIMAL, rate),
        Column("In faults (ns)", "fault_ns", Unit.NS, [row.fault_ns if traced else None for row in rows]),
        Column("Migrations", "migrations", Unit.COUNT, [row.migrations for row in rows], rank=1),
        Column("Migrating (ns)", "migration_ns", Unit.NS, [row.migration_ns for row in rows]),
    )
    note = "faults and migrations are the device's: those that overlap a kernel, whoever caused them"
    if not traced:
        note = f"page faults of GPUs were not traced: unknown; {note}"
    return Table("um:kernel", "Kernels that unified memory held up", columns, note)
