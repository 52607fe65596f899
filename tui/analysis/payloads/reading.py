"""The payloads of a report: of each event from tables of their own, else from JSON, else from bytes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.analysis.grouping import combined
from tui.analysis.index import Index
from tui.analysis.payloads.blob import ALONE, DoesNotFit, Fields, decode
from tui.analysis.payloads.dynamic import dynamic_payloads
from tui.analysis.payloads.json_text import members
from tui.analysis.payloads.schemas import Schemas, read_schemas
from tui.errors import ReportError
from tui.report.columns import NULL, Bool, Int64, Positions
from tui.report.extra.extra_table import ExtraRows
from tui.report.extra.tables import NVTX_PAYLOADS, PAYLOAD_LINKS, PAYLOAD_SCHEMAS
from tui.report.importing.global_ids import global_pid_of
from tui.report.model import Report

_BOUND = 1 << 63
_FEW = 200_000
"""Events of NVTX that are looked through in a moment."""
LEFT_OUT = (
    "message sizes were left out of this export: `nsys export -t sqlite --include-json=true` keeps them"
)
"""What is said where an export describes payloads and has no values of them."""


@dataclass(frozen=True)
class Payloads:
    """The payloads of a report that are known, one an event."""

    event: Int64
    """The rowid of the event in NVTX_EVENTS, ascending."""
    kind: Int64
    """Position in :attr:`distinct`."""
    distinct: tuple[Fields, ...]
    """Distinct payloads: values by the name of their field."""
    unknown: Counter[str]
    """Events whose payload can't be told, by why."""
    has_schemas: bool
    """Whether the export describes payloads."""
    fault: str | None = None
    """Why they can't be read."""

    def __len__(self) -> int:
        return len(self.event)

    @property
    def are_absent(self) -> bool:
        """Whether the program attached payloads and the export left out their values."""
        return self.has_schemas and not len(self.event) and not self.unknown

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of all fields."""
        return frozenset(name for fields in self.distinct for name in fields)

    def integers(self, name: str) -> Int64:
        """A field of each payload as whole number; NULL where it is none, or there is no such field."""
        found: Int64 = self._of_kinds(np.int64, lambda fields: _whole(fields.get(name)))
        return found

    def identities(self, name: str) -> Int64:
        """A field of each payload that names something: 63 of its 64 bits, NULL without such a field."""
        found: Int64 = self._of_kinds(np.int64, lambda fields: _identity(fields.get(name)))
        return found

    def reals(self, name: str) -> NDArray[np.float64]:
        """A field of each payload as number; NaN where it is none."""
        found: NDArray[np.float64] = self._of_kinds(np.float64, lambda fields: _real(fields.get(name)))
        return found

    def _of_kinds(self, dtype: Any, value: Callable[[Fields], int | float]) -> Any:
        return np.array([value(fields) for fields in self.distinct], dtype)[self.kind]

    def find(self, events: Int64) -> Positions:
        """The position of the payload of each event (rowid); -1 without one."""
        if not len(self.event):
            return np.full(len(events), -1, np.intp)
        at = np.minimum(np.searchsorted(self.event, events), len(self.event) - 1)
        return np.where(self.event[at] == events, at, -1)

    def of(self, event: int) -> Fields:
        """The fields of the payload of an event (rowid); none without one."""
        at = int(self.find(np.array([event]))[0])
        return self.distinct[int(self.kind[at])] if at >= 0 else {}


NO_PAYLOADS = Payloads(np.zeros(0, np.int64), np.zeros(0, np.int64), (), Counter(), has_schemas=False)


def _whole(value: object) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and -_BOUND < value < _BOUND else NULL


def _identity(value: object) -> int:
    return value % _BOUND if isinstance(value, int) else NULL


def _real(value: object) -> float:
    return float(value) if isinstance(value, int | float) and abs(value) < float(1 << 64) else float("nan")


def may_read_now(report: Report) -> bool:
    """Whether payloads are read in a moment, or are likely to be there: a screen may wait for them."""
    likely = (PAYLOAD_SCHEMAS.source, PAYLOAD_LINKS.source)
    rows = {table.name: table.rows for table in report.tables}
    return any(rows.get(name) for name in likely) or rows.get(NVTX_PAYLOADS.source, 0) <= _FEW


def payloads(index: Index) -> Payloads:
    """The payloads of a report, read once; where they can't be read there are none, and a fault says why."""
    return index.once("payloads", lambda: _readable(index.report))


