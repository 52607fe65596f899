"""Lanes that are of interest last: what the profiler and the driver did beside a program."""

from __future__ import annotations

from tui.report.event_tables.other import CUDA_OVERHEAD, PREFIX, PROFILER_OVERHEAD
from tui.timeline.lane import Lane, LaneKind

_OVERHEAD = frozenset(PREFIX + source for source in (PROFILER_OVERHEAD, CUDA_OVERHEAD))


def is_overhead(lane: Lane) -> bool:
    """Whether a lane, below its thread's heading, shows overhead."""
    return lane.kind is LaneKind.EVENTS and lane.table in _OVERHEAD
