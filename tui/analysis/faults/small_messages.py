"""Most of the time of a communicator goes to messages too small to fill a link."""

from __future__ import annotations

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.faults.collectives import Collectives, collective_name, find_collectives
from tui.analysis.faults.evidence import CANDIDATES, exposed_stretches, share_of
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Confidence, Findings, Found, NotAssessable
from tui.analysis.faults.ledger import cost
from tui.analysis.grouping import combined
from tui.analysis.nccl.calls import has_calls
from tui.analysis.nccl.kernels import Carried, carried
from tui.analysis.payloads.reading import LEFT_OUT, payloads
from tui.report.columns import NULL, Bool
from tui.text.numbers import show_size
from tui.text.times import show_duration


def _examine(case: Case) -> Findings:
    found = find_collectives(case)
    if not len(found.op) or not has_calls(case.index):
        return
    held = carried(case.index, found.op)
    if (held.size == NULL).all():
        if payloads(case.index).are_absent:
            yield NotAssessable(LEFT_OUT, "nsys export -t sqlite --include-json=true REPORT.nsys-rep")
        return
    small = _small(case, found, held)
    small &= ~found.is_apart
    claims = case.exposed_claims(found.op[small])
    exposed = cost(claims)
    if not exposed:
        return
    ops = case.report.ops
    lasts = ops.end[found.op] - ops.start[found.op]
    spent, of_all = int(lasts[small].sum()), int(lasts[held.size != NULL].sum())
    count, steps = int(held.operations[small].sum()), case.all_steps
    usual = round(float(np.median(held.size[small] / held.operations[small])))
    kinds = sorted({collective_name(case, op) for op in found.op[small][:CANDIDATES].tolist()})
    yield Found(
        title=f"{share_of(spent, of_all)} the time of sized communication is in messages of "
        f"{show_size(usual).split('  ')[0]} or so",
        evidence=tuple(exposed_stretches(case, claims, " or ".join(kinds[:2]))),
        confidence=Confidence.HIGH,
        reasons=(
            f"{count:,} messages in {steps:,} steps, {round(count / max(1, steps)):,} a step; the median is "
            f"{show_size(usual).split('  ')[0]}",
            f"they take {show_duration(spent)}, {show_duration(exposed)} of it alone on their device",
        ),
        confirm=f"{case.commands.collectives()}: the bandwidth by size",
        claims=tuple(claims),
    )


def _small(case: Case, found: Collectives, held: Carried) -> Bool:
    """Which collectives are small messages of a communicator that has mostly such, and many a step."""
    ops, limits = case.report.ops, case.limits
    known = (held.size != NULL) & (held.operations > 0)
    each = np.where(known, held.size, 0) // np.where(known, held.operations, 1)
    small: Bool = known & (each < limits.small_message_bytes)
    if not case.all_steps:
        return np.zeros(len(small), bool)
    group, first = combined(ops.process[found.op], held.communicator)
    lasts = ops.end[found.op] - ops.start[found.op]
    chosen = np.zeros(len(small), bool)
    for number in range(len(first)):
        mine = known & (group == number)
        few = small & mine
        in_steps = few & (found.step >= 0)
        paces = np.unique(found.pace[in_steps]).tolist()
        steps = sum(len(case.paces[pace]) for pace in paces)
        many = steps and int(held.operations[in_steps].sum()) >= limits.small_messages_a_step * steps
        if many and int(lasts[few].sum()) >= limits.small_message_share * int(lasts[mine].sum()):
            chosen |= few
    return chosen


FAULT = Fault(
    "small-messages",
    "collectives of many small messages",
    _examine,
    "A communicator spends most of its time on messages far below what fills a link, many a step.",
    (
        "Let fewer and larger messages go: larger buckets (DDP `bucket_cap_mb`, FSDP units of several "
        "layers), one flattened tensor in place of one for each parameter.",
        "`torch.distributed._coalescing_manager` or `ncclGroupStart`/`ncclGroupEnd` around what has to stay "
        "many: one launch for all.",
        "Captured in a CUDA graph, many small collectives at least cost no launches.",
    ),
    also_possible=("tensor parallelism of a small batch: its messages are as small as its activations",),
    limits=("small_message_bytes", "small_messages_a_step", "small_message_share"),
)
