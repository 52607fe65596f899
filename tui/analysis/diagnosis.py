"""What slows a job down, most costly first: all faults looked for, ranked, and nothing counted twice.

>>> diagnosis = diagnose(Index(report))
>>> [(f.fault, f.cost_ns) for f in diagnosis.findings]
"""

from __future__ import annotations

from dataclasses import dataclass

from tui.analysis.faults import (
    CATALOGUE,
    Case,
    Claim,
    Confidence,
    Evidence,
    Fault,
    Found,
    Limits,
    NotAssessable,
)
from tui.analysis.faults.ledger import Ledger, cost
from tui.analysis.index import Index
from tui.analysis.scope import Scope, default_window


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


@dataclass(frozen=True)
class Diagnosis:
    """The answer to "what is slowing this down?"."""

    scope: Scope
    """What was looked at; the default window begins with the first step."""
    findings: tuple[Finding, ...]
    """By cost, those without one last."""
    not_assessable: tuple[NotAssessable, ...]
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


def diagnose(
    index: Index,
    scope: Scope | None = None,
    limits: Limits | None = None,
    step: str | None = None,
    catalogue: tuple[Fault, ...] = CATALOGUE,
) -> Diagnosis:
    """Look for every fault of ``catalogue`` in ``scope`` (default: the whole capture).

    ``step`` names the range that is a step, as the steps command's option does.
    """
    scope = scope or Scope(default_window(index.report))
    case = Case(index, scope, limits, step)
    ledger = Ledger(case)
    findings: list[Finding] = []
    unknown: list[NotAssessable] = []
    for fault in catalogue:
        for result in fault.examine(case):
            if isinstance(result, NotAssessable):
                unknown.append(result)
                continue
            finding = _charged(case, ledger, result)
            if finding is not None:
                findings.append(finding)
    findings.sort(key=lambda f: -(f.cost_ns if f.cost_ns is not None else -1))
    return Diagnosis(
        scope=case.scope,
        findings=tuple(findings),
        not_assessable=tuple(unknown),
        step_name=case.steps.name,
        steps=case.step_count,
        device_ns=case.device_ns,
    )


def _charged(case: Case, ledger: Ledger, found: Found) -> Finding | None:
    """The finding with what is left to charge it with; None where that is too little to matter."""
    granted = ledger.offer(found.claims)
    cost_ns = cost(granted)
    pct = 100 * cost_ns / case.device_ns if case.device_ns else 0.0
    if not found.of_capture:
        if pct < case.limits.min_cost_pct:
            return None
        ledger.take(granted)
    per_step = case.step_count * len(case.devices)
    return Finding(
        fault=found.fault,
        title=found.title,
        cost_ns=None if found.of_capture else cost_ns,
        cost_pct=None if found.of_capture else pct,
        cost_per_step_ns=round(cost_ns / per_step) if per_step and not found.of_capture else None,
        confidence=found.confidence,
        reasons=found.reasons,
        evidence=found.evidence,
        also_possible=found.also_possible,
        advice=found.advice,
        confirm=found.confirm,
        claims=tuple(granted),
    )
