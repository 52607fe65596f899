"""Counters of CPUs and their surroundings: counts over stretches of time, of each CPU apart.

A metric of the machine is the sum over its CPUs, as a rate: counts a second.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tui.report.columns import NULL, Int64
from tui.report.metrics.raw_series import Float64, RawSeries
from tui.report.sqlite.source import Source

RAW = ("PERF_EVENT_CPU_RAW_EVENT", "PERF_EVENT_SOC_OR_CPU_RAW_EVENT")
CORE, CORE_VALUES, REQUESTS = "PMU_EVENTS", "PMU_EVENT_COUNTERS", "PMU_EVENT_REQUESTS"
UNCORE, UNCORE_VALUES = "UNCORE_PMU_EVENTS", "UNCORE_PMU_EVENT_VALUES"
_SECOND = 1e9


class _Counts(NamedTuple):
    """What was counted: how much, from when to when, of which metric."""

    start: Int64
    end: Int64
    metric: Int64
    counted: Int64


def read_counters(source: Source) -> Iterator[RawSeries]:
    """The rates of all counters of CPUs."""
    for kind, found, names in (
        ("cpu", _joined(source, CORE, "counter_id", CORE_VALUES, "idx"), _requests(source)),
        ("uncore", _joined(source, UNCORE, "counterId", UNCORE_VALUES, "type"), _event_types(source)),
        *(("perf", _raw(source, table), _metrics(source)) for table in RAW),
    ):
        if found is None:
            continue
        for metric in np.unique(found.metric).tolist():
            mine = found.metric == metric
            start, end, count = found.start[mine], found.end[mine], found.counted[mine]
            begin, time, rate = _rate(start, end, count)
            if len(time):
                name, unit = names.get(metric, (f"counter {metric}", ""))
                yield RawSeries(kind, name, time, rate, begin=begin, unit=f"{unit or 'events'}/s")


def _rate(start: Int64, end: Int64, count: Int64) -> tuple[Int64, Int64, Float64]:
    """The sum of the rates of counts that overlap: where one begins and ends, and the rate there."""
    good = end > start
    start, end, count = start[good], end[good], count[good]
    edges = np.unique(np.concatenate([start, end]))
    if len(edges) < 2:
        return edges[:0], edges[:0], np.empty(0)
    rate = count / (end - start) * _SECOND
    change, open_ = np.zeros(len(edges)), np.zeros(len(edges), np.int64)
    for times, sign in ((start, 1), (end, -1)):
        at = np.searchsorted(edges, times)
        np.add.at(change, at, sign * rate)
        np.add.at(open_, at, sign)
    running, level = np.cumsum(open_)[:-1] > 0, np.cumsum(change)[:-1]
    level = np.maximum(level, 0.0)  # what is left of sums of fractions
    return edges[:-1][running], edges[1:][running], level[running]


def _columns(source: Source, table: str, names: tuple[str, ...]) -> dict[str, Int64] | None:
    """Whole columns of a table; None where it lacks one of them."""
    if not source.has(table, *names):
        return None
    parts: defaultdict[str, list[Int64]] = defaultdict(list)
    for chunk in source.chunks(table, names):
        for name in names:
            parts[name].append(chunk.ints[name])
    return {name: np.concatenate([np.empty(0, np.int64), *parts[name]]) for name in names}


def _counts(start: Int64, end: Int64, metric: Int64, count: Int64) -> _Counts | None:
    good = (start != NULL) & (end != NULL) & (metric != NULL) & (count != NULL) & (count >= 0)
    return _Counts(start[good], end[good], metric[good], count[good]) if good.any() else None


def _raw(source: Source, table: str) -> _Counts | None:
    found = _columns(source, table, ("start", "end", "eventId", "count"))
    return None if found is None else _counts(*found.values())


def _joined(source: Source, events: str, key: str, values: str, metric: str) -> _Counts | None:
    """Each value with the times of its event: ``key`` is the id that values have."""
    times = _columns(source, events, ("start", "end", key))
    found = _columns(source, values, ("id", metric, "value"))
    if times is None or found is None or not len(times[key]):
        return None
    order = np.argsort(times[key], kind="stable")
    ids = times[key][order]
    at = np.minimum(np.searchsorted(ids, found["id"]), len(ids) - 1)
    mine = np.flatnonzero((ids[at] == found["id"]) & (found["id"] != NULL))
    event = order[at[mine]]
    return _counts(times["start"][event], times["end"][event], found[metric][mine], found["value"][mine])


_Names = dict[int, tuple[str, str]]
"""The name and the unit of each metric."""


def _named(source: Source, table: str, key: str, *names: str, unit: str = "") -> _Names:
    found: _Names = {}
    if table in source.tables:
        for row in source.records(table, (key, *names, *([unit] if unit else []))):
            number = row.get(key)
            text = next((row[name] for name in names if isinstance(row.get(name), str) and row[name]), None)
            if isinstance(number, int) and isinstance(text, str):
                said = row.get(unit) if unit else None
                found.setdefault(number, (text, said if isinstance(said, str) else ""))
    return found


def _requests(source: Source) -> _Names:
    return _named(source, REQUESTS, "id", "event_name")


def _event_types(source: Source) -> _Names:
    return _named(source, "ENUM_NSYS_EVENT_TYPE", "id", "label", "name")


def _metrics(source: Source) -> _Names:
    return _named(source, "TARGET_INFO_PERF_METRIC", "id", "name", unit="unit")
