"""What earlier runs took, and how much worse a metric may be tonight."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from tui.errors import UsageError
from tui.ranks import limits
from tui.ranks.bootstrap import mad, median
from tui.ranks.contents import Content
from tui.ranks.metrics import METRICS, MetricUnit, metric_of

WORDS = {"fail": ("worse", "both"), "missing": ("fail", "skip")}
"""The keys of a check that take a word, the default first."""
NUMBERS = ("rel_pct", "abs", "mad", "creep_pct")
"""The keys of a check that take a number, or nothing."""
LARGEST = 10**18
Number = int | float


class Measured(NamedTuple):
    """One metric of one run."""

    median: Number
    mad: Number | None
    steps: int
    """How many values they are of."""


@dataclass(frozen=True)
class Check:
    """How much worse one metric may be."""

    metric: str
    fail: str = "worse"
    rel_pct: Number | None = None
    abs: Number | None = None
    mad: Number | None = None
    creep_pct: Number | None = None
    missing: str = "fail"
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def tolerates(self) -> bool:
        """Whether any tolerance is given."""
        return any(given is not None for given in (self.rel_pct, self.abs, self.mad))


@dataclass(frozen=True)
class RunRecord:
    """What is kept of one run."""

    utc: str | None
    """When it was captured."""
    reports: int
    missing: int
    """How many ranks had no report."""
    metrics: Mapping[str, Measured]
    slowest: Mapping[str, int] = field(default_factory=dict)
    """The parts of the step of the latest rank, in mean (ns)."""
    middle: Mapping[str, int] = field(default_factory=dict)
    """Of the median rank."""
    idle: Mapping[str, int] = field(default_factory=dict)
    """The idle time of the latest rank by class of reason (ns)."""
    names: tuple[str, ...] = ()
    """The names of the report files, where they were asked for."""
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Baseline:
    """The file."""

    made: Mapping[str, Any]
    context: Mapping[str, Any]
    runs: tuple[RunRecord, ...]
    pinned: Mapping[str, Number]
    checks: tuple[Check, ...]
    extra: Mapping[str, Any] = field(default_factory=dict)

    def value(self, metric: str) -> Fraction | None:
        """The median of the runs' medians; None where no run has the metric."""
        values = [exact(run.metrics[metric].median) for run in self.runs if metric in run.metrics]
        return middle(values) if values else None

    def noise(self, metric: str) -> Fraction:
        """The MAD of the runs' medians; of one run its own MAD over its steps, 0 where that is not known."""
        found = [run.metrics[metric] for run in self.runs if metric in run.metrics]
        if len(found) == 1:
            return exact(found[0].mad or 0)
        value = middle([exact(m.median) for m in found])
        return middle([abs(exact(m.median) - value) for m in found])

    def added(self, runs: Iterable[RunRecord], keep: int = int(limits.KEPT_RUNS.value)) -> Baseline:
        """The same with ``runs`` behind those that are there, the oldest dropped above ``keep``."""
        return replace(self, runs=(*self.runs, *runs)[-keep:])

    def pinned_now(self) -> Baseline:
        """The same with what is usual now as what slow growth is measured from."""
        found: dict[str, Number] = {}
        for name in ordered(name for run in self.runs for name in run.metrics):
            value, metric = self.value(name), metric_of(name)
            if value is not None:
                found[name] = plain(value, metric.unit if metric else None)
        return replace(self, pinned=found)


def exact(number: Number) -> Fraction:
    """Return the number that was written: 0.1 is a tenth."""
    return Fraction(str(number))


def middle(values: list[Fraction]) -> Fraction:
    """Return the median."""
    values = sorted(values)
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2


def plain(value: Fraction | float, unit: MetricUnit | None) -> Number:
    """Return a value as the file holds it."""
    if unit in (MetricUnit.PCT, MetricUnit.GBPS, None):
        return round(float(value), 4)
    return math.floor(Fraction(value) + Fraction(1, 2))


