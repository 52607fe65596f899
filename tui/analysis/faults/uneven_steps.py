"""Some steps take longer than others: what the device does more in them, or does not do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tui.analysis.blame import BlameClass
from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import share, stretch, usual_call, usual_label
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Claim, Confidence, Evidence, Findings, Found, Lost
from tui.analysis.faults.ledger import cost
from tui.analysis.faults.step_times import Split, StepTimes, split_steps, step_times, surplus_spans
from tui.analysis.gap_context import op_name
from tui.analysis.grouping import dense
from tui.analysis.index import Busy
from tui.intervals import Coverage, intersect, subtract
from tui.report.columns import Bool, Int64
from tui.report.model import OpKind
from tui.text.numbers import plural
from tui.text.times import show_duration

SLUG = "uneven-steps"
IDLE = "idle time of uneven steps"
"""Under this key the case keeps how much it is charged with, ns: so much less is left unexplained."""

_SHOWN = 3
"""How many differences are named, and how many slow steps."""
_REGULAR = 3
"""So many slow steps at even distances are a rhythm."""
_WORTH_NAMING = 0.1
"""A difference that explains less of the whole one than this is not named."""


@dataclass(frozen=True)
class Difference:
    """What a slow step has more of than a fast one, on average."""

    ns: float
    text: str
    is_idle: bool = False


@dataclass(frozen=True)
class Uneven:
    """The steps of one process on one device that lie apart, and why."""

    times: StepTimes
    split: Split
    longer_ns: float
    """How much longer a slow step is, on average."""
    differences: tuple[Difference, ...]
    """What explains most first."""
    claims: tuple[Claim, ...]
    """Idle time that a slow step has more of."""

    @property
    def surplus_ns(self) -> float:
        return float(self.longer_ns * self.split.slow.sum())


def _examine(case: Case) -> Findings:
    uneven = []
    for times in step_times(case):
        split = split_steps(times, case.limits)
        if split is not None:
            one = _compare(case, times, split)
            if 100 * one.surplus_ns >= case.limits.min_cost_pct * case.window.length:
                uneven.append(one)
    if uneven:
        yield _found(case, max(uneven, key=lambda one: one.surplus_ns), uneven)


def _compare(case: Case, times: StepTimes, split: Split) -> Uneven:
    """Work out what a slow step has more of than a fast one."""
    longer = _more(times.open, split)
    idle = case.unclaimed_inside(times.device)
    per_step = Coverage(*idle).between(times.start, times.end)
    usual = float(per_step[split.fast].mean())
    most = np.minimum(per_step - usual, times.open - times.open[split.fast].mean())
    spans = surplus_spans(idle, times, split.slow, np.maximum(most, 0).astype(np.int64))
    found = [_kernel_difference(case, times, split), *_idle_differences(case, times, split, per_step)]
    alone = case.index.copy_only(times.device, (times.pace.process,)).spans
    left = Coverage(*subtract(alone, case.ledger.charged(times.device))[:2])
    copying = left.between(times.start, times.end)
    took = _against(copying[split.slow].mean(), copying[split.fast].mean())
    found.append(Difference(_more(copying, split), f"copies with no kernel beside them: {took}"))
    found = [d for d in sorted(found, key=lambda d: -d.ns) if d.ns >= _WORTH_NAMING * longer]
    return Uneven(times, split, longer, tuple(found), (Claim(times.device, Lost.IDLE, spans),))


def _more(values: Int64, split: Split) -> float:
    """Return how much larger the mean of the slow steps is."""
    return float(values[split.slow].mean() - values[split.fast].mean())


def _kernel_difference(case: Case, times: StepTimes, split: Split) -> Difference:
    """Return how much more kernel time a slow step has, with the kernels that make most of it.

    Kernel time that a finding is charged with (a lower clock, exposed communication) is not counted again.
    """
    ops = case.report.ops
    group, used = dense(ops.name[times.op])
    duration = ops.end[times.op] - ops.start[times.op]
    spent, launches = np.zeros((2, len(used))), np.zeros((2, len(used)))
    for i, chosen in enumerate((split.slow, split.fast)):
        mine = chosen[times.of_step]
        count = int(chosen.sum())
        spent[i] = np.bincount(group[mine], duration[mine], len(used)) / count
        launches[i] = np.bincount(group[mine], minlength=len(used)) / count
    more = spent[0] - spent[1]
    named = []
    for name in np.argsort(-more, kind="stable")[:_SHOWN].tolist():
        if more[name] > 0:
            first = int(times.op[int(np.argmax(group == name))])
            how = _how_often(*launches[:, name]) or _shapes(case, times, split, group == name)
            named.append(f"{op_name(case.report, first, True)}: {_against(*spent[:, name])}{how}")
    how = _how_often(*launches.sum(1)) or ", launched as often"
    most = f"; most of it {'; '.join(named)}" if named else ""
    running = case.index.coverage(times.device, (times.pace.process,), Busy.KERNELS).spans
    told = Coverage(*intersect(case.ledger.charged(times.device), running)).between(times.start, times.end)
    ns = float(more.sum()) - _more(told, split)
    return Difference(ns, f"kernel time, {_against(*spent.sum(1))}{how}{most}")


def _how_often(slow: float, fast: float) -> str:
    """Return how launches differ; empty where they do not."""
    if abs(slow - fast) <= 0.01 * fast:
        return ""
    return f", launched {slow:,.1f} times against {fast:,.1f}"


def _shapes(case: Case, times: StepTimes, split: Split, chosen: Bool) -> str:
    """Return how the grids of these kernels differ; empty where they do not."""
    ops, kernels = case.report.ops, case.report.kernels
    chosen = chosen & (ops.kind[times.op] == OpKind.KERNEL)
    row, step = ops.row[times.op[chosen]], times.of_step[chosen]
    blocks = kernels.grid_x[row].astype(np.float64) * kernels.grid_y[row] * kernels.grid_z[row]
    slow, fast = blocks[split.slow[step]], blocks[split.fast[step]]
    if not len(slow) or not len(fast) or abs(slow.mean() - fast.mean()) <= 0.01 * fast.mean():
        return ""
    return f", in other shapes ({slow.mean():,.0f} blocks a launch against {fast.mean():,.0f})"


def _idle_differences(case: Case, times: StepTimes, split: Split, per_step: Int64) -> Iterator[Difference]:
    """Yield for each cause what the device idles more in a slow step, without what is charged already."""
    pieces = case.pieces
    idle = Coverage(*case.ledger.unclaimed(times.device))
    mine = np.flatnonzero(pieces.device == times.device)
    step = np.searchsorted(times.start, pieces.start[mine], "right") - 1
    inside = (step >= 0) & (pieces.start[mine] < times.end[np.maximum(step, 0)])
    mine, step = mine[inside], step[inside]
    left = idle.between(pieces.start[mine], pieces.end[mine])
    seen = 0.0
    for cause in BlameClass:
        chosen = pieces.cause[mine] == cause
        ns = np.bincount(step[chosen], left[chosen], len(times)).astype(np.int64)
        more = _more(ns, split)
        seen += more
        if more > 0:
            slow = np.zeros(len(pieces), bool)
            slow[mine[chosen & split.slow[step]]] = True
            where = pieces.where(slow)
            call, label = usual_call(case, where), usual_label(case, where.range, where.ns)
            text = cause.words + (f" ({call})" if call else "") + (f" under {label!r}" if label else "")
            yield Difference(
                more, f"idle, {text}: {_against(ns[split.slow].mean(), ns[split.fast].mean())}", True
            )
    short = _more(per_step, split) - seen
    yield Difference(short, "idle in gaps too short to have a cause", True)


def _against(slow: float, fast: float) -> str:
    return f"{show_duration(int(slow))} against {show_duration(int(fast))} a step"


def _found(case: Case, worst: Uneven, every: list[Uneven]) -> Found:
    times, split = worst.times, worst.split
    slow, fast = int(split.slow.sum()), int(split.fast.sum())
    claims = tuple(claim for one in every for claim in one.claims)
    granted = cost(case.ledger.grantable(claims))
    costs = 100 * granted >= case.limits.min_cost_pct * case.device_ns
    case.once(IDLE, lambda: granted if costs else 0)
    idle = sum(d.ns for d in worst.differences if d.is_idle)
    reasons = [
        f"{share(d.ns, worst.longer_ns)} of the difference: {d.text}" for d in worst.differences[:_SHOWN]
    ]
    apart = np.unique(np.diff(times.step[split.slow]))
    if len(apart) == 1 and slow >= _REGULAR and apart[0] > 1:
        reasons.append(f"they come every {int(apart[0])} steps")
    reasons.append(_set_apart(split))
    known = sum(d.ns for d in worst.differences)
    took = [show_duration(int(times.duration[chosen].mean())) for chosen in (split.slow, split.fast)]
    on = f" on {case.device_name(times.device)}" if len(case.devices) > 1 else ""
    mostly_idle = 2 * idle >= worst.longer_ns
    why = "the GPU idles longer in them" if mostly_idle else "their work differs"
    if costs and not mostly_idle:
        why += ", and the GPU idles longer in them"
    unpriced = "no idle time that could be saved: the work of the steps differs"
    if mostly_idle:
        unpriced = "cost not known: too little of the difference is idle time that no other finding explains"
    return Found(
        title=f"{slow:,} of {plural(slow + fast, 'step')} {'takes' if slow == 1 else 'take'} {took[0]}{on}, "
        f"the others {took[1]}: {why}",
        evidence=tuple(_slow_steps(case, worst)),
        confidence=Confidence.HIGH if known >= 0.8 * worst.longer_ns else Confidence.MEDIUM,
        reasons=tuple(reasons),
        advice=None if costs else ADVICE_WORK,
        confirm=case.commands.capture("cuda,nvtx,osrt")
        + "  with the step's sizes in its NVTX range (batch, sequence length): do slow steps get more?",
        claims=claims if costs else (),
        without_cost="" if costs else unpriced,
    )


def _slow_steps(case: Case, worst: Uneven) -> Iterator[Evidence]:
    times = worst.times
    usual = show_duration(int(times.duration[worst.split.fast].mean()))
    slow = np.flatnonzero(worst.split.slow)
    for i in slow[np.argsort(-times.open[slow], kind="stable")][:_SHOWN].tolist():
        number = int(times.pace.number[times.step[i]])
        took = show_duration(int(times.duration[i]))
        text = f"step {number} takes {case.device_name(times.device)} {took}, a fast one {usual}"
        yield stretch(case, times.device, int(times.start[i]), int(times.end[i]), text)


def _set_apart(split: Split) -> str:
    """Return which steps were not compared."""
    first = "not compared: the first step, since no step before it says when the device began with it"
    others = int(split.apart.sum())
    if not others:
        return first
    return (
        f"{first}, and {others:,} that warm up, are quicker, unknown in part, or explained by another finding"
    )


ADVICE_WORK = (
    "Give the steps equal work: batches by length (bucketing, packing), padding to a few sizes, "
    "what comes now and then (evaluation, logging) in steps of its own.",
    "Compare like with like: `nsystui steps` lists every step, `--range step:N` looks into one.",
)

FAULT = Fault(
    SLUG,
    "steps that take longer than others",
    _examine,
    "Two groups of steps that lie apart in the time that they take the device, without warm-up and without "
    "what other findings explain; kernel time, launches and idle time in which they differ.",
    advice=(
        "Look at what the host does in the slow steps and not in the others: "
        "the gaps there, `nsystui gaps REPORT --range step:N`.",
        "Take what comes now and then (logging, evaluation, output) off the launching thread.",
    ),
    also_possible=(
        "inputs of different sizes from step to step",
        "another program on this GPU or this host at that time",
    ),
    limits=("uneven_share", "min_cost_pct", "steps_for_pattern", "warm_up_ratio"),
)
