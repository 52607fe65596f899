"""The tables of collectives: a row a kind, a row an instance, a row a participant."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tui.analysis.table import Column, Table, Unit
from tui.ranks.arrivals import Level, took
from tui.ranks.bandwidth import WHOLE, Bandwidth, bandwidth
from tui.ranks.collective_rows import CollectiveRow
from tui.ranks.judged import Judged, JudgedRun
from tui.ranks.rank_table import run_name
from tui.ranks.straggler import is_pinned
from tui.ranks.waits import Instances
from tui.report.columns import NULL, Int64, Positions

PEOPLE = {
    "run": "Run", "communicator": "Communicator", "operation": "Operation", "dtype": "Type",
    "algorithm": "Algorithm", "bytes": "Bytes", "ranks": "Ranks", "instances": "Instances",
    "match": "Match", "transfer_ns": "Transfer (ns)", "wait_ns": "Wait (ns)", "duration_ns": "Duration (ns)",
    "total_ns": "Total (ns)",
    "algbw_gbps": "AlgBW (GB/s)", "busbw_gbps": "BusBW (GB/s)", "best_algbw_gbps": "Best (GB/s)",
    "exposed_ns": "Exposed (ns)",
    "class": "Time is", "pinned": "Pinned", "cost_ns": "Cost (ns)",
}  # fmt: skip
"""The columns that people see, under the headings of a narrow table."""


def collectives_table(judged: Judged) -> Table:
    """One row a kind of operation of a communicator, what takes most exposed time first."""
    rows = [(run, row) for run in judged.runs for row in run.collectives]
    of_table = [(run, row, communicator_of(run, row)) for run, row in rows]
    bandwidths = [_bandwidth(row) for _, row in rows]
    best = [best_bandwidth(row) for _, row in rows]

    columns = (
        Column("Run", "run", Unit.TEXT, [run_name(run, judged) for run, _ in rows], 6, "-"),
        Column(
            "Communicator", "communicator", Unit.TEXT, [label_of(c, row) for _, row, c in of_table], 5, "-"
        ),
        Column("Operation", "operation", Unit.TEXT, [row.name.operation.value for _, row in rows]),
        Column("Type", "dtype", Unit.TEXT, [row.name.element for _, row in rows], 6, "-"),
        Column("Algorithm", "algorithm", Unit.TEXT, [algorithm_of(row) for _, row in rows], 6, "-"),
        Column("Bytes", "bytes", Unit.BYTES, [row.bytes for _, row in rows], 2, "-"),
        Column("Ranks", "ranks", Unit.COUNT, [row.ranks for _, row in rows], 3),
        Column("Instances", "instances", Unit.COUNT, [row.instances for _, row in rows], 0),
        Column("Matched", "matched", Unit.COUNT, [row.complete for _, row in rows], 7),
        Column("Match", "match", Unit.TEXT, [c.match.value if c else "none" for _, _, c in of_table], 5),
        Column("Transfer (ns)", "transfer_ns", Unit.NS, [row.transfer_ns for _, row in rows], 0, "-"),
        Column("Wait (ns)", "wait_ns", Unit.NS, [row.wait_ns for _, row in rows], 0, "-"),
        Column("Duration (ns)", "duration_ns", Unit.NS, [row.duration_ns for _, row in rows], 4),
        Column("AlgBW (GB/s)", "algbw_gbps", Unit.DECIMAL, [_digits(a) for a, _ in bandwidths], 5, "-"),
        Column("BusBW (GB/s)", "busbw_gbps", Unit.DECIMAL, [_digits(b) for _, b in bandwidths], 2, "-"),
        Column(
            "Best AlgBW (GB/s)", "best_algbw_gbps", Unit.DECIMAL, [_digits(b.algorithm) for b in best], 4, "-"
        ),
        Column(
            "Best includes wait",
            "includes_wait",
            Unit.TEXT,
            ["yes" if b.algorithm else None for b in best],
            7,
            "-",
        ),
        Column("Best BusBW (GB/s)", "best_busbw_gbps", Unit.DECIMAL, [_digits(b.bus) for b in best], 7, "-"),
        Column("Of ranks", "of_ranks", Unit.COUNT, [row.size for _, row in rows], 7, "-"),
        Column("Operations", "operations", Unit.COUNT, [row.operations for _, row in rows], 7, "-"),
        Column("Total (ns)", "total_ns", Unit.NS, [row.total_ns for _, row in rows], 6),
        Column("Exposed (ns)", "exposed_ns", Unit.NS, [row.exposed_ns for _, row in rows], 3),
        Column(
            "Class", "class", Unit.TEXT, [row.kind.value if row.kind else None for _, row in rows], 1, "-"
        ),
        Column("Pinned", "pinned", Unit.TEXT, [pinned_of(run, row) for run, row in rows], 0, "-"),
        Column("Cost (ns)", "cost_ns", Unit.NS, [row.cost_ns for _, row in rows], 1, "-"),
    )
    return Table("collectives", "Communication by kind", columns)


def _bandwidth(row: CollectiveRow) -> Bandwidth:
    if row.communicator is None or row.bytes is None or row.transfer_ns is None:
        return Bandwidth(None, None)
    return bandwidth(row.name.operation, row.bytes, row.size or row.ranks, row.transfer_ns)


def best_bandwidth(row: CollectiveRow) -> Bandwidth:
    """What the fastest instance moved, its rank's wait included; of operations without counterparts."""
    if row.communicator is not None or row.bytes is None:
        return Bandwidth(None, None)
    found = bandwidth(row.name.operation, row.bytes, row.size or 1, row.fastest_ns)
    if row.size is None:  # how much crosses a link, or is held together, depends on it
        whole = row.name.operation in WHOLE
        return Bandwidth(None if whole else found.algorithm, None)
    return found


