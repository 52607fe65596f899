"""A diagnosis as JSON: integers in nanoseconds, unknown as null."""

from __future__ import annotations

from typing import Any

from tui.analysis.diagnosis import Diagnosis, Finding
from tui.analysis.faults.finding import Evidence
from tui.output.diagnosis_note import spans_table
from tui.output.json_text import head, records
from tui.report.model import Report
from tui.text.numbers import hundredths


def diagnosis_document(diagnosis: Diagnosis, report: Report) -> dict[str, Any]:
    """All findings, what can't be judged, and the kernels that take most of the time."""
    busy = diagnosis.busy
    return {
        **head(report, diagnosis.scope),
        "verdict": {"kind": diagnosis.verdict.kind.value, "text": diagnosis.verdict.text},
        "step_name": diagnosis.step_name,
        "steps": diagnosis.steps,
        "device_ns": diagnosis.device_ns,
        "cost_ns": diagnosis.cost_ns,
        "cost_pct": hundredths(diagnosis.cost_pct),
        "busy_pct": hundredths(busy.window_pct),
        "least_busy_step_pct": hundredths(busy.least_step_pct),
        "findings": [finding_object(f, report) for f in diagnosis.findings],
        "not_assessable": [
            {"fault": n.fault, "reason": n.reason, "capture": n.capture} for n in diagnosis.not_assessable
        ],
        "kernels": [
            {
                "name": k.name,
                "total_ns": k.total_ns,
                "pct": hundredths(k.pct),
                "count": k.count,
                "ncu": k.ncu,
                "ncu_note": k.ncu_note,
            }
            for k in diagnosis.kernels
        ],
        "notes": list(diagnosis.notes),
    }


def charged_document(diagnosis: Diagnosis, findings: list[Finding], report: Report) -> dict[str, Any]:
    """These findings with every stretch that they are charged with, taken together."""
    charged = records(spans_table(tuple(c for f in findings for c in f.claims), report))
    objects = [{**finding_object(f, report), "charged": charged} for f in findings]
    return {**head(report, diagnosis.scope), "findings": objects}


def finding_object(finding: Finding, report: Report) -> dict[str, Any]:
    """One finding in JSON."""
    return {
        "fault": finding.fault,
        "title": finding.title,
        "cost_ns": finding.cost_ns,
        "cost_pct": hundredths(finding.cost_pct),
        "cost_per_step_ns": finding.cost_per_step_ns,
        "minor": finding.minor,
        "confidence": finding.confidence.value,
        "reasons": list(finding.reasons),
        "evidence": [evidence_object(e, report) for e in finding.evidence],
        "also_possible": list(finding.also_possible),
        "advice": list(finding.advice),
        "confirm": finding.confirm,
    }


def evidence_object(evidence: Evidence, report: Report) -> dict[str, Any]:
    """One piece of evidence in JSON."""
    device = None if evidence.device is None else report.devices[evidence.device].cuda_id
    return {
        "text": evidence.text,
        "value": evidence.value,
        "unit": evidence.unit,
        "command": evidence.command,
        "start_ns": evidence.start_ns,
        "end_ns": evidence.end_ns,
        "device": device,
    }
