"""The figures of a set: what each is called, its unit, which way is better, and its values on a side."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from tui.ranks import holes
from tui.ranks.bootstrap import Better
from tui.ranks.names import Operation
from tui.ranks.run_figures import bandwidth_metric
from tui.ranks.sides import CLASSES, Over, Side, SideRun
from tui.report.columns import NULL, Int64
from tui.report.kernels.names import name_parts

Values = NDArray[np.float64]


class MetricUnit(Enum):
    """What a figure is counted in."""

    NS = "ns"
    PCT = "pct"
    COUNT = "count"
    GBPS = "gbps"
    BYTES = "bytes"


@dataclass(frozen=True)
class Metric:
    """One figure."""

    name: str
    unit: MetricUnit
    better: Better
    per_step: bool = True
    """False: one value a run."""
    exact: bool = False
    """No tolerance unless one is asked for."""
    part_of: str | None = None
    """The metric that it is a part of."""

    @property
    def words(self) -> str:
        """As a sentence names it: ``step``, ``exposed wait``, ``class gemm``."""
        words = re.sub(r"_(ns|pct|gbps|bytes)(?=_|$)", "", self.name).replace("_", " ")
        return "longest own time" if words == "own max" else words


def _part(name: str) -> Metric:
    return Metric(name, MetricUnit.NS, Better.LOWER, part_of="step_ns")


STEP = Metric("step_ns", MetricUnit.NS, Better.LOWER)
METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        STEP,
        Metric("own_ns_max", MetricUnit.NS, Better.LOWER),
        _part("host_ns"),
        _part("compute_ns"),
        _part("exposed_transfer_ns"),
        _part("exposed_wait_ns"),
        _part("exposed_unsplit_ns"),
        _part("copies_only_ns"),
        _part("idle_ns"),
        Metric("busy_pct", MetricUnit.PCT, Better.HIGHER),
        Metric("parallel_efficiency_pct", MetricUnit.PCT, Better.HIGHER),
        Metric("load_balance_pct", MetricUnit.PCT, Better.HIGHER),
        Metric("launches", MetricUnit.COUNT, Better.NEITHER),
        Metric("kernels", MetricUnit.COUNT, Better.NEITHER),
        Metric("straggler_cost_pct", MetricUnit.PCT, Better.LOWER, per_step=False),
        Metric("memory_peak_bytes", MetricUnit.BYTES, Better.LOWER, per_step=False),
        Metric("ranks", MetricUnit.COUNT, Better.NEITHER, per_step=False, exact=True),
        Metric("unreadable", MetricUnit.COUNT, Better.LOWER, per_step=False, exact=True),
        Metric("doubtful", MetricUnit.COUNT, Better.LOWER, per_step=False),
        Metric("window_ns", MetricUnit.NS, Better.LOWER, per_step=False),
        *(
            Metric(f"window.{name}_ns", MetricUnit.NS, Better.LOWER, per_step=False, part_of="window_ns")
            for name in ("compute", "exposed", "copies", "idle")
        ),
    )
}
"""The figures of fixed name, in output order."""
WINDOW_METRICS = tuple(name for name in METRICS if name.startswith("window"))
RUN_METRICS = ("ranks", "unreadable", "doubtful")
"""About the reports, not about what ran."""
_FAMILIES = {
    "class.": ("_ns", Metric("", MetricUnit.NS, Better.LOWER)),
    "kernel.": ("_ns", Metric("", MetricUnit.NS, Better.LOWER)),
    "busbw.": ("_gbps", Metric("", MetricUnit.GBPS, Better.HIGHER, per_step=False)),
}


def metric_of(name: str) -> Metric | None:
    """Return the metric called ``name``, one of a family (``class.gemm_ns``) too; None: there is none."""
    if name in METRICS:
        return METRICS[name]
    for prefix, (ending, kind) in _FAMILIES.items():
        if name.startswith(prefix) and name.endswith(ending) and len(name) > len(prefix) + len(ending):
            if prefix == "class." and _class_of(name) is None:
                return None
            if prefix == "busbw." and name not in map(bandwidth_metric, Operation):
                return None
            return replace(kind, name=name)
    return None


def class_metric(position: int) -> str:
    """Return the name of the metric of a class, a position in ``CLASSES``."""
    return f"class.{CLASSES[position].value.replace(' ', '_')}_ns"


def _class_of(name: str) -> int | None:
    word = name.removeprefix("class.").removesuffix("_ns").replace("_", " ")
    return next((place for place, cls in enumerate(CLASSES) if cls.value == word), None)


@dataclass(frozen=True)
class Series:
    """The values of one metric on one side: of each run those of its steps, or one."""

    runs: tuple[Values, ...]
    counted: int
    """How many steps they are of; of a metric that is no step's: how many runs."""
    spread_known: bool = True
    """False: one value stands for many steps whose spread was not kept."""


