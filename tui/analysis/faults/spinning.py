"""A thread that waits for the device keeps a core busy."""

from __future__ import annotations

import re

import numpy as np

from tui.analysis.cpu.frames import CLOCK_READS
from tui.analysis.cpu.sampling import samples
from tui.analysis.faults.case import Case
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Confidence, Evidence, Findings, Found
from tui.analysis.grouping import dense
from tui.report.model import CallClass
from tui.text.numbers import plural

_SPINS = re.compile(r"(__)?(sched_yield|p?poll|pthread_yield|clock_gettime|_?mm_pause|cpu_relax)\b.*")


def _examine(case: Case) -> Findings:
    taken, calls = samples(case.index), case.report.calls
    if not len(taken) or not len(calls):
        return
    waits = np.flatnonzero((calls.call_class == CallClass.SYNCHRONISATION) & case.calls_in_scope)
    _, inside = taken.inside(calls.start[waits], calls.end[waits], calls.thread[waits])
    inside = inside[(taken.start[inside] >= case.window.start) & (taken.start[inside] < case.window.end)]
    names = taken.tree.frames.name
    spins = np.array([name == CLOCK_READS or bool(_SPINS.fullmatch(name)) for name in names] + [False], bool)
    group, threads = dense(taken.thread[inside])
    for number, thread in enumerate(threads.tolist()):
        mine = inside[group == number]
        count = int(spins[taken.leaf[mine]].sum())
        if len(mine) < case.limits.hot_samples or count < case.limits.spin_share * len(mine):
            continue
        tid = taken.threads[thread].tid
        leaf = names[int(np.bincount(taken.leaf[mine[spins[taken.leaf[mine]]]]).argmax())]
        text = (
            f"{count:,} of {plural(len(mine), 'sample')} of thread {tid} in calls that wait for the device "
            f"are in code that only looks again, mostly {leaf}"
        )
        window = case.window
        command = case.commands.samples(window.start, window.end, tid)
        yield Found(
            title=f"thread {tid} spins while it waits for the device",
            evidence=(Evidence(text, None, "", command, window.start, window.end),),
            confidence=Confidence.MEDIUM,
            reasons=("waiting actively is CUDA's default: it answers soonest, and takes a core",),
            confirm=case.commands.capture("cuda,nvtx,osrt", "--sample=process-tree"),
            without_cost="no device time by itself: it takes a core from threads that could use it",
            minor=True,
        )


FAULT = Fault(
    "spinning",
    "a thread that waits for the device keeps a core busy",
    _examine,
    "Most CPU samples in calls that wait for the device are in clock reads, sched_yield or poll.",
    advice=(
        "Where cores are short: cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync), or events with "
        "cudaEventBlockingSync.",
        "Fewer threads that poll for completion.",
    ),
    limits=("spin_share", "hot_samples"),
)
