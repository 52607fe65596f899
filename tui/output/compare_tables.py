"""A comparison as tables: the metrics, and where the difference went."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from tui.analysis.table import Column, Table, Unit
from tui.ranks.change_words import bounds_text, host_only, kernel_name, value_text
from tui.ranks.compare import Comparison, MetricRow
from tui.ranks.contents import Reason
from tui.ranks.explain import Change, Changes, K
from tui.ranks.kernel_changes import KernelChange
from tui.ranks.metrics import MetricUnit
from tui.ranks.part_words import part_words, signed
from tui.report.kernels.short_names import short_names
from tui.text.times import UNITS

SIGNED = ("delta_ns", "calls_effect_ns", "duration_effect_ns")
"""Columns whose values are differences."""
OUTSIDE = "outside phases"


def compare_tables(found: Comparison, top: int = 0) -> list[Table]:
    """Return all tables. ``top``: at most so many rows of the long ones, the rest summed up; 0: all."""
    ranks = [("slowest", found.latest)] + ([("median", found.middle)] if found.middle else [])
    tables = [metrics_table(found)]
    for name, explained in ranks:
        if explained:
            tables.append(_parts(found, name, explained.step))
    if found.kernels:
        tables += [_classes(found, found.kernels.classes), _kernels(found, found.kernels.kernels, top)]
    for name, explained in ranks:
        if explained and explained.idle.rows:
            tables.append(_idle(found, name, explained.idle, top))
        if explained and explained.phases.rows:
            tables.append(_phases(found, name, explained.phases, top))
    return tables


# --- metrics ---


def whole(row: MetricRow, value: float) -> int | float:
    """Return a value in the metric's unit: whole nanoseconds and bytes, two decimals of shares and rates."""
    if row.metric.unit in (MetricUnit.NS, MetricUnit.BYTES):
        return math.floor(value + 0.5)
    if row.metric.unit is MetricUnit.COUNT and value == int(value):
        return int(value)
    return round(value, 2)


def metrics_table(found: Comparison) -> Table:
    """One row a metric, as numbers."""
    rows = found.rows

    def column(header: str, of: Callable[[MetricRow], Any], unit: Unit = Unit.DECIMAL) -> Column:
        return Column(header, header, unit, [of(row) for row in rows])

    def percent(header: str, of: Callable[[MetricRow], float | None]) -> Column:
        return column(header, lambda row: None if (value := of(row)) is None else round(value, 2))

    return Table(
        "metrics",
        "Metrics",
        (
            column("metric", lambda row: row.metric.name, Unit.TEXT),
            column("unit", lambda row: row.metric.unit.value, Unit.TEXT),
            column("better", lambda row: row.metric.better.value, Unit.TEXT),
            column("before", lambda row: whole(row, row.shift.before)),
            column("after", lambda row: whole(row, row.shift.after)),
            column("delta", lambda row: delta(row)),
            percent("delta_pct", lambda row: row.shift.delta_pct),
            percent("ci_low_pct", lambda row: row.shift.interval_pct and row.shift.interval_pct.low),
            percent("ci_high_pct", lambda row: row.shift.interval_pct and row.shift.interval_pct.high),
            column("verdict", lambda row: row.verdict, Unit.TEXT),
            column("n_before", lambda row: row.counted[0], Unit.COUNT),
            column("n_after", lambda row: row.counted[1], Unit.COUNT),
        ),
    )


def delta(row: MetricRow) -> int | float:
    """Return the difference of the values that are shown."""
    return round(whole(row, row.shift.after) - whole(row, row.shift.before), 2)


def readable_metrics(found: Comparison, *, every: bool) -> Table:
    """The same for people: each value in the unit that suits it. Unless ``every``, of the classes of kernels
    only those that changed: all are in a table of their own.
    """
    rows = [row for row in found.rows if every or not _unchanged_class(row)]
    left = len(found.rows) - len(rows)

    def interval(row: MetricRow) -> str:
        return "-" if row.shift.interval_pct is None else bounds_text(row.shift.interval_pct)

    def change(row: MetricRow) -> str:
        return "-" if row.shift.delta_pct is None else f"{row.shift.delta_pct:+.1f} %"

    def counts(row: MetricRow) -> str:
        return ", ".join(f"{count:,}" for count in dict.fromkeys(row.counted))

    columns = (
        Column("metric", "metric", Unit.TEXT, [row.metric.name for row in rows]),
        right("before", [value_text(row.metric, row.shift.before) for row in rows]),
        right("after", [value_text(row.metric, row.shift.after) for row in rows]),
        right("delta", [value_text(row.metric, row.shift.delta, sign=True) for row in rows], 2),
        right("delta %", [change(row) for row in rows]),
        right("95 % interval", [interval(row) for row in rows], 1),
        right("n", [counts(row) for row in rows], 3),
        Column("verdict", "verdict", Unit.TEXT, [row.verdict for row in rows]),
    )
    title = "Metrics, medians over steps" if found.per == "step" else "Metrics of the whole window"
    note = f"{left} classes of kernels that are not surely other than before are left out" if left else None
    return Table("metrics", title, columns, note)


def _unchanged_class(row: MetricRow) -> bool:
    return row.metric.name.startswith("class.") and row.verdict in ("same", "inconclusive")


def right(header: str, texts: Sequence[str], rank: int = 0) -> Column:
    """Return a column of texts that end at its right edge."""
    cells = max(map(len, (header, *texts)))
    return Column(header.rjust(cells), header, Unit.TEXT, [text.rjust(cells) for text in texts], rank)


