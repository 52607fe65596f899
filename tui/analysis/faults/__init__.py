"""The fault catalogue: one module a fault, or a family of faults.

The order is that of precedence: where two faults explain the same time, the earlier one is charged with it.
The particular comes before the general.
"""

from __future__ import annotations

from tui.analysis.faults import (
    allocator_churn,
    anti_patterns,
    capture_quality,
    checkpoint_stall,
    copies,
    exposed,
    fp32_products,
    gc_pauses,
    hidden_sync,
    input_starvation,
    launch_blocking,
    launch_bound,
    mpi_wait,
    periodic_stall,
    profiler_distortion,
    recompilation,
    slow_files,
    slow_kernels,
    straggler,
    thin_capture,
    throttling,
    uneven_steps,
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
    slow_files.FAULT,
    input_starvation.FAULT,
    periodic_stall.FAULT,
    mpi_wait.FAULT,
    copies.SYNCHRONOUS_FAULT,
    copies.PAGEABLE_FAULT,
    copies.SLOW_FAULT,
    copies.EXPOSED_FAULT,
    allocator_churn.FAULT,
    launch_blocking.FAULT,
    hidden_sync.FAULT,
    launch_bound.FAULT,
    straggler.FAULT,
    exposed.EXCHANGE_FAULT,
    exposed.REDUCE_FAULT,
    slow_kernels.CONTENTION_FAULT,
    throttling.FAULT,
    uneven_steps.FAULT,
    fp32_products.FAULT,
    capture_quality.GRAPHS_FAULT,
    capture_quality.RANGES_FAULT,
    capture_quality.RANKS_FAULT,
    thin_capture.FAULT,
    unexplained.FAULT,
    *anti_patterns.FAULTS,
)
