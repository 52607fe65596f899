"""Where a device's time goes besides CUDA work: work of other APIs, and work that was not recorded.

kernel + copy-only + other + unknown + idle = window, exactly. An instant is counted where the first of
these claims it: recorded CUDA work, then work of another API, then what may have run unseen. What is left
is idle.
"""

from __future__ import annotations

import numpy as np

from tui.analysis.index import Busy, Index, Processes
from tui.analysis.unrecorded import unknown_spans
from tui.intervals import Coverage, Spans, subtract, union
from tui.report.event_tables.other import gpu_of, is_gpu_work


def other_work(index: Index, device: int, processes: Processes = None) -> Coverage:
    """When a device does work of another API (OpenGL, Vulkan, Direct3D), whatever else it does."""
    processes = index.distinct(device, processes)
    return index.once(("account", "other", device, processes), lambda: _other(index, device, processes))


def unknown(index: Index, device: int, processes: Processes = None) -> Coverage:
    """When a device may have done work that the export does not show, and does none that it shows."""
    processes = index.distinct(device, processes)
    return index.once(("account", "unknown", device, processes), lambda: _unknown(index, device, processes))


def shown_work(index: Index, device: int, processes: Processes = None) -> Coverage:
    """When a device does anything that the export shows: CUDA work of any kind, or work of another API."""
    own, other = index.coverage(device, processes), other_work(index, device, processes)
    if not len(other):
        return own
    key = ("account", "shown", device, index.distinct(device, processes))
    return index.once(key, lambda: _joined(own.spans, other.spans))


def not_idle(index: Index, device: int, processes: Processes = None, busy: Busy = Busy.ALL) -> Coverage:
    """When a device is busy (as ``busy`` defines it), does work of another API, or may do unseen work.

    Its holes are the gaps.
    """
    own, shown = index.coverage(device, processes, busy), shown_work(index, device, processes)
    unseen, every = unknown(index, device, processes), index.coverage(device, processes)
    if shown is every and not len(unseen):
        return own
    key = ("account", "not idle", device, index.distinct(device, processes), busy)
    beyond = subtract(shown.spans, every.spans)[:2]
    return index.once(key, lambda: _joined(own.spans, Spans(*beyond), unseen.spans))


def _joined(*spans: Spans) -> Coverage:
    start, end = (np.concatenate([part[i] for part in spans]) for i in (0, 1))
    return Coverage.of(*union(start, end))


def _other(index: Index, device: int, processes: Processes) -> Coverage:
    report = index.report
    parts = []
    for name, table in report.others.items():
        if is_gpu_work(name):
            mine = gpu_of(report, table) == device
            if processes is not None:
                mine &= np.isin(index.process_of_thread[table.thread], processes)
            parts.append(Spans(table.start[mine], table.end[mine]))
    return _joined(*parts) if parts else Coverage.of(*union([], []))


def _unknown(index: Index, device: int, processes: Processes) -> Coverage:
    spans = unknown_spans(index, device, processes, shown_work(index, device, processes))
    return Coverage.of(*spans)
