"""A diagnosis as a note for people, as tables, and as JSON: integers in nanoseconds, unknown as null."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, TextIO

from tui.analysis.diagnosis import Diagnosis, Finding
from tui.analysis.diagnosis_words import CHECKED, RESTS_ON, checked_text, not_found_text, share_lines
from tui.analysis.faults.finding import Claim, Evidence
from tui.analysis.table import Column, Table, Unit
from tui.analysis.verdict import DeviceShare
from tui.output.json_text import head, records
from tui.output.text_layout import TextLayout
from tui.output.text_table import readable, write_lines, write_table
from tui.report.model import Report
from tui.text import cut, safe
from tui.text.cells import wrapped
from tui.text.numbers import hundredths, percent
from tui.text.times import show_duration, show_time

WIDTH = 100
"""Cells of a line where no terminal says otherwise."""
MARGIN = "    "
_NAME = re.compile(r"[_\d(']|::|[a-z][A-Z]")
"""What a word of a sentence does not hold, but the name of a call, a kernel or a range may."""
_CAPTURE = re.compile(r"((?:srun )?nsys profile .*?(?=  \(|, then|;|$))")


def findings_table(diagnosis: Diagnosis) -> Table:
    """One row a finding."""
    found = diagnosis.findings
    columns = (
        Column("Fault", "fault", Unit.TEXT, [f.fault for f in found]),
        Column("Cost (ns)", "cost_ns", Unit.NS, [f.cost_ns for f in found]),
        Column("Cost (%)", "cost_pct", Unit.PCT, [f.cost_pct for f in found]),
        Column("Per step (ns)", "cost_per_step_ns", Unit.NS, [f.cost_per_step_ns for f in found], 1),
        Column("Confidence", "confidence", Unit.TEXT, [f.confidence.value for f in found], 2),
        Column("Finding", "title", Unit.TEXT, [f.title for f in found]),
    )
    return Table("diagnosis", "What slows it down, most costly first", columns, diagnosis.verdict.text)


def spans_table(claims: tuple[Claim, ...], report: Report) -> Table:
    """Every stretch of device time that a finding is charged with, by device and time."""
    rows = [
        (report.devices[c.device].cuda_id, c.lost.name.lower(), start, end)
        for c in claims
        for start, end in zip(c.spans.start.tolist(), c.spans.end.tolist(), strict=True)
    ]
    rows.sort(key=lambda row: (row[0], row[2]))
    columns = (
        Column("Device", "device", Unit.COUNT, [r[0] for r in rows]),
        Column("Lost", "lost", Unit.TEXT, [r[1] for r in rows]),
        Column("Start (ns)", "start_ns", Unit.NS, [r[2] for r in rows]),
        Column("Duration (ns)", "duration_ns", Unit.NS, [r[3] - r[2] for r in rows]),
    )
    return Table("charged", "The device time that it is charged with", columns)


def write_note(diagnosis: Diagnosis, report: Report, stream: TextIO, layout: TextLayout) -> None:
    """Write the diagnosis as one engineer would write it to another."""
    lines = note_lines(diagnosis, report, _cells(layout), whole=layout.width is None)
    write_lines(lines, stream, layout)


def write_findings(findings: list[Finding], charged: Table, stream: TextIO, layout: TextLayout) -> None:
    """Write some findings, then the table of the stretches that they are charged with."""
    for finding in findings:
        write_lines(_finding(1, finding, _cells(layout)), stream, layout)
    stream.write("\n")
    write_table(readable(charged), stream, layout)


def _cells(layout: TextLayout) -> int:
    return max(40, layout.width or WIDTH)


def note_lines(diagnosis: Diagnosis, report: Report, cells: int, *, whole: bool = False) -> Iterator[str]:
    """The lines of the note, none wider than ``cells`` but for commands, which must stay whole.

    Names are cut to that, unless all are to be ``whole``.
    """
    yield from wrapped_safe(headline(diagnosis, report), cells, "", "  ")
    yield ""
    yield from wrapped_safe(_sentence(diagnosis.verdict.text), cells, "", "")
    if diagnosis.verdict.left:
        yield "The largest pieces of it:"
        for piece in diagnosis.verdict.left:
            yield from wrapped_safe(piece.text, cells, "  - ", "    ")
            yield f"{MARGIN}  {safe(piece.command)}"
    for text in share_lines(diagnosis):
        yield from wrapped_safe(text, cells, "", "  ")
    for number, finding in enumerate(diagnosis.findings, 1):
        yield ""
        yield from _finding(number, finding, cells)
    if diagnosis.checked or diagnosis.not_found:
        yield from ("", f"{CHECKED}:")
        for finding in diagnosis.checked:
            yield from wrapped_safe(checked_text(finding), cells, "  - ", "    ")
            for evidence in finding.evidence:
                yield f"{MARGIN}  {safe(evidence.command)}"
        yield from wrapped_safe(not_found_text(diagnosis), cells, "  - ", "    ")
    said = {reason for finding in diagnosis.checked for reason in finding.reasons}
    for text in diagnosis.notes:
        if text not in said:
            yield ""
            yield from wrapped_safe(f"Note: {text}", cells, "", "  ")
    yield from _kernels(diagnosis, cells, whole)
    if diagnosis.basis:
        yield from ("", f"{RESTS_ON}:")
        for text in diagnosis.basis:
            yield from wrapped_safe(text, cells, "  - ", "    ")
    yield from _not_assessable(diagnosis, cells)


def headline(diagnosis: Diagnosis, report: Report) -> str:
    """The report, its window, steps and busy share, on one line."""
    window = diagnosis.scope.window
    parts = [
        safe(report.path.name),
        f"{safe(window.label)}, {show_duration(window.length)} from {show_time(window.start)}",
    ]
    if diagnosis.steps:
        parts.append(f"{diagnosis.steps} x {safe(diagnosis.step_name or 'step')}")
    if diagnosis.busy.window_pct is not None:
        parts.append(f"busy {diagnosis.busy.window_pct:.1f} %")
    return " - ".join(parts)


def cost_text(finding: Finding) -> str:
    """``at most 36.8 % of the device time: 1.514 s, 151.381 ms a step``; without a cost it says so."""
    if finding.cost_ns is None or finding.cost_pct is None:
        return finding.without_cost
    step = "" if finding.cost_per_step_ns is None else f", {show_duration(finding.cost_per_step_ns)} a step"
    return f"at most {finding.cost_pct:.1f} % of the device time: {show_duration(finding.cost_ns)}{step}"


def _finding(number: int, finding: Finding, cells: int) -> Iterator[str]:
    yield from wrapped_safe(f"{number}. {_sentence(finding.title)}", cells, "", MARGIN)
    yield from wrapped_safe(
        f"{finding.fault}; {cost_text(finding)}; confidence {finding.confidence.value}", cells, MARGIN, MARGIN
    )
    for evidence in finding.evidence:
        yield from wrapped_safe(evidence.text, cells, f"{MARGIN}- ", f"{MARGIN}  ")
        yield f"{MARGIN}    {safe(evidence.command)}"
    yield from listed("why", finding.reasons, cells)
    yield from listed("do", finding.advice, cells)
    yield from listed("or", finding.also_possible, cells)
    yield from listed("be sure", (finding.confirm,), cells)


def listed(word: str, texts: tuple[str, ...], cells: int) -> Iterator[str]:
    """``texts`` under a word in the margin, one item each; commands on lines of their own, unbroken."""
    indent = f"{MARGIN}{'':<9}"
    for position, text in enumerate(texts):
        lead = f"{word}:" if position == 0 else ""
        bullet = "- " if len(texts) > 1 else ""
        yield from with_commands(text, cells, f"{MARGIN}{lead:<9}{bullet}", f"{indent}{' ' * len(bullet)}")


def with_commands(text: str, cells: int, first: str, rest: str) -> Iterator[str]:
    """``text`` wrapped, each ``nsys profile`` line in it whole: it is there to be copied."""
    start = first
    for position, part in enumerate(_CAPTURE.split(text)):
        if position % 2:
            yield f"{start if start is first and first.strip() else rest}{safe(part)}"
            start = rest
        elif part.strip(" ,;:"):
            yield from wrapped_safe(part.strip(" ,;") if position else part.strip(), cells, start, rest)
            start = rest


def _kernels(diagnosis: Diagnosis, cells: int, whole: bool) -> Iterator[str]:
    if not diagnosis.kernels:
        return
    yield from ("", "The largest kernels, by total time:")
    for kernel in diagnosis.kernels:
        figures = f"  {kernel.pct:5.1f} %  {show_duration(kernel.total_ns):>11}  {kernel.count:>7,} x  "
        name = safe(kernel.name)
        yield figures + (name if whole else cut(name, max(20, cells - len(figures))))
        if kernel.remark:
            yield from wrapped_safe(kernel.remark, cells, " " * 11, " " * 11)
    first = diagnosis.kernels[0]
    yield from wrapped_safe(f"To look inside the first ({first.ncu_note}):", cells, "  ", "  ")
    yield f"{MARGIN}{safe(first.ncu)}"


def _not_assessable(diagnosis: Diagnosis, cells: int) -> Iterator[str]:
    """What can't be judged; faults with one reason and one remedy share an item."""
    together: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for item in diagnosis.not_assessable:
        together[item.reason, item.capture].append(item.fault)
    if together:
        yield from ("", "What this capture can't tell:")
    for (reason, capture), faults in together.items():
        yield from wrapped_safe(f"{', '.join(faults)}: {reason}", cells, "  - ", "    ")
        yield from with_commands(capture, cells, f"{MARGIN}  ", f"{MARGIN}  ")