def _readable(report: Report) -> Payloads:
    try:
        return read_payloads(report)
    except ReportError as error:  # what they add to is known without them
        fault = str(error).removeprefix(f"{report.path}: ")
        return replace(NO_PAYLOADS, fault=fault)


def read_payloads(report: Report) -> Payloads:
    """Read the payloads of a report. Raises ReportError where the file is damaged, or has changed."""
    schemas = read_schemas(report)
    rows = report.extra_rows(NVTX_PAYLOADS)
    gathered = _Gathered()
    for found in (dynamic_payloads(report, schemas), _json(rows), _bytes(rows, schemas), _simple(rows)):
        for events, distinct, which in found:
            gathered.add(events, distinct, which)
    return gathered.done(bool(schemas))


def _among(values: Int64, known: Int64) -> Bool:
    """Which values are among ``known``, which are in order."""
    if not len(known):
        return np.zeros(len(values), bool)
    found: Bool = known[np.minimum(np.searchsorted(known, values), len(known) - 1)] == values
    return found


class _Gathered:
    """Gathers payloads: the first that is known of an event counts."""

    def __init__(self) -> None:
        self._known = np.zeros(0, np.int64)
        self._parts: list[tuple[Int64, Int64]] = []
        self._distinct: list[Fields] = []
        self._failed: list[tuple[Int64, str]] = []

    def add(self, events: Int64, distinct: Sequence[Fields | str], which: Int64) -> None:
        """``distinct``: payloads, or why there is none; ``which``: that of each event."""
        fits = np.array([isinstance(found, dict) and bool(found) for found in distinct], bool)[which]
        for number, found in enumerate(distinct):
            if isinstance(found, str):
                self._failed.append((events[which == number], found))
        new = fits & ~_among(events, self._known)
        chosen, first = np.unique(events[new], return_index=True)
        self._parts.append((chosen, which[new][first] + len(self._distinct)))
        self._distinct += [found if isinstance(found, dict) else {} for found in distinct]
        self._known = np.sort(np.concatenate([self._known, chosen]))

    def done(self, has_schemas: bool) -> Payloads:
        unknown: Counter[str] = Counter()
        counted = self._known
        for events, why in self._failed:
            left = np.sort(events[~_among(events, counted)])
            left = left[np.append(True, left[1:] != left[:-1])[: len(left)]]
            unknown[why] += len(left)
            counted = np.sort(np.concatenate([counted, left]))
        event, kind = (np.concatenate([part[i] for part in self._parts]) for i in range(2))
        order = np.argsort(event, kind="stable")
        return Payloads(event[order], kind[order], tuple(self._distinct), +unknown, has_schemas)


Found = Iterator[tuple[Int64, Sequence[Fields | str], Int64]]


def _tried(make: Callable[..., Fields], *about: Any) -> Fields | str:
    try:
        return make(*about)
    except DoesNotFit as error:
        return str(error)


def _json(rows: ExtraRows) -> Found:
    for column in ("jsonText", "jsonTextId"):
        mine = np.flatnonzero(rows[column] >= 0)
        codes, which = np.unique(rows[column][mine], return_inverse=True)
        texts = (rows.strings[code] for code in codes.tolist())
        yield rows["rowid"][mine], [_tried(members, text) for text in texts], which


def _bytes(rows: ExtraRows, schemas: Schemas) -> Found:
    mine = np.flatnonzero(rows["binaryData"] >= 0)
    thread = rows["globalTid"][mine]
    process = np.where(thread == NULL, 0, global_pid_of(thread))
    codes = rows["binaryData"][mine]
    which, first = combined(process, codes)
    found = [
        _tried(decode, rows.strings.raw(code), schemas, pid)
        for pid, code in zip(process[first].tolist(), codes[first].tolist(), strict=True)
    ]
    yield rows["rowid"][mine], found, which


def _simple(rows: ExtraRows) -> Found:
    """Payloads of one number."""
    for column in ("uint64Value", "int64Value", "uint32Value", "int32Value"):
        mine = np.flatnonzero(rows[column] != NULL)
        bits = {"uint64Value": 64, "uint32Value": 32}.get(column)
        values, which = np.unique(rows[column][mine], return_inverse=True)
        yield rows["rowid"][mine], [{ALONE: v % (1 << bits) if bits else v} for v in values.tolist()], which
    for column in ("doubleValue", "floatValue"):
        mine = np.flatnonzero(~np.isnan(rows[column]))
        values, which = np.unique(rows[column][mine], return_inverse=True)
        yield rows["rowid"][mine], [{ALONE: value} for value in values.tolist()], which
