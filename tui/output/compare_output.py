"""A comparison as JSON, and as text for people: the verdict first, then the tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, TextIO

from tui.output.compare_tables import compare_tables, delta, in_one_unit, readable_metrics, whole
from tui.output.ranks_json import set_object
from tui.output.text_layout import TextLayout
from tui.output.text_table import write_lines, write_rows
from tui.ranks.change_words import verdict_lines
from tui.ranks.compare import Comparison, MetricRow
from tui.ranks.contents import Reason
from tui.ranks.explain import Change, Changes, K
from tui.ranks.kernel_changes import KernelChange
from tui.text import safe
from tui.text.cells import wrapped
from tui.text.numbers import hundredths

WIDTH = 100
"""Cells of a line where no terminal says otherwise."""


def compare_document(found: Comparison, notes: Sequence[str]) -> dict[str, Any]:
    """Return the whole comparison; times are integers (ns), unknown is None."""
    explained = [("slowest", found.latest), ("median", found.middle)]
    middle = found.middle or found.latest  # of one rank alone
    return {
        "before": set_object(found.before.judged),
        "after": set_object(found.after.judged),
        "method": {
            "over": found.method.over.value,
            "block": found.method.block,
            "resamples": found.method.resamples,
            "seed": found.method.seed,
            "min_effect_pct": found.method.min_effect_pct,
            "runs_drawn": found.method.runs_drawn,
        },
        "verdict": found.headline.verdict,
        "said": verdict_lines(found),
        "metrics": [_metric(row) for row in found.rows],
        "comparable": [{**asdict(c), "same": c.same} for c in found.conditions],
        "per": found.per,
        "step": {
            name: [*({"part": row.what, **_change(row)} for row in e.step.rows), _total(e.step, found.per)]
            for name, e in (("slowest", found.latest), ("median", middle))
        },
        "slowest_rank": _who(found),
        "classes": [_kernel(row) for row in found.kernels.classes] if found.kernels else None,
        "kernels": [_kernel(row, names=True) for row in found.kernels.kernels] if found.kernels else None,
        "idle": [
            {"rank": name, **_reason(row.what), **_change(row)}
            for name, e in explained
            if e
            for row in e.idle.rows
        ],
        "phases": [
            {"rank": name, "phase": row.what, **_change(row)}
            for name, e in explained
            if e
            for row in e.phases.rows
        ],
        "computation_scaling": None if found.scaling is None else round(found.scaling, 4),
        "notes": list(notes),
    }


def _metric(row: MetricRow) -> dict[str, Any]:
    moved = row.shift
    interval, percent = moved.interval, moved.interval_pct
    return {
        "metric": row.metric.name,
        "unit": row.metric.unit.value,
        "better": row.metric.better.value,
        "before": whole(row, moved.before),
        "after": whole(row, moved.after),
        "delta": delta(row),
        "delta_pct": hundredths(moved.delta_pct),
        "ci_low_pct": hundredths(percent.low) if percent else None,
        "ci_high_pct": hundredths(percent.high) if percent else None,
        "verdict": row.verdict,
        "n_before": row.counted[0],
        "n_after": row.counted[1],
        "ci_low": whole(row, interval.low) if interval else None,
        "ci_high": whole(row, interval.high) if interval else None,
        "mad_before": whole(row, row.mad[0]),
        "mad_after": whole(row, row.mad[1]),
        "hodges_lehmann": whole(row, moved.hodges_lehmann),
        "dominance": round(moved.dominance, 4),
    }


def _change(row: Change[Any]) -> dict[str, int]:
    return {"before_ns": row.before, "after_ns": row.after, "delta_ns": row.delta}


def _total(changes: Changes[K], name: str) -> dict[str, Any]:
    return {"part": name, **_change(changes.total)}


def _reason(reason: Reason) -> dict[str, str | None]:
    return {"class": reason.cause.words, "call": reason.call, "phase": reason.phase}


def _who(found: Comparison) -> dict[str, Any]:
    before, after = found.latest.who
    return {"before": dict(before), "after": dict(after)}


def _kernel(row: KernelChange, *, names: bool = False) -> dict[str, Any]:
    named = {"before_name": row.before_name, "after_name": row.after_name} if names else {}
    return {
        "class": row.kernel_class.value,
        **named,
        "status": row.status.value,
        "calls_before": None if row.calls_before is None else round(float(row.calls_before), 3),
        "calls_after": None if row.calls_after is None else round(float(row.calls_after), 3),
        "before_ns": row.before,
        "after_ns": row.after,
        "delta_ns": row.delta,
        "calls_effect_ns": row.calls_effect,
        "duration_effect_ns": row.duration_effect,
    }


def write_comparison(
    found: Comparison, stream: TextIO, layout: TextLayout, *, top: int, glance: bool
) -> None:
    """Write the verdict and the tables. ``glance``: times in units that are easy to read."""
    cells = max(40, layout.width or WIDTH)
    for line in verdict_lines(found):
        write_lines(wrapped(safe(line), cells, "", "  "), stream, layout)
    for table in compare_tables(found, top):
        if table.name == "metrics":
            table = readable_metrics(found, every=not top or layout.width is None)
        elif glance:
            table = in_one_unit(table)
        write_lines(["", f" ** {safe(table.title)}", ""], stream, layout)
        write_rows(table, stream, layout)
