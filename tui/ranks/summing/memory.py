"""How much GPU memory a rank had in use at most."""

from __future__ import annotations

import numpy as np

from tui.analysis.memory.levels import levels
from tui.analysis.memory.lifetimes import USAGE_KINDS, lifetimes
from tui.errors import ReportError
from tui.ranks.summing.subject import Subject
from tui.report.extra.tables import MEMORY_USAGE


def memory_peak(subject: Subject) -> int | None:
    """The peak of the device memory and arrays of its process, on all its devices; None: unknown."""
    report = subject.index.report
    if MEMORY_USAGE.source not in report.has:
        return None
    try:
        found = lifetimes(subject.index)
    except ReportError:
        return None  # damaged there: all else is known
    own = report.processes[subject.process].global_pid
    mine = [g.process == own and g.kind in USAGE_KINDS for g in found.groups]
    sums = levels(found, np.where(mine, 0, -1).astype(np.intp))
    return max((int(level.values.max()) for level in sums if len(level)), default=0)
