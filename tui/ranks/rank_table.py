"""The table of ranks: what each one's usual step holds, and how often the others waited for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tui.analysis.table import Column, Table, Unit, plain
from tui.ranks.judged import Judged, JudgedRun, RankRow

PEOPLE = {
    "run": "Run", "rank": "Rank", "host": "Host", "steps": "Steps", "step_ns": "Step (ns)",
    "own_ns": "Own (ns)", "exposed_wait_ns": "Wait (ns)", "exposed_transfer_ns": "Transfer (ns)",
    "exposed_unsplit_ns": "Comm (ns)", "compute_ns": "Compute (ns)", "copies_only_ns": "Copies (ns)",
    "other_ns": "Other (ns)", "unknown_ns": "Unknown (ns)", "idle_ns": "Idle (ns)", "times_last": "Last",
    "doubtful": "Doubtful", "status": "Status",
}  # fmt: skip
"""The columns that people see first, under the headings of a narrow table."""
_SAYS_NOTHING: dict[str, set[Any]] = {
    **{
        key: {0} for key in ("exposed_wait_ns", "exposed_transfer_ns", "exposed_unsplit_ns", "copies_only_ns")
    },
    **{key: {0} for key in ("other_ns", "unknown_ns", "doubtful", "bytes", "steps", "hidden_ns")},
    **{key: {0} for key in ("mpi_median_ns", "device_median_ns", "device_max_ns", "device_excess_ns")},
    "resolved": {"yes"},
}
"""Values that need no column where there is no other."""
_ONLY_IF_SEVERAL = ("run", "name", "ranks", "communicator", "dtype", "algorithm", "match", "status")
"""Columns of which one value for all needs no place."""

Cell = Callable[[RankRow], Any]


def _part(name: str) -> Cell:
    return lambda row: None if row.usual is None else row.usual.parts[name]


_DEVICE_PARTS = (
    ("Compute (ns)", "compute_ns", "compute", 2),
    ("Exposed transfer (ns)", "exposed_transfer_ns", "transfer", 3),
    ("Exposed wait (ns)", "exposed_wait_ns", "wait", 1),
    ("Exposed unsplit (ns)", "exposed_unsplit_ns", "unsplit", 3),
    ("Copies only (ns)", "copies_only_ns", "copies", 4),
    ("Other (ns)", "other_ns", "other", 4),
    ("Unknown (ns)", "unknown_ns", "unknown", 4),
    ("Idle (ns)", "idle_ns", "idle", 2),
)


def why_text(row: RankRow) -> str | None:
    """Why a rank is late, in words; None where it isn't, or nothing tells."""
    return "; ".join(excess.words for excess in row.why) or None


def gpus_of(row: RankRow) -> tuple[str | None, str | None]:
    """(the numbers of a rank's GPUs, their models)."""
    devices = row.rank.summary.devices
    models = dict.fromkeys(device.name for device in devices if device.name is not None)
    return ",".join(map(str, row.gpus)) or None, ", ".join(models) or None


