"""The shape of a rule, and what a user may set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tui.analysis.index import Index
from tui.analysis.scope import Scope
from tui.analysis.table import Table
from tui.report.columns import Int64


@dataclass(frozen=True)
class RuleLimits:
    """The thresholds of all rules; the defaults are those of nsys."""

    gap_ns: int = 500_000_000
    """gpu_gaps lists gaps longer than this."""
    chunks: int = 30
    """gpu_time_util cuts the time into this many chunks."""
    busy_pct: int = 50
    """gpu_time_util lists chunks that are busy less than this."""
    small_copy: int = 65_536
    """cuda_memcpy_sync leaves out Host-to-Device copies up to this many bytes."""


@dataclass(frozen=True)
class RuleFinding:
    """What a rule found: the rows, and how much time they take altogether."""

    table: Table
    total_ns: int


@dataclass(frozen=True)
class Rule:
    """One rule: what it looks for, why that is bad, and what to do about it."""

    name: str
    title: str
    compute: Callable[[Index, Scope, RuleLimits], RuleFinding]
    needs: str
    """The data without which it can't be judged, as in ``does not contain NEEDS data``."""
    has_data: Callable[[Index, Scope], bool]
    means: str
    advice: str
    differs: str
    options: str = ""
    """The options that change its thresholds."""


def longest_first(table: Table, duration: Int64, start: Int64) -> Table:
    """The rows by duration, longest first; then by start."""
    return table.ordered(np.lexsort((start, -duration)))
