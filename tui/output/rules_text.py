"""What rules found, as a text for people."""

from __future__ import annotations

from typing import TextIO

from tui.analysis.rules import RuleFinding
from tui.analysis.scope import Scope
from tui.output import window_text
from tui.output.json_text import head
from tui.output.text_layout import TextLayout
from tui.output.text_table import paragraph, spelled, write_rows, write_title
from tui.report.model import Report
from tui.text.times import show_duration


def write_rules(
    found: list[RuleFinding], report: Report, scope: Scope, rows: int, stream: TextIO, layout: TextLayout
) -> None:
    """Write what was found, why it matters, the longest ``rows`` (0: all), and what to do."""
    window = window_text(head(report, scope)["window"])
    for position, item in enumerate(found):
        stream.write("\n" if position else "")
        shown = item.table.head(rows, "--rows 0")
        write_title(shown, stream, layout, window)
        number = len(item.table)
        if not number:
            stream.write(" nothing found\n")
            continue
        what = f"{number:,} found, {show_duration(item.total_ns)} in all. {item.rule.means}"
        stream.write(f"{spelled(paragraph(what, layout.width), layout)}\n\n")
        write_rows(shown, stream, layout)
        advice = paragraph(f"what to do: {item.rule.advice}", layout.width)
        stream.write(f"\n{spelled(advice, layout)}\n")
