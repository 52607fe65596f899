"""What slows a job down: all faults of the catalogue by cost, with no device time counted twice.

>>> diagnosis = diagnose(Index(report))
>>> [(f.fault, f.cost_ns) for f in diagnosis.findings]
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from tui.analysis.busy import joint
from tui.analysis.choices import Choices
from tui.analysis.faults import CATALOGUE, Fault, profiler_distortion
from tui.analysis.faults.case import Case
from tui.analysis.faults.draining import drain_note
from tui.analysis.faults.finding import Claim, Confidence, Evidence, Found, NotAssessable
from tui.analysis.faults.ledger import cost
from tui.analysis.faults.profiler_distortion import sampling_note
from tui.analysis.heaviest_kernels import Heavy, heaviest_kernels
from tui.analysis.index import Index
from tui.analysis.scope import Scope
from tui.analysis.work_window import work_window
from tui.intervals import Spans, overlap_length
from tui.text.numbers import percent, plural
from tui.text.times import show_duration

_STRETCHES = 4
"""How many stretches of time a finding lists: enough to believe it, few enough to visit."""
_LEAST_CHARGED = 0.2
"""A stretch is evidence for a finding when at least this share of it is charged to the finding."""


@dataclass(frozen=True)
class Finding:
    """A fault found, with what it costs at most."""

    fault: str
    title: str
    cost_ns: int | None
    """Time that it explains, over all devices in scope, without what is charged to another finding.
    None: a shortcoming of the capture, or a cost that can't be known from it."""
    cost_pct: float | None
    """The same in percent of the device time, window x devices."""
    cost_per_step_ns: int | None
    """How much shorter a step would be at most; None without steps."""
    confidence: Confidence
    reasons: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    also_possible: tuple[str, ...]
    advice: tuple[str, ...]
    confirm: str
    claims: tuple[Claim, ...]
    """The time charged to it, merged, per device: what the timeline marks."""
    minor: bool = False
    """A pattern worth a line that costs almost nothing here."""


class Kind(Enum):
    FAULTS = "faults"
    """Something costs device time."""
    HEALTHY = "healthy"
    """Nothing does, and the device is busy: look inside the kernels."""
    UNCLEAR = "unclear"
    """Nothing was found, but the device is not busy enough to call it healthy."""
    NO_WORK = "no GPU work"


@dataclass(frozen=True)
class BusyShare:
    """How busy the devices were, in percent."""

    window_pct: float | None
    """Of the window, all devices together."""
    least_step_pct: float | None
    """In the least busy finished step after the first, which finds an idle device; None without steps."""


@dataclass(frozen=True)
class Verdict:
    """The kind of a diagnosis and its sentence."""

    kind: Kind
    text: str


@dataclass(frozen=True)
class Diagnosis:
    """The answer to "what is slowing this down?"."""

    scope: Scope
    """The part of the report that was examined."""
    verdict: Verdict
    findings: tuple[Finding, ...]
    """By cost, those without one last."""
    not_assessable: tuple[NotAssessable, ...]
    kernels: tuple[Heavy, ...]
    """The largest compute kernels, with the command line that profiles each."""
    notes: tuple[str, ...]
    """What was seen and is explicitly no fault of the program."""
    busy: BusyShare
    step_name: str | None
    steps: int
    device_ns: int
    """The window times the devices: what percentages are of."""
    cost_ns: int
    """The cost of all findings together."""
    cost_pct: float | None


def diagnose(index: Index, choices: Choices | None = None) -> Diagnosis:
    """Look for every fault of the catalogue in the part that ``choices`` (default: all) mean.

    NothingThere for a report without any event, UsageError for limits that can't be meant.
    """
    case = Case(index, choices or Choices(Scope(work_window(index))))
    findings: list[Finding] = []
    unknown: list[NotAssessable] = []
    for fault in CATALOGUE if case.devices else ():
        for result in fault.examine(case):
            if isinstance(result, NotAssessable):
                unknown.append(replace(result, fault=result.fault or fault.slug))
            elif not _joins_earlier(result, findings) and (finding := _charge(case, fault, result)):
                findings.append(finding)
    notes = [*index.report.device_notes, drain_note(case)]
    if not any(f.fault == profiler_distortion.SLUG for f in findings):
        notes.append(sampling_note(case))
    findings.sort(key=lambda f: (f.minor, -(f.cost_ns if f.cost_ns is not None else -1)))
    costing = [f for f in findings if f.cost_ns is not None and not f.minor]
    busy = _busy_share(case)
    cost_ns = sum(f.cost_ns or 0 for f in findings)
    cost_pct = percent(cost_ns, case.device_ns)
    return Diagnosis(
        scope=case.scope,
        verdict=_judge(case, [f.title for f in costing], cost_pct, busy),
        findings=tuple(findings),
        not_assessable=tuple(unknown),
        kernels=tuple(heaviest_kernels(case)),
        notes=tuple(note for note in notes if note),
        busy=busy,
        step_name=case.steps.name,
        steps=case.step_count,
        device_ns=case.device_ns,
        cost_ns=cost_ns,
        cost_pct=cost_pct,
    )


