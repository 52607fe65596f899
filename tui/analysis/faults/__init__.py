"""The fault catalogue: one module a fault, all of one shape.

The order is that of precedence: where two faults explain the same time, the earlier one has it, so
the particular comes before the general.
"""

from __future__ import annotations

from tui.analysis.faults import (
    allocator_churn,
    blocking_copies,
    capture_quality,
    checkpoint_stall,
    exposed,
    exposed_copies,
    gc_pauses,
    hidden_sync,
    input_starvation,
    launch_bound,
    profiler_distortion,
    recompilation,
    slow_kernels,
    slow_pcie,
    straggler,
    warm_up,
    worker_respawn,
)
from tui.analysis.faults.case import Case
from tui.analysis.faults.limits import FaultLimits, limits_from
from tui.analysis.faults.shape import Claim, Confidence, Evidence, Fault, Found, Lost, NotAssessable

CATALOGUE: tuple[Fault, ...] = (
    profiler_distortion.FAULT,
    checkpoint_stall.FAULT,
    worker_respawn.FAULT,
    warm_up.FAULT,
    recompilation.FAULT,
    gc_pauses.FAULT,
    input_starvation.FAULT,
    *blocking_copies.FAULTS,
    slow_pcie.FAULT,
    exposed_copies.FAULT,
    allocator_churn.FAULT,
    hidden_sync.FAULT,
    launch_bound.FAULT,
    straggler.FAULT,
    *exposed.FAULTS,
    slow_kernels.CONTENTION_FAULT,
    slow_kernels.THROTTLING_FAULT,
    *capture_quality.FAULTS,
)

__all__ = [
    "CATALOGUE",
    "Case",
    "Claim",
    "Confidence",
    "Evidence",
    "Fault",
    "FaultLimits",
    "Found",
    "Lost",
    "NotAssessable",
    "limits_from",
]