_CELLS: tuple[tuple[str, str, Unit, int, Cell], ...] = (
    ("Rank source", "rank_source", Unit.TEXT, 7, lambda row: row.rank.source.value),
    ("Host", "host", Unit.TEXT, 0, lambda row: row.rank.host),
    ("Local rank", "local_rank", Unit.ID, 7, lambda row: row.rank.local_rank),
    ("PID", "pid", Unit.ID, 7, lambda row: row.rank.summary.pid),
    ("Devices", "devices", Unit.TEXT, 7, lambda row: gpus_of(row)[0]),
    ("GPU", "gpu", Unit.TEXT, 7, lambda row: gpus_of(row)[1]),
    ("Report", "report", Unit.TEXT, 7, lambda row: row.report),
    ("Span (ns)", "span_ns", Unit.NS, 7, lambda row: row.span_ns),
    ("Steps", "steps", Unit.COUNT, 5, lambda row: row.steps),
    ("Step (ns)", "step_ns", Unit.NS, 0, lambda row: row.usual.step if row.usual and row.steps else None),
    ("Own (ns)", "own_ns", Unit.NS, 0, lambda row: None if row.usual is None else row.usual.own),
    *((head, key, Unit.NS, rank, _part(name)) for head, key, name, rank in _DEVICE_PARTS),
    ("Busy (%)", "busy_pct", Unit.PCT, 7, lambda row: row.busy_pct),
    ("Times last", "times_last", Unit.COUNT, 0, lambda row: row.times_last),
    ("Collectives", "collectives", Unit.COUNT, 7, lambda row: row.collectives),
    ("Last (%)", "last_pct", Unit.PCT, 7, lambda row: row.last_pct),
    ("Caused (ns)", "caused_ns", Unit.NS, 7, lambda row: row.caused_ns),
    ("Why", "why", Unit.TEXT, 7, why_text),
    ("Doubtful", "doubtful", Unit.COUNT, 6, lambda row: row.doubtful),
    ("Status", "status", Unit.TEXT, 4, lambda row: row.status),
)


def by_number(judged: Judged) -> list[tuple[JudgedRun, RankRow | int]]:
    """Every rank of every run by number, a number alone where it has no report."""
    found: list[tuple[JudgedRun, RankRow | int]] = []
    for run in judged.runs:
        rows: list[RankRow | int] = [*run.rows, *run.run.missing]
        numbers = {id(row): row if isinstance(row, int) else row.rank.number for row in rows}
        rows.sort(key=lambda row: (numbers[id(row)] is None, numbers[id(row)] or 0))
        found += [(run, row) for row in rows]
    return found


def by_lateness(judged: Judged) -> list[tuple[JudgedRun, RankRow | int]]:
    """The same, in each run those first that the others waited for most, then by own time."""

    def lateness(place: int, row: RankRow | int) -> tuple[int, int, int, int]:
        if isinstance(row, int):
            return place, 1, 0, 0
        own = row.usual.own if row.usual is not None else None
        return place, 0, -(row.caused_ns or 0), -(own or 0)

    places = {id(run): place for place, run in enumerate(judged.runs)}
    return sorted(by_number(judged), key=lambda found: lateness(places[id(found[0])], found[1]))


def rank_table(judged: Judged, rows: Sequence[tuple[JudgedRun, RankRow | int]] | None = None) -> Table:
    """One row a rank, by number; ``rows``: these, in their order."""
    rows = by_number(judged) if rows is None else rows
    known = [row for _, row in rows]
    names = [str(row) if isinstance(row, int) else row.rank.name for row in known]
    columns = [
        Column("Run", "run", Unit.TEXT, [run_name(run, judged) for run, _ in rows], 6, "-"),
        Column("Rank", "rank", Unit.TEXT, names),
    ]
    for header, key, unit, rank, cell in _CELLS:
        missing = "no report" if key == "status" else None
        values = [missing if isinstance(row, int) else cell(row) for row in known]
        columns.append(Column(header, key, unit, values, rank, "-"))
    return Table("ranks", "Ranks", tuple(columns))


def run_name(run: JudgedRun, judged: Judged) -> str | None:
    """What a run is called: the launcher's id, else its place among several; None for the only one."""
    if run.run.label:
        return run.run.label
    return str(judged.runs.index(run) + 1) if len(judged.runs) > 1 else None


def for_people(table: Table, heads: Mapping[str, str] = PEOPLE) -> Table:
    """Those columns of a table that people read, under the headings ``heads`` (by key).

    Left out is what says nothing: a column without any value, or with the same value as ever in every row.
    """
    by_key = {column.key: column for column in table.columns}
    shown = {}
    for key, head in heads.items():
        values = {value for value in plain(by_key[key].values, 0, len(table)) if value is not None}
        usual = _SAYS_NOTHING.get(key)
        if key in _ONLY_IF_SEVERAL and len(values) < 2:
            continue
        if (len(table) and not values) or (usual is not None and values <= usual):
            continue
        shown[key] = head
    return table.pick(shown)
