"""Every n-th step the host stops launching: logging, a save, a report, whatever fills the time."""

from __future__ import annotations

import numpy as np

from tui.analysis.blame import BlameClass
from tui.analysis.faults.case import Case
from tui.analysis.faults.compilers import compiling
from tui.analysis.faults.data_ranges import in_data_range
from tui.analysis.faults.draining import debts
from tui.analysis.faults.evidence import longest_gaps, phase_label, share, usual_call
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Confidence, Findings, Found, NotAssessable
from tui.analysis.faults.pace import Pace
from tui.analysis.faults.pieces import Pieces
from tui.intervals import Coverage
from tui.report.columns import Bool, Int64
from tui.text.numbers import plural
from tui.text.times import show_duration

_NEAR = 0.05
"""Places that differ by less than this share of a step's launches are one."""
STALLS = (BlameClass.HOST_CODE, BlameClass.OS_CALL, BlameClass.OTHER_CUDA_CALL, BlameClass.GIL)


def _examine(case: Case) -> Findings:
    if not case.paces:
        yield NotAssessable(
            "no steps found: whether a pause comes every so many steps is not known",
            "annotate the loop with torch.cuda.nvtx.range('train_step'); " + case.commands.capture(),
        )
        return
    pieces = case.pieces
    lost = pieces.where(periodic(case) & _unclaimed(case, pieces))
    if len(lost) and lost.step_count >= case.limits.periods:
        yield _found(case, lost)


def periodic(case: Case) -> Bool:
    """Return which pieces of host work stall every n-th step, by what no earlier fault is charged with."""
    return case.once("periodic", lambda: _find(case))


def _find(case: Case) -> Bool:
    pieces = case.pieces
    found = np.zeros(len(pieces), bool)
    if not case.paces:
        return found
    stalls = pieces.caused_by(*STALLS) & (pieces.step >= 0)
    stalls &= ~case.in_warm_up(pieces) & ~in_data_range(case, pieces) & ~compiling(case)
    stalls &= _unclaimed(case, pieces)
    owed = case.once("debts", lambda: debts(case, pieces))
    for number, pace in enumerate(case.paces):
        mine = pieces.pace == number
        per_step = np.bincount(pieces.step[mine & stalls], pieces.ns[mine & stalls], len(pace))
        hit = per_step >= np.median(per_step) + case.limits.input_share * pace.median_ns
        found_rhythm = rhythm(pace.number[hit], case.limits.periods)
        if found_rhythm is None:
            continue
        inside = pace.number % found_rhythm[0] == found_rhythm[1]
        hit &= inside
        if not (_stand_out(per_step, inside, hit) and _same_place(case, pieces, mine & stalls, pace, hit)):
            continue
        # A wait that comes only now and then is what these steps have in common: the debt is that wait's.
        waits = pace.of_times(case.report.calls.start[np.unique(owed[mine & (owed >= 0)])])
        free = (owed < 0) | (4 * len(np.unique(waits)) >= 3 * len(pace))
        usual = _usual_piece(pieces, mine & stalls, hit)
        found |= mine & stalls & free & pieces.in_steps(_only(case.paces, number, hit)) & (pieces.ns > usual)
    return found


def rhythm(numbers: Int64, least: int) -> tuple[int, int] | None:
    """Return the distance at which these steps come, two at least, and the remainder of their numbers.

    One in four may be missing, and one in five out of step.

    >>> rhythm(np.array([5, 15, 25]), 3), rhythm(np.array([5, 15, 35, 45]), 3)
    ((10, 5), (10, 5))
    >>> rhythm(np.array([1, 3, 4, 7]), 3), rhythm(np.array([3, 4, 5]), 3)
    (None, None)
    """
    if len(numbers) < least:
        return None
    period = int(np.median(np.diff(numbers)))
    if period < 2:
        return None
    phase = int(np.argmax(np.bincount(numbers % period)))
    kept = numbers[numbers % period == phase]
    expected = int(kept[-1] - kept[0]) // period + 1
    clear = len(kept) >= least and 5 * len(kept) >= 4 * len(numbers) and 4 * len(kept) >= 3 * expected
    return (period, phase) if clear else None


def _stand_out(per_step: Int64, inside: Bool, hit: Bool) -> bool:
    """Return whether the steps that were hit are clear of how much those outside their rhythm differ."""
    others = per_step[~inside]
    usual = float(np.median(others))
    spread = float(np.quantile(others, 0.95)) - usual
    return bool(float(per_step[hit].min()) - usual >= 3 * spread)


