"""The device waits for the next batch: idle at the step's start while the host waits or prepares data."""

from __future__ import annotations

import re

import numpy as np

from tui.analysis.blame import BlameClass
from tui.analysis.faults.case import Case
from tui.analysis.faults.data_ranges import WAIT_CALL, in_data_range
from tui.analysis.faults.draining import debts
from tui.analysis.faults.evidence import longest_gaps, share_of, usual_call, usual_label
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Confidence, Findings, Found, NotAssessable
from tui.analysis.faults.input_readers import readers, starved_without_steps
from tui.analysis.faults.pace import Pace, starts_late
from tui.analysis.faults.periodic_stall import periodic
from tui.analysis.faults.pieces import Pieces
from tui.report.columns import Bool, Int64
from tui.text.numbers import plural
from tui.text.times import show_duration

COMPUTE = re.compile(
    r"forward|backward|optim|loss|compile|eval|valid|\blog|sav(e|ing)|check_?point|all_?reduce|nccl", re.I
)
"""Labels of phases in which a waiting thread does not wait for a batch."""
ADVICE_FIRST = (
    "Keep one iterator across warm-up and capture: `it = iter(loader)` once, `next(it)` in the loop "
    "(a new `iter(loader)` refills every worker's queue), or start the capture some steps later.",
    "If every epoch begins like this: `DataLoader(persistent_workers=True, prefetch_factor=4)`.",
)
ALSO_FIRST = (
    "the loader's iterator was reset or its workers were restarted at this point",
    "warm-up inside the capture",
    "a short capture hides waits that recur: prefetched batches cushion the first steps (capture 64 steps)",
)


def _examine(case: Case) -> Findings:
    if not case.paces:
        if found := starved_without_steps(case):
            yield found
            return
        yield NotAssessable(
            "no steps found, so the start of a step can't be told apart from its middle",
            "annotate the loop with torch.cuda.nvtx.range('train_step'); " + case.commands.capture(),
        )
        return
    pieces = case.pieces
    host = pieces.caused_by(BlameClass.OS_CALL, BlameClass.HOST_CODE, BlameClass.GIL)
    data = in_data_range(case, pieces)
    waiting = case.in_os_calls_like(pieces, WAIT_CALL)
    elsewhere = pieces.in_ranges(case.ranges_like(COMPUTE))
    # A phase of another name is not the loader's, unless the thread waits and it is no compute either.
    about_input = data | _unnamed(case, pieces) | (waiting & ~elsewhere)
    chosen = host & (pieces.step >= 0) & about_input & (data | pieces.in_opening)
    # A pause every n-th step is a wait for input only where something says so.
    chosen &= data | waiting | ~periodic(case)
    # Mere host code after a wait that drained the device is that wait's doing.
    chosen &= data | waiting | (case.once("debts", lambda: debts(case, pieces)) < 0)
    waits = pieces.where(chosen)
    waits = waits.where(_long_enough(case, waits, data[chosen]))
    if len(waits):
        yield _found(case, waits)


def _unnamed(case: Case, pieces: Pieces) -> Bool:
    """Return which pieces lie in no range but a step's own and those around the steps."""
    ranges = case.report.ranges
    outer = case.steps.mask(len(ranges))
    current = np.flatnonzero(outer)
    while len(current):
        current = np.unique(ranges.parent[current])
        current = current[current >= 0]
        outer[current] = True
    return (pieces.range < 0) | pieces.in_ranges(outer)


def _long_enough(case: Case, waits: Pieces, data: Bool) -> Bool:
    """Return which pieces are of a step that waits long enough, and look like a wait for input."""
    keep = np.zeros(len(waits), bool)
    explicit = data | case.in_os_calls_like(waits, WAIT_CALL)
    for number, pace in enumerate(case.paces):
        mine = waits.pace == number
        per_step = _per_step(waits, mine, pace)
        explicit_per_step = _per_step(waits, mine & explicit, pace)
        least = max(case.limits.input_wait_ns, case.limits.input_share * pace.median_ns)
        long = per_step >= least
        recurring = long.mean() >= case.limits.recurring_share
        if not recurring and not starts_late(pace.first_work - pace.opening, case.limits.outlier_ratio):
            long[0] = False
        # Plain host code counts only where every step has it: once in a while it is something else.
        starved = long & ((explicit_per_step >= per_step / 2) | recurring)
        keep[mine] = starved[waits.step[mine]] & (explicit[mine] | recurring)
    return keep


