"""Copies that block nobody and yet stand alone on the device: nothing computes beside them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tui.analysis.faults.blocking_copies import DEVICE_TO_HOST, HOST_TO_DEVICE
from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import longest, one_op, op_time, share, usual_range
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Confidence, Found, NotAssessable
from tui.intervals import total
from tui.text.numbers import plural
from tui.text.times import show_duration

PEER = 10


def examine(case: Case) -> Iterator[Found | NotAssessable]:
    """See :data:`FAULT`."""
    ops, data = case.report.ops, case.report.copies
    if not len(case.copies):
        return
    kind = data.copy_kind[ops.row[case.copies]]
    copies = case.copies[np.isin(kind, (HOST_TO_DEVICE, DEVICE_TO_HOST, PEER))]
    claims = case.exposed(copies)
    alone = sum(total(*c.spans) for c in claims)
    if 100 * alone < case.limits.unexplained_pct * case.device_ns:
        return
    size, spent = int(data.bytes[ops.row[copies]].sum()), int((ops.end[copies] - ops.start[copies]).sum())
    evidence = []
    for op in longest(case, copies):
        moved = int(data.bytes[ops.row[op]]) / 1e6
        text = f"{case.text(int(ops.name[op]))} of {moved:,.1f} MB takes {op_time(case, op)}"
        evidence.append(one_op(case, op, text))
    label = usual_range(case, copies)
    reasons = [
        f"{share(alone, spent)} of the copies' time no kernel runs beside them",
        f"{size / 1e9:,.2f} GB in {show_duration(spent)}: {size / max(spent, 1):.1f} GB/s on average",
    ]
    if label:
        reasons.append(f"most of that time was asked for under {label!r}")
    yield Found(
        title=f"{plural(len(copies), 'copy')} to and from the device run alone for "
        f"{share(alone, case.device_ns)} of the time",
        evidence=tuple(evidence),
        confidence=Confidence.HIGH,
        reasons=tuple(reasons),
        confirm=case.commands.capture("cuda,nvtx", "--gpu-metrics-devices=all")
        + "  (is the link full all the time?)",
        claims=tuple(claims),
    )


FAULT = Fault(
    "exposed-copies",
    "copies that nothing computes beside",
    examine,
    "Host-device and peer copies without compute beside them, whoever asked for them.",
    advice=(
        "Start the copy earlier, on a stream of its own: prefetch the next batch, layer or block while this "
        "one computes.",
        "Move less: keep weights and state on the device, offload only what is needed late (FSDP/ZeRO "
        "offload moves every parameter every step), smaller types, several small copies in one.",
        "If this is a benchmark of copies, all is well.",
    ),
    also_possible=(
        "copies and kernels share one stream: they can't overlap",
        "the compute of this capture is too little to hide any copy",
    ),
    limits=("unexplained_pct",),
)