def class_names(side: Side) -> Iterator[str]:
    """Yield the metrics of the classes that have kernel time in the steps of ``side``."""
    for position in range(len(CLASSES)):
        if any(position in run.classes for run in side.runs):
            yield class_metric(position)


def measure(side: Side, metric: Metric, over: Over) -> Series | str:
    """Return the values of ``metric``, or the reason why there are none."""
    if metric.name.startswith("kernel."):
        return _kernel(side, metric.name)
    if not metric.per_step:
        return _per_run(side, metric, over)
    if not side.steps:
        return "no steps"
    values = [_of_steps(run, metric, over) for run in side.runs]
    values = [run[~np.isnan(run)] for run in values]
    count = sum(map(len, values))
    return Series(tuple(run for run in values if len(run)), count) if count else _why_not(side, metric)


def _of_steps(run: SideRun, metric: Metric, over: Over) -> Values:
    """Return one value a step, NaN where it is unknown."""
    name = metric.name
    if name == "busy_pct":
        return _median_rank(run.busy_pct)
    if name in ("parallel_efficiency_pct", "load_balance_pct"):
        return _balance(run, name)
    if name in ("launches", "kernels"):
        return _as_float(holes.median(run.recorded[name], 0))
    if name == "own_ns_max":
        return _as_float(holes.most(np.where((run.own == NULL).any(axis=0), NULL, run.own), 0))
    if name == "step_ns":
        values = run.duration
    elif name.startswith("class."):
        position = _class_of(name)
        assert position is not None
        none = np.where(run.recorded["compute"] == NULL, NULL, 0)
        values = run.classes.get(position, none)
    else:
        values = run.parts[name.removesuffix("_ns")]
        if name in ("exposed_transfer_ns", "exposed_wait_ns"):  # where nothing is matched, zero says nothing
            values = np.where((run.own == NULL).any(axis=0), NULL, values)
    return _as_float(holes.most(values, 0) if over is Over.MAX else holes.median(values, 0))


def _as_float(values: Int64) -> Values:
    found: Values = np.where(values == NULL, np.nan, values.astype(np.float64))
    return found


