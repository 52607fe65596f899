"""The fault catalogue: one module a fault, all of one shape.

The order is that of precedence: where two faults explain the same time, the earlier one has it, so
the particular comes before the general.
"""

from __future__ import annotations

from tui.analysis.faults import (
    allocator_churn,
    anti_patterns,
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
    unexplained,
    warm_up,
    worker_respawn,
)
from tui.analysis.faults.fault import Fault

__all__ = ["CATALOGUE", "Fault"]

CATALOGUE: tuple[Fault, ...] = (
    profiler_distortion.FAULT,
    checkpoint_stall.FAULT,
    worker_respawn.FAULT,
    warm_up.FAULT,
    recompilation.FAULT,
    gc_pauses.FAULT,
    input_starvation.FAULT,
    blocking_copies.SYNCHRONOUS_FAULT,
    blocking_copies.PAGEABLE_FAULT,
    slow_pcie.FAULT,
    exposed_copies.FAULT,
    allocator_churn.FAULT,
    hidden_sync.FAULT,
    launch_bound.FAULT,
    straggler.FAULT,
    exposed.EXCHANGE_FAULT,
    exposed.REDUCE_FAULT,
    slow_kernels.CONTENTION_FAULT,
    slow_kernels.THROTTLING_FAULT,
    capture_quality.GRAPHS_FAULT,
    capture_quality.RANGES_FAULT,
    capture_quality.RANKS_FAULT,
    unexplained.FAULT,
    *anti_patterns.FAULTS,
)
