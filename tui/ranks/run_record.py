"""What a baseline keeps of a run, and says of what its runs have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from tui.ranks.baseline import RunRecord, measured, per_step
from tui.ranks.contents import Content, latest_content, median_content, window_content
from tui.ranks.metrics import METRICS, Series, class_names, measure, metric_of
from tui.ranks.sides import Over, Side


def record(side: Side, over: Over, named: Sequence[str], names: Sequence[str] = ()) -> list[RunRecord]:
    """Return what a baseline keeps of each run of ``side``.

    ``named``: metrics beside those that every file has. ``names``: of the report files.
    """
    found = []
    for run in side.runs:
        alone = replace(side, runs=(run,))
        metrics = {}
        for name in dict.fromkeys([*METRICS, *class_names(alone), *named]):
            metric = metric_of(name)
            series = measure(alone, metric, over) if metric else ""
            if metric is not None and isinstance(series, Series):
                metrics[name] = measured(series.runs, series.counted, metric.unit, spread=series.spread_known)
        latest, middle = contents(alone)
        idle: dict[str, int] = {}
        for reason, ns in latest.idle.items():
            idle[reason.cause.words] = idle.get(reason.cause.words, 0) + ns
        found.append(
            RunRecord(
                utc=utc_text(
                    min((t for r in run.reports if (t := started(r.identity)) is not None), default=None)
                ),
                reports=len({rank.member for rank in run.run.ranks}),
                missing=len(run.run.missing),
                metrics=metrics,
                slowest=per_step(latest),
                middle=per_step(middle),
                idle={cause: round(Fraction(ns, max(1, latest.steps))) for cause, ns in idle.items()},
                names=tuple(names),
            )
        )
    return found


def contents(side: Side) -> tuple[Content, Content]:
    """Return what the steps (without any: the windows) of the latest and of the median rank are made of."""
    if side.steps:
        return latest_content(side), median_content(side)
    return window_content(side), window_content(side, middle=True)


def started(identity: Mapping[str, object]) -> int | None:
    """Return when a report's capture began (UTC, ns); None unknown."""
    utc = identity.get("utc_ns")
    return utc if isinstance(utc, int) else None


def utc_text(ns: int | None) -> str | None:
    """Write a moment as ``2026-02-28T02:09:11Z``."""
    return None if ns is None else f"{np.datetime64(ns // 10**9, 's')}Z"


def context_of(side: Side, over: Over) -> dict[str, object]:
    """Return what a baseline says of what it is about."""
    devices = {device.name for rank in side.ranks for device in rank.summary.devices if device.name}
    versions = {report.versions.get("nsys") for run in side.runs for report in run.reports}
    return {
        "gpu": sorted(devices),
        "ranks": max((len(run.run.ranks) for run in side.runs), default=0),
        "step_name": side.step_name,
        "nsys": sorted(version for version in versions if version),
        "over": over.value,
    }
