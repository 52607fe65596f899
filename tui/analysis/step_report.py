"""Steps as a table."""

from __future__ import annotations

from collections.abc import Sequence

from tui.analysis.index import Index
from tui.analysis.step_table import StepRows
from tui.analysis.table import Column, Table, Unit


def steps_table(index: Index, sequences: Sequence[StepRows]) -> Table:
    """One row a step, process by process."""
    rows = [(s, i) for s in sequences for i in range(len(s))]

    def counted(name: str) -> list[int | None]:
        columns = ((getattr(sequence, name), i) for sequence, i in rows)
        return [None if values is None else int(values[i]) for values, i in columns]

    return Table(
        "steps",
        "Steps",
        (
            Column("PID", "pid", Unit.TEXT, [_pid(index, s) for s, _ in rows]),
            Column("Step", "step", Unit.ID, counted("number")),
            Column("Name", "name", Unit.TEXT, [step_name(index, s, i) for s, i in rows], blank="(guess)"),
            Column("Start (ns)", "start_ns", Unit.NS, counted("start"), rank=1),
            Column("Duration (ns)", "duration_ns", Unit.NS, counted("duration")),
            Column("Busy (ns)", "busy_ns", Unit.NS, counted("busy"), rank=1),
            Column("Idle (ns)", "idle_ns", Unit.NS, counted("idle")),
            Column("Idle (%)", "idle_pct", Unit.PCT, [_share(s, i) for s, i in rows]),
            Column("Kernels", "kernels", Unit.COUNT, counted("kernels")),
            Column("Launches", "launches", Unit.COUNT, counted("launches"), rank=3),
            Column("Comm (ns)", "comm_ns", Unit.NS, counted("comm"), rank=2),
            Column("Exposed comm (ns)", "exposed_comm_ns", Unit.NS, counted("exposed"), rank=2),
            Column("Remark", "remark", Unit.TEXT, [_remark(s, i) for s, i in rows], blank=""),
        ),
        "; ".join(step_notes(index)) or None,
    )


def step_notes(index: Index) -> list[str]:
    """What was not recorded in this capture and is missing from the figures of steps."""
    graphs = len(index.report.graphs)
    if not graphs:
        return []
    return [
        f"{graphs:,} graph launches were recorded whole: the kernels and the communication inside them are "
        "counted as busy time only (record them with --cuda-graph-trace=node)"
    ]


def step_name(index: Index, rows: StepRows, i: int) -> str | None:
    """The name of a step's range, as recorded; None for a guess."""
    position = int(rows.range[i])
    return index.report.strings[int(index.report.ranges.name[position])] if position >= 0 else None


def spread_table(index: Index, sequences: Sequence[StepRows]) -> Table:
    """How evenly the steps of each process run."""
    rows = [(s, s.spread) for s in sequences if s.spread is not None]
    return Table(
        "spread",
        "How evenly the steps run",
        (
            Column("PID", "pid", Unit.TEXT, [_pid(index, s) for s, _ in rows]),
            Column("Steps", "steps", Unit.COUNT, [r.count for _, r in rows]),
            Column("Median (ns)", "median_ns", Unit.NS_1, [round(r.median_ns, 1) for _, r in rows]),
            Column("MAD (ns)", "mad_ns", Unit.NS_1, [round(r.mad_ns, 1) for _, r in rows]),
            Column("P95 (ns)", "p95_ns", Unit.NS, [r.p95_ns for _, r in rows]),
            Column("Min (ns)", "min_ns", Unit.NS, [r.min_ns for _, r in rows]),
            Column("Max (ns)", "max_ns", Unit.NS, [r.max_ns for _, r in rows]),
            Column("Outliers", "outliers", Unit.TEXT, [_outliers(s) for s, _ in rows], blank="-"),
        ),
    )


def _pid(index: Index, rows: StepRows) -> str:
    return str(index.report.processes[rows.sequence.process].pid)


def _share(rows: StepRows, i: int) -> float | None:
    idle, duration = rows.idle, int(rows.duration[i])
    return round(100 * int(idle[i]) / duration, 1) if idle is not None and duration else None


def _remark(rows: StepRows, i: int) -> str | None:
    if rows.unfinished[i]:
        return "unfinished"
    if rows.outlier[i] and rows.spread is not None:
        return "slow" if rows.duration[i] > rows.spread.median_ns else "quick"
    return None


def _outliers(rows: StepRows) -> str | None:
    return ", ".join(str(n) for n in rows.number[rows.outlier].tolist()) or None
