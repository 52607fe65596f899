"""Every launch returns only after its kernel: CUDA_LAUNCH_BLOCKING, a debugger, a checking tool."""

from __future__ import annotations

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import calls_made, heaviest, longest_gaps, one_op, op_time
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Confidence, Findings, Found
from tui.text.numbers import plural


def _examine(case: Case) -> Findings:
    ops, calls = case.report.ops, case.report.calls
    linked = case.kernels[ops.launch[case.kernels] >= 0]
    if len(linked) < case.limits.few_kernels:
        return
    blocked = calls.end[ops.launch[linked]] >= ops.end[linked]
    if blocked.mean() < case.limits.blocked_share:
        return
    # Between two kernels that were waited for, nothing can be queued: all idle time after one is its doing.
    pieces = case.pieces
    over = np.sort(ops.end[linked[blocked]])
    after = np.isin(pieces.gap_start, over)
    lost = pieces.where(after)
    if not len(lost):
        return
    name = heaviest(calls.name[ops.launch[linked[blocked]]])
    longest = int(linked[blocked][np.argmax(ops.end[linked[blocked]] - ops.start[linked[blocked]])])
    yield Found(
        title=f"every launch waits for its kernel: {int(blocked.sum()):,} of "
        f"{plural(len(linked), 'launch')} return only after it",
        evidence=(
            one_op(case, longest, f"this kernel of {op_time(case, longest)} ended before its launch did"),
            calls_made(case, name),
            *longest_gaps(case, lost, shown=2),
        ),
        confidence=Confidence.HIGH,
        reasons=(
            f"{int(blocked.sum()):,} of {plural(len(linked), 'launch call')} end after their kernel",
            "so the device never has anything queued, and idles between any two kernels",
        ),
        confirm="env | grep -E 'CUDA_LAUNCH_BLOCKING|CUDA_DEBUGGER|PYTORCH_NO_CUDA_MEMORY_CACHING'; "
        + case.commands.capture("cuda,nvtx", "--sample=none"),
        claims=lost.claims(),
    )


FAULT = Fault(
    "launch-blocking",
    "launch calls return only after their kernels",
    _examine,
    "Launch calls that end after the kernel that they launch, nearly all of them.",
    advice=(
        "Unset CUDA_LAUNCH_BLOCKING (environment, launcher script, container image, notebook).",
        "Do not measure under a debugger, `compute-sanitizer` or `cuda-gdb`: they make every launch wait.",
        "Look for a debug flag of the framework (a synchronisation after every operator).",
    ),
    also_possible=("a tool in the process that instruments every launch and waits for it",),
    limits=("few_kernels", "blocked_share"),
)
