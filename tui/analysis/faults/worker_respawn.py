"""Loader workers are started again at an epoch's boundary while everything waits for them."""

from __future__ import annotations

import numpy as np

from tui.analysis.blame import BlameClass
from tui.analysis.faults.absence import away_since, calls_between
from tui.analysis.faults.case import Case
from tui.analysis.faults.compilers import REAP, SPAWN, compiling, loader_starts, workers_started
from tui.analysis.faults.evidence import longest_gaps, share
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Confidence, Findings, Found, NotAssessable
from tui.analysis.faults.pieces import Pieces
from tui.intervals import NEVER
from tui.report.columns import Bool, Int64
from tui.text.numbers import plural


def _examine(case: Case) -> Findings:
    if not len(case.report.os_calls):
        yield NotAssessable(
            "no OS calls were traced: a fork and a worker's first read can't be seen",
            case.commands.capture("cuda,nvtx,osrt", "--trace-fork-before-exec=true"),
        )
        return
    pieces = case.pieces
    host = pieces.caused_by(BlameClass.OS_CALL, BlameClass.HOST_CODE, BlameClass.GIL)
    host &= ~compiling(case)
    if not case.paces:
        lost = pieces.where(host & _in_long_gaps(case, host))
        if len(lost):
            yield _found(case, lost, forks=int(lost.ns[case.in_os_calls_like(lost, SPAWN)].sum()))
        return
    waits = pieces.where(host & pieces.in_opening & (pieces.step > 0))
    forks = case.in_os_calls_like(waits, SPAWN)
    boundaries: list[Bool] = []
    for number, pace in enumerate(case.paces):
        mine = waits.pace == number
        forked = np.zeros(len(pace), bool)
        forked[waits.step[mine & forks]] = True
        # A program that is only called and waited for is no worker.
        reaped = _per_step(waits, mine & case.in_os_calls_like(waits, REAP), len(pace))
        waited = _per_step(waits, mine, len(pace))
        boundary = (forked & (2 * reaped <= waited)) | workers_started(case, pace.opening, pace.first_work)
        boundary[0] = False
        boundaries.append(boundary & (waited >= case.limits.input_wait_ns))
    lost = waits.where(waits.in_steps(boundaries) & ~case.in_warm_up(waits))
    if len(lost):
        yield _found(case, lost, forks=int(lost.ns[case.in_os_calls_like(lost, SPAWN)].sum()))


def _in_long_gaps(case: Case, host: Bool) -> Bool:
    """Return, without steps, which pieces lie in gaps in which workers are started."""
    pieces = case.pieces
    gap, first, place = np.unique(pieces.gap, return_index=True, return_inverse=True)
    waited = np.bincount(place, np.where(host, pieces.ns, 0), len(gap))
    reaped = np.bincount(place, np.where(case.in_os_calls_like(pieces, REAP), pieces.ns, 0), len(gap))
    since, end = away_since(case, pieces)[first], pieces.gap_end[first]
    process = case.index.process_of_thread[pieces.thread[first]].astype(np.int64)
    forked = calls_between(case, process, since, end, SPAWN)
    loaders = loader_starts(case)
    # The first of all is a start, and no restart.
    started = workers_started(case, since, end) & (forked | (since > loaders.min(initial=NEVER)))
    started |= forked & (2 * reaped <= waited)
    found: Bool = (started & (waited >= case.limits.input_wait_ns))[place]
    return found


def _per_step(waits: Pieces, mine: Bool, steps: int) -> Int64:
    """Return the time of ``mine`` of the pieces in each step of one pace, ns."""
    return np.bincount(waits.step[mine], waits.ns[mine], steps).astype(np.int64)


def _found(case: Case, lost: Pieces, forks: int) -> Found:
    hit = lost.step_count if case.paces else len(np.unique(lost.gap))
    numbers = np.zeros(0, np.int64)
    for i, pace in enumerate(case.paces):
        numbers = np.union1d(numbers, pace.number[lost.step[lost.pace == i]])
    apart = set(np.diff(numbers).tolist())
    where = f"before {plural(hit, 'step')} of {case.all_steps}" if case.paces else f"in {plural(hit, 'gap')}"
    reasons = []
    if forks:
        reasons.append(
            f"the launching thread forks in these gaps ({share(forks, int(lost.ns.sum()))} of the lost time)"
        )
    else:
        reasons.append("several processes are first seen in these gaps")
    if len(numbers) > 1 and len(apart) == 1:
        reasons.append(f"it comes every {plural(apart.pop(), 'step')}: an epoch's length")
    return Found(
        title=f"loader workers are restarted {where}, and the GPU waits",
        evidence=tuple(longest_gaps(case, lost)),
        confidence=Confidence.HIGH if forks and hit > 1 else Confidence.MEDIUM,
        reasons=tuple(reasons),
        confirm=case.commands.capture("cuda,nvtx,osrt", "--trace-fork-before-exec=true")
        + "  over two epoch boundaries; an NVTX range around `iter(loader)` names it",
        claims=lost.claims(),
    )


FAULT = Fault(
    "worker-respawn",
    "loader workers restarted at epoch boundaries",
    _examine,
    "Idle time before a step in which processes are forked, or new ones make their first appearance and "
    "live on; compilers and other programs that are waited for are none of them.",
    advice=(
        "`DataLoader(persistent_workers=True)`: the workers and their queues outlive the epoch.",
        "One long iterator over many epochs (an infinite sampler) instead of `iter(loader)` per epoch.",
        "Make a worker cheap to start: open files lazily, "
        "keep the dataset object small (it is pickled or forked).",
    ),
    also_possible=(
        "evaluation or a checkpoint at the epoch's end",
        "a sampler or dataset that shuffles or lists files at the epoch's start",
    ),
    limits=("input_wait_ns", "long_piece_ns", "steps_for_pattern", "warm_up_ratio"),
)