def _median_rank(values: Values) -> Values:
    """Return the median of each column, NaN left out."""
    ordered = np.sort(values, axis=0)
    count = np.count_nonzero(~np.isnan(ordered), axis=0)
    column = np.arange(values.shape[1])
    low = ordered[np.maximum(count - 1, 0) // 2, column]
    middle: Values = (low + ordered[np.minimum(count // 2, len(ordered) - 1), column]) / 2
    return np.where(count > 0, middle, np.nan)


def _balance(run: SideRun, name: str) -> Values:
    """Return the load balance or the parallel efficiency of each step, over ranks with device work."""
    useful = run.parts["compute"]
    known = (useful != NULL) & (run.duration != NULL)
    total = np.where(known, useful, 0).sum(axis=0).astype(np.float64)
    count = known.sum(axis=0)
    most = holes.most(np.where(known, useful if name == "load_balance_pct" else run.duration, NULL), 0)
    fine = (count > 0) & (most > 0)
    found: Values = np.where(fine, 100 * total / np.where(fine, most * count, 1), np.nan)
    return found


def _per_run(side: Side, metric: Metric, over: Over) -> Series | str:
    found: list[float | None] = []
    for run in side.runs:
        if metric.name == "ranks":
            found.append(len(run.run.ranks))
        elif metric.name == "unreadable":
            found.append(len(side.rank_set.broken))
        elif metric.name == "doubtful":
            members = {rank.member: report for rank, report in zip(run.run.ranks, run.reports, strict=True)}
            found.append(sum(report.doubtful for report in members.values()))
        elif metric.name.startswith("window"):
            found.append(_window(run, metric.name, over))
        elif metric.name == "memory_peak_bytes":
            found.append(_total(run, "memory_peak", over))
        else:
            found.append(run.figures.get(metric.name))
    values = tuple(np.array([value]) for value in found if value is not None)
    return Series(values, len(values)) if values else _why_not(side, metric)


def _window(run: SideRun, name: str, over: Over) -> float | None:
    if name != "window_ns":
        return _total(run, name.removeprefix("window.").removesuffix("_ns"), over)
    windows = [rank.summary.window for rank in run.run.ranks]
    return _over_ranks([end - start for start, end in windows], over)


def _total(run: SideRun, key: str, over: Over) -> float | None:
    every = [rank.summary.totals.get(key) for rank in run.run.ranks]
    return _over_ranks([value for value in every if value is not None], over)


def _over_ranks(values: list[int], over: Over) -> float | None:
    if not values:
        return None
    column = np.array(values, np.int64)[:, None]
    return float((holes.most if over is Over.MAX else holes.median)(column, 0)[0])


def _kernel(side: Side, name: str) -> Series | str:
    """Return the time per step of the kernels of one name: the mean over the steps and ranks of each run."""
    wanted = name.removeprefix("kernel.").removesuffix("_ns")
    if side.narrowed:
        return "kernels by name are known of all steps together"
    values, counted, seen = [], 0, False
    for run in side.runs:
        total = steps = 0
        for rank in run.run.ranks:
            rows, names = rank.summary.kernels, rank.summary.names
            mine = [i for i, n in enumerate(rows.name.tolist()) if n >= 0 and _called(names[n], wanted)]
            seen = seen or bool(mine)
            if rank.summary.steps.kernels is not None:
                total += int(rows.step_total[mine].sum())
                steps += int(rank.summary.steady.sum())
        if steps:
            values.append(np.array([total / steps]))
            counted += steps
    if not values:
        return "no steps with kernels"
    return Series(tuple(values), counted, spread_known=False) if seen else "no kernel has this name"


def _called(name: str, wanted: str) -> bool:
    return name == wanted or name_parts(name).last == wanted


def _why_not(side: Side, metric: Metric) -> str:
    """Return why a metric has no value on a side that has steps."""
    host_only = all(rank.summary.host_only for rank in side.ranks)
    if metric.name in ("own_ns_max", "exposed_transfer_ns", "exposed_wait_ns"):
        return "no collective could be matched over the ranks"
    if metric.name == "straggler_cost_pct":
        return "no collectives that tell who was last"
    if metric.name == "memory_peak_bytes":
        return "memory was not captured"
    if metric.name.startswith("busbw."):
        return "no such collective of known size"
    if metric.name == "host_ns":
        return "all ranks have GPU work"
    return "no GPU work was recorded" if host_only else "not recorded"


def metrics_of(sides: Sequence[Side]) -> list[Metric]:
    """Return the figures that a comparison of ``sides`` is about, in output order."""
    classes = dict.fromkeys(name for side in sides for name in class_names(side))
    ordered = [class_metric(position) for position in range(len(CLASSES))]
    every = [*METRICS.values(), *(replace(_FAMILIES["class."][1], name=n) for n in ordered if n in classes)]
    return [metric for metric in every if metric.name not in RUN_METRICS]
