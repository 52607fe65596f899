"""Is one set of reports slower than another, by how much, how sure is that, and where did it go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tui.ranks import limits
from tui.ranks.bootstrap import RESAMPLES, SEED, Shift, block_length, mad, shift, verdict
from tui.ranks.comparable import Condition, conditions
from tui.ranks.contents import (
    KernelContent,
    latest_content,
    median_content,
    side_kernels,
    window_content,
    window_kernels,
)
from tui.ranks.explain import Explanation, explain
from tui.ranks.kernel_changes import KernelChanges, kernel_changes
from tui.ranks.metrics import METRICS, WINDOW_METRICS, Metric, Series, measure, metric_of, metrics_of
from tui.ranks.sides import Over, Side


@dataclass(frozen=True)
class MetricRow:
    """One metric on both sides."""

    metric: Metric
    shift: Shift
    verdict: str
    counted: tuple[int, int]
    """How many values before and after."""
    mad: tuple[float, float]


@dataclass(frozen=True)
class Method:
    """How it was judged."""

    over: Over
    block: int
    resamples: int
    seed: int
    min_effect_pct: float
    runs_drawn: bool


@dataclass(frozen=True)
class Comparison:
    """The answer."""

    before: Side
    after: Side
    method: Method
    rows: tuple[MetricRow, ...]
    conditions: tuple[Condition, ...]
    per: str
    """What the tables below are per: ``step``, or ``window`` where there are no common steps."""
    latest: Explanation
    """Of the latest rank of each step; of windows, of the rank with the longest."""
    middle: Explanation | None
    """Of the median rank; None where there is one rank only."""
    kernels: KernelChanges | None
    scaling: float | None
    """Device work before divided by that after, of the same work."""
    notes: tuple[str, ...]

    @property
    def headline(self) -> MetricRow:
        """What the verdict is about: the step, else the window."""
        wanted = ("step_ns", "window_ns")
        first = (row for name in wanted for row in self.rows if row.metric.name == name)
        return next(first, self.rows[0])


def compare(
    before: Side,
    after: Side,
    *,
    over: Over = Over.MAX,
    min_effect_pct: float | None = None,
    seed: int = SEED,
    resamples: int = RESAMPLES,
    named: Sequence[str] = (),
    same_work: bool = False,
    kernels: tuple[KernelContent, KernelContent] | None = None,
) -> Comparison | None:
    """Return how ``after`` differs from ``before``; None where they have no metric in common.

    ``min_effect_pct``: what is too little to be called a change, by default by the number of runs.
    ``named``: further metrics, such as ``kernel.NAME_ns``. ``same_work``: both did the same steps of the
    same global batch. ``kernels``: of the steps that count, by name; by default as the summaries know them.
    """
    runs_drawn = min(len(before.runs), len(after.runs)) >= limits.RUNS_DRAWN.value
    if min_effect_pct is None:
        limit = limits.MIN_EFFECT_RUNS if runs_drawn else limits.MIN_EFFECT_ONE_RUN
        min_effect_pct = 100 * limit.value
    found, lacking = _both(before, after, over, named)
    common_steps = "step_ns" in {metric.name for metric, *_ in found}
    if common_steps:
        found = [row for row in found if row[0].name not in WINDOW_METRICS]
    if not found:
        return None
    shifts = {m.name: shift(b.runs, a.runs, seed=seed, resamples=resamples) for m, b, a in found}
    rows = [
        MetricRow(
            metric,
            moved := shifts[metric.name],
            verdict(moved, metric.better, min_effect_pct, _whole(metric, shifts)),
            (was.counted, now.counted),
            (mad(np.concatenate(was.runs)), mad(np.concatenate(now.runs))),
        )
        for metric, was, now in found
    ]
    several = max(len(run.ranks) for side in (before, after) for run in side.runs) > 1
    sides = before, after
    if common_steps:
        latest, middle = (explain(*map(of, sides)) for of in (latest_content, median_content))
        named_kernels = not before.narrowed and not after.narrowed
        found_kernels = kernels or tuple(side_kernels(side, named=named_kernels) for side in sides)
    else:
        latest = explain(*(window_content(side) for side in sides))
        middle = explain(*(window_content(side, middle=True) for side in sides))
        found_kernels = tuple(window_kernels(side) for side in sides)
    sizes = [len(run.columns) for side in (before, after) for run in side.runs if len(run.columns)]
    return Comparison(
        before=before,
        after=after,
        method=Method(over, block_length(max(sizes, default=1)), resamples, seed, min_effect_pct, runs_drawn),
        rows=tuple(rows),
        conditions=tuple(conditions(before, after)),
        per="step" if common_steps else "window",
        latest=latest,
        middle=middle if several else None,
        kernels=kernel_changes(*found_kernels) if all(each.kernels for each in found_kernels) else None,
        scaling=_scaling(before, after) if same_work else None,
        notes=(*_notes(before, after, runs_drawn, common_steps), *lacking),
    )


def _both(
    before: Side, after: Side, over: Over, named: Sequence[str]
) -> tuple[list[tuple[Metric, Series, Series]], list[str]]:
    """Return the metrics that both sides have, and what is said of those that one side lacks."""
    wanted = metrics_of((before, after))
    wanted += [metric for name in named if (metric := metric_of(name)) and metric not in wanted]
    found, lacking = [], []
    for metric in wanted:
        was, now = measure(before, metric, over), measure(after, metric, over)
        if isinstance(was, Series) and isinstance(now, Series):
            if metric.name in named or any(values.any() for series in (was, now) for values in series.runs):
                found.append((metric, was, now))
        elif metric.name in named or isinstance(was, Series) or isinstance(now, Series):
            side, why = ("before", was) if isinstance(was, str) else ("after", now)
            if metric.name not in WINDOW_METRICS:
                lacking.append(f"{metric.name}: not {side}: {why}")
    return found, lacking


def _whole(metric: Metric, shifts: Mapping[str, Shift]) -> float | None:
    """Return what ``metric`` was a part of before; None for what is no part."""
    whole = shifts.get(metric.part_of or "")
    return whole.before if whole else None


def _scaling(before: Side, after: Side) -> float | None:
    """Return the device work of a step before, divided by that after, over all ranks; None unknown."""
    work = []
    for side in (before, after):
        if isinstance(measure(side, METRICS["compute_ns"], Over.MEDIAN), str):
            return None
        total = sum(int(run.parts["compute"].clip(0).sum()) for run in side.runs)
        work.append(total / max(1, side.steps))
    return work[0] / work[1] if work[1] else None


def _notes(before: Side, after: Side, runs_drawn: bool, common_steps: bool) -> list[str]:
    notes = []
    for name, side in (("before", before), ("after", after)):
        notes += [f"{name}: {note}" for note in (*side.rank_set.notes, *side.notes)]
    if not common_steps:
        lacking = " and ".join(n for n, side in (("before", before), ("after", after)) if not side.steps)
        notes.append(f"no steps {lacking}: whole windows are compared, from the first device op to the last")
    elif not runs_drawn:
        notes.append("run-to-run variation was not measured: give three runs or more a side")
    return notes
