"""The pace of anything that repeats: operations or kernels in the place of the steps."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tui.analysis.index import Index
from tui.ranks.judged import JudgedRun
from tui.ranks.names import canonical_name
from tui.ranks.pace import pace_of_steps
from tui.ranks.step_grid import match_steps
from tui.ranks.summary import Collectives, ExposedPieces, PhaseRows, RankSummary, StepColumns
from tui.report.columns import NULL, Int64
from tui.report.model import OpKind


@dataclass(frozen=True)
class Instances:
    """What repeats on one rank, by start (ns, as recorded)."""

    start: Int64
    end: Int64


def operations(rank: RankSummary, wanted: str) -> Instances:
    """The communication of a rank whose operation is called ``wanted``, or whose own name it is part of."""
    plain = _plain(wanted)
    lanes = np.array([lane.host for lane in rank.lanes], bool)
    done = rank.collectives
    if not len(done):
        return Instances(done.start, done.end)
    keys = done.name.astype(np.int64) * 2 + lanes[done.lane]
    found = np.zeros(len(done), bool)
    for key in np.unique(keys).tolist():
        text = rank.names[key // 2]
        name = canonical_name(text, bool(key % 2))
        if plain in (_plain(name.operation.value), _plain(name.label)) or wanted.lower() in text.lower():
            found |= keys == key
    return Instances(done.start[found], done.end[found])


def _plain(text: str) -> str:
    """``all-reduce``, ``all_reduce`` and ``AllReduce`` alike."""
    return re.sub(r"[\W_]", "", text).lower()


def kernels(index: Index, process: int, pattern: re.Pattern[str]) -> Instances:
    """The kernels of a process (a position in the report) whose whole name ``pattern`` is found in."""
    report = index.report
    ops = report.ops
    rows = np.flatnonzero((ops.kind == OpKind.KERNEL) & (ops.process == process))
    names = [name for name in np.unique(ops.name[rows]).tolist() if name >= 0]
    wanted = [name for name in names if pattern.search(report.strings[name])]
    rows = rows[np.isin(ops.name[rows], wanted)]
    rows = rows[np.argsort(ops.start[rows], kind="stable")]
    return Instances(ops.start[rows], ops.end[rows])


def paced(run: JudgedRun, found: Sequence[Instances], name: str) -> JudgedRun:
    """The run with these instances (by rank) as its steps. What is told of steps only is unknown."""
    ranks = [_as_steps(rank.summary, mine, name) for rank, mine in zip(run.run.ranks, found, strict=True)]
    related = run.alignment.related or len(ranks) < 2
    starts = [
        run.alignment.to_axis(row, rank.steps.start) if related else None for row, rank in enumerate(ranks)
    ]
    grid = match_steps(ranks, starts)
    on_axis, own = grid.values(starts), np.full(grid.place.shape, NULL, np.int64)
    return replace(
        run,
        grid=grid,
        chosen=np.ones(len(grid), bool),
        compared=np.ones(len(grid), bool),
        splits=(None,) * len(ranks),
        own=own,
        starts=on_axis,
        pace=pace_of_steps(grid, own, on_axis),
        notes=(*run.alignment.notes, *grid.notes),
    )


def _as_steps(rank: RankSummary, mine: Instances, name: str) -> RankSummary:
    """The rank with instances in the place of its steps, and without what belongs to these."""
    size = len(mine.start)
    none = np.zeros(0, np.int64)
    small = none.astype(np.int32)
    unknown = dict.fromkeys(
        (
            "compute",
            "exposed",
            "copies",
            "other",
            "unknown",
            "idle",
            "hidden",
            "kernels",
            "launches",
            "class_ns",
        )
    )
    return replace(
        rank,
        names=(name,),
        step_name=name,
        warm_up=0,
        steps=StepColumns(
            number=np.arange(1, size + 1),
            label=np.zeros(size, np.int32),
            start=mine.start,
            end=mine.end,
            unfinished=np.zeros(size, bool),
            **unknown,
        ),
        collectives=Collectives(none, none, small, small, none, none, none, small),
        pieces=ExposedPieces(none, none, small),
        phases=PhaseRows(small, small, none, none, none),
    )
