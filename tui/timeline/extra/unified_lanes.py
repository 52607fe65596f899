"""Below each device: unified memory that the driver moves, and page faults; below threads those of CPUs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from tui.analysis.index import Index
from tui.analysis.scope import Scope, Window
from tui.analysis.um.migrations import DIRECTIONS, Unified, cause_words, unified
from tui.analysis.work_window import recorded_window
from tui.report.columns import NULL, Positions, distinct_values
from tui.report.extra.tables import CPU_PAGE_FAULTS, GPU_PAGE_FAULTS
from tui.report.model import Report
from tui.text.numbers import plural
from tui.timeline.extra.stepped import Stepped, Weighted, rate_of
from tui.timeline.extra.there import has_rows, main_threads, migrates
from tui.timeline.lane import Lane, LaneKind
from tui.timeline.series import Density, Level, Series
from tui.timeline.slices import LaneRows

_STYLES = {11: "series.3", 12: "series.2", 13: "series.4"}
_FAULTS = "series.7"


def unified_lanes(report: Report) -> Iterator[Lane]:
    """A lane of migrations and faults for each device, and of CPU faults for each process."""
    if migrates(report) or has_rows(report, GPU_PAGE_FAULTS):
        for device in report.devices:
            number = device.cuda_id
            yield Lane(
                f"gpu{number}/unified", LaneKind.SERIES, "UM", f"unified memory of GPU {number}", 1,
                device.index, late=_moved(device.index), brief=2,
            )  # fmt: skip
    if has_rows(report, CPU_PAGE_FAULTS):
        for process, thread in main_threads(report).items():
            pid = report.processes[process].pid
            yield Lane(
                f"t{pid}/cpu-faults", LaneKind.SERIES, "CPU faults",
                f"page faults of the CPUs in process {pid}", 1, thread=thread, process=process,
                late=_cpu_faults(process),
            )  # fmt: skip


def _moved(device: int) -> Callable[[Index], LaneRows]:
    def load(index: Index) -> LaneRows:
        found = _everything(index)
        faults = found.gpu_rows[found.gpu_on == device]
        lines: list[Series] = [_gpu_faults(found, faults)] if len(faults) else []
        mine = found.moved[found.moved_on == device]
        kind, cause = found.copies["copyKind"][mine], found.copies["migrationCause"][mine]
        for direction in DIRECTIONS:
            for why in distinct_values(cause[kind == direction]).tolist():
                lines.append(_line(found, mine[(kind == direction) & (cause == why)], direction, why))
        return tuple(lines)

    return load


def _everything(index: Index) -> Unified:
    window = recorded_window(index)
    return unified(index, Scope(Window(window.start, window.end)))


def _line(found: Unified, rows: Positions, direction: int, cause: int) -> Level:
    """The rate of the migrations of one direction and cause."""
    start, end, size = (found.copies[name][rows] for name in ("start", "end", "bytes"))
    steps = rate_of(start, end, np.where(size == NULL, 0, size))
    top = float(steps.values.max()) / 10**6 if len(steps) else 0.0
    moved = f"{size.sum():,} B" if (size != NULL).all() else "unknown"
    return Level(
        title=f"UM {_SHORT[direction]}: {cause_words(cause)}",
        details=(("migrations", f"{len(rows):,}"), ("bytes", moved)),
        values=Stepped(steps, 1e-6),
        style=_STYLES[direction],
        top=max(top, 1e-3),
        words=lambda rate: f"{rate:.1f} GB/s",
    )


_SHORT = {11: "to GPU", 12: "to host", 13: "GPU to GPU"}


def _gpu_faults(found: Unified, rows: Positions) -> Density:
    number = found.faults[rows]
    unknown = number == NULL
    weights = np.where(unknown, 1, np.minimum(number, 1 << 32))
    said = "unknown" if unknown.any() else f"{int(number.sum()):,}"
    return Density(
        title="UM faults",
        details=(("groups", f"{len(rows):,}"), ("faults", said)),
        note="page faults of GPUs: read as documented, unverified",
        counts=Weighted(found.gpu["start"][rows], weights),
        style=_FAULTS,
        noun="page fault",
    )


def _cpu_faults(process: int) -> Callable[[Index], LaneRows]:
    def load(index: Index) -> LaneRows:
        found = _everything(index)
        mine = found.cpu["globalPid"][found.cpu_rows] == index.report.processes[process].global_pid
        rows = found.cpu_rows[mine]
        if not len(rows):
            return ()
        density = Density(
            title="",
            details=(("faults", plural(len(rows), "page fault")),),
            note="page faults of CPUs: read as documented, unverified",
            counts=Weighted(found.cpu["start"][rows], np.ones(len(rows), np.int64)),
            style=_FAULTS,
            noun="page fault",
        )
        return (density,)

    return load
