"""Below each device: graphics memory as Windows counts it, which is not what CUDA programs allocated."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from tui.analysis.grouping import combined
from tui.analysis.index import Index
from tui.analysis.memory.levels import Level as Steps
from tui.analysis.memory.lifetimes import LARGEST
from tui.analysis.memory.tables import size_words
from tui.analysis.stats.extra import process_ids
from tui.report.columns import NULL, Array
from tui.report.extra.tables import WDDM_MEMORY
from tui.report.model import Report
from tui.timeline.extra.stepped import Stepped, sum_of_latest
from tui.timeline.extra.there import has_rows
from tui.timeline.lane import Lane, LaneKind
from tui.timeline.series import Level, Series
from tui.timeline.slices import LaneRows

_LINES = {
    "GPU_MEMORY_USAGE_EVENTS": ("in use", "newUsage"),
    "TOTAL_BYTES_RESIDENT_IN_SEGMENT_EVENTS": ("resident", "totalBytesResident"),
    "DEMOTED_BYTES_EVENTS": ("demoted", "commitment"),
}
"""Of each table the title of its line, and the column. A budget is a limit of one process: no sum."""


def windows_lanes(report: Report) -> Iterator[Lane]:
    """A lane of graphics memory for each device, where Windows recorded it."""
    if not any(has_rows(report, WDDM_MEMORY[source]) for source in _LINES):
        return
    for device in report.devices:
        yield Lane(
            f"gpu{device.cuda_id}/windows-memory", LaneKind.SERIES, "Windows memory",
            f"graphics memory of GPU {device.cuda_id}, as Windows counts it", 1, device.index,
            late=_memory(device.index),
        )  # fmt: skip


def _memory(device: int) -> Callable[[Index], LaneRows]:
    def load(index: Index) -> LaneRows:
        lines: list[Series] = []
        for source, (title, column) in _LINES.items():
            steps = sum_of(_of_device(index.report, device, WDDM_MEMORY[source].source), column)
            if len(steps):
                lines.append(_line(title, steps))
        return tuple(lines)

    return load


def _line(title: str, steps: Steps) -> Level:
    top = float(steps.values.max())
    return Level(
        title=f"Windows memory: {title}",
        details=(("at most", size_words(top)),),
        note="all processes that Windows names; read as documented, unverified",
        values=Stepped(steps),
        style="series.5",
        top=max(top, 1.0),
        words=size_words,
    )


def _of_device(report: Report, device: int, source: str) -> dict[str, Array]:
    """The rows of a table that are about a device: by the GPU's number, of one device all."""
    rows = report.extra_rows(WDDM_MEMORY[source])
    gpu, known = rows["gpu"], report.devices[device]
    mine = gpu == (known.cuda_id if known.gpu_id is None else known.gpu_id)
    if len(report.devices) == 1 and len(np.unique(gpu)) == 1:
        mine = np.ones(len(rows), bool)
    mine &= rows["timestamp"] != NULL
    return {name: values[mine] for name, values in rows.columns.items()}


def sum_of(rows: dict[str, Array], column: str) -> Steps:
    """The sum over processes and segments of the latest value of each, over time.

    Values that can't be true are left out.
    """
    known = np.flatnonzero((rows[column] >= 0) & (rows[column] <= LARGEST))
    known = known[np.argsort(rows["timestamp"][known], kind="stable")]
    keys = [rows[name][known] for name in ("segmentGroup", "segmentId") if name in rows]
    if "globalTid" in rows:
        keys.append(process_ids(rows["globalTid"][known]))
    return sum_of_latest(rows["timestamp"][known], combined(*keys)[0], rows[column][known])
