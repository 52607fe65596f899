"""The fault catalogue: one module a fault, all of one shape.

The order is that of precedence: where two faults explain the same time, the earlier one has it, so
the particular comes before the general.
"""

from __future__ import annotations

from tui.analysis.faults import input_starvation
from tui.analysis.faults.case import Case
from tui.analysis.faults.limits import Limits, limits_from
from tui.analysis.faults.shape import Claim, Confidence, Evidence, Fault, Found, Lost, NotAssessable

CATALOGUE: tuple[Fault, ...] = (input_starvation.FAULT,)

__all__ = [
    "CATALOGUE",
    "Case",
    "Claim",
    "Confidence",
    "Evidence",
    "Fault",
    "Found",
    "Limits",
    "Lost",
    "NotAssessable",
    "limits_from",
]
