"""Notes and doubtful rows of a report, as lines."""

from __future__ import annotations

from tui.analysis.diagnostics import report_notes
from tui.report.model import Report
from tui.text import safe
from tui.text.cells import wrapped
from tui.timeline.runs import Line, Run


def notice_lines(report: Report, room: int) -> list[Line]:
    """Draw the notes and doubtful rows of the report in ``room`` cells."""
    lines: list[Line] = []

    def paragraph(text: str, style: str = "pane") -> None:
        lines.extend([Run(" " + piece, style)] for piece in wrapped(safe(text), max(8, room - 2)))

    version = report.product_version or "of unknown version"
    paragraph(f"{report.path}: Nsight Systems {version}, schema {report.schema_version or 'unknown'}")
    lines += [[], [Run(" Notes", "pane.title")]]
    for note in report_notes(report) or ("none",):
        paragraph(note)
    lines += [[], [Run(" Doubtful rows", "pane.title")]]
    for doubt in report.doubtful:
        effect = "kept out of every sum" if doubt.excluded else "counted as it is"
        paragraph(f"{doubt.count:,} x {doubt.kind}: {effect}")
        paragraph(f"  first: {doubt.example}", "pane.dim")
    if not report.doubtful:
        paragraph("none")
    return lines
