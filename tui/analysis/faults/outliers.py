"""Steps that are not like the others: the first ones of a run, and single ones that take far longer."""

from __future__ import annotations

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.faults.pace import Pace
from tui.analysis.faults.pieces import Pieces
from tui.report.columns import Bool


def warm_up_steps(case: Case, pace: Pace) -> int:
    """Return how many of the first steps are much longer than the usual one; 0: none, or too few steps."""
    if len(pace) < case.limits.steps_for_pattern:
        return 0
    slow = pace.cycle > case.limits.warm_up_ratio * pace.median_ns
    leading = len(slow) if slow.all() else int(np.argmin(slow))
    # The usual step must be what most steps are.
    return leading if leading <= len(pace) // 2 else 0


def outlier_steps(case: Case, pace: Pace) -> Bool:
    """Return which steps after the warm-up take several times the usual one."""
    far = pace.cycle > case.limits.outlier_ratio * pace.median_ns
    if len(pace) < case.limits.steps_for_pattern:
        far[:] = False
    far[: warm_up_steps(case, pace)] = False
    return far


def in_warm_up(case: Case, pieces: Pieces) -> Bool:
    """Return which pieces belong to the warm-up of their process."""
    return pieces.in_steps([np.arange(len(pace)) < warm_up_steps(case, pace) for pace in case.paces])


def in_outliers(case: Case, pieces: Pieces) -> Bool:
    """Return which pieces belong to outlier steps."""
    return pieces.in_steps([outlier_steps(case, pace) for pace in case.paces])