def _per_step(waits: Pieces, mine: Bool, pace: Pace) -> Int64:
    """Return the time of ``mine`` of the pieces in each step, ns."""
    return np.bincount(waits.step[mine], waits.ns[mine], len(pace)).astype(np.int64)


def _found(case: Case, waits: Pieces) -> Found:
    whole = int(waits.ns.sum())
    first_ns = int(waits.ns[waits.step == 0].sum())
    only_first = whole - first_ns < first_ns / 10
    in_data = int(waits.ns[in_data_range(case, waits)].sum())
    system = waits.cause == BlameClass.OS_CALL
    in_os = int(waits.ns[system].sum())
    reasons = []
    if in_data:
        label = usual_label(case, waits.range, waits.ns)
        where = f"the range {label!r}" if label else "ranges named after data"
        reasons.append(f"{share_of(in_data, whole)} the wait lies inside {where}")
    if in_os:
        call = usual_call(case, waits.where(system))
        reasons.append(f"the launching thread was in {call} for {share_of(in_os, whole)} it")
    if any(len(pace) > 1 for pace in case.paces):
        reasons.append(_first_against_later(case, waits))
    reasons += readers(case, waits)
    if not len(case.report.os_calls):
        reasons.append("no OS calls were traced: whether it waited or worked is not known")
    mostly_data, mostly_os = 2 * in_data >= whole, 2 * in_os >= whole
    if mostly_data and (mostly_os or not len(case.report.os_calls)):
        confidence = Confidence.HIGH
    elif mostly_data or mostly_os:
        confidence = Confidence.MEDIUM
    else:
        confidence = Confidence.LOW
        reasons.append("no range and no OS call says that it waited for data: it ran no CUDA call")
    title = f"the GPU waits for input at the start of {waits.step_count} of {plural(case.all_steps, 'step')}"
    if only_first:
        title = "the first step waits for its first batch; later waits hide behind queued work"
    return Found(
        title=title,
        evidence=tuple(longest_gaps(case, waits)),
        confidence=confidence,
        reasons=tuple(reasons),
        also_possible=ALSO_FIRST if only_first else None,
        advice=ADVICE_FIRST if only_first else None,
        confirm=case.commands.capture("cuda,nvtx,osrt", "--sample=none")
        + "  (twice: as it is, and with twice the workers; the gap shrinks if this is it)",
        claims=waits.claims(),
    )


def _first_against_later(case: Case, waits: Pieces) -> str:
    """Return how the first step's wait compares with the later ones: warm-up, or how the loop runs."""
    every = [_per_step(waits, waits.pace == n, pace) for n, pace in enumerate(case.paces)]
    first = int(max(per_step[0] for per_step in every))
    later = int(np.median(np.concatenate([per_step[1:] for per_step in every])))
    return f"the first step waits for {show_duration(first)}, a later one for {show_duration(later)} (median)"


FAULT = Fault(
    "input-starvation",
    "the device waits for the next batch",
    _examine,
    "Idle pieces before a step's first kernel in which the launching thread waited or ran host code.",
    advice=(
        "More loader workers and a deeper queue: "
        "`DataLoader(num_workers=..., prefetch_factor=4, persistent_workers=True)`; "
        "in JAX: `tf.data` with `.prefetch(AUTOTUNE)`, or Grain with more workers.",
        "`pin_memory=True` with `batch.to(device, non_blocking=True)`, "
        "the next batch copied on a side stream while this one computes.",
        "Move decoding and augmentation off the hot path: pre-decoded shards, a local cache, DALI.",
    ),
    also_possible=(
        "slow or remote storage: look at the loader threads' read calls in the same stretch",
        "the batch is unpickled or collated on the main thread (host code: CPU time between traced calls)",
    ),
    limits=(
        "input_wait_ns",
        "input_share",
        "recurring_share",
        "outlier_ratio",
        "big_copy_bytes",
        "steps_for_pattern",
        "long_piece_ns",
        "periods",
        "warm_up_ratio",
    ),
)
