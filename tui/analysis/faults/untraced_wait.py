"""The launching thread sleeps or waits in something that was not traced."""

from __future__ import annotations

import numpy as np

from tui.analysis.cpu.scheduling import scheduling
from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import longest_gaps, share_of, usual_label
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Claim, Confidence, Findings, Found, Lost, NotAssessable
from tui.analysis.faults.host_code import host_code
from tui.analysis.faults.pieces import Pieces
from tui.intervals import subtract
from tui.text.numbers import plural
from tui.text.times import show_duration


def _examine(case: Case) -> Findings:
    code = host_code(case)
    if not code.matters(case):
        return
    if code.known_share < case.limits.known_share:
        yield NotAssessable(
            "whether the host computed or waited while the GPU was idle is unknown: no scheduling data",
            "--cpuctxsw=process-tree",
        )
        return
    waiting = code.where(code.off_share >= case.limits.on_cpu_share)
    if len(waiting.pieces):
        yield _found(case, waiting.pieces, int((waiting.pieces.ns - waiting.ran).sum()))


def _found(case: Case, pieces: Pieces, off_ns: int) -> Found:
    gaps = plural(len(np.unique(pieces.gap)), "gap")
    label = usual_label(case, pieces.range, pieces.ns)
    where = f", mostly under {label!r}" if label else ""
    traced = len(case.report.os_calls) > 0
    reasons = [
        f"the launching thread was off the CPU for {share_of(off_ns, int(pieces.ns.sum()))} the host code "
        f"in {gaps}: it did not compute, it waited for {show_duration(off_ns)}",
        "OS calls were traced, and none was in progress: the wait is in something else"
        if traced
        else "OS calls were not traced: sleeps, locks and files can't be seen",
    ]
    return Found(
        title=f"the host waits, off the CPU, for something that was not traced in {gaps}{where}",
        evidence=tuple(longest_gaps(case, pieces)),
        confidence=Confidence.MEDIUM if traced else Confidence.HIGH,
        reasons=tuple(reasons),
        confirm=case.commands.capture("cuda,nvtx,osrt", "--cpuctxsw=process-tree", "--python-backtrace=cuda"),
        claims=tuple(_off_cpu(case, pieces)),
    )


def _off_cpu(case: Case, pieces: Pieces) -> list[Claim]:
    """The time of these pieces during which their threads did not run."""
    start, end, device = ([np.zeros(0, np.int64)] for _ in range(3))
    for thread in np.unique(pieces.thread).tolist():
        running = scheduling(case.index).coverage(thread)
        if running is None:
            continue
        mine = np.flatnonzero(pieces.thread == thread)
        off = subtract((pieces.start[mine], pieces.end[mine]), running.spans)
        start.append(off.start)
        end.append(off.end)
        device.append(pieces.device[mine[off.source]].astype(np.int64))
    joined = np.concatenate(device).astype(np.int32), np.concatenate(start), np.concatenate(end)
    return Claim.by_device(joined[0], Lost.IDLE, *joined[1:])


FAULT = Fault(
    "untraced-wait",
    "the launching thread waits in something that was not traced",
    _examine,
    "Long host code in gaps during which the launching thread is not on a CPU, without any call.",
    advice=(
        "Find what it waits for: capture with --trace=cuda,nvtx,osrt, and --python-backtrace=cuda in Python.",
        "Look for sleeps, locks, queues and joins in the loop; hand data over without waiting.",
    ),
    also_possible=(
        "other programs took the CPU: the scheduler's events don't tell waiting from waiting for a CPU",
        "page faults and swapping",
    ),
    limits=("min_cost_pct", "long_piece_ns", "on_cpu_share", "known_share"),
)
