"""Communication without compute beside it: compute waits until the data has been exchanged."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.faults.collectives import apart_words, collective_name, edge_words, find_collectives
from tui.analysis.faults.evidence import exposed_stretches, launch_ranges, share_of, step_command, total_time
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Confidence, Evidence, Findings, Found
from tui.analysis.faults.ledger import cost
from tui.analysis.step_table import step_rows
from tui.report.columns import Positions
from tui.text.times import show_duration

_NAMED = re.compile(r"all_?to_?all|a2a|dispatch|expert|moe", re.IGNORECASE)

REDUCE, EXCHANGE = "exposed-all-reduce", "exposed-all-to-all"


def _examine(case: Case, slug: str) -> Findings:
    ops, found = case.report.ops, find_collectives(case)
    # One that is most of the time of its kind waits for another rank: no overlap would hide that.
    chosen = (found.exchange == (slug == EXCHANGE)) & ~found.is_apart
    collectives = found.op[chosen]
    claims = case.exposed_claims(collectives)
    exposed = cost(claims)
    if not exposed or (slug == REDUCE and 100 * exposed < case.limits.exposed_pct * case.device_ns):
        return
    spent = total_time(case, collectives)
    first = np.unique(ops.name[collectives], return_index=True)[1]
    kinds = sorted({collective_name(case, int(collectives[i])) for i in first})
    named = slug == EXCHANGE and _named(case, collectives)
    sure = slug == REDUCE or named or any("AllToAll" in k for k in kinds)
    reasons = [
        f"{len(collectives):,} collectives last {show_duration(spent)}, "
        f"{show_duration(exposed)} of it alone on their device"
    ]
    if slug == REDUCE:
        reasons.append("the last bucket of a step can't be hidden: some of this always stays")
    elif named:
        reasons.append("the range around their launch is named after an all-to-all")
    elif not sure:
        reasons.append("their name (send and receive) fits an all-to-all and a pipeline's sends")
    reasons += apart_words(case, found, found.exchange == (slug == EXCHANGE))
    edges = edge_words(case, found, chosen)
    if edges:
        reasons.append(edges)
    yield Found(
        title=f"{share_of(exposed, spent)} the {' and '.join(kinds[:3])} time is exposed: "
        "nothing computes beside it",
        evidence=(*exposed_stretches(case, claims, " or ".join(kinds[:2])), *_worst_step(case)),
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
        reasons=tuple(reasons),
        confirm="one report a rank, "
        + case.commands.capture("cuda,nvtx,osrt", output="run_%q{RANK}")
        + ", then `nsystui steps run_0.nsys-rep` and so on: the exposed communication of the same step",
        claims=tuple(claims),
    )


def _named(case: Case, collectives: Positions) -> bool:
    """Return whether most ranges around these launches are named after an exchange between experts."""
    ranges = launch_ranges(case, collectives)
    ranges = ranges[ranges >= 0]
    return bool(len(ranges)) and float(case.ranges_like(_NAMED)[ranges].mean()) >= 0.5


def _worst_step(case: Case) -> Iterator[Evidence]:
    """Yield the step with most exposed communication, as the steps command prints it."""
    worst: list[tuple[int, ...]] = []
    for rows in step_rows(case.index, case.steps, case.scope):
        if rows.exposed is not None and len(rows):
            i = int(np.argmax(rows.exposed))
            columns = (rows.exposed, rows.number, rows.start, rows.duration)
            worst.append(tuple(int(column[i]) for column in columns))
    for ns, number, start, duration in sorted(worst)[-1:]:
        text = f"step {number} has {show_duration(ns)} of exposed communication"
        command = step_command(case, number, start, start + duration)
        yield Evidence(text, ns, "ns", command, start, start + duration)


EXCHANGE_FAULT = Fault(
    EXCHANGE,
    "all-to-all exchanges between experts, not overlapped",
    partial(_examine, slug=EXCHANGE),
    "Exposed all-to-alls.",
    advice=(
        "Overlap the exchange with compute: split the batch in two and run one half's experts "
        "while the other's tokens travel; shared experts beside the dispatch.",
        "Balance the experts (capacity factor, auxiliary loss): "
        "an all-to-all lasts as long as its largest part.",
        "Keep expert parallelism within NVLink's reach; "
        "fused dispatch/combine kernels (DeepEP); fp8 dispatch.",
    ),
    also_possible=(
        "sends and receives of pipeline parallelism: a bubble, not an exchange between experts",
        "an unbalanced router: the rank with most tokens sets the pace",
    ),
)
REDUCE_FAULT = Fault(
    REDUCE,
    "gradient or parameter collectives, not overlapped",
    partial(_examine, slug=REDUCE),
    "Exposed all-reduces, reduce-scatters, all-gathers.",
    advice=(
        "DDP: let buckets go while backward runs: no `no_sync()` around the last micro-batch, "
        "no `find_unused_parameters`, `gradient_as_bucket_view=True`, "
        "a smaller `bucket_cap_mb` for an earlier start.",
        "FSDP: `backward_prefetch=BACKWARD_PRE`, `forward_prefetch=True`, `limit_all_gathers`; "
        "shard within the node.",
        "Send less: bf16 or compressed gradients (`ddp_comm_hooks`), gradient accumulation.",
        "JAX/XLA: `--xla_gpu_enable_latency_hiding_scheduler=true`.",
    ),
    also_possible=(
        "another rank comes late and this one waits inside the collective: "
        "compare the ranks before blaming the network",
        "the fabric is slow on every rank: check with nccl-tests (all_reduce_perf)",
    ),
    limits=("exposed_pct",),
)
