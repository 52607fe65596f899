"""What decides whether lanes of values are offered. Reads no rows, and imports no analysis.

What a provider imports is much more than it takes to say that a report holds nothing for it, and a report
holds little of all that there is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from tui.report.event_tables.cpu import CPU
from tui.report.extra.extra_table import ExtraTable
from tui.report.extra.tables import (
    CONTEXT_SWITCHES,
    CPU_PAGE_FAULTS,
    CUDA_EVENT_RECORDS,
    GPU_PAGE_FAULTS,
    MEMORY_USAGE,
    METRIC_TABLES,
    NIC_METRICS,
    PAYLOAD_LINKS,
    PAYLOAD_SCHEMAS,
    SWITCH_CONGESTION,
    SWITCH_METRICS,
    WDDM_MEMORY,
)
from tui.report.model import Report

CPU_SAMPLES = "COMPOSITE_EVENTS"
MIGRATIONS = (11, 12, 13)
"""Kinds of copies that move unified memory."""


def has_rows(report: Report, table: ExtraTable) -> bool:
    """Whether a table of the export has any rows; reads none."""
    return any(info.name == table.source and info.rows for info in report.tables)


def main_threads(report: Report) -> dict[int, int]:
    """By process its main thread: the one with its number, else the first."""
    found: dict[int, int] = {}
    for thread in report.threads:
        if thread.process not in found or thread.tid == thread.pid:
            found[thread.process] = thread.index
    return found


def migrates(report: Report) -> bool:
    """Whether any copy moved unified memory."""
    return bool(np.isin(report.copies.copy_kind, MIGRATIONS).any())


def _warns(report: Report) -> bool:
    return any(message.time_ns is not None for message in report.diagnostics)


_TABLES: Mapping[str, frozenset[str]] = {
    "metric_lanes": METRIC_TABLES,
    **{
        module: frozenset(table.source for table in tables)
        for module, tables in (
            ("memory_lanes", (MEMORY_USAGE,)),
            ("unified_lanes", (GPU_PAGE_FAULTS, CPU_PAGE_FAULTS)),
            ("context_lanes", CONTEXT_SWITCHES),
            ("windows_lanes", tuple(WDDM_MEMORY.values())),
            ("network_lanes", (NIC_METRICS, SWITCH_METRICS, SWITCH_CONGESTION)),
            ("counter_lanes", (PAYLOAD_SCHEMAS, PAYLOAD_LINKS)),
            ("mark_lanes", (CUDA_EVENT_RECORDS,)),
        )
    },
    "cpu_lanes": frozenset({CPU_SAMPLES}),
}
"""By module the tables of which any must have rows."""
_BESIDES: Mapping[str, Callable[[Report], bool]] = {
    "unified_lanes": migrates,
    "mark_lanes": _warns,
    "cpu_lanes": lambda report: len(CPU.of(report)) > 0,
}
"""What else makes a module have lanes."""


def may_have_lanes(module: str, report: Report) -> bool:
    """Whether the provider in ``module`` may have lanes of a report; a module that is not named here may."""
    if module not in _TABLES:
        return True
    tables = _TABLES[module]
    if any(info.rows and info.name in tables for info in report.tables):
        return True
    return module in _BESIDES and _BESIDES[module](report)
