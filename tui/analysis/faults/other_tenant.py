"""The GPU works for another process while this one's work is ready."""

from __future__ import annotations

from tui.analysis.blame import BlameClass
from tui.analysis.contexts.owners import device_contexts, elsewhere
from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import longest_gaps
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Confidence, Findings, Found
from tui.intervals import total
from tui.text.numbers import share_spaced


def _examine(case: Case) -> Findings:
    ns = 0
    assumed = []
    for device in case.devices:
        other = elsewhere(case.index, device.index, case.scope.processes)
        if other is not None:
            ns += total(*other.cut(case.window.start, case.window.end)[:2])
            found = device_contexts(case.index, device.index)
            assumed += [found.note] if found is not None and found.note else []
    lost = case.pieces.where(case.pieces.caused_by(BlameClass.OTHER_CONTEXT))
    if not ns or not len(lost):
        return
    yield Found(
        title=f"the GPU works for another process for {share_spaced(ns, case.device_ns)} of the time",
        evidence=tuple(longest_gaps(case, lost)),
        confidence=Confidence.MEDIUM if assumed else Confidence.HIGH,
        reasons=(
            "another process's context was on the GPU, by its own records, while launched work waited",
            *assumed,
        ),
        confirm="run alone on the GPU (`nvidia-smi` lists the processes on it) and compare the step times",
        claims=lost.claims(),
        minor=True,
    )


FAULT = Fault(
    "other-tenant",
    "a GPU that is shared with another process",
    _examine,
    "Launched work waits while the GPU's context switches say that another process is on it.",
    (
        "An exclusive GPU, or exclusive compute mode (`nvidia-smi -c EXCLUSIVE_PROCESS`).",
        "If both are yours: MPS lets kernels of several processes run side by side.",
    ),
    also_possible=("a display or a monitoring tool that uses the GPU",),
)