def measured(runs: Iterable[np.ndarray[Any, Any]], count: int, unit: MetricUnit, *, spread: bool) -> Measured:
    """Return what is kept of a metric's values."""
    values = np.concatenate(list(runs))
    return Measured(plain(median(values), unit), plain(mad(values), unit) if spread else None, count)


def per_step(content: Content) -> dict[str, int]:
    """Return the parts of a step in mean, those that are there."""
    steps = max(1, content.steps)
    return {name: round(Fraction(ns, steps)) for name, ns in content.parts.items() if ns}


def default_checks(run: RunRecord) -> tuple[Check, ...]:
    """Return the checks of a new file: what a nightly job is about, of what its first run has."""
    rel, deviations = 100 * limits.CHECK_SHARE.value, int(limits.CHECK_DEVIATIONS.value)
    creep = 100 * limits.CHECK_CREEP.value
    found = []
    whole = run.metrics.get("step_ns")
    for name, metric in METRICS.items():
        if name not in run.metrics or (name.startswith("window") and whole is not None):
            continue
        if metric.exact:
            found.append(Check(name))
        elif metric.part_of is not None:
            total = run.metrics.get(metric.part_of)
            least = round(limits.CHECK_PART.value * total.median) if total else None
            found.append(Check(name, rel_pct=number(rel), abs=least, mad=deviations))
        elif metric.better.value == "both":
            found.append(Check(name, fail="both", rel_pct=number(rel), mad=deviations))
        elif name == "doubtful":
            found.append(Check(name, rel_pct=0))
        elif metric.better.value == "lower" and metric.unit is MetricUnit.PCT:
            found.append(Check(name, rel_pct=number(rel), abs=int(limits.CHECK_POINTS.value), mad=deviations))
        else:
            noise = exact(run.metrics[name].mad or 0) * exact(deviations * limits.MAD_TO_SIGMA.value)
            told = noise <= exact(limits.CHECK_CREEP.value) * abs(exact(run.metrics[name].median))
            slow = number(creep) if told else None  # noise of its own would be taken for growth
            found.append(Check(name, rel_pct=number(rel), mad=deviations, creep_pct=slow))
    return tuple(found)


def number(value: float) -> Number:
    """Return a whole number as an integer."""
    return int(value) if value == int(value) else value


def ordered(names: Iterable[str]) -> list[str]:
    """Return metrics in output order, each once; those of families last, by name."""
    places = {name: place for place, name in enumerate(METRICS)}
    return sorted(set(names), key=lambda name: (places.get(name, len(places)), name))


def with_setting(checks: Iterable[Check], setting: str) -> tuple[Check, ...]:
    """Return the checks with one key of one of them set: ``step_ns.rel_pct=3``, ``step_ns.abs=none``.

    A metric without a check gets one. UsageError for what is no such setting.
    """
    name, equals, text = setting.partition("=")
    metric, dot, key = name.rpartition(".")
    if not (equals and dot and metric):
        raise UsageError(f"--set takes METRIC.KEY=VALUE, such as step_ns.rel_pct=3, not {setting!r}")
    if metric_of(metric) is None:
        raise UsageError(f"--set: there is no metric {metric!r}")
    value: Any = text
    if key in WORDS:
        if text not in WORDS[key]:
            raise UsageError(f"--set: {key} is {' or '.join(WORDS[key])}, not {text!r}")
    elif key in NUMBERS:
        value = None if text == "none" else _setting_number(key, text)
    else:
        raise UsageError(f"--set: there is no key {key!r}; there are {', '.join((*WORDS, *NUMBERS))}")
    found = list(checks)
    if all(check.metric != metric for check in found):
        found.append(Check(metric))
    return tuple(replace(c, **{key: value}) if c.metric == metric else c for c in found)


def _setting_number(key: str, text: str) -> Number:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= LARGEST:
        raise UsageError(f"--set: {key} is a number from 0 up, or none, not {text!r}")
    return number(value)