def _same_place(case: Case, pieces: Pieces, chosen: Bool, pace: Pace, hit: Bool) -> bool:
    """Return whether the longest piece of each step that was hit comes after as many launches, or nearly.

    What the program does every n-th step stands at one place of its loop.
    """
    launches = case.index.launch_times(pace.process)
    each = np.searchsorted(launches, pace.end) - np.searchsorted(launches, pace.opening)
    after = []
    for step in np.flatnonzero(hit).tolist():
        mine = np.flatnonzero(chosen & (pieces.step == step))
        longest = mine[int(np.argmax(pieces.ns[mine]))]
        after.append(np.subtract(*np.searchsorted(launches, [pieces.end[longest], pace.opening[step]])))
    away = np.abs(np.array(after) - np.median(after))
    near = np.minimum(away, each[hit] - away) <= np.maximum(2, _NEAR * each[hit])
    return bool(4 * near.sum() >= 3 * len(near))


def _usual_piece(pieces: Pieces, chosen: Bool, hit: Bool) -> float:
    """Return the longest of the ``chosen`` pieces in the steps not ``hit``, a few of them aside; ns."""
    others = pieces.ns[chosen][~hit[pieces.step[chosen]]]
    return float(np.quantile(others, 0.95)) if len(others) else 0.0


def _only(paces: list[Pace], number: int, hit: Bool) -> list[Bool]:
    return [hit if i == number else np.zeros(len(pace), bool) for i, pace in enumerate(paces)]


def _unclaimed(case: Case, pieces: Pieces) -> Bool:
    """Return which pieces no fault is charged with, for the most part."""
    free = np.zeros(len(pieces), bool)
    for device in case.devices:
        mine = np.flatnonzero(pieces.device == device.index)
        left = Coverage(*case.ledger.unclaimed(device.index)).between(pieces.start[mine], pieces.end[mine])
        free[mine] = 2 * left > pieces.ns[mine]
    return free


def _found(case: Case, lost: Pieces) -> Found:
    periods = sorted({p for n in range(len(case.paces)) if (p := _period(case, lost, n))})
    every = " or ".join(str(p) for p in periods) or "few"
    whole = int(lost.ns.sum())
    system = lost.where(lost.cause != BlameClass.HOST_CODE)
    call = usual_call(case, system)
    label = phase_label(case, lost)
    in_calls = int(system.ns.sum())
    filled = f"in {call}" if call and 2 * in_calls >= whole else "in host code"
    under = f" under {label!r}" if label else ""
    stall = whole // lost.step_count
    reasons = [
        f"it comes every {every} steps, {lost.step_count} times in {plural(case.all_steps, 'step')}, "
        f"and lasts {show_duration(stall)} on average"
    ]
    if in_calls and call:
        reasons.append(f"{share(in_calls, whole)} of it is inside calls, most of them {call}")
    if in_calls < whole:
        reasons.append(f"{share(whole - in_calls, whole)} of it is host code{under}")
    if not len(case.report.os_calls):
        reasons.append("no OS calls were traced: host code may be waiting or writing")
    return Found(
        title=f"every {every} steps the host stops launching for {show_duration(stall)}, {filled}{under}",
        evidence=tuple(longest_gaps(case, lost)),
        confidence=Confidence.HIGH if lost.step_count > case.limits.periods else Confidence.MEDIUM,
        reasons=tuple(reasons),
        confirm=case.commands.capture("cuda,nvtx,osrt", "--python-sampling=true")
        + "  (Python stacks inside the stalls); or run once without what the program does every "
        f"{every} steps",
        claims=lost.claims(),
    )


def _period(case: Case, lost: Pieces, pace: int) -> int:
    """Return the usual distance of the steps that were hit; 0 for fewer than two."""
    numbers = np.unique(case.paces[pace].number[lost.step[lost.pace == pace]])
    return int(np.median(np.diff(numbers))) if len(numbers) > 1 else 0


FAULT = Fault(
    "periodic-stall",
    "every n-th step the host stops launching",
    _examine,
    "Host code or OS calls that leave the device idle in steps equally far apart, and only in those.",
    advice=(
        "Move what happens every n-th step off the launching thread: write files and logs from a thread of "
        "their own, or do it less often.",
        "Launch the next step before the report of the last one, so that the device has work meanwhile.",
        "If nothing in the program counts steps: a scheduler, a watchdog or `gc.collect()` does.",
    ),
    also_possible=(
        "an epoch's end, an evaluation or a save without copies of its own",
        "a garbage collection after an equal amount of garbage",
    ),
    limits=(
        "periods",
        "input_share",
        "long_piece_ns",
        "steps_for_pattern",
        "warm_up_ratio",
        "big_copy_bytes",
    ),
)
