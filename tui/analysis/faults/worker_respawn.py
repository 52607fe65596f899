"""Loader workers are started anew at an epoch's boundary while everything waits for them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from tui.analysis.blame import BlameClass
from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import longest_gaps, share
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Confidence, Found, NotAssessable
from tui.analysis.faults.outliers import in_steps, in_warm_up
from tui.analysis.faults.pieces import Pieces
from tui.report.columns import Int64
from tui.text.numbers import plural

SPAWN = re.compile(r"^(fork|vfork|clone\d?|posix_spawn\w*|execve\w*|wait(pid|id|3|4)?|kill|pthread_create)$")


def examine(case: Case) -> Iterator[Found | NotAssessable]:
    """See :data:`FAULT`."""
    if not case.paces:
        return
    if not len(case.report.os_calls):
        yield NotAssessable(
            "no OS calls were traced: a fork and a worker's first read can't be seen",
            case.commands.capture("cuda,nvtx,osrt", "--trace-fork-before-exec=true"),
        )
        return
    pieces = case.pieces
    host = (pieces.cause == BlameClass.OS_CALL) | (pieces.cause == BlameClass.HOST_CODE)
    waits = pieces.where(host & pieces.in_opening & (pieces.step > 0))
    forks = case.names_like(np.where(waits.cause == BlameClass.OS_CALL, waits.call, -1), SPAWN)
    births = _births(case)
    chosen = np.zeros(len(waits), bool)
    for number, pace in enumerate(case.paces):
        mine = waits.pace == number
        boundary = np.zeros(len(pace), bool)
        boundary[waits.step[mine & forks]] = True
        opened = np.searchsorted(births, pace.opening, "left")
        begun = np.searchsorted(births, pace.first_work, "left")
        boundary |= begun - opened >= 2  # a helper thread may start at any time; workers come in numbers
        boundary[0] = False
        long = np.bincount(waits.step[mine], weights=waits.ns[mine], minlength=len(pace))
        boundary &= long >= case.limits.input_wait_ns
        chosen |= in_steps(waits, number, boundary)
    lost = waits.where(chosen & ~in_warm_up(case, waits))
    if len(lost):
        yield _found(case, lost, forks=int(waits.ns[chosen & forks].sum()))


def _births(case: Case) -> Int64:
    """When each process is first seen in an OS call, sorted."""
    os_calls = case.report.os_calls
    process = case.index.process_of_thread[os_calls.thread]
    _, first = np.unique(process, return_index=True)
    times: Int64 = np.sort(os_calls.start[first])
    return times


def _found(case: Case, lost: Pieces, forks: int) -> Found:
    steps = case.all_steps
    hit = len(np.unique(lost.step * len(case.paces) + lost.pace))
    numbers = [int(n) for n in np.unique(_numbers(case, lost))]
    apart = set(np.diff(numbers).tolist())
    total = int(lost.ns.sum())
    reasons = []
    if forks:
        reasons.append(f"the launching thread forks in these gaps ({share(forks, total)} of the lost time)")
    else:
        reasons.append("several processes are first seen in these gaps")
    if len(numbers) > 1 and len(apart) == 1:
        reasons.append(f"it comes every {plural(apart.pop(), 'step')}: an epoch's length")
    return Found(
        title=f"loader workers are started anew before {plural(hit, 'step')} of {steps}, and the GPU waits",
        evidence=tuple(longest_gaps(case, lost)),
        confidence=Confidence.HIGH if forks and hit > 1 else Confidence.MEDIUM,
        reasons=tuple(reasons),
        confirm=case.commands.capture("cuda,nvtx,osrt", "--trace-fork-before-exec=true")
        + "  over two epoch boundaries; an NVTX range around `iter(loader)` names it",
        claims=lost.claims(),
    )


def _numbers(case: Case, lost: Pieces) -> Int64:
    found = [case.paces[p].number[lost.step[lost.pace == p]] for p in range(len(case.paces))]
    numbers: Int64 = np.concatenate(found)
    return numbers


FAULT = Fault(
    "worker-respawn",
    "loader workers started anew at epoch boundaries",
    examine,
    "Idle time before a step in which processes are forked, or new ones make their first appearance.",
    advice=(
        "`DataLoader(persistent_workers=True)`: the workers and their queues outlive the epoch.",
        "One long iterator over many epochs (an infinite sampler) instead of `iter(loader)` per epoch.",
        "Make a worker cheap to start: open files lazily, keep the dataset object small (it is pickled or "
        "forked).",
    ),
    also_possible=(
        "evaluation or a checkpoint at the epoch's end",
        "a sampler or dataset that shuffles or lists files at the epoch's start",
    ),
    limits=("input_wait_ns", "steps_for_pattern", "warm_up_ratio"),
)
