"""Notes and doubtful rows of a report, as lines."""

from __future__ import annotations

from collections.abc import Sequence

from tui.analysis.diagnostics import report_notes
from tui.browse.capture import Capture
from tui.browse.details import LOOKUPS_S
from tui.report.model import Report
from tui.text import safe
from tui.text.cells import wrapped
from tui.timeline.runs import Line, Run


def notes_of(capture: Capture) -> list[str]:
    """Return what `nsystui info` notes; while figures are being worked out, what the report itself holds."""
    with capture.try_lookups(LOOKUPS_S) as index:
        if index is None or capture.loading:
            return report_notes(capture.report)
        from tui.analysis.notes import capture_notes  # it needs analyses that no frame waits for

        return capture_notes(index)


def notice_lines(report: Report, notes: Sequence[str], room: int) -> list[Line]:
    """Draw notes and the doubtful rows of the report in ``room`` cells."""
    lines: list[Line] = []

    def paragraph(text: str, style: str = "pane") -> None:
        lines.extend([Run(" " + piece, style)] for piece in wrapped(safe(text), max(8, room - 2)))

    version = report.product_version or "of unknown version"
    paragraph(f"{report.path}: Nsight Systems {version}, schema {report.schema_version or 'unknown'}")
    lines += [[], [Run(" Notes", "pane.title")]]
    for note in notes or ("none",):
        paragraph(note)
    lines += [[], [Run(" Doubtful rows", "pane.title")]]
    for doubt in report.doubtful:
        effect = "kept out of every sum" if doubt.excluded else "counted as it is"
        paragraph(f"{doubt.count:,} x {doubt.kind}: {effect}")
        paragraph(f"  first: {doubt.example}", "pane.dim")
    if not report.doubtful:
        paragraph("none")
    return lines
