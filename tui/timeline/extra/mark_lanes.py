"""Marks at instants: CUDA events that a device reached, and messages of the profiler."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from tui.analysis.index import Index
from tui.report.columns import Bool, Int64
from tui.report.extra.tables import CUDA_EVENT_RECORDS
from tui.report.importing.global_ids import pid_of
from tui.report.model import Device, Report
from tui.text.numbers import plural
from tui.timeline.extra.stepped import Weighted
from tui.timeline.extra.there import has_rows
from tui.timeline.lane import Lane, LaneKind
from tui.timeline.series import Density
from tui.timeline.slices import LaneRows

_STREAMS = 16
"""So many streams have a line of their own."""


def mark_lanes(report: Report) -> Iterator[Lane]:
    """A lane of CUDA events for each device, and one of the profiler's warnings for the machine."""
    if has_rows(report, CUDA_EVENT_RECORDS):
        for device in report.devices:
            number = device.cuda_id
            yield Lane(
                f"gpu{number}/events", LaneKind.SERIES, "CUDA events", f"CUDA events of GPU {number}", 1,
                device.index, late=_events(device.index),
            )  # fmt: skip
    times = [
        message.time_ns
        for message in report.diagnostics
        if message.time_ns is not None and message.severity in ("warning", "error")
    ]
    if times:
        yield Lane(
            "messages", LaneKind.SERIES, "profiler messages", "warnings and errors of the profiler",
            late=lambda index: (_density("", np.sort(np.array(times, np.int64)), "message"),),
        )  # fmt: skip


def _events(device: int) -> Callable[[Index], LaneRows]:
    def load(index: Index) -> LaneRows:
        rows = index.report.extra_rows(CUDA_EVENT_RECORDS)
        mine = np.flatnonzero(_on(index.report.devices[device], rows["globalPid"], rows["deviceId"]))
        mine = mine[rows["timestamp"][mine] > 0]  # 0: when it was reached was not collected
        mine = mine[np.argsort(rows["timestamp"][mine], kind="stable")]
        if not len(mine):
            return ()
        time, stream = rows["timestamp"][mine], rows["streamId"][mine]
        names, count = np.unique(stream, return_counts=True)
        if len(names) == 1:
            return (_density(f"events s{names[0]}", time, "CUDA event"),)
        own = names[np.argsort(-count, kind="stable")][:_STREAMS]
        lines = [_density(f"events s{one}", time[stream == one], "CUDA event") for one in np.sort(own)]
        return (_density("", time, "CUDA event"), *lines)

    return load


def _on(device: Device, global_pid: Int64, number: Int64) -> Bool:
    """Which rows mean a device by the number that their process gives it."""
    found = np.zeros(len(number), bool)
    for pid, one in device.owners:
        found |= (number == one) & ((pid_of(global_pid) == pid) | (pid < 0))
    return found


def _density(title: str, time: Int64, noun: str) -> Density:
    weights = np.ones(len(time), np.int64)
    counted = (("counted", plural(len(time), noun)),)
    return Density(title=title, details=counted, counts=Weighted(time, weights), style="series.5", noun=noun)
