"""Steps that are not like the others: the first ones of a run, and single ones that take far longer."""

from __future__ import annotations

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.faults.pace import Pace
from tui.analysis.faults.pieces import Pieces
from tui.report.columns import Bool


def warm_up_steps(case: Case, pace: Pace) -> int:
    """How many of the first steps are much longer than the usual one; 0: none, or too few steps."""
    if len(pace) < case.limits.steps_for_pattern:
        return 0
    slow = pace.cycle > case.limits.warm_up_ratio * pace.median_ns
    leading = int(np.argmin(slow)) if not slow.all() else len(slow)
    # The usual step must be what most steps are.
    return leading if leading <= len(pace) // 2 else 0


def outlier_steps(case: Case, pace: Pace) -> Bool:
    """Steps, not at the beginning, that take several times the usual one."""
    far = pace.cycle > case.limits.outlier_ratio * pace.median_ns
    if len(pace) < case.limits.steps_for_pattern:
        far[:] = False
    far[: warm_up_steps(case, pace)] = False
    return far


def in_steps(pieces: Pieces, number: int, steps: Bool) -> Bool:
    """Which pieces belong to these steps of one pace."""
    mine = (pieces.pace == number) & (pieces.step >= 0)
    chosen = np.zeros(len(pieces), bool)
    chosen[mine] = steps[pieces.step[mine]]
    return chosen


def in_warm_up(case: Case, pieces: Pieces) -> Bool:
    """Which pieces belong to the warm-up of their process."""
    chosen = np.zeros(len(pieces), bool)
    for number, pace in enumerate(case.paces):
        chosen |= in_steps(pieces, number, np.arange(len(pace)) < warm_up_steps(case, pace))
    return chosen


def in_outliers(case: Case, pieces: Pieces) -> Bool:
    """Which pieces belong to outlier steps."""
    chosen = np.zeros(len(pieces), bool)
    for number, pace in enumerate(case.paces):
        chosen |= in_steps(pieces, number, outlier_steps(case, pace))
    return chosen


def unusual_steps(case: Case, pieces: Pieces) -> Bool:
    """Which pieces belong to warm-up or outlier steps."""
    return in_warm_up(case, pieces) | in_outliers(case, pieces)
