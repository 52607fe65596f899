"""The device works while nothing recorded runs on it: for another tenant, graphics, unrecorded work."""

from __future__ import annotations

from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import share
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Claim, Confidence, Evidence, Findings, Found, Lost
from tui.analysis.metrics.average import FEW
from tui.analysis.metrics.capture import may_have_metrics, metrics_of
from tui.analysis.metrics.device_busy import AWAKE, busy_elsewhere, idle_spans
from tui.intervals import Spans
from tui.text.times import show_duration

EXACT = "other-tenant"
"""Context switches say the same exactly: where they were recorded, this is evidence for what they say."""


def _examine(case: Case) -> Findings:
    if not may_have_metrics(case.report):
        return
    window, evidence, claims, total = case.window, [], [], 0
    for device in case.devices:
        found = busy_elsewhere(case.index, device.index)
        quantity = metrics_of(case.index).quantity(device.index, "gr_active")
        if found is None or quantity is None:
            continue
        pieces = found.cut(window.start, window.end)
        ns = int((pieces.end - pieces.start).sum())
        idle = quantity.average(idle_spans(case.index, device.index, window.start, window.end))
        first, last = quantity.samples_in(pieces.start, pieces.end)
        if idle.sure is None or int((last - first).sum()) < FEW:
            continue
        if 100 * ns < case.limits.min_cost_pct * window.length:
            continue
        total += ns
        name = case.device_name(device.index)
        text = f"{name} is active for {show_duration(ns)} in which nothing recorded runs"
        command = case.commands.gaps(window.start, window.end, device.index)
        evidence.append(Evidence(text, ns, "ns", command, window.start, window.end, device.index))
        claims.append(Claim(device.index, Lost.IDLE, Spans(pieces.start, pieces.end)))
    if claims:
        yield Found(
            title=f"the GPU works for someone else for {share(total, case.device_ns)} of the time",
            evidence=tuple(evidence),
            confidence=Confidence.MEDIUM,
            reasons=(
                f"its engine is active for more than {AWAKE:.0f} % of intervals that hold no recorded work",
                "only samples that lie in idle time altogether count: the rest may be this program's own",
            ),
            confirm="`nvidia-smi pmon` beside the run lists the processes that use the GPU",
            claims=tuple(claims),
            under=(EXACT,),
        )


FAULT = Fault(
    "busy-elsewhere",
    "the GPU works while nothing recorded runs",
    _examine,
    "GR active over 5 % in intervals in which no recorded work runs (GPU metrics).",
    advice=("Take a node of your own, or keep other jobs, display and monitoring off this GPU.",),
    also_possible=(
        "work of this program that was not recorded: whole graphs, other APIs, a child process",
        "MIG or time slicing: another instance of the same GPU",
    ),
    limits=("min_cost_pct",),
)
