"""Diagnosis: what slows the job down, most costly first. The findings of ``nsystui diagnose``."""

from __future__ import annotations

import numpy as np

from tui.analysis.choices import Choices
from tui.analysis.diagnosis import Diagnosis, Finding, diagnose
from tui.analysis.table import Column, Table, Unit
from tui.browse.page import Instances, Page, Pairs, Section
from tui.browse.pages.request import PageRequest
from tui.text import safe
from tui.text.times import exact


def diagnosis_page(asked: PageRequest) -> Page:
    """The verdict, the findings, what can't be told, and the kernels to look into next."""
    capture = asked.capture
    if not len(capture.report.ops):
        return Page(
            asked.label, (Section("Diagnosis", lines=("no GPU work recorded: nothing to diagnose",)),)
        )
    choices = Choices(asked.scope, limits=asked.limits, step=capture.step_name)
    found = diagnose(asked.index, choices)
    asked.go_on()
    sections = [findings_section(found)]
    if found.not_assessable:
        sections.append(unknown_section(found))
    if found.kernels:
        sections.append(kernels_section(found))
    if found.notes:
        sections.append(Section("Not held against it", lines=found.notes))
    return Page(asked.label, tuple(sections))


def findings_section(found: Diagnosis) -> Section:
    """One row a finding; enter walks its evidence on the timeline."""
    findings = found.findings
    table = Table(
        "diagnosis",
        "Diagnosis",
        (
            Column("cost", "cost_ns", Unit.NS, [f.cost_ns for f in findings], blank="-"),
            Column("%", "cost_pct", Unit.PCT, [f.cost_pct for f in findings], blank="-"),
            Column("finding", "title", Unit.TEXT, [f.title for f in findings]),
            Column("a step", "cost_per_step_ns", Unit.NS, [f.cost_per_step_ns for f in findings], 3, "-"),
            Column("sure", "confidence", Unit.TEXT, [f.confidence.value for f in findings], 2),
            Column("fault", "fault", Unit.TEXT, [f.fault for f in findings], 4),
        ),
    )
    return Section(
        "What slows it down, most costly first",
        table,
        (found.verdict.text,),
        lambda row: evidence(findings[row]),
        "nothing found",
        least=34,
        walks=True,
        details=lambda row: finding_pairs(findings[row]),
    )


def evidence(finding: Finding) -> Instances | None:
    """Where the evidence of a finding lies, in its order."""
    pieces = finding.evidence
    if not pieces:
        return None
    return Instances(
        "span",
        np.arange(len(pieces)),
        np.array([e.start_ns for e in pieces], np.int64),
        np.array([e.end_ns for e in pieces], np.int64),
        devices=tuple(-1 if e.device is None else e.device for e in pieces),
        words=tuple(safe(e.text) for e in pieces),
    )


def finding_pairs(finding: Finding) -> Pairs:
    """Everything that a finding says."""
    pairs: Pairs = [("finding", safe(finding.title))]
    if finding.cost_ns is None:
        pairs.append(("cost", "not known, or a shortcoming of the capture"))
    else:
        share = f"{finding.cost_pct or 0:.1f}% of the device time"
        pairs.append(("cost", f"{exact(finding.cost_ns)}, {share}, at most"))
    if finding.cost_per_step_ns is not None:
        pairs.append(("per step", exact(finding.cost_per_step_ns)))
    pairs.append(("confidence", finding.confidence.value))
    pairs += _listed("because", finding.reasons)
    for piece in finding.evidence:
        pairs.append(("seen", safe(piece.text)))
        pairs.append(("  by", safe(piece.command)))
    pairs += _listed("could also be", finding.also_possible)
    pairs += _listed("change", finding.advice)
    if finding.confirm:
        pairs.append(("to be sure", safe(finding.confirm)))
    return pairs


def _listed(label: str, texts: tuple[str, ...]) -> Pairs:
    return [(label if not number else "", safe(text)) for number, text in enumerate(texts)]


def unknown_section(found: Diagnosis) -> Section:
    """What the capture can't tell, and which option would."""
    rows = found.not_assessable
    table = Table(
        "not_assessable",
        "Not assessable",
        (
            Column("fault", "fault", Unit.TEXT, [n.fault for n in rows]),
            Column("why it can't be told", "reason", Unit.TEXT, [n.reason for n in rows]),
            Column("capture", "capture", Unit.TEXT, [n.capture for n in rows], 1),
        ),
    )
    return Section(
        "What this capture can't tell",
        table,
        least=20,
        details=lambda row: [
            ("fault", safe(rows[row].fault)),
            ("because", safe(rows[row].reason)),
            ("capture", safe(rows[row].capture)),
        ],
    )


def kernels_section(found: Diagnosis) -> Section:
    """The kernels that take most of the compute time, and the line that looks inside each."""
    rows = found.kernels
    table = Table(
        "kernels",
        "Kernels",
        (
            Column("kernel", "name", Unit.TEXT, [k.short_name for k in rows]),
            Column("total", "total_ns", Unit.NS, [k.total_ns for k in rows]),
            Column("%", "pct", Unit.PCT, [k.pct for k in rows]),
            Column("count", "count", Unit.COUNT, [k.count for k in rows]),
        ),
    )
    return Section(
        "Kernels to look into next (space: the ncu line)",
        table,
        details=lambda row: [
            ("kernel", safe(rows[row].name)),
            ("ncu", safe(rows[row].ncu)),
            ("note", safe(rows[row].ncu_note)),
        ],
    )
