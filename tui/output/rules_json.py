"""What rules found, as JSON."""

from __future__ import annotations

from typing import Any

from tui.analysis.rules import RuleFinding
from tui.analysis.scope import Scope
from tui.output.json_text import head, records
from tui.report.model import Report


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