def _joins_earlier(found: Found, findings: list[Finding]) -> bool:
    """Whether an earlier finding says the same with a cost; if so, add the evidence to that one."""
    for i, finding in enumerate(findings):
        if finding.fault in found.under:
            findings[i] = replace(finding, evidence=(*finding.evidence, *found.evidence))
            return True
    return False


def _charge(case: Case, fault: Fault, found: Found) -> Finding | None:
    """The finding, charged with what no other finding is; None where that is too little to matter."""
    granted = case.ledger.grantable(found.claims)
    cost_ns = cost(granted)
    pct = percent(cost_ns, case.device_ns) or 0.0
    costs = not found.of_capture
    if costs and not found.minor and pct < case.limits.min_cost_pct:
        return None
    case.ledger.charge(granted)
    per_step = case.step_count * len(case.devices)
    return Finding(
        fault=fault.slug,
        title=found.title,
        cost_ns=cost_ns if costs else None,
        cost_pct=pct if costs else None,
        cost_per_step_ns=round(cost_ns / per_step) if per_step and costs else None,
        confidence=found.confidence,
        reasons=found.reasons,
        evidence=_strong_evidence(found.evidence, granted) if costs else found.evidence,
        also_possible=fault.also_possible if found.also_possible is None else found.also_possible,
        advice=fault.advice if found.advice is None else found.advice,
        confirm=found.confirm,
        claims=tuple(granted),
        minor=found.minor,
    )


def _strong_evidence(evidence: tuple[Evidence, ...], granted: list[Claim]) -> tuple[Evidence, ...]:
    """The evidence with only the first few of those stretches that the finding is charged with.

    A stretch most of which is charged to another finding is evidence for that one. At least one stays.
    """
    stretches = [e for e in evidence if _is_stretch(e)]
    own = [e for e in stretches if _charged_part(e, granted) >= _LEAST_CHARGED * (e.end_ns - e.start_ns)]
    kept = (own or stretches)[: _STRETCHES if own else 1]
    return tuple(e for e in evidence if e not in stretches or e in kept)


def _is_stretch(evidence: Evidence) -> bool:
    length = evidence.end_ns - evidence.start_ns
    return evidence.device is not None and evidence.unit == "ns" and evidence.value == length > 0


def _charged_part(evidence: Evidence, granted: list[Claim]) -> int:
    """Nanoseconds of a stretch in granted claims of its device."""
    stretch = Spans(np.array([evidence.start_ns], np.int64), np.array([evidence.end_ns], np.int64))
    return sum(overlap_length(stretch, c.spans) for c in granted if c.device == evidence.device)


def _busy_share(case: Case) -> BusyShare:
    """How busy the scope's devices were over the window and from step to step."""
    busy = [case.index.coverage(d.index, case.scope.processes) for d in case.devices]
    window = case.window
    whole = percent(sum(b.length(window.start, window.end) for b in busy), case.device_ns)
    least: list[float] = []
    for pace in case.paces:
        own = [b for d in case.devices if len(b := case.index.coverage(d.index, (pace.process,)))]
        later = pace.cycle > 0
        later[0] = len(pace) == 1
        if own and later.any():
            ran = joint(own).between(pace.opening[later], pace.end[later])
            least.append(float((100 * ran / pace.cycle[later]).min()))
    return BusyShare(whole, min(least, default=None))


def _judge(case: Case, titles: list[str], explained_pct: float | None, busy: BusyShare) -> Verdict:
    """The verdict, given the titles of the findings that cost something, the costliest first."""
    if not case.devices:
        return Verdict(Kind.NO_WORK, "no GPU work was recorded: there is nothing to diagnose")
    if titles:
        others = f", and {plural(len(titles) - 1, 'other finding')}" if len(titles) > 1 else ""
        part = f" (all together at most {explained_pct:.1f} % of the device time)" if explained_pct else ""
        return Verdict(Kind.FAULTS, f"{titles[0]}{others}{part}")
    if case.step_count < case.limits.steps_for_pattern and len(case.kernels) < case.limits.few_kernels:
        return Verdict(
            Kind.UNCLEAR,
            "nothing in the catalogue costs a percent of the time, but "
            f"{plural(len(case.kernels), 'kernel')} in {show_duration(case.window.length)} are too little to "
            "call a run healthy",
        )
    least = busy.least_step_pct if busy.least_step_pct is not None else busy.window_pct
    where = "in every step" if busy.least_step_pct is not None else "of the window"
    assert least is not None
    if least >= case.limits.healthy_busy_pct:
        return Verdict(
            Kind.HEALTHY,
            f"healthy: the GPU is busy {least:.1f} % "
            f"{'or more ' if busy.least_step_pct is not None else ''}{where}, and nothing in the catalogue "
            "costs a percent; what is left is inside the kernels",
        )
    return Verdict(
        Kind.UNCLEAR,
        f"nothing in the catalogue costs a percent of the time, but the GPU is busy only {least:.1f} % "
        f"{where}",
    )
