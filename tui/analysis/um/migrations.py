"""Migrations of unified memory and page faults, as far as they are in scope."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.index import Index
from tui.analysis.memory.lifetimes import LARGEST
from tui.analysis.memory.places import places_of
from tui.analysis.scope import Scope
from tui.analysis.stats.extra import rows_in_scope
from tui.analysis.stats.unified_memory import DEVICE_TO_HOST, HOST_TO_DEVICE
from tui.report.columns import NULL, Int64, Positions
from tui.report.extra.extra_table import ExtraRows, ExtraTable, no_rows
from tui.report.extra.tables import CPU_PAGE_FAULTS, GPU_PAGE_FAULTS, UNIFIED_COPIES

DEVICE_TO_DEVICE = 13
DIRECTIONS = {
    HOST_TO_DEVICE: "host to device",
    DEVICE_TO_HOST: "device to host",
    DEVICE_TO_DEVICE: "device to device",
}


CAUSES = {
    0: "unknown",
    1: "user prefetch",
    2: "page fault",
    3: "speculative prefetch",
    4: "eviction",
    5: "access counters",
    NULL: "unknown",
}
"""Why memory migrated, as ENUM_CUDA_UNIF_MEM_MIGRATION numbers it."""
EVICTION = 4
FAULT_DRIVEN = (2, 3)
"""Causes that begin with a page fault: the driver fetches what was touched, and what lies beside it."""


def cause_words(cause: int) -> str:
    """``page fault``; a number without a meaning: ``cause 9``."""
    return CAUSES.get(cause, f"cause {cause}")


@dataclass(frozen=True)
class Unified:
    """The tables, and of each the rows in scope."""

    copies: ExtraRows
    moved: Positions
    """Migrations, by start."""
    moved_on: Positions
    """Of each the device, a position in ``Report.devices``; -1: one that did no other work."""
    cpu: ExtraRows
    cpu_rows: Positions
    gpu: ExtraRows
    gpu_rows: Positions
    gpu_on: Positions
    cpu_traced: bool
    gpu_traced: bool

    @property
    def sizes(self) -> Int64:
        """The bytes of every row of ``copies``; NULL unknown."""
        return _possible(self.copies["bytes"])

    @property
    def faults(self) -> Int64:
        """How many page faults every row of ``gpu`` counts; NULL unknown."""
        return _possible(self.gpu["numberOfPageFaults"])

    @property
    def anything(self) -> bool:
        """Whether there is anything to tell."""
        return bool(len(self.moved) or len(self.cpu_rows) or len(self.gpu_rows))

    @property
    def traced(self) -> bool:
        """Whether page faults of either processor were traced."""
        return self.cpu_traced or self.gpu_traced


def _possible(amounts: Int64) -> Int64:
    """Amounts, of which negative ones and those beyond every machine are unknown: no sum overflows."""
    return np.where((amounts < 0) | (amounts > LARGEST), NULL, amounts)


def unified(index: Index, scope: Scope) -> Unified:
    """What there is on unified memory in scope: rows that overlap a chosen window."""
    key = ("unified memory", scope.window, scope.devices, scope.processes)
    return index.once(key, lambda: _find(index, scope))


def _find(index: Index, scope: Scope) -> Unified:
    report = index.report
    copies = report.extra_rows(UNIFIED_COPIES) if any_migrations(index) else no_rows(UNIFIED_COPIES)
    cpu, gpu = report.extra_rows(CPU_PAGE_FAULTS), report.extra_rows(GPU_PAGE_FAULTS)
    migrates = np.isin(copies["copyKind"], list(DIRECTIONS))
    moved, moved_on = _on_devices(index, scope, copies)
    keep = migrates[moved]
    gpu_rows, gpu_on = _on_devices(index, scope, gpu)
    return Unified(
        copies,
        moved[keep],
        moved_on[keep],
        cpu,
        rows_in_scope(report, scope, cpu, "globalPid"),
        gpu,
        gpu_rows,
        gpu_on,
        _there(index, CPU_PAGE_FAULTS),
        _there(index, GPU_PAGE_FAULTS),
    )


def kernels_wait_for(found: Unified, device: int) -> Positions:
    """The migrations to a device that page faults began: what its kernels may wait for."""
    copies, moved = found.copies, found.moved
    driven = np.isin(copies["migrationCause"][moved], FAULT_DRIVEN)
    driven &= copies["copyKind"][moved] != DEVICE_TO_HOST  # what the host faulted on, or an eviction
    mine: Positions = moved[driven & (found.moved_on == device)]
    return mine


def any_migrations(index: Index) -> bool:
    """Whether any copy is a migration; reads nothing."""
    return bool(np.isin(index.report.copies.copy_kind, list(DIRECTIONS)).any())


def _there(index: Index, table: ExtraTable) -> bool:
    return table.source in index.report.has


def _on_devices(index: Index, scope: Scope, rows: ExtraRows) -> tuple[Positions, Positions]:
    """(rows in scope, the device of each)."""
    found = rows_in_scope(index.report, scope, rows, "globalPid")
    place, places = places_of(index.report, rows["globalPid"][found], rows["deviceId"][found])
    device = np.array([one.device for one in places], np.intp)[place] if len(found) else place
    if scope.devices is not None:
        keep = np.isin(device, scope.devices)
        found, device = found[keep], device[keep]
    return found, device
