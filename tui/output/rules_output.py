"""What rules found, as JSON and as a text for people."""

from __future__ import annotations

from typing import Any, TextIO

from tui.analysis.rules import RuleFinding
from tui.analysis.scope import Scope
from tui.output import window_text
from tui.output.json_text import head, records
from tui.output.text_layout import TextLayout
from tui.output.text_table import paragraph, write_lines, write_rows, write_title
from tui.report.model import Report
from tui.text.times import show_duration


def rules_document(found: list[RuleFinding], report: Report, scope: Scope, rows: int) -> dict[str, Any]:
    """Each rule with its findings, ``rows`` of each (0: all)."""
    rules = [
        {
            "name": item.rule.name,
            "title": item.rule.title,
            "found": len(item.table),
            "total_ns": item.total_ns,
            "means": item.rule.means,
            "advice": item.rule.advice,
            "rows": records(item.table.head(rows, "--rows 0")),
        }
        for item in found
    ]
    return {**head(report, scope), "rules": rules}


def write_rules(
    found: list[RuleFinding], report: Report, scope: Scope, rows: int, stream: TextIO, layout: TextLayout
) -> None:
    """Write what was found, why it matters, the longest ``rows`` (0: all), and what to do."""
    window = window_text(head(report, scope)["window"])
    for position, item in enumerate(found):
        stream.write("\n" if position else "")
        shown = item.table.head(rows, "--rows 0")
        write_title(shown, stream, layout, window)
        if not len(item.table):
            stream.write(" nothing found\n")
            continue
        what = f"{len(item.table):,} found, {show_duration(item.total_ns)} in all. {item.rule.means}"
        write_lines([paragraph(what, layout.width), ""], stream, layout)
        write_rows(shown, stream, layout)
        advice = paragraph(f"what to do: {item.rule.advice}", layout.width)
        write_lines(["", advice], stream, layout)
