"""The phase of every op of a report."""

from __future__ import annotations

import numpy as np

from tui.analysis.index import Index
from tui.analysis.phases import phase_of_calls
from tui.report.columns import Int64


def phase_of_ops(index: Index) -> Int64:
    """The innermost range around each op's launch; -1 where there is none or no recorded launch."""
    launch = index.report.ops.launch.astype(np.int64)
    phases = np.full(len(launch), -1, np.int64)
    phases[launch >= 0] = phase_of_calls(index, launch[launch >= 0])
    return phases
