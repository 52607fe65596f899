"""A check as tables, JSON and JUnit XML."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, TextIO
from xml.sax.saxutils import escape, quoteattr

from tui.analysis.table import Column, Table, Unit
from tui.output.compare_tables import right
from tui.output.text_layout import TextLayout
from tui.output.text_table import write_lines, write_rows
from tui.ranks.change_words import value_text
from tui.ranks.check import CheckRow, Outcome, Verdict
from tui.text import safe
from tui.text.cells import wrapped

WIDTH = 100
"""Cells of a line where no terminal says otherwise."""
REASONS_BESIDE = 130
"""Cells from which on a reason has room beside its verdict."""
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def check_table(found: Verdict) -> Table:
    """One row a metric, as numbers in the metric's unit."""
    rows = found.rows

    def column(name: str, values: Sequence[Any], unit: Unit = Unit.DECIMAL) -> Column:
        return Column(name, name, unit, values)

    return Table(
        "check",
        "Check",
        (
            column("metric", [row.metric for row in rows], Unit.TEXT),
            column("unit", [row.kind.unit.value if row.kind else None for row in rows], Unit.TEXT),
            *(
                column(name, [getattr(row, name) for row in rows])
                for name in ("value", "noise", "allowance", "limit", "measured", "worse", "worse_pct")
            ),
            column("verdict", [row.outcome.value for row in rows], Unit.TEXT),
            column("reason", [row.reason for row in rows], Unit.TEXT),
        ),
    )


def write_check(line: str, found: Verdict, stream: TextIO, layout: TextLayout) -> None:
    """Write what it comes to, and the table; in a narrow one the reasons are below it, each once."""
    narrow = layout.width is not None and layout.width < REASONS_BESIDE
    write_lines([*wrapped(safe(line), max(40, layout.width or WIDTH), "", "  "), ""], stream, layout)
    write_rows(readable_check(found, reasons=not narrow), stream, layout)
    if narrow:
        why: dict[str, list[str]] = {}
        for row in found.rows:
            if row.reason:
                why.setdefault(row.reason, []).append(row.metric)
        lines = [f"{', '.join(metrics)}: {reason}" for reason, metrics in why.items()]
        texts = [text for line in lines for text in wrapped(safe(line), layout.width or WIDTH, " ", "   ")]
        write_lines(["", *texts] if texts else [], stream, layout)


def readable_check(found: Verdict, *, reasons: bool = True) -> Table:
    """The same for people: each value in the unit that suits it; with the ``reasons`` beside the verdicts."""
    rows = found.rows
    heads = {
        "value": ("baseline", 0), "noise": ("noise", 2), "allowance": ("allowed", 1), "limit": ("limit", 0),
        "measured": ("tonight", 0), "worse": ("worse", 1),
    }  # fmt: skip
    return Table(
        "check",
        "Check",
        (
            Column("metric", "metric", Unit.TEXT, [row.metric for row in rows]),
            *(right(head, [_text(row, name) for row in rows], rank) for name, (head, rank) in heads.items()),
            Column("verdict", "verdict", Unit.TEXT, [verdict_text(row, reason=reasons) for row in rows]),
        ),
    )


def _text(row: CheckRow, name: str) -> str:
    value = getattr(row, name)
    return "-" if value is None or row.kind is None else value_text(row.kind, value)


def verdict_text(row: CheckRow, *, reason: bool = True) -> str:
    """``FAILED: exposed wait +12.9 ms; rank 11 pinned``, or ``FAILED`` without the ``reason``."""
    word = row.outcome.value.upper() if row.outcome is Outcome.FAILED else row.outcome.value
    return f"{word}: {row.reason}" if reason and row.reason else word


def summary_line(found: Verdict, path: str, runs: int) -> str:
    """``FAILED: 2 of 14 metrics are worse than base.json (12 runs) allows``."""
    failed, rows = found.count(Outcome.FAILED), len(found.rows)
    others = [
        f"{found.count(outcome)} {outcome.value}"
        for outcome in (Outcome.INCONCLUSIVE, Outcome.SKIPPED)
        if found.count(outcome)
    ]
    rest = f" ({', '.join(others)})" if others else ""
    of = f"{path} ({runs} run{'s' if runs != 1 else ''})"
    if failed:
        return f"FAILED: {failed} of {rows} checks of {of}{rest}"
    return f"ok: {found.count(Outcome.OK)} of {rows} checks of {of} hold{rest}"


def check_document(
    found: Verdict, baseline: Mapping[str, Any], held: Mapping[str, Any], notes: Sequence[str]
) -> dict[str, Any]:
    """Return the check as JSON; ``held``: the set."""
    names = ("value", "noise", "allowance", "limit", "measured", "worse", "worse_pct")
    return {
        "baseline": dict(baseline),
        "set": dict(held),
        **{outcome.value: found.count(outcome) for outcome in Outcome},
        "rows": [
            {
                "metric": row.metric,
                "unit": row.kind.unit.value if row.kind else None,
                **{name: getattr(row, name) for name in names},
                "verdict": row.outcome.value,
                "reason": row.reason,
            }
            for row in found.rows
        ],
        "notes": list(notes),
    }


def write_junit(found: Verdict, broken: Sequence[Mapping[str, str]], stream: TextIO) -> None:
    """Write the check as JUnit XML: one test case a metric, and one a report that can't be read."""
    counts = {
        "tests": len(found.rows) + len(broken),
        "failures": found.count(Outcome.FAILED),
        "errors": len(broken),
        "skipped": found.count(Outcome.SKIPPED),
    }
    numbers = " ".join(f'{name}="{count}"' for name, count in counts.items())
    stream.write(f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="nsystui check" {numbers}>\n')
    for row in found.rows:
        inner = ""
        if row.outcome is Outcome.FAILED:
            inner = (
                f"<failure message={_attribute(row.reason or 'worse')}>{_content(_figures(row))}</failure>"
            )
        elif row.outcome is Outcome.SKIPPED:
            inner = f"<skipped message={_attribute(row.reason or '')}/>"
        else:
            inner = f"<system-out>{_content(f'{verdict_text(row)}; {_figures(row)}')}</system-out>"
        stream.write(
            f'  <testcase classname="nsystui.check" name={_attribute(row.metric)}>{inner}</testcase>\n'
        )
    for report in broken:
        inner = f"<error message={_attribute(report['error'])}/>"
        stream.write(
            f'  <testcase classname="nsystui.report" name={_attribute(report["report"])}>{inner}</testcase>\n'
        )
    stream.write("</testsuite>\n")


def _figures(row: CheckRow) -> str:
    names = {
        "value": "baseline",
        "allowance": "allowed",
        "limit": "limit",
        "measured": "tonight",
        "worse": "worse",
    }
    return ", ".join(f"{word} {_text(row, name)}" for name, word in names.items())


def _legal(text: str) -> str:
    """``text`` without what XML can't hold, nor what acts on a terminal."""
    return _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", safe(text))


def _attribute(text: str) -> str:
    return quoteattr(_legal(text))


def _content(text: str) -> str:
    return escape(_legal(text))
