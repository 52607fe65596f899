"""Diagnosis: what slows the job down, most costly first. The findings of ``nsystui diagnose``."""

from __future__ import annotations

import numpy as np

from tui.analysis.choices import Choices
from tui.analysis.diagnosis import Diagnosis, Finding, diagnose
from tui.analysis.diagnosis_words import CHECKED, RESTS_ON, checked_text, not_found_text, share_lines
from tui.analysis.faults.finding import Evidence
from tui.analysis.table import Column, Unit
from tui.browse.page import Instances, Page, Pairs, Section, table_of
from tui.browse.pages.request import PageRequest
from tui.report.kernels.short_names import short_names
from tui.text import safe
from tui.text.times import exact

SENTENCE_LEAST = 24
"""Cells that the sentence of a finding keeps: it is wrapped, and reads badly in fewer."""


def diagnosis_page(request: PageRequest) -> Page:
    """Show the verdict, the findings, what can't be assessed, and the kernels to look into next."""
    if not len(request.capture.report.ops):
        return [Section("Diagnosis", lines=("no GPU work recorded: nothing to diagnose",))]
    choices = Choices(request.scope, limits=request.limits, step=request.capture.step_name)
    found = diagnose(request.index, choices)
    request.stop_if_dropped()
    sections = [findings_section(found)]
    if found.verdict.left:
        sections.append(left_section(found))
    if found.not_assessable:
        sections.append(unknown_section(found))
    if found.kernels:
        sections.append(kernels_section(found))
    if found.checked or found.not_found:
        sections.append(checked_section(found))
    if found.notes:
        sections.append(Section("Not held against it", lines=found.notes))
    if found.basis:
        sections.append(Section(RESTS_ON, lines=found.basis))
    return sections


def findings_section(found: Diagnosis) -> Section:
    """List the findings; enter walks the evidence of one on the timeline."""
    rows = found.findings
    per_step = [f.cost_per_step_ns for f in rows]
    by_step = Column("per step", "cost_per_step_ns", Unit.NS, per_step, 3, "-")
    table = table_of(
        "diagnosis",
        Column("cost", "cost_ns", Unit.NS, [f.cost_ns for f in rows], blank="-"),
        Column("%", "cost_pct", Unit.PCT, [f.cost_pct for f in rows], blank="-"),
        Column("finding", "title", Unit.TEXT, [f.title for f in rows]),
        *([by_step] if any(ns is not None for ns in per_step) else ()),  # without steps it tells nothing
        Column("confidence", "confidence", Unit.TEXT, [f.confidence.value for f in rows], 2),
        Column("fault", "fault", Unit.TEXT, [f.fault for f in rows], 4),
    )
    return Section(
        "What slows it down, most costly first",
        table,
        (found.verdict.text, *share_lines(found)),
        lambda row: evidence(rows[row].evidence),
        "nothing found",
        least=SENTENCE_LEAST,
        walks=True,
        wraps="title",
        details=lambda row: finding_pairs(rows[row]),
    )


def left_section(found: Diagnosis) -> Section:
    """List the largest pieces of time that nothing explains; enter walks them on the timeline."""
    pieces = found.verdict.left
    table = table_of(
        "left",
        Column("long", "duration_ns", Unit.NS, [e.value for e in pieces], blank="-"),
        Column("by", "command", Unit.TEXT, [e.command for e in pieces]),
    )

    def details(row: int) -> Pairs:
        return _safe(seen=pieces[row].text, by=pieces[row].command)

    return Section(
        "The largest pieces of what nothing explains",
        table,
        tuple(f"{number}. {e.text}" for number, e in enumerate(pieces, 1)),
        lambda row: evidence(pieces[row : row + 1]),
        details=details,
    )


def checked_section(found: Diagnosis) -> Section:
    """List what was looked at and is fine; enter shows where it was seen."""
    rows = found.checked
    lines = (*(checked_text(f) for f in rows), not_found_text(found))
    if not rows:
        return Section(CHECKED, lines=lines)
    table = table_of(
        "checked",
        Column("checked", "fault", Unit.TEXT, [f.fault for f in rows]),
        Column("seen", "seen", Unit.TEXT, [f.evidence[0].text if f.evidence else None for f in rows]),
    )
    return Section(
        CHECKED,
        table,
        lines,
        lambda row: evidence(rows[row].evidence),
        wraps="seen",
        details=lambda row: finding_pairs(rows[row]),
    )


def evidence(pieces: tuple[Evidence, ...]) -> Instances | None:
    """Return where pieces of evidence lie, in their order."""
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
    """Return everything that a finding says."""
    cost = finding.without_cost
    if finding.cost_ns is not None:
        cost = f"{exact(finding.cost_ns)}, {finding.cost_pct or 0:.1f}% of the device time, at most"
    pairs: Pairs = [("finding", safe(finding.title)), ("cost", cost)]
    if finding.cost_per_step_ns is not None:
        pairs.append(("per step", exact(finding.cost_per_step_ns)))
    pairs.append(("confidence", finding.confidence.value))
    pairs += _listed("because", finding.reasons)
    for piece in finding.evidence:
        pairs += [("seen", safe(piece.text)), ("  by", safe(piece.command))]
    pairs += _listed("could also be", finding.also_possible)
    pairs += _listed("change", finding.advice)
    if finding.confirm:
        pairs.append(("to be sure", safe(finding.confirm)))
    return pairs


def _listed(label: str, texts: tuple[str, ...]) -> Pairs:
    return [(label if not number else "", safe(text)) for number, text in enumerate(texts)]


def unknown_section(found: Diagnosis) -> Section:
    """List what the capture can't show, and which option would record it."""
    rows = found.not_assessable
    table = table_of(
        "not_assessable",
        Column("fault", "fault", Unit.TEXT, [n.fault for n in rows]),
        Column("why", "reason", Unit.TEXT, [n.reason for n in rows]),
        Column("capture", "capture", Unit.TEXT, [n.capture for n in rows], 1),
    )

    def details(row: int) -> Pairs:
        return _safe(fault=rows[row].fault, because=rows[row].reason, capture=rows[row].capture)

    return Section("What this capture can't tell", table, least=16, wraps="reason", details=details)


def kernels_section(found: Diagnosis) -> Section:
    """List the kernels that take most of the compute time, with the command that profiles each."""
    rows = found.kernels
    table = table_of(
        "kernels",
        Column("kernel", "name", Unit.TEXT, [k.name for k in rows], kernels=True),
        Column("total", "total_ns", Unit.NS, [k.total_ns for k in rows]),
        Column("%", "pct", Unit.PCT, [k.pct for k in rows]),
        Column("count", "count", Unit.COUNT, [k.count for k in rows]),
    )

    def details(row: int) -> Pairs:
        texts = {"kernel": rows[row].name, "ncu": rows[row].ncu, "note": rows[row].ncu_note}
        return _safe(**texts, **({"remark": rows[row].remark} if rows[row].remark else {}))

    short = short_names(k.name for k in rows)
    remarks = tuple(f"{short[k.name]}: {k.remark}" for k in rows if k.remark)
    return Section("Kernels to look into next (space: the ncu line)", table, remarks, details=details)


def _safe(**texts: str) -> Pairs:
    return [(label, safe(text)) for label, text in texts.items()]
