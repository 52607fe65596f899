"""The launching thread has to share its CPU, or is moved about."""

from __future__ import annotations

import numpy as np

from tui.analysis.cpu.preemption import preemptions
from tui.analysis.cpu.scheduling import scheduling
from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import longest_gaps, share
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Claim, Confidence, Evidence, Findings, Found, Lost, NotAssessable
from tui.analysis.faults.host_code import host_code
from tui.analysis.faults.pieces import Pieces
from tui.intervals import overlaps
from tui.report.columns import NULL
from tui.text.numbers import plural
from tui.text.times import show_duration

_LEAST = 5
"""Fewer preemptions are an accident."""


def _examine(case: Case) -> Findings:
    if not scheduling(case.index):
        if host_code(case).matters(case):
            yield NotAssessable(
                "whether the host had to wait for a CPU is unknown: no scheduling data",
                "--cpuctxsw=process-tree",
            )
        return
    host = host_code(case).pieces
    claims, hit, count = _preempted(case, host)
    ns = sum(int((claim.spans.end - claim.spans.start).sum()) for claim in claims)
    known = host_code(case).known_share >= case.limits.known_share
    if known and count >= _LEAST and ns >= case.limits.preempted_share * int(host.ns.sum()):
        yield _found(case, host.where(hit), claims, ns, count)
    else:
        yield from _moved(case)


def _preempted(case: Case, host: Pieces) -> tuple[list[Claim], np.ndarray, int]:
    """(the time of these pieces during which their threads probably had to wait, which pieces, how often)."""
    found = preemptions(case.index)
    hit, count = np.zeros(len(host), bool), 0
    start, end, device = ([np.zeros(0, np.int64)] for _ in range(3))
    for thread in np.unique(host.thread).tolist():
        mine = np.flatnonzero(host.thread == thread)
        spans = found.coverage(thread).spans
        both = overlaps((host.start[mine], host.end[mine]), spans)
        hit[mine[both.left]] = True
        count += len(np.unique(both.right))
        start.append(both.start)
        end.append(both.end)
        device.append(host.device[mine[both.left]].astype(np.int64))
    of = np.concatenate(device).astype(np.int32)
    return Claim.by_device(of, Lost.IDLE, np.concatenate(start), np.concatenate(end)), hit, count


def _found(case: Case, host: Pieces, claims: list[Claim], ns: int, count: int) -> Found:
    return Found(
        title=f"the launching thread probably lost its CPU to others {plural(count, 'time')} in gaps",
        evidence=tuple(longest_gaps(case, host)),
        confidence=Confidence.LOW,
        reasons=(
            f"{plural(count, 'time')}, for {show_duration(ns)} in all, another thread was put on its CPU at "
            "once, it was in no call, and came back on that CPU",
            "the scheduler's events don't say why a thread left: that it had to is likely, not sure",
        ),
        confirm=case.commands.capture("cuda,nvtx,osrt", "--cpuctxsw=system-wide"),
        claims=tuple(claims),
    )


def _moved(case: Case) -> Findings:
    """Yield the launching threads that change CPUs often."""
    window = case.window
    times = scheduling(case.index).times(window.start, window.end)
    launching = np.unique(case.report.calls.thread[case.index.launches])
    for thread in launching[launching >= 0].tolist():
        moves = int(times.migrations[thread])
        rate = moves / (window.length / 1e9) if moves != NULL and window.length else 0.0
        if moves >= _LEAST and rate > case.limits.migrations_per_s and case.own_threads[thread]:
            tid = case.report.threads[thread].tid
            ran = share(int(times.on[thread]), window.length)
            text = f"thread {tid} was put on another CPU {moves:,} times; it ran for {ran} of the window"
            command = case.commands.threads(window.start, window.end)
            yield Found(
                title=f"the launching thread changes CPUs {rate:,.0f} times a second",
                evidence=(Evidence(text, moves, "count", command, window.start, window.end),),
                confidence=Confidence.LOW,
                reasons=("each move costs caches; how much can't be read from a trace",),
                confirm=f"run with taskset or numactl --cpunodebind: {case.commands.program}",
                without_cost="what a move between CPUs costs is not recorded",
                minor=True,
            )


FAULT = Fault(
    "cpu-starved",
    "the launching thread shares its CPU, or is moved about",
    _examine,
    "Host code in gaps during which another thread took the launching thread's CPU, or many changes of CPU.",
    advice=(
        "Give the process more cores, or bind its threads (taskset, numactl, --cpu-bind).",
        "Use fewer loader workers and OpenMP threads (OMP_NUM_THREADS) than cores.",
    ),
    also_possible=(
        "it waited for the other thread (a lock that was handed over)",
        "it slept in something that was not traced, and the other thread happened to run there",
    ),
    limits=("min_cost_pct", "long_piece_ns", "known_share", "preempted_share", "migrations_per_s"),
)
