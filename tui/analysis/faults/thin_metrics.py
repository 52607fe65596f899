"""Metrics were captured, but cover too little to say anything."""

from __future__ import annotations

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Confidence, Evidence, Findings, Found
from tui.analysis.metrics.average import FEW, LEAST_COVERAGE
from tui.analysis.metrics.capture import may_have_metrics, metrics_of
from tui.intervals import Spans
from tui.text.numbers import plural


def _examine(case: Case) -> Findings:
    if not may_have_metrics(case.report):
        return
    window = case.window
    whole = Spans(np.array([window.start]), np.array([window.end]))
    for device in case.devices:
        metric = metrics_of(case.index).find(device.index, "sm_active")
        if metric is None:
            continue
        average = metric.quantity.average(whole)
        covered = average.coverage_pct or 0.0
        if average.samples >= FEW and covered >= 100 * LEAST_COVERAGE:
            continue
        name = case.device_name(device.index)
        value = round(covered, 1)
        command = case.commands.metrics(device.index, "sm_active")
        text = f"{name}: {plural(average.samples, 'sample')} cover {value} % of the window"
        yield Found(
            title=f"GPU metrics of {name} cover {covered:.0f} % of the window: too little to judge by",
            evidence=(Evidence(text, value, "%", command, window.start, window.end, device.index),),
            confidence=Confidence.HIGH,
            reasons=(
                "samples that came late are missing: the profiler's buffer overflowed, or it began late",
            ),
            confirm=case.commands.capture(
                "cuda,nvtx", "--gpu-metrics-devices=all", "--gpu-metrics-frequency=1000"
            ),
            of_capture=True,
        )
        return


FAULT = Fault(
    "thin-metrics",
    "GPU metrics cover too little of the time",
    _examine,
    "Fewer than 5 samples, or samples of less than half of the window.",
    ("Capture at a lower `--gpu-metrics-frequency`, or for a shorter time.",),
)
