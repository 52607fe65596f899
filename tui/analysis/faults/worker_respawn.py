"""Loader workers are started again at an epoch's boundary while everything waits for them."""

from __future__ import annotations

import re

import numpy as np

from tui.analysis.blame import BlameClass
from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import longest_gaps, share
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Confidence, Findings, Found, NotAssessable
from tui.analysis.faults.pieces import Pieces
from tui.report.columns import Bool, Int64
from tui.text.numbers import plural

SPAWN = re.compile(r"^(fork|vfork|clone\d?|posix_spawn\w*|execve\w*|wait(pid|id|3|4)?|kill|pthread_create)$")


def _examine(case: Case) -> Findings:
    if not case.paces:
        return
    if not len(case.report.os_calls):
        yield NotAssessable(
            "no OS calls were traced: a fork and a worker's first read can't be seen",
            case.commands.capture("cuda,nvtx,osrt", "--trace-fork-before-exec=true"),
        )
        return
    pieces = case.pieces
    host = pieces.caused_by(BlameClass.OS_CALL, BlameClass.HOST_CODE)
    waits = pieces.where(host & pieces.in_opening & (pieces.step > 0))
    forks = case.in_os_calls_like(waits, SPAWN)
    first_seen = _first_seen(case)
    boundaries: list[Bool] = []
    for number, pace in enumerate(case.paces):
        mine = waits.pace == number
        boundary = np.zeros(len(pace), bool)
        boundary[waits.step[mine & forks]] = True
        opened = np.searchsorted(first_seen, pace.opening, "left")
        begun = np.searchsorted(first_seen, pace.first_work, "left")
        boundary |= begun - opened >= 2  # a helper thread may start at any time; workers come in numbers
        boundary[0] = False
        waited = np.bincount(waits.step[mine], weights=waits.ns[mine], minlength=len(pace))
        boundaries.append(boundary & (waited >= case.limits.input_wait_ns))
    chosen = waits.in_steps(boundaries)
    lost = waits.where(chosen & ~case.in_warm_up(waits))
    if len(lost):
        yield _found(case, lost, forks=int(waits.ns[chosen & forks].sum()))


def _first_seen(case: Case) -> Int64:
    """Return when each process is first seen in an OS call, sorted."""
    os_calls = case.report.os_calls
    process = case.index.process_of_thread[os_calls.thread]
    _, first = np.unique(process, return_index=True)
    times: Int64 = np.sort(os_calls.start[first])
    return times


def _found(case: Case, lost: Pieces, forks: int) -> Found:
    hit = lost.step_count
    numbers = np.unique(
        np.concatenate([pace.number[lost.step[lost.pace == i]] for i, pace in enumerate(case.paces)])
    )
    apart = set(np.diff(numbers).tolist())
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
        title=f"loader workers are restarted before {plural(hit, 'step')} of {case.all_steps}, "
        "and the GPU waits",
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
    "Idle time before a step in which processes are forked, or new ones make their first appearance.",
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
    limits=("input_wait_ns", "steps_for_pattern", "warm_up_ratio"),
)
