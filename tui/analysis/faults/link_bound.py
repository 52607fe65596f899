"""Transfers without compute beside them fill their link: NVLink or PCIe."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Claim, Confidence, Evidence, Findings, Found, Lost
from tui.analysis.metrics.average import FEW
from tui.analysis.metrics.capture import may_have_metrics, metrics_of
from tui.intervals import Spans
from tui.text.times import show_duration

_LINKS = {"nvlink_rx": "NVLink", "nvlink_tx": "NVLink", "pcie_rx": "PCIe", "pcie_tx": "PCIe"}


def _examine(case: Case) -> Findings:
    if not may_have_metrics(case.report):
        return
    evidence, claims, names = [], [], []
    for device in case.devices:
        exposed = case.ledger.lost(device.index, Lost.SERIALISED)
        for key in _LINKS:
            metric = metrics_of(case.index).find(device.index, key)
            if metric is None or not metric.is_share:
                continue
            average = metric.quantity.average(exposed)
            if average.sure is None or average.sure < case.limits.link_pct:
                continue
            full = metric.quantity.mean(exposed.start, exposed.end) >= case.limits.link_pct
            spans = Spans(exposed.start[full], exposed.end[full])
            ns = int((spans.end - spans.start).sum())
            first, last = metric.quantity.samples_in(spans.start, spans.end)
            if int((last - first).sum()) < FEW:
                continue
            mean = metric.quantity.average(Spans(np.array([case.window.start]), np.array([case.window.end])))
            if mean.known is None:
                continue
            value = round(mean.known, 1)
            text = (
                f"{case.device_name(device.index)}: {metric.name} {value} % on average, and "
                f"from {case.limits.link_pct:.0f} % on while transfers run alone"
            )
            window = case.window
            command = case.commands.metrics(device.index, key)
            evidence.append(Evidence(text, value, "%", command, window.start, window.end, device.index))
            claims.append(Claim(device.index, Lost.SERIALISED, spans))
            names.append((_LINKS[key], ns))
            break
    if claims:
        link, ns = max(names, key=lambda pair: pair[1])
        yield Found(
            title=f"{link} is full while transfers run alone, for {show_duration(ns)}",
            evidence=tuple(evidence),
            confidence=Confidence.MEDIUM,
            reasons=(
                "the link carries most of its peak while nothing computes: faster transfers need less data",
            ),
            confirm="`nvidia-smi topo -m` and the rate of the same transfers in a benchmark (nccl-tests)",
            claims=tuple(replace(claim) for claim in claims),
        )


FAULT = Fault(
    "link-bound",
    "transfers without compute beside them fill their link",
    _examine,
    "NVLink or PCIe from 60 % of the peak on while copies or collectives run alone (GPU metrics).",
    advice=(
        "Hide it: smaller buckets that start earlier, a stream of its own for copies.",
        "Send less: gradient compression, BF16 instead of FP32, sharding that fits the topology.",
    ),
    limits=("link_pct",),
)
