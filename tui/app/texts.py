"""The lines of help, legend and notices."""

from __future__ import annotations

from collections.abc import Sequence

from tui.app.keys import Keymap, entries
from tui.app.looks import Looks
from tui.report.model import Report
from tui.text import pad, safe, width
from tui.text.cells import wrapped
from tui.timeline.legend import legend
from tui.timeline.runs import Line, Run

START_HERE = (
    "Idle stretches stand out on each GPU's line, with their length and what the host did meanwhile.",
    "The side pane sums the same window up: the whole capture, or the range that you select.",
)


def help_lines(keymap: Keymap, room: int, ascii_only: bool) -> list[Line]:
    """Every key by group, in two columns where there is room."""
    lines: list[Line] = [[Run(" " + text, "pane")] for text in START_HERE]
    for group, listed in entries(keymap, ascii_only).items():
        lines += [[], [Run(f" {group}", "pane.title")]]
        shown = [(" ".join(keys) or "-", text) for keys, text in listed]
        key_room = max(width(keys) for keys, _ in shown)
        columns = 2 if room >= 110 else 1
        cell = room // columns
        rows = -(-len(shown) // columns)
        for row in range(rows):
            line: Line = []
            for keys, text in shown[row::rows]:
                line.append(Run(f" {pad(keys, key_room)}  ", "status.key"))
                line.append(Run(pad(text, max(width(text), cell - key_room - 3)), "pane"))
            lines.append(line)
    return lines


def notice_lines(report: Report, room: int) -> list[Line]:
    """Notes and doubtful rows of the report."""
    lines: list[Line] = []

    def paragraph(text: str, style: str = "pane") -> None:
        lines.extend([Run(" " + piece, style)] for piece in wrapped(safe(text), max(8, room - 2)))

    version = report.product_version or "of unknown version"
    paragraph(f"{report.path}: Nsight Systems {version}, schema {report.schema_version or 'unknown'}")
    lines += [[], [Run(" Notes", "pane.title")]]
    for note in report.notes or ("none",):
        paragraph(note)
    lines += [[], [Run(" Doubtful rows", "pane.title")]]
    for doubt in report.doubtful:
        effect = "kept out of every sum" if doubt.excluded else "counted, under a placeholder"
        paragraph(f"{doubt.count:,} x {doubt.kind}: {effect}")
        paragraph(f"  first: {doubt.example}", "pane.dim")
    if not report.doubtful:
        paragraph("none")
    return lines


def legend_lines(looks: Looks) -> list[Line]:
    """Samples of every colour and glyph, with what they mean."""
    lines: list[Line] = []
    for sample, meaning in legend(looks.glyphs, looks.theme.fill):
        lines.append([Run("  ", "pane"), sample, Run(f"  {meaning}", "pane")])
    return lines


def notices(report: Report) -> int:
    """How many things there are to tell."""
    return len(report.notes) + len(report.doubtful)


def join(parts: Sequence[str]) -> str:
    """Non-empty parts, with a middle dot between."""
    return " · ".join(part for part in parts if part)