def in_one_unit(table: Table) -> Table:
    """``table`` with its times as text, all in the unit that suits the longest, differences with a sign."""
    values = [
        abs(v) for column in table.columns if column.unit.is_time for v in column.values if v is not None
    ]
    size, unit = next((u for u in UNITS if max(values, default=0) >= u[0]), UNITS[-1])

    def shown(column: Column) -> Column:
        if not column.unit.is_time:
            return column
        sign = "+" if column.key in SIGNED else ""
        spec = f"{sign},.3f" if size > 1 else f"{sign},"
        texts = [
            "-" if value is None else f"{value / size if size > 1 else value:{spec}}"
            for value in column.values
        ]
        return right(column.header.replace("(ns)", f"({unit})"), texts, column.rank)

    return replace(table, columns=tuple(map(shown, table.columns)))


# --- where it went ---


def _per(found: Comparison) -> str:
    return f"mean per {found.per}"


def _of(found: Comparison, name: str) -> str:
    """Which rank a table is of; nothing where there is only one."""
    return f" of the {name} rank" if found.middle is not None else ""


def change_columns(rows: Sequence[Change[Any]]) -> tuple[Column, ...]:
    """The columns that every such table has."""
    return (
        Column("Before (ns)", "before_ns", Unit.NS, [row.before for row in rows], 1),
        Column("After (ns)", "after_ns", Unit.NS, [row.after for row in rows], 1),
        Column("Delta (ns)", "delta_ns", Unit.NS, [row.delta for row in rows]),
    )


def summed_up(found: Changes[K], top: int) -> tuple[list[Change[K]], Change[str] | None]:
    """Return the first ``top`` rows, and the sum of the others; 0: all rows."""
    rows = list(found.rows)
    if not top or len(rows) <= top + 1:
        return rows, None
    rest = rows[top:]
    text = f"{len(rest):,} others"
    return rows[:top], Change(text, sum(row.before for row in rest), sum(row.after for row in rest))


def _parts(found: Comparison, name: str, step: Changes[str]) -> Table:
    of_host = host_only(found)
    rows = [*step.rows, replace(step.total, what=found.per)]
    words = [part_words(row.what, host_only=of_host) for row in rows]
    columns = (Column("Part", "part", Unit.TEXT, words), *change_columns(rows))
    return Table(f"{found.per}_{name}", f"{found.per.capitalize()}{_of(found, name)}, {_per(found)}", columns)


def _idle(found: Comparison, name: str, idle: Changes[Reason], top: int) -> Table:
    rows, rest = summed_up(idle, top)
    every: list[Change[Any]] = [*rows, *([rest] if rest else []), idle.total]
    reasons = [row.what for row in rows]
    ends = [rest.what, "idle"] if rest else ["idle"]
    blank = [""] * len(ends)
    columns = (
        *change_columns(every),
        Column("Class", "class", Unit.TEXT, [*(reason.cause.words for reason in reasons), *ends]),
        Column("Call", "call", Unit.TEXT, [*(reason.call or "" for reason in reasons), *blank]),
        Column("Phase", "phase", Unit.TEXT, [*(reason.phase or "" for reason in reasons), *blank]),
    )
    return Table(f"idle_{name}", f"Idle time{_of(found, name)}, {_per(found)}", columns)


def _phases(found: Comparison, name: str, phases: Changes[str | None], top: int) -> Table:
    rows, rest = summed_up(phases, top)
    of_host = host_only(found)
    every: list[Change[Any]] = [*rows, *([rest] if rest else []), phases.total]
    ends = [rest.what] if rest else []
    names = [*(row.what or OUTSIDE for row in rows), *ends, "host code" if of_host else found.per]
    columns = (*change_columns(every), Column("Phase", "phase", Unit.TEXT, names))
    what = "Host code outside MPI by phase" if of_host else "Host time by phase"
    return Table(f"phases_{name}", f"{what}{_of(found, name)}, {_per(found)}", columns)


def _figures(rows: Sequence[KernelChange]) -> tuple[Column, ...]:
    def calls(value: Fraction | None) -> float | None:
        return None if value is None else round(float(value), 1)

    return (
        Column("Status", "status", Unit.TEXT, [row.status.value for row in rows], 3),
        Column("Calls before", "calls_before", Unit.DECIMAL, [calls(r.calls_before) for r in rows], 4),
        Column("Calls after", "calls_after", Unit.DECIMAL, [calls(r.calls_after) for r in rows], 4),
        Column("Before (ns)", "before_ns", Unit.NS, [row.before for row in rows], 2),
        Column("After (ns)", "after_ns", Unit.NS, [row.after for row in rows], 2),
        Column("Delta (ns)", "delta_ns", Unit.NS, [row.delta for row in rows]),
        Column("By calls (ns)", "calls_effect_ns", Unit.NS, [row.calls_effect for row in rows], 1),
        Column("By duration (ns)", "duration_effect_ns", Unit.NS, [row.duration_effect for row in rows], 1),
    )


def _classes(found: Comparison, rows: Sequence[KernelChange]) -> Table:
    names = Column("Class", "class", Unit.TEXT, [row.kernel_class.value for row in rows])
    return Table("classes", f"Kernels by class, {_per(found)} and rank", (*_figures(rows), names))


def _kernels(found: Comparison, rows: Sequence[KernelChange], top: int) -> Table:
    short = short_names(name for row in rows for name in (row.before_name, row.after_name) if name)
    shown = rows if not top or len(rows) <= top + 1 else rows[:top]
    names = [kernel_name(row, short) for row in shown]
    note = None
    if rest := rows[len(shown) :]:
        left = sum(row.delta for row in rest)
        note = f"{len(rest):,} more rows, together {signed(left)}; --top 0 lists all"
    return Table(
        "kernels",
        f"Kernels, {_per(found)} and rank",
        (*_figures(shown), Column("Kernel", "kernel", Unit.TEXT, names)),
        note,
    )
