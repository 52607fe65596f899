"""The table of ranks by host, or by place on the host: medians and maxima over the ranks of each."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from tui.analysis.table import Column, Table, Unit
from tui.ranks.judged import Judged, JudgedRun, RankRow
from tui.ranks.rank_table import PEOPLE, rank_table, run_name

_MAXIMA = ("step_ns", "own_ns")
_SUMS = ("times_last", "caused_ns", "doubtful")
_LEFT_OUT = ("rank_source", "pid", "devices", "gpu", "report", "why", "status", "last_pct", "collectives")


def group_of(row: RankRow, by: str) -> str | int | None:
    """The host of a rank, or its place on the host."""
    return row.rank.host if by == "host" else row.rank.local_rank


def group_table(judged: Judged, by: str) -> Table:
    """One row a host or position of a run: the median over its ranks, and the most of step and own time.

    Counts of being last, and what was caused, are sums.
    """
    groups: list[tuple[JudgedRun, str | int | None, list[RankRow]]] = []
    for run in judged.runs:
        found: dict[str | int | None, list[RankRow]] = {}
        for row in run.rows:
            found.setdefault(group_of(row, by), []).append(row)
        order = sorted(found.items(), key=lambda item: (item[0] is None, item[0] if by != "host" else 0))
        groups += [(run, name, rows) for name, rows in order]
    columns = [
        Column("Run", "run", Unit.TEXT, [run_name(run, judged) for run, _, _ in groups], 6, "-"),
        Column(
            "Host" if by == "host" else "Position",
            by,
            Unit.TEXT if by == "host" else Unit.ID,
            [name for _, name, _ in groups],
            blank="-",
        ),
        Column("Ranks", "ranks", Unit.COUNT, [len(rows) for _, _, rows in groups]),
    ]
    tables = [rank_table(judged, [(run, row) for row in rows]) for run, _, rows in groups]
    template = rank_table(judged, [])
    for place, column in enumerate(template.columns):
        if column.key in ("run", "rank", "host", "local_rank", *_LEFT_OUT):
            continue
        cells = [[v for v in table.columns[place].values if v is not None] for table in tables]
        columns.append(_column(column, cells))
        if column.key in _MAXIMA:
            most = [max(values) if values else None for values in cells]
            header = column.header.replace(" (ns)", " max (ns)")
            columns.append(
                Column(header, column.key.replace("_ns", "_max_ns"), column.unit, most, 1, column.blank)
            )
    return Table("ranks", f"Ranks by {by}", tuple(columns))


def _column(column: Column, cells: Sequence[Sequence[int | float]]) -> Column:
    if column.key in _SUMS:
        values: list[int | float | None] = [sum(found) if found else None for found in cells]
    elif column.unit is Unit.PCT:
        values = [round(median(found), 1) if found else None for found in cells]
    else:
        values = [_middle(found) if found else None for found in cells]
    return Column(column.header, column.key, column.unit, values, column.rank, column.blank)


def _middle(values: Sequence[int | float]) -> int:
    """The median, rounded half up."""
    ordered = sorted(int(value) for value in values)
    low, high = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    return low + (high - low + 1) // 2


def group_heads(by: str) -> dict[str, str]:
    """The columns of that table that people see."""
    heads = {"run": "Run", by: by.capitalize()}
    for key, head in PEOPLE.items():
        if key not in ("run", "rank", "host", "status"):
            heads[key] = head
            if key in _MAXIMA:
                heads[key.replace("_ns", "_max_ns")] = head.replace(" (ns)", " max (ns)")
    return heads
