"""A diagnosis as a note for people, and as tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TextIO

from tui.analysis.diagnosis import Diagnosis, Finding
from tui.analysis.faults.finding import Claim
from tui.analysis.table import Column, Table, Unit
from tui.output.readable import readable
from tui.output.text_layout import TextLayout
from tui.output.text_table import spelled, write_table
from tui.report.model import Report
from tui.text import cut, safe
from tui.text.cells import wrapped
from tui.text.times import show_duration, show_time

WIDTH = 100
"""Cells of a line where no terminal says otherwise."""
MARGIN = "    "
_CAPTURE = re.compile(r"((?:srun )?nsys profile .*?(?=  \(|, then|;|$))")


def findings_table(diagnosis: Diagnosis) -> Table:
    """One row a finding."""
    findings = diagnosis.findings
    columns = (
        Column("Fault", "fault", Unit.TEXT, [f.fault for f in findings]),
        Column("Cost (ns)", "cost_ns", Unit.NS, [f.cost_ns for f in findings]),
        Column("Cost (%)", "cost_pct", Unit.PCT, [f.cost_pct for f in findings]),
        Column("Per Step (ns)", "cost_per_step_ns", Unit.NS, [f.cost_per_step_ns for f in findings], 1),
        Column("Confidence", "confidence", Unit.TEXT, [f.confidence.value for f in findings], 2),
        Column("Finding", "title", Unit.TEXT, [f.title for f in findings]),
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
    for line in note(diagnosis, report, max(40, layout.width or WIDTH)):
        stream.write(f"{spelled(line, layout)}\n")


def write_findings(findings: list[Finding], charged: Table, stream: TextIO, layout: TextLayout) -> None:
    """Write some findings, then the table of the stretches that they are charged with."""
    for finding in findings:
        for line in _finding(1, finding, max(40, layout.width or WIDTH)):
            stream.write(f"{spelled(line, layout)}\n")
    stream.write("\n")
    write_table(readable(charged), stream, layout)


def note(diagnosis: Diagnosis, report: Report, cells: int) -> Iterator[str]:
    """The lines of the note, none wider than ``cells`` but for commands, which must stay whole."""
    yield cut(headline(diagnosis, report), cells)
    yield ""
    yield from paragraph(_sentence(diagnosis.verdict.text), cells, "", "")
    weighty = [f for f in diagnosis.findings if not f.minor]
    for number, finding in enumerate(weighty, 1):
        yield ""
        yield from _finding(number, finding, cells)
    minor = [f for f in diagnosis.findings if f.minor]
    if minor:
        yield ""
        yield "Also seen, at next to no cost here:"
        for finding in minor:
            text = f"{finding.fault}: {finding.title}; {'; '.join(finding.reasons)}"
            yield from paragraph(text, cells, "  - ", "    ")
            for evidence in finding.evidence:
                yield f"{MARGIN}  {safe(evidence.command)}"
    said = {reason for finding in minor for reason in finding.reasons}
    for text in diagnosis.notes:
        if text not in said:
            yield ""
            yield from paragraph(f"Note: {text}", cells, "", "  ")
    yield from _kernels(diagnosis, cells)
    yield from _unknown(diagnosis, cells)


def headline(diagnosis: Diagnosis, report: Report) -> str:
    """What was looked at, on one line."""
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
    """``36.8 %  1.514 s  151.381 ms a step``; a finding without a cost says so."""
    if finding.cost_ns is None or finding.cost_pct is None:
        return "no cost of its own: it limits what can be said"
    step = "" if finding.cost_per_step_ns is None else f", {show_duration(finding.cost_per_step_ns)} a step"
    return f"at most {finding.cost_pct:.1f} % of the device time: {show_duration(finding.cost_ns)}{step}"


def _finding(number: int, finding: Finding, cells: int) -> Iterator[str]:
    yield from paragraph(f"{number}. {_sentence(finding.title)}", cells, "", MARGIN)
    yield from paragraph(
        f"{finding.fault}; {cost_text(finding)}; confidence {finding.confidence.value}", cells, MARGIN, MARGIN
    )
    for evidence in finding.evidence:
        yield from paragraph(evidence.text, cells, f"{MARGIN}- ", f"{MARGIN}  ")
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
            yield from paragraph(part.strip(" ,;") if position else part.strip(), cells, start, rest)
            start = rest


def _kernels(diagnosis: Diagnosis, cells: int) -> Iterator[str]:
    if not diagnosis.kernels:
        return
    yield ""
    yield "The largest kernels, by total time:"
    for kernel in diagnosis.kernels:
        figures = f"  {kernel.pct:5.1f} %  {show_duration(kernel.total_ns):>11}  {kernel.count:>7,} x  "
        yield figures + cut(safe(kernel.name), max(20, cells - len(figures)))
    first = diagnosis.kernels[0]
    yield from paragraph(f"To look inside the first ({first.ncu_note}):", cells, "  ", "  ")
    yield f"{MARGIN}{safe(first.ncu)}"


def _unknown(diagnosis: Diagnosis, cells: int) -> Iterator[str]:
    """What can't be judged; faults with one reason and one remedy are said together."""
    together: dict[tuple[str, str], list[str]] = {}
    for item in diagnosis.not_assessable:
        together.setdefault((item.reason, item.capture), []).append(item.fault)
    if together:
        yield ""
        yield "Not to be judged from this capture:"
    for (reason, capture), faults in together.items():
        yield from paragraph(f"{', '.join(faults)}: {reason}", cells, "  - ", "    ")
        yield from with_commands(capture, cells, f"{MARGIN}  ", f"{MARGIN}  ")


def paragraph(text: str, cells: int, first: str, rest: str) -> list[str]:
    """``text`` wrapped to ``cells``, made safe for a terminal."""
    return wrapped(safe(text), max(30, cells), first, rest, whole=True)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
