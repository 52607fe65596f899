"""The host stops launching now and then for no visible reason, as in a garbage collection."""

from __future__ import annotations

import numpy as np

from tui.analysis.blame import BlameClass
from tui.analysis.faults.case import Case
from tui.analysis.faults.data_ranges import in_data_range
from tui.analysis.faults.draining import debts
from tui.analysis.faults.evidence import longest_gaps, place
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Confidence, Findings, Found, NotAssessable
from tui.analysis.faults.periodic_stall import periodic
from tui.analysis.faults.pieces import Pieces
from tui.report.columns import Int64
from tui.text.numbers import plural
from tui.text.times import show_duration


def _examine(case: Case) -> Findings:
    if not case.paces:
        yield NotAssessable(
            "no steps found: an irregular pause can't be told apart from one that the program always makes",
            "annotate the loop with torch.cuda.nvtx.range('train_step'); " + case.commands.capture(),
        )
        return
    pieces = case.pieces
    long = (pieces.cause == BlameClass.HOST_CODE) & (_quiet(case, pieces) >= case.limits.pause_ns)
    long &= (pieces.ns >= case.limits.long_piece_ns) & (pieces.step >= 0)
    usual = ~case.in_warm_up(pieces) & ~case.in_outliers(pieces)
    # What follows a wait that drained the device is that wait's doing.
    free = case.once("debts", lambda: debts(case, pieces)) < 0
    pauses = pieces.where(long & usual & free & ~in_data_range(case, pieces) & ~periodic(case))
    if len(pauses) < 2:
        return
    for number, pace in enumerate(case.paces):
        hit = len(np.unique(pauses.step[pauses.pace == number]))
        if hit >= case.limits.recurring_share * len(pace):
            return
    yield _found(case, pauses)


def _quiet(case: Case, pieces: Pieces) -> Int64:
    """Return for how long the thread of each piece makes no CUDA call around it.

    A pause lasts longer than the device idles in it, which first does what was queued.
    """
    calls = case.report.calls
    quiet = pieces.ns.copy()
    for thread in np.unique(pieces.thread[pieces.thread >= 0]).tolist():
        own, mine = calls.thread == thread, np.flatnonzero(pieces.thread == thread)
        start, end = calls.start[own], np.maximum.accumulate(calls.end[own])
        before = np.searchsorted(end, pieces.start[mine], "right") - 1
        after = np.searchsorted(start, pieces.end[mine], "left")
        known = (before >= 0) & (after < len(start))
        length = start[after[known]] - end[before[known]]
        quiet[mine[known]] = np.maximum(quiet[mine[known]], length)
    return quiet


def _found(case: Case, pauses: Pieces) -> Found:
    shortest, longest = int(pauses.ns.min()), int(pauses.ns.max())
    places = {place(case, pauses, i) for i in range(min(len(pauses), 50))}
    return Found(
        title=f"{plural(len(pauses), 'pause')} of {show_duration(shortest)} to {show_duration(longest)} "
        "in which the host launches nothing",
        evidence=tuple(longest_gaps(case, pauses)),
        confidence=Confidence.MEDIUM,
        reasons=(
            "the launching thread made neither a CUDA nor an OS call meanwhile"
            if len(case.report.os_calls)
            else "the launching thread made no CUDA call meanwhile; OS calls were not traced",
            f"it happens in {pauses.step_count} of {plural(case.all_steps, 'step')}, "
            f"at {plural(len(places), 'different place')}: no part of the loop that always takes this long",
            "a trace can't name a garbage collection: only a Python backtrace can",
        ),
        confirm=case.commands.capture("cuda,nvtx,osrt", "--python-sampling=true")
        + "  (Python stacks inside the pauses), or run once with gc.disable(): "
        "the pauses vanish if this is it",
        claims=pauses.claims(),
    )


FAULT = Fault(
    "gc-pauses",
    "irregular pauses of the launching thread",
    _examine,
    "Long pieces of host code, without any call, at irregular places of some ordinary steps.",
    advice=(
        "`gc.disable()` (or `gc.freeze()` after the model is built) and `gc.collect()` every N steps, "
        "at the same step on all ranks, outside the timed part.",
        "Make less garbage: no per-step closures and lists of tensors, no cycles through autograd graphs.",
    ),
    also_possible=(
        "another Python thread holds the GIL (data loading in threads, logging, a progress bar)",
        "the thread was descheduled: more runnable threads than cores",
        "a compilation of a new shape (see the outlier steps)",
    ),
    limits=(
        "pause_ns",
        "long_piece_ns",
        "periods",
        "input_share",
        "recurring_share",
        "outlier_ratio",
        "steps_for_pattern",
        "warm_up_ratio",
        "big_copy_bytes",
    ),
)
