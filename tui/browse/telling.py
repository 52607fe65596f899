"""What CPU samples and backtraces tell of gaps: read once the gaps are on the screen, where there are any."""

from __future__ import annotations

from contextlib import suppress

from tui.analysis.cpu.callers import cuda_backtraces, os_backtraces
from tui.analysis.cpu.preemption import preemptions
from tui.analysis.idle import DeviceIdle, Told, told_by_row
from tui.analysis.index import Index
from tui.analysis.kinds.calls import FILES
from tui.analysis.kinds.cpu import has_cpu_data
from tui.analysis.kinds.work import CUDA_EVENTS
from tui.errors import ReportError
from tui.report.model import Report


def can_tell(report: Report) -> bool:
    """Whether a report holds anything that tells more of gaps. Reads none of it."""
    return has_cpu_data(report) or any(table.rows and table.name in _BESIDE for table in report.tables)


_BESIDE = (FILES.table, CUDA_EVENTS.table)


def read(index: Index) -> None:
    """Read what details ask for. What can't be read any more is left out."""
    for source in (os_backtraces, cuda_backtraces, preemptions):
        with suppress(ReportError):
            source(index)


def told(index: Index, idle: DeviceIdle) -> Told | None:
    """What is told of a device's gaps; None where the file can't be read any more."""
    with suppress(ReportError):
        return told_by_row(index, idle)
    return None