def label_of(communicator: Any, row: CollectiveRow) -> str | None:
    """What a communicator is called: as it is matched, else as the export names it."""
    if communicator is not None:
        return str(communicator.label)
    return None if row.recorded is None else f"{row.recorded:#x}"


def communicator_of(run: JudgedRun, row: CollectiveRow) -> Any:
    """The communicator of a row; None where it has none."""
    return None if row.communicator is None else run.matched.communicators[row.communicator]


def algorithm_of(row: CollectiveRow) -> str | None:
    """``RING LL``; None where the name doesn't say."""
    return " ".join(word for word in (row.name.algorithm, row.name.protocol) if word) or None


def pinned_of(run: JudgedRun, row: CollectiveRow) -> str | None:
    """The ranks that are last in this kind of operation more often than by chance."""
    chance = 1 / row.ranks if row.ranks else 1.0
    steps = run.verdict.by_level[Level.RANK].steps
    found = [
        rank for rank in np.argsort(-row.last, kind="stable").tolist()
        if row.last[rank] and is_pinned(int(row.last[rank]), row.judged, chance, steps)
    ]  # fmt: skip
    return ", ".join(run.rows[rank].rank.name for rank in found) or None


def _digits(value: float | None) -> float | None:
    """A bandwidth to five digits: small messages reach a fraction of a GB/s."""
    return None if value is None else float(f"{value:.5g}")


INSTANCE_PEOPLE = {
    "run": "Run", "communicator": "Communicator", "index": "Index", "operation": "Operation",
    "bytes": "Bytes", "step": "Step", "start_ns": "Start (ns)", "transfer_ns": "Transfer (ns)",
    "last": "Last", "margin_ns": "Margin (ns)", "wait_sum_ns": "Waits (ns)",
    "wait_max_ns": "Longest wait (ns)", "uncertainty_ns": "Floor (ns)", "resolved": "Resolved",
}  # fmt: skip


def chosen_of(run: JudgedRun) -> Iterator[tuple[int, Positions]]:
    """By communicator: its position, and those of its instances in the window."""
    for at, mask in enumerate(run.instances):
        yield at, np.flatnonzero(mask)


def instances_table(judged: Judged) -> Table:
    """One row an instance, by communicator and order."""
    parts = [(run, at, rows) for run in judged.runs for at, rows in chosen_of(run) if len(rows)]

    def joined(of: Callable[[Instances], Int64]) -> Int64:
        found = [of(run.waits.instances[at])[rows] for run, at, rows in parts]
        values = np.concatenate([np.zeros(0, np.int64), *found])
        return np.where(values == -1, NULL, values)

    def texts(find: Any) -> list[Any]:
        return [find(run, at, row) for run, at, rows in parts for row in rows.tolist()]

    def last(run: JudgedRun, at: int, row: int) -> str | None:
        who = int(run.waits.instances[at].last[row])
        return run.rows[who].rank.name if who >= 0 else None

    def resolved(run: JudgedRun, at: int, row: int) -> str:
        return "yes" if run.waits.instances[at].resolved[row] else "no"

    related = {id(run): run.alignment.related or len(run.rows) < 2 for run, _, _ in parts}
    known = np.array([related[id(run)] for run, _, rows in parts for _ in range(len(rows))], bool)
    starts = np.where(known, joined(lambda table: table.start_ns), NULL)
    columns = (
        Column("Run", "run", Unit.TEXT, texts(lambda run, at, row: run_name(run, judged)), 6, "-"),
        Column("Communicator", "communicator", Unit.TEXT, texts(_label), 5),
        Column(
            "Index", "index", Unit.ID, np.concatenate([np.zeros(0, np.int64), *(r for *_, r in parts)]) + 1
        ),
        Column("Operation", "operation", Unit.TEXT, texts(_operation), 0),
        Column("Bytes", "bytes", Unit.BYTES, joined(lambda table: table.bytes), 4, "-"),
        Column("Start (ns)", "start_ns", Unit.NS, starts, 3, "-"),
        Column("Transfer (ns)", "transfer_ns", Unit.NS, joined(lambda table: table.transfer_ns), 1, "-"),
        Column("Last", "last", Unit.TEXT, texts(last), 0, "-"),
        Column("Margin (ns)", "margin_ns", Unit.NS, joined(lambda table: table.margin_ns), 0, "-"),
        Column("Sum of waits (ns)", "wait_sum_ns", Unit.NS, joined(lambda table: table.wait_sum_ns), 2, "-"),
        Column("Longest wait (ns)", "wait_max_ns", Unit.NS, joined(lambda table: table.wait_max_ns), 1, "-"),
        Column(
            "Uncertainty (ns)", "uncertainty_ns", Unit.NS, texts(lambda run, at, row: run.waits.floor_ns), 6
        ),
        Column("Resolved", "resolved", Unit.TEXT, texts(resolved), 2),
        Column("Step", "step", Unit.ID, texts(_step), 3, "-"),
    )
    return Table("collectives", "Communication, one by one", columns)


