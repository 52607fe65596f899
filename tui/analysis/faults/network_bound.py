"""Exposed communication while a network adapter moves what it can: the link decides how long it takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.faults.collectives import collective_name, find_collectives
from tui.analysis.faults.evidence import CANDIDATES, exposed_stretches, share
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Claim, Confidence, Findings, Found
from tui.analysis.faults.ledger import cost
from tui.analysis.network.series import NetworkSeries, may_have_samples, network_samples
from tui.analysis.network.speeds import configured_speeds, speed_of
from tui.analysis.network.stretches import Part
from tui.analysis.network.table import FEW
from tui.errors import ReportError, UsageError
from tui.intervals import Spans, total, union
from tui.report.columns import Int64
from tui.text import safe
from tui.text.rates import show_amount
from tui.text.times import show_duration

_COVERED = 0.5
"""No finding rests on samples that cover less of its time."""


class _Bound(NamedTuple):
    series: NetworkSeries
    part: Part
    rate: float
    """Bytes a second while communication is exposed."""
    most: float
    speed: float | None
    """Bytes a second; None: nobody says what the link can."""


def _examine(case: Case) -> Findings:
    if not may_have_samples(case.report):
        return
    found = find_collectives(case)
    chosen = ~found.is_apart
    claims = case.exposed_claims(found.op[chosen])
    exposed = cost(claims)
    if not exposed or 100 * exposed < case.limits.exposed_pct * case.device_ns:
        return
    spans = union(*(_joined(claims, end) for end in ("start", "end")))
    bounds = sorted(_bounds(case, spans), key=lambda bound: -bound.rate)
    if not bounds:
        return
    best = bounds[0]
    name = safe(best.series.device.name)
    known = best.speed is not None
    reasons = [
        f"{name} moves {show_amount(best.rate, 'bytes/s')} while {show_duration(exposed)} of communication "
        f"is exposed, {share(best.rate, best.speed or best.most)} of "
        + ("its configured speed" if known else "the most that it moves in this capture")
    ]
    if not known:
        reasons.append("its speed is not in the export: [network] speed in the config file makes this sure")
    kinds = sorted({collective_name(case, op) for op in found.op[chosen][:CANDIDATES].tolist()})
    yield Found(
        title=f"communication waits for the network: {name} is at its limit",
        evidence=tuple(exposed_stretches(case, claims, " or ".join(kinds[:2]))),
        confidence=Confidence.HIGH if known else Confidence.MEDIUM,
        reasons=tuple(reasons),
        confirm=f"{case.commands.network()}: rates by port; the same with half of the ranks a host",
        claims=tuple(claims),
    )


def _joined(claims: list[Claim], end: str) -> Int64:
    return np.concatenate([getattr(claim.spans, end) for claim in claims])


def _bounds(case: Case, spans: Spans) -> Iterator[_Bound]:
    """Yield the ports that are near their limit in these stretches of time."""
    try:
        speeds = configured_speeds()
    except UsageError:  # told by the commands that need it
        speeds = {}
    try:
        samples = network_samples(case.index)
    except ReportError:  # told by the command that shows them
        return
    for series in samples.of_bytes():
        part = series.values.within(spans.start, spans.end)
        factor = series.measure.per_second
        if (
            part.mean is None
            or part.samples < FEW
            or part.known_ns < _COVERED * total(spans.start, spans.end)
        ):
            continue
        rate, most = part.mean * factor, series.greatest * factor
        speed = speed_of(series.device.name, speeds)
        near = case.limits.network_speed_share * speed if speed else case.limits.network_most_share * most
        if rate > 0 and rate >= near:
            yield _Bound(series, part, rate, most, speed)


FAULT = Fault(
    "network-bound",
    "communication at the limit of a network adapter",
    _examine,
    "Exposed collectives, and an adapter of the host that moves as much as it can in them.",
    (
        "Send less over the network: bf16 or compressed gradients, gradient accumulation, sharding within "
        "the node (HSDP), hierarchical all-to-alls.",
        "Hide it: earlier buckets, prefetching, larger micro-batches.",
        "Use all adapters: GPUDirect RDMA on, NCCL_IB_HCA and the topology right, one adapter a GPU.",
    ),
    also_possible=("traffic of others over the same adapter: storage, another job",),
    limits=("exposed_pct", "network_speed_share", "network_most_share"),
)
