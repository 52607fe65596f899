"""What slows a job down, most costly first: all faults looked for, ranked, and nothing counted twice.

>>> diagnosis = diagnose(Index(report))
>>> [(f.fault, f.cost_ns) for f in diagnosis.findings]
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tui.analysis.choices import Choices
from tui.analysis.faults import CATALOGUE, Fault, profiler_distortion
from tui.analysis.faults.case import Case
from tui.analysis.faults.draining import drain_note
from tui.analysis.faults.finding import Claim, Confidence, Evidence, Found, NotAssessable
from tui.analysis.faults.ledger import cost
from tui.analysis.faults.profiler_distortion import sampling_note
from tui.analysis.heaviest_kernels import Heavy, heaviest_kernels
from tui.analysis.index import Index
from tui.analysis.scope import Scope, default_window
from tui.analysis.verdict import BusyShare, Kind, Verdict, busy_share, judge
from tui.intervals import Spans, overlap_length

__all__ = [
    "CATALOGUE",
    "Claim",
    "Confidence",
    "Diagnosis",
    "Evidence",
    "Finding",
    "Kind",
    "NotAssessable",
    "diagnose",
]


_STRETCHES = 4
"""Stretches of time that a finding points at: enough to believe it, few enough to walk."""
_TELLING = 0.2
"""A stretch speaks for a finding when at least this share of it is charged to it."""


@dataclass(frozen=True)
class Finding:
    """A fault found, with what it costs at most."""

    fault: str
    title: str
    cost_ns: int | None
    """Device time over all devices in scope that it explains, no part of it charged to another finding.
    None: a shortcoming of the capture, or a cost that can't be known from it."""
    cost_pct: float | None
    """The same in percent of the device time, window x devices."""
    cost_per_step_ns: int | None
    """By how much a step would be shorter at most; None without steps."""
    confidence: Confidence
    reasons: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    also_possible: tuple[str, ...]
    advice: tuple[str, ...]
    confirm: str
    claims: tuple[Claim, ...]
    """The very stretches, per device, merged: what the timeline marks."""
    minor: bool = False
    """A pattern worth a line that costs next to nothing here."""


@dataclass(frozen=True)
class Diagnosis:
    """The answer to "what is slowing this down?"."""

    scope: Scope
    """What was looked at; the default window begins with the first step."""
    verdict: Verdict
    findings: tuple[Finding, ...]
    """By cost, those without one last."""
    not_assessable: tuple[NotAssessable, ...]
    kernels: tuple[Heavy, ...]
    """The largest compute kernels, with the line that looks inside each."""
    notes: tuple[str, ...]
    """What was seen and is explicitly not held against the program."""
    busy: BusyShare
    step_name: str | None
    steps: int
    device_ns: int
    """The window times the devices: what percentages are of."""

    @property
    def cost_ns(self) -> int:
        """All findings together."""
        return sum(f.cost_ns or 0 for f in self.findings)

    @property
    def cost_pct(self) -> float | None:
        return 100 * self.cost_ns / self.device_ns if self.device_ns else None


def diagnose(index: Index, choices: Choices | None = None) -> Diagnosis:
    """Look for every fault of the catalogue in what ``choices`` (default: the whole capture) mean.

    NothingThere for a report without any event, UsageError for limits that can't be meant.
    """
    case = Case(index, choices or Choices(Scope(default_window(index.report))))
    findings: list[Finding] = []
    unknown: list[NotAssessable] = []
    for fault in CATALOGUE if case.devices else ():
        for result in fault.examine(case):
            if isinstance(result, NotAssessable):
                unknown.append(replace(result, fault=result.fault or fault.slug))
            elif not _supports(result, findings) and (finding := _charged(case, fault, result)) is not None:
                findings.append(finding)
    notes = [drain_note(case)]
    if not any(f.fault == profiler_distortion.SLUG for f in findings):
        notes.append(sampling_note(case))
    findings.sort(key=lambda f: (f.minor, -(f.cost_ns if f.cost_ns is not None else -1)))
    costing = [f for f in findings if f.cost_ns is not None and not f.minor]
    busy = busy_share(case)
    whole = sum(f.cost_ns or 0 for f in findings)
    pct = 100 * whole / case.device_ns if case.device_ns else None
    return Diagnosis(
        scope=case.scope,
        verdict=judge(case, [f.title for f in costing], pct, busy),
        findings=tuple(findings),
        not_assessable=tuple(unknown),
        kernels=tuple(heaviest_kernels(case)),
        notes=tuple(note for note in notes if note),
        busy=busy,
        step_name=case.steps.name,
        steps=case.step_count,
        device_ns=case.device_ns,
    )


def _supports(found: Found, findings: list[Finding]) -> bool:
    """Whether an earlier finding says the same with a cost: then it gets the evidence."""
    for i, finding in enumerate(findings):
        if finding.fault in found.under:
            findings[i] = replace(finding, evidence=(*finding.evidence, *found.evidence))
            return True
    return False


def _charged(case: Case, fault: Fault, found: Found) -> Finding | None:
    """The finding with what is left to charge it with; None where that is too little to matter."""
    granted = case.ledger.grantable(found.claims)
    cost_ns = cost(granted)
    pct = 100 * cost_ns / case.device_ns if case.device_ns else 0.0
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
        evidence=_telling(found.evidence, granted) if costs else found.evidence,
        also_possible=fault.also_possible if found.also_possible is None else found.also_possible,
        advice=fault.advice if found.advice is None else found.advice,
        confirm=found.confirm,
        claims=tuple(granted),
        minor=found.minor,
    )


def _telling(evidence: tuple[Evidence, ...], granted: list[Claim]) -> tuple[Evidence, ...]:
    """The evidence that speaks for this finding: of its stretches the first few that it is charged with.

    A stretch most of which went to another finding proves that one. At least one stays.
    """
    stretches = [e for e in evidence if _is_stretch(e)]
    own = [e for e in stretches if _charged_part(e, granted) >= _TELLING * (e.end_ns - e.start_ns)]
    kept = (own or stretches)[: _STRETCHES if own else 1]
    return tuple(e for e in evidence if e not in stretches or e in kept)


def _is_stretch(evidence: Evidence) -> bool:
    length = evidence.end_ns - evidence.start_ns
    return evidence.device is not None and evidence.unit == "ns" and evidence.value == length > 0


def _charged_part(evidence: Evidence, granted: list[Claim]) -> int:
    """Nanoseconds of a stretch in granted claims of its device."""
    stretch = Spans(np.array([evidence.start_ns], np.int64), np.array([evidence.end_ns], np.int64))
    return sum(overlap_length(stretch, c.spans) for c in granted if c.device == evidence.device)
