"""Metrics as events of a plugin or an early release: JSON, or fields in a table of their own."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import Any

import numpy as np

from tui.report.columns import NULL, Int64
from tui.report.metrics.raw_series import Float64, Piles, RawSeries, in_order
from tui.report.metrics.sample_tables import Fields, time_column
from tui.report.spool import Spool
from tui.report.sqlite.source import Source
from tui.report.sqlite.texts import Texts

EVENTS = "GENERIC_EVENTS"
DATA = "GENERIC_EVENT_DATA"
_NUMBER = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_VALUES = ("doubleVal", "floatVal")
_WHOLE = ("intVal", "uintVal")

Kind = Callable[[str], str | None]
"""What a field is by its name: ``gpu`` or ``nvml``; None: nothing that is known here."""


def read_events(source: Source, spool: Spool, kind: Kind, skipped: frozenset[int]) -> Iterator[RawSeries]:
    """The samples of each field of generic events that is a metric of a GPU.

    A type of events counts where any of its fields is known; then all of its numbers do. ``skipped``: the
    types whose samples are in a table of their own.
    """
    clock = time_column(source, EVENTS)
    if clock is None or not source.has(EVENTS, "typeId"):
        return
    piles = Piles(spool.keep)
    if source.has(EVENTS, "data"):
        _pile_json(source, clock, piles, kind, skipped)
    if source.has(DATA, "genericEventId", "fieldIdx") and source.has(EVENTS, "genericEventId"):
        _pile_fields(source, clock, piles, kind, skipped, {key[0] for key in _pairs(piles)})
    said = [] if clock == "timestamp" else ["times are rawTimestamp: taken to be on the report's clock"]
    keys = _pairs(piles)
    kinds: dict[int, str] = {}
    for type_id, name in keys:
        found = kind(name)
        if found is not None and kinds.get(type_id) != "gpu":
            kinds[type_id] = found
    for type_id, name in keys:
        time, bits = piles.take((type_id, name))
        if type_id not in kinds:
            continue
        time, values, counts = in_order(time, bits.view(np.float64))
        yield RawSeries(kinds[type_id], name, time, values, type_id, counts=counts, notes=list(said))


def _pairs(piles: Piles) -> list[tuple[int, str]]:
    return sorted(piles.keys(), key=itemgetter(0))  # type: ignore[arg-type]


def _pile_json(source: Source, clock: str, piles: Piles, kind: Kind, skipped: frozenset[int]) -> None:
    """Put the numbers of JSON objects on their piles. Types without a known key are looked at only once."""
    interesting: dict[int, bool] = {}
    for chunk in source.chunks(EVENTS, ("typeId", clock), ("data",)):
        types, time, data = chunk.ints["typeId"], chunk.ints[clock], chunk.texts["data"]
        usable = (types != NULL) & (time != NULL) & (data.size > 0)
        for type_id in np.unique(types[usable]).tolist():
            if type_id in skipped or interesting.get(type_id) is False:
                continue
            rows = np.flatnonzero(usable & (types == type_id))
            for keys, at, columns in _objects(data.take(rows)):
                if type_id not in interesting:
                    interesting[type_id] = any(kind(key) is not None for key in keys)
                if not interesting[type_id]:
                    break
                for key, values in zip(keys, columns, strict=True):
                    if not np.isnan(values).all():
                        piles.add((type_id, key), time[rows[at]], values.view(np.int64))


def _objects(texts: Texts) -> Iterator[tuple[tuple[str, ...], Int64, list[Float64]]]:
    """Objects by their keys: the keys, which of the texts have them, and a column of numbers for each key."""
    listed = texts.listed()
    try:
        found: list[Any] = json.loads(b"[" + b",".join(text or b"null" for text in listed) + b"]")
        if len(found) != len(listed):
            raise ValueError
    except ValueError:  # one of them is no JSON: each by itself
        found = [_loaded(text or b"null") for text in listed]
    groups: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for at, one in enumerate(found):
        if isinstance(one, dict):
            groups[tuple(one)].append(at)
    for keys, rows in groups.items():
        if not keys:
            continue
        get = itemgetter(*keys)
        parts = [get(found[at]) for at in rows]
        columns = [parts] if len(keys) == 1 else list(zip(*parts, strict=True))
        yield keys, np.array(rows, np.int64), [_numbers(column) for column in columns]


def _loaded(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _numbers(values: Any) -> Float64:
    """Numbers, also those written as texts; NaN for all else."""
    try:
        plain = np.array(values)
    except (ValueError, OverflowError):
        plain = np.empty(0, object)
    if plain.shape == (len(values),) and plain.dtype.kind in "iuf":
        found = plain.astype(np.float64)
    else:
        found = np.array([_number(value) for value in values], np.float64)
    found[~np.isfinite(found)] = np.nan
    return found


def _number(value: object) -> float:
    if isinstance(value, bool) or value is None:
        return np.nan
    if isinstance(value, int | float):
        try:
            return float(value)
        except OverflowError:
            return np.nan
    match = _NUMBER.match(value) if isinstance(value, str) and len(value) < 64 else None
    return float(match[0]) if match else np.nan


def _pile_fields(
    source: Source, clock: str, piles: Piles, kind: Kind, skipped: frozenset[int], seen: set[int]
) -> None:
    """Put the numbers of GENERIC_EVENT_DATA on their piles; types ``seen`` have come as JSON already."""
    fields = Fields(source)
    wanted = {t for (t, _), name in fields.names.items() if kind(name) is not None} - skipped - seen
    if not wanted:
        return
    ids, types, times = _events(source, clock, wanted)
    if not len(ids):
        return
    whole, broken = source.columns(DATA, _WHOLE), source.columns(DATA, _VALUES)
    for chunk in source.chunks(DATA, ("genericEventId", "fieldIdx", *whole), (), broken):
        event = chunk.ints["genericEventId"]
        at = np.minimum(np.searchsorted(ids, event), len(ids) - 1)
        mine = np.flatnonzero(ids[at] == event)
        if not len(mine):
            continue
        value = np.full(len(event), np.nan)
        for column in broken:
            value = np.where(np.isnan(value), chunk.reals[column], value)
        for column in whole:
            number = chunk.ints[column]
            usable = np.isnan(value) & (number != NULL)
            value[usable] = number[usable]
        at, number = at[mine], chunk.ints["fieldIdx"][mine]
        value = value[mine]
        for type_id in np.unique(types[at]).tolist():
            for field in np.unique(number[types[at] == type_id]).tolist():
                name = fields.of(type_id, field).name
                rows = np.flatnonzero((types[at] == type_id) & (number == field))
                if name is not None and not np.isnan(value[rows]).all():
                    piles.add((type_id, name), times[at[rows]], value[rows].view(np.int64))


def _events(source: Source, clock: str, wanted: set[int]) -> tuple[Int64, Int64, Int64]:
    """Ids, types and times of the events of some types, by id."""
    parts: list[tuple[Int64, Int64, Int64]] = []
    chosen = np.array(sorted(wanted), np.int64)
    for chunk in source.chunks(EVENTS, ("genericEventId", "typeId", clock)):
        ids, types, time = (chunk.ints[name] for name in ("genericEventId", "typeId", clock))
        rows = np.isin(types, chosen) & (ids != NULL) & (time != NULL)
        parts.append((ids[rows], types[rows], time[rows]))
    if not parts:
        return (np.empty(0, np.int64),) * 3
    ids, types, time = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(ids, kind="stable")
    return ids[order], types[order], time[order]