def _label(run: JudgedRun, at: int, row: int) -> str:
    return run.matched.communicators[at].label


def _operation(run: JudgedRun, at: int, row: int) -> str:
    name = int(run.waits.instances[at].name[row])
    return run.matched.names[name].operation.value if name >= 0 else "?"


def _step(run: JudgedRun, at: int, row: int) -> int | None:
    column = int(run.columns[at][row])
    return column + 1 if column >= 0 else None


def participants_table(judged: Judged) -> Table:
    """One row a participant of an instance, by communicator, instance and rank."""
    keys = ("run", "communicator", "index", "operation", "bytes", "step", "rank", "host")
    cells: dict[str, list[Any]] = {key: [] for key in (*keys, "start", "duration", "wait", "last")}
    for run in judged.runs:
        for at, rows in chosen_of(run):
            for row, rank, start, duration in _participants(run, at, rows):
                table = run.waits.instances[at]
                measured = bool(table.measured[row])
                facts = (
                    run_name(run, judged), _label(run, at, row), row + 1, _operation(run, at, row),
                    int(table.bytes[row]) if table.bytes[row] >= 0 else None, _step(run, at, row),
                    run.rows[rank].rank.name, run.rows[rank].rank.host, start, duration,
                    duration - int(table.transfer_ns[row]) if measured else None,
                    ("yes" if table.last[row] == rank else "no") if measured else None,
                )  # fmt: skip
                for values, value in zip(cells.values(), facts, strict=True):
                    values.append(value)
    columns = (
        Column("Run", "run", Unit.TEXT, cells["run"], 6, "-"),
        Column("Communicator", "communicator", Unit.TEXT, cells["communicator"], 5),
        Column("Index", "index", Unit.ID, cells["index"]),
        Column("Operation", "operation", Unit.TEXT, cells["operation"], 1),
        Column("Bytes", "bytes", Unit.BYTES, cells["bytes"], 4, "-"),
        Column("Step", "step", Unit.ID, cells["step"], 3, "-"),
        Column("Rank", "rank", Unit.TEXT, cells["rank"]),
        Column("Host", "host", Unit.TEXT, cells["host"], 3, "-"),
        Column("Start (ns)", "start_ns", Unit.NS, cells["start"], 2, "-"),
        Column("Duration (ns)", "duration_ns", Unit.NS, cells["duration"]),
        Column("Wait (ns)", "wait_ns", Unit.NS, cells["wait"], 0, "-"),
        Column("Last", "last", Unit.TEXT, cells["last"], 1, "-"),
    )
    return Table("collectives", "Communication, each participant", columns)


def _participants(run: JudgedRun, at: int, rows: Positions) -> list[tuple[int, int, int | None, int]]:
    """(instance, rank, start on the axis, duration) of those in the window, by instance and rank."""
    wanted = np.zeros(len(run.waits.instances[at]), bool)
    wanted[rows] = True
    found: list[tuple[int, int, int | None, int]] = []
    related = run.alignment.related or len(run.rows) < 2
    for participant in run.matched.communicators[at].participants:
        mine = took(run.matched, participant)
        keep = wanted[mine.instance]
        start = run.alignment.to_axis(participant.rank, mine.start[keep])
        starts: list[int | None] = start.tolist() if related else [None] * len(start)
        durations = (mine.end - mine.start)[keep].tolist()
        ranks = [participant.rank] * len(durations)
        found += zip(mine.instance[keep].tolist(), ranks, starts, durations, strict=True)
    return sorted(found, key=lambda entry: entry[:2])
