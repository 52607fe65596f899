"""Which NVTX ranges an op belongs to: those of the launching thread that contain its API call.

Containment is by time on one thread of one process, bounds included. All nesting levels count; the
innermost one is the op's phase. Ranges that one thread opened and another closed own nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tui.analysis.index import Index
from tui.report.columns import Int64, Positions


def phase_of_calls(index: Index, calls: Positions | Int64) -> Int64:
    """The innermost range around each of these calls: positions in ``Report.ranges``, -1 none."""
    table = index.report.calls
    return index.range_holding(table.start[calls], table.end[calls], table.thread[calls])


def call_range_pairs(index: Index, calls: Positions) -> Iterator[tuple[Positions, Positions]]:
    """(call, range) for every range around each of these calls, innermost first.

    Yields one pair of arrays a nesting depth: positions in ``Report.calls`` and in ``Report.ranges``.
    """
    table = index.report.calls
    found = index.ranges_holding(table.start[calls], table.end[calls], table.thread[calls])
    for question, ranges in found:
        yield calls[question], ranges


def op_range_pairs(index: Index, ops: Positions | None = None) -> Iterator[tuple[Positions, Positions]]:
    """(op, range) for every range around each op's launch, innermost first.

    ``ops``: positions in ``Report.ops`` (default: all). Ops without a recorded launch have no pairs.
    """
    launch = index.report.ops.launch
    wanted = np.arange(len(launch)) if ops is None else ops
    wanted = wanted[launch[wanted] >= 0]
    table, call = index.report.calls, launch[wanted]
    found = index.ranges_holding(table.start[call], table.end[call], table.thread[call])
    for question, ranges in found:
        yield wanted[question], ranges
