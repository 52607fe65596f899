"""GPU_METRICS and SOC_METRICS: one row a metric and a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tui.report.columns import NULL, Int64
from tui.report.metrics.payload import Payload, numbers, payload_of
from tui.report.metrics.raw_series import Float64, Piles, RawSeries, in_order
from tui.report.spool import Spool
from tui.report.sqlite.source import Source
from tui.report.sqlite.values import FRACTION

FIELDS = "GENERIC_EVENT_TYPE_FIELDS"
FIELD_TYPES = "ENUM_NSYS_GENERIC_EVENT_FIELD_TYPE"
_TOGETHER = 1 << 18
"""Rows that are parted by metric at a time: with few, each metric's share is a handful."""
_DIRECT = 1 << 16
"""Metric ids up to this have a place in a table of their own; others are looked up."""


class Field(NamedTuple):
    """What the export says of a metric."""

    name: str | None
    payload: Payload | None


class Fields:
    """Names and payloads of metrics and of fields of events, by (typeId, id)."""

    def __init__(self, source: Source, info: str | None = None) -> None:
        """``info``: the table that names the metrics, if there is one."""
        self.names: dict[tuple[int, int], str] = {}
        self.payloads: dict[tuple[int, int], Payload] = {}
        if info is not None and info in source.tables:
            for row in source.records(info, ("typeId", "metricId", "metricName")):
                key, name = _key(row, "metricId"), row.get("metricName")
                if key is not None and isinstance(name, str):
                    self.names.setdefault(key, name)
        self._read_types(source)

    def _read_types(self, source: Source) -> None:
        if FIELDS not in source.tables:
            return
        labels: dict[object, object] = {}
        if FIELD_TYPES in source.tables:
            for row in source.records(FIELD_TYPES, ("id", "name", "label")):
                labels[row.get("id")] = row.get("name") or row.get("label")
        rows = source.records(FIELDS, ("typeId", "fieldIdx", "fieldNameId", "size", "type"))
        strings = _texts(source, {row.get("fieldNameId") for row in rows})
        for row in rows:
            key = _key(row, "fieldIdx")
            if key is None:
                continue
            if (name := strings.get(row.get("fieldNameId"))) is not None:
                self.names.setdefault(key, name)
            payload = payload_of(labels.get(row.get("type")), row.get("size"))
            if payload is not None:
                self.payloads.setdefault(key, payload)

    def of(self, type_id: int, number: int) -> Field:
        return Field(self.names.get((type_id, number)), self.payloads.get((type_id, number)))


def _key(row: dict[str, object], number: str) -> tuple[int, int] | None:
    type_id, found = row.get("typeId"), row.get(number)
    return (type_id, found) if isinstance(type_id, int) and isinstance(found, int) else None


def _texts(source: Source, wanted: set[object]) -> dict[object, str]:
    """The strings of the export with these ids."""
    ids = np.array([i for i in wanted if isinstance(i, int)], np.int64)
    found: dict[object, str] = {}
    if len(ids) and source.has("StringIds", "id", "value"):
        for chunk in source.chunks("StringIds", ("id",), ("value",)):
            rows = np.flatnonzero(np.isin(chunk.ints["id"], ids))
            texts = chunk.texts["value"].take(rows).listed()
            for number, text in zip(chunk.ints["id"][rows].tolist(), texts, strict=True):
                if text is not None:
                    found[number] = text.decode("utf-8", "replace")
    return found


def read_samples(source: Source, spool: Spool, kind: str, table: str, info: str) -> Iterator[RawSeries]:
    """The samples of each metric of ``table``, those of one typeId after each other.

    Times are those of ``timestamp``; where the table has no such column those of ``rawTimestamp``. Values
    with a fraction are numbers as they are, whatever the types say.
    """
    clock = time_column(source, table)
    if clock is None or not source.has(table, "typeId", "metricId", "value"):
        return
    fields = Fields(source, info)
    piles, lost, is_real = _piled(source, spool, table, clock, None)
    if is_real:
        piles, lost, _ = _piled(source, spool, table, clock, fields)
    notes = [] if clock == "timestamp" else ["times are rawTimestamp: taken to be on the report's clock"]
    keys: list[tuple[int, int]] = sorted(piles.keys())  # type: ignore[arg-type]
    for type_id, number in keys:
        time, bits = piles.take((type_id, number))
        field = fields.of(type_id, number)
        values: Float64 = bits.view(np.float64) if is_real else numbers(bits, field.payload)
        time, values, counts = in_order(time, values)
        if missing := lost.get((type_id, number)):
            counts["no time"] = missing
        said = list(notes)
        if field.payload is None and not is_real and (bits < 0).any():
            said.append("negative values are read as unsigned ones of 32 bits: the export has no types")
        name = field.name if field.name is not None else f"metric {number}"
        yield RawSeries(kind, name, time, values, type_id, counts=counts, notes=said)


