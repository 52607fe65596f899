"""The tables of pace: a row a step, a row a (rank, step), a row a phase."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tui.analysis.table import Column, Table, Unit
from tui.ranks import holes
from tui.ranks.judged import Judged, JudgedRun
from tui.ranks.pace import PhasePace, StepPace, excess, lag, pace_of_phases, progress, spread_over
from tui.ranks.rank_table import run_name
from tui.ranks.step_grid import step_names
from tui.ranks.typical import step_parts
from tui.report.columns import NULL, Bool, Int64, Positions

PEOPLE = {
    "run": "Run", "step": "Step", "name": "Name", "start_ns": "Start (ns)", "ranks": "Ranks",
    "min_ns": "Min (ns)", "median_ns": "Median (ns)", "max_ns": "Max (ns)",
    "spread_ns": "Spread (ns)", "slowest": "Slowest",
    "own_median_ns": "Own median (ns)", "own_max_ns": "Own max (ns)", "own_slowest": "Own slowest",
    "outlier": "Remark",
}  # fmt: skip
"""The columns that people see, under the headings of a narrow table."""
INSTANCE_PEOPLE = PEOPLE | {"step": "Number"}
"""The same where something else than steps is paced."""
PHASE_PEOPLE = {
    "run": "Run", "phase": "Phase", "min_ns": "Host min (ns)", "median_ns": "Host median (ns)",
    "max_ns": "Host max (ns)", "slowest": "Slowest", "excess_ns": "Excess (ns)",
    "mpi_median_ns": "MPI median (ns)", "device_median_ns": "Device median (ns)",
    "device_max_ns": "Device max (ns)", "device_slowest": "Slowest device", "device_excess_ns": "Excess (ns)",
}  # fmt: skip
"""What people see of the phases."""

PARTS = {
    "compute": "compute_ns", "transfer": "exposed_transfer_ns", "wait": "exposed_wait_ns",
    "unsplit": "exposed_unsplit_ns", "copies": "copies_only_ns", "other": "other_ns",
    "unknown": "unknown_ns", "idle": "idle_ns",
}  # fmt: skip


def pace_table(judged: Judged, *, wide_ranks: bool = False) -> Table:
    """One row a step of the window; ``wide_ranks``: and a column a rank, what the step takes there."""
    rows = [(run, step) for run in judged.runs for step in np.flatnonzero(run.chosen).tolist()]

    def figures(of: Callable[[StepPace], Int64]) -> list[int | None]:
        return [holes.one(of(run.pace)[step]) for run, step in rows]

    def rank(of: Callable[[StepPace], Positions]) -> list[str | None]:
        found = [(run, int(of(run.pace)[step])) for run, step in rows]
        return [run.rows[row].rank.name if row >= 0 else None for run, row in found]

    columns = [
        Column("Run", "run", Unit.TEXT, [run_name(run, judged) for run, _ in rows], 6, "-"),
        Column("Step", "step", Unit.ID, [step + 1 for _, step in rows]),
        Column("Name", "name", Unit.TEXT, [run.grid.names[step] for run, step in rows], 4, "-"),
        Column("Start (ns)", "start_ns", Unit.NS, figures(lambda pace: pace.start), 3, "-"),
        Column("Ranks", "ranks", Unit.COUNT, figures(lambda pace: pace.ranks), 3),
        Column("Min (ns)", "min_ns", Unit.NS, figures(lambda pace: pace.least), 2, "-"),
        Column("Median (ns)", "median_ns", Unit.NS, figures(lambda pace: pace.median), 0, "-"),
        Column("Max (ns)", "max_ns", Unit.NS, figures(lambda pace: pace.most), 0, "-"),
        Column("Spread (ns)", "spread_ns", Unit.NS, figures(lambda pace: pace.spread), 2, "-"),
        Column("Slowest", "slowest", Unit.TEXT, rank(lambda pace: pace.slowest), 2, "-"),
        Column("Own median (ns)", "own_median_ns", Unit.NS, figures(lambda pace: pace.own_median), 1, "-"),
        Column("Own max (ns)", "own_max_ns", Unit.NS, figures(lambda pace: pace.own_most), 0, "-"),
        Column("Own slowest", "own_slowest", Unit.TEXT, rank(lambda pace: pace.own_slowest), 0, "-"),
        Column("Outlier", "outlier", Unit.TEXT, [remark(run, step) for run, step in rows], blank=""),
    ]
    if wide_ranks:
        columns += _rank_columns(rows)
    return Table("pace", "Pace of the steps over the ranks", tuple(columns))


def remark(run: JudgedRun, step: int) -> str | None:
    """``slow`` or ``quick`` for a step far from the others, ``warm-up`` for one that counts in no median."""
    if step < run.grid.warm_up:
        return "warm-up"
    if not run.pace.outlier[step]:
        return None
    most = run.pace.most[run.steady]
    return "slow" if len(most) and run.pace.most[step] > np.median(most) else "quick"


def _rank_columns(rows: Sequence[tuple[JudgedRun, int]]) -> list[Column]:
    runs = list({id(run): run for run, _ in rows}.values())
    names = dict.fromkeys(row.rank.name for run in runs for row in run.rows)
    places = {id(run): {row.rank.name: i for i, row in enumerate(run.rows)} for run in runs}
    found = []
    for name in names:
        at = [(run, places[id(run)].get(name), step) for run, step in rows]
        values = [
            None if place is None else holes.one(run.grid.duration[place, step]) for run, place, step in at
        ]
        found.append(Column(f"Rank {name} (ns)", f"rank_{name}_ns", Unit.NS, values, blank="-"))
    return found


def long_table(judged: Judged) -> Table:
    """One row a (rank, step), with the parts that the step is made of."""
    parts = [_long(run, run_name(run, judged)) for run in judged.runs]
    units = {"run": Unit.TEXT, "rank": Unit.TEXT, "host": Unit.TEXT, "name": Unit.TEXT, "remark": Unit.TEXT}
    columns = []
    for key, (header, rank) in _LONG.items():
        values = [value for part in parts for value in part[key]]
        unit = units.get(key, Unit.ID if key == "step" else Unit.NS)
        columns.append(Column(header, key, unit, values, rank, "" if key == "remark" else "-"))
    return Table("pace_long", "What each step of each rank is made of", tuple(columns))


_LONG = {
    "run": ("Run", 7), "rank": ("Rank", 0), "host": ("Host", 6), "step": ("Step", 0), "name": ("Name", 6),
    "start_ns": ("Start (ns)", 5), "duration_ns": ("Duration (ns)", 0), "own_ns": ("Own (ns)", 0),
    "compute_ns": ("Compute (ns)", 1), "exposed_transfer_ns": ("Exposed transfer (ns)", 2),
    "exposed_wait_ns": ("Exposed wait (ns)", 0), "exposed_unsplit_ns": ("Exposed unsplit (ns)", 3),
    "copies_only_ns": ("Copies only (ns)", 3), "other_ns": ("Other (ns)", 4),
    "unknown_ns": ("Unknown (ns)", 4), "idle_ns": ("Idle (ns)", 1), "hidden_ns": ("Hidden (ns)", 6),
    "progress_ns": ("Progress (ns)", 6), "lag_ns": ("Lag (ns)", 5), "remark": ("Remark", 4),
}  # fmt: skip
_NO_TIME = ("run", "rank", "host", "step", "name", "remark")


def _long(run: JudgedRun, name: str | None) -> dict[str, list[Any]]:
    grid = run.grid
    row, step = np.nonzero((grid.place >= 0) & run.chosen[None, :])
    summaries = grid.ranks
    matrices: dict[str, Int64] = {
        "start_ns": run.starts,
        "duration_ns": grid.values([rank.steps.end - rank.steps.start for rank in summaries]),
        "own_ns": run.own,
        "hidden_ns": grid.values([rank.steps.hidden for rank in summaries]),
        "progress_ns": progress(grid),
        "lag_ns": lag(grid),
    }
    parts = [step_parts(rank, split) for rank, split in zip(summaries, run.splits, strict=True)]
    known = grid.values([None if s is None else s.known.astype(np.int64) for s in run.splits])
    for part, key in PARTS.items():
        matrices[key] = grid.values([found[part] for found in parts])
        if part in ("transfer", "wait"):
            matrices[key] = np.where(known == 1, matrices[key], NULL)
    found: dict[str, list[Any]] = {
        key: [holes.one(value) for value in matrix[row, step].tolist()] for key, matrix in matrices.items()
    }
    rows = row.tolist()
    names = [step_names(rank) for rank in summaries]
    unfinished = ~grid.finished
    return found | {
        "run": [name] * len(rows),
        "rank": [run.rows[i].rank.name for i in rows],
        "host": [run.rows[i].rank.host for i in rows],
        "step": (step + 1).tolist(),
        "name": [names[i][place] for i, place in zip(rows, grid.place[row, step].tolist(), strict=True)],
        "remark": _remarks(unfinished[row, step], step < grid.warm_up),
    }


def _remarks(unfinished: Bool, warm_up: Bool) -> list[str | None]:
    return [
        "unfinished" if never else "warm-up" if warm else None
        for never, warm in zip(unfinished.tolist(), warm_up.tolist(), strict=True)
    ]


def phase_table(judged: Judged) -> Table:
    """One row a label inside the steps: what a steady step spends there, over the ranks."""
    rows = [(run, phase) for run in judged.runs for phase in pace_of_phases(run.grid, run.compared)]
    columns = [
        Column("Run", "run", Unit.TEXT, [run_name(run, judged) for run, _ in rows], 7, "-"),
        Column("Phase", "phase", Unit.TEXT, [phase.phase for _, phase in rows], blank="(no name)"),
        Column("Ranks", "ranks", Unit.COUNT, [phase.ranks for _, phase in rows], 5),
        *_over_ranks("Host", "", rows, lambda phase: phase.host, 0),
        *_over_ranks("MPI", "mpi_", rows, lambda phase: phase.mpi, 3),
        *_over_ranks("Device", "device_", rows, lambda phase: phase.device, 2),
    ]
    note = (
        "host: the step's thread outside MPI calls; device: work that it launched there; mean a steady step"
    )
    return Table("phases", "What the phases of a step take, over the ranks", tuple(columns), note)


def _over_ranks(
    word: str,
    prefix: str,
    rows: Sequence[tuple[JudgedRun, PhasePace]],
    values: Callable[[PhasePace], Int64],
    rank: int,
) -> list[Column]:
    spreads = [spread_over(values(phase)) for _, phase in rows]
    most = [excess(values(phase)) for _, phase in rows]
    columns = [
        Column(f"{word} {name} (ns)", f"{prefix}{name}_ns", Unit.NS, [s[i] for s in spreads], rank, "-")
        for i, name in enumerate(("min", "median", "max"))
    ]
    slowest = [
        run.rows[row].rank.name if row >= 0 else None for (run, _), (row, _) in zip(rows, most, strict=True)
    ]
    return [
        *columns,
        Column(f"{word} slowest", f"{prefix}slowest", Unit.TEXT, slowest, rank, "-"),
        Column(
            f"{word} excess (ns)",
            f"{prefix}excess_ns",
            Unit.NS,
            [None if s[1] is None else more for s, (_, more) in zip(spreads, most, strict=True)],
            rank,
            "-",
        ),
    ]
