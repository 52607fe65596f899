"""What rules found, as JSON and as a text for people."""

from __future__ import annotations

from typing import Any, TextIO

from tui.analysis.rules import Answer
from tui.analysis.scope import Scope
from tui.output import window_text
from tui.output.json_text import head, records
from tui.output.text_layout import TextLayout
from tui.output.text_table import paragraph, write_lines, write_rows, write_title
from tui.report.model import Report
from tui.text.times import show_duration


def rules_document(found: list[Answer], report: Report, scope: Scope) -> dict[str, Any]:
    """Each rule with its findings, and with a window where that is one of its own."""
    rules = [
        {
            "name": item.finding.rule.name,
            "title": item.finding.rule.title,
            "found": len(item.finding.table),
            "total_ns": item.finding.total_ns,
            **({} if item.scope == scope else {"window": head(report, item.scope)["window"]}),
            "means": item.finding.rule.means,
            "advice": item.finding.rule.advice,
            "rows": records(item.finding.table.head(item.rows, "--rows 0")),
        }
        for item in found
    ]
    return {**head(report, scope), "rules": rules}


def write_rules(found: list[Answer], report: Report, stream: TextIO, layout: TextLayout) -> None:
    """Write what was found, why it matters, the first rows, and what to do."""
    for position, answer in enumerate(found):
        item = answer.finding
        stream.write("\n" if position else "")
        shown = item.table.head(answer.rows, "--rows 0")
        write_title(shown, stream, layout, window_text(head(report, answer.scope)["window"]))
        if not len(item.table):
            stream.write(" nothing found\n")
            continue
        what = f"{len(item.table):,} found, {show_duration(item.total_ns)} in all. {item.rule.means}"
        write_lines([paragraph(what, layout.width), ""], stream, layout)
        write_rows(shown, stream, layout)
        advice = paragraph(f"what to do: {item.rule.advice}", layout.width)
        write_lines(["", advice], stream, layout)