def time_column(source: Source, table: str) -> str | None:
    """The column that says when: None where there is none."""
    return next((name for name in ("timestamp", "rawTimestamp") if source.has(table, name)), None)


_Lost = defaultdict[tuple[int, int], int]


def _piled(
    source: Source, spool: Spool, table: str, clock: str, fields: Fields | None
) -> tuple[Piles, _Lost, bool]:
    """The rows by metric; how many of each have no time; whether there are numbers that are no integers.

    ``fields``: the piles are of floating-point numbers, which these decode. Without them reading stops at the
    first number that is no integer.
    """
    piles, lost = Piles(spool.keep), _Lost(int)
    wanted = ("typeId", "metricId", clock, "value")
    waiting: list[tuple[Int64, ...]] = []
    rows = 0
    for chunk in source.chunks(table, wanted, (), ("value",) if fields else ()):
        if fields is None and any(odd.column == "value" and odd.what == FRACTION for odd in chunk.odd):
            return piles, lost, True
        columns = [chunk.ints[name] for name in wanted]
        if fields is not None:
            columns.append(chunk.reals["value"].view(np.int64))
        waiting.append(tuple(columns))
        rows += len(chunk.rowid)
        if rows >= _TOGETHER:
            _pile(waiting, fields, piles, lost)
            rows = 0
    _pile(waiting, fields, piles, lost)
    return piles, lost, fields is not None


def _pile(waiting: list[tuple[Int64, ...]], fields: Fields | None, piles: Piles, lost: _Lost) -> None:
    """Put rows that have come on their piles: typeId, metricId, time, value, and maybe the bits of a real."""
    if not waiting:
        return
    types, metrics, times, bits, *reals = (np.concatenate(part) for part in zip(*waiting, strict=True))
    waiting.clear()
    for key, rows in _parts(types, metrics):
        time, values = times[rows], bits[rows]
        if fields is not None:
            number = numbers(values, fields.of(*key).payload)
            values = np.where(values == NULL, reals[0][rows].view(np.float64), number).view(np.int64)
        timed = time != NULL
        if not timed.all():
            lost[key] += int((~timed).sum())
            time, values = time[timed], values[timed]
        piles.add(key, time, values)


def _parts(types: Int64, metrics: Int64) -> Iterator[tuple[tuple[int, int], Int64]]:
    """The rows of each (typeId, metricId), in their order; rows without ids are of none."""
    for type_id in _distinct(types):
        mine = np.flatnonzero(types == type_id)
        numbers = metrics if len(mine) == len(types) else metrics[mine]
        low, high = int(numbers.min()), int(numbers.max())
        if low >= 0 and high < _DIRECT:
            # Numbers this small are sorted by their digits: several times as fast.
            order = np.argsort(numbers.astype(np.uint16), kind="stable")
        else:
            order = np.argsort(numbers, kind="stable")
        found = numbers[order]
        cuts = np.flatnonzero(found[1:] != found[:-1]) + 1
        starts = np.concatenate([[0], cuts])
        for begin, end in zip(starts.tolist(), [*cuts.tolist(), len(found)], strict=True):
            number = int(found[begin])
            if type_id != NULL and number != NULL:
                rows = order[begin:end]
                yield (type_id, number), rows if len(mine) == len(types) else mine[rows]


def _distinct(values: Int64) -> list[int]:
    """The few values that there are, without sorting all."""
    found: list[int] = []
    rest = values
    while len(rest) and len(found) < 64:
        found.append(int(rest[0]))
        rest = rest[rest != rest[0]]
    found.extend(np.unique(rest).tolist())
    return found
