"""What slows a job down: all faults of the catalogue by cost, with no device time counted twice.

>>> diagnosis = diagnose(Index(report))
>>> [(f.fault, f.cost_ns) for f in diagnosis.findings]
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tui.analysis.basis import basis
from tui.analysis.choices import Choices
from tui.analysis.faults import (
    CATALOGUE,
    Fault,
    capture_quality,
    fp32_products,
    profiler_distortion,
    uneven_steps,
)
from tui.analysis.faults.case import Case
from tui.analysis.faults.draining import drain_note
from tui.analysis.faults.finding import Claim, Confidence, Evidence, Found, NotAssessable
from tui.analysis.faults.ledger import cost
from tui.analysis.faults.profiler_distortion import sampling_note
from tui.analysis.heaviest_kernels import Heavy, heaviest_kernels
from tui.analysis.index import Index
from tui.analysis.scope import Scope
from tui.analysis.verdict import BusyShare, Verdict, busy_share, judge
from tui.analysis.verdict import Kind as Kind
from tui.analysis.work_window import work_window
from tui.intervals import Spans, overlap_length
from tui.text.numbers import percent

_STRETCHES = 4
"""How many stretches of time a finding lists: enough to believe it, few enough to visit."""
_OF_CAPTURE = "no cost of its own: it limits what can be said"
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
    """A pattern worth a line that costs almost nothing here: one of ``checked``."""
    without_cost: str = ""
    """Why there is no cost; empty where there is one."""


@dataclass(frozen=True)
class Diagnosis:
    """The answer to "what is slowing this down?"."""

    scope: Scope
    """The part of the report that was examined."""
    verdict: Verdict
    findings: tuple[Finding, ...]
    """By cost, those without one last."""
    checked: tuple[Finding, ...]
    """Looked at and fine: patterns that cost nothing worth a finding here."""
    not_found: tuple[str, ...]
    """The faults that were looked for and are not there, or cost too little to matter."""
    not_assessable: tuple[NotAssessable, ...]
    kernels: tuple[Heavy, ...]
    """The largest compute kernels, with the command line that profiles each."""
    notes: tuple[str, ...]
    """What was seen and is explicitly no fault of the program."""
    basis: tuple[str, ...]
    """What the verdict rests on, and what it can't show."""
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
    checked = tuple(f for f in findings if f.minor)
    findings = sorted(
        (f for f in findings if not f.minor), key=lambda f: -(f.cost_ns if f.cost_ns is not None else -1)
    )
    costing = [f for f in findings if f.cost_ns is not None]
    seen = {f.fault for f in (*findings, *checked)} | {
        slug for item in unknown for slug in (item.fault, *item.also)
    }
    said = {f.fault: f.title for f in reversed(findings)}
    uneven, unseen = said.get(uneven_steps.SLUG), said.get(capture_quality.GRAPHS)
    within = said.get(fp32_products.SLUG)
    busy = busy_share(case)
    cost_ns = sum(f.cost_ns or 0 for f in findings)
    cost_pct = percent(cost_ns, case.device_ns)
    return Diagnosis(
        scope=case.scope,
        verdict=judge(case, [f.title for f in costing], cost_pct, busy, uneven, unseen, within),
        findings=tuple(findings),
        checked=checked,
        not_found=tuple(f.slug for f in CATALOGUE if f.slug not in seen) if case.devices else (),
        not_assessable=tuple(unknown),
        kernels=tuple(heaviest_kernels(case)),
        notes=tuple(note for note in notes if note),
        basis=tuple(basis(case)),
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
    costs = not found.of_capture and not found.without_cost
    minor = found.minor and pct < case.limits.min_cost_pct
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
        minor=minor,
        without_cost=found.without_cost or (_OF_CAPTURE if found.of_capture else ""),
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