def wrapped_safe(text: str, cells: int, first: str, rest: str) -> list[str]:
    """``text`` wrapped to ``cells``, made safe for a terminal."""
    return wrapped(safe(text), max(30, cells), first, rest, whole=True)


def _sentence(text: str) -> str:
    """``text`` with a capital at its beginning, unless it begins with a name such as cudaFree."""
    word = text.partition(" ")[0]
    return text if _NAME.search(word) else text[:1].upper() + text[1:]


def diagnosis_document(diagnosis: Diagnosis, report: Report) -> dict[str, Any]:
    """All findings, what can't be judged, and the kernels that take most of the time."""
    busy = diagnosis.busy
    return {
        **head(report, diagnosis.scope),
        "verdict": {
            "kind": diagnosis.verdict.kind.value,
            "text": diagnosis.verdict.text,
            "left": [evidence_object(e, report) for e in diagnosis.verdict.left],
        },
        "basis": list(diagnosis.basis),
        "step_name": diagnosis.step_name,
        "steps": diagnosis.steps,
        "device_ns": diagnosis.device_ns,
        "cost_ns": diagnosis.cost_ns,
        "cost_pct": hundredths(diagnosis.cost_pct),
        "busy_pct": hundredths(busy.window_pct),
        "least_busy_step_pct": hundredths(busy.least_step_pct),
        "busy": [share_object(row) for row in busy.devices],
        "findings": [finding_object(f, report) for f in diagnosis.findings],
        "not_found": list(diagnosis.not_found),
        "checked": [finding_object(f, report) for f in diagnosis.checked],
        "not_assessable": [
            {"fault": n.fault, "also": list(n.also), "reason": n.reason, "capture": n.capture}
            for n in diagnosis.not_assessable
        ],
        "kernels": [
            {
                "name": k.name,
                "total_ns": k.total_ns,
                "pct": hundredths(k.pct),
                "count": k.count,
                "ncu": k.ncu,
                "ncu_note": k.ncu_note,
                "remark": k.remark or None,
            }
            for k in diagnosis.kernels
        ],
        "notes": list(diagnosis.notes),
    }


def share_object(row: DeviceShare) -> dict[str, Any]:
    """Where the time of one device goes, in JSON: the first six addends make up the window."""
    busy = row.busy
    times = {
        "compute": busy.compute_ns,
        "exposed_comm": busy.exposed_comm_ns,
        "copy_only": busy.copy_only_ns,
        "other": busy.other_ns,
        "unknown": busy.unknown_ns,
        "idle": busy.idle_ns,
        "hidden_comm": row.hidden_comm_ns,
        "hidden_copy": row.hidden_copy_ns,
    }
    return {
        "device": busy.device.cuda_id,
        "window_ns": busy.window_ns,
        **{f"{name}_ns": ns for name, ns in times.items()},
        **{f"{name}_pct": hundredths(percent(ns, busy.window_ns)) for name, ns in times.items()},
    }


def charged_document(diagnosis: Diagnosis, findings: list[Finding], report: Report) -> dict[str, Any]:
    """These findings with all stretches that any of them is charged with."""
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
        "without_cost": finding.without_cost or None,
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
    return {**asdict(evidence), "device": device}
