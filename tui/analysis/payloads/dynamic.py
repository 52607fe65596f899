"""Payloads that an export keeps as tables of their own: one a process and schema, a column a field."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import numpy as np

from tui.analysis.grouping import combined
from tui.analysis.payloads.blob import Fields
from tui.analysis.payloads.schemas import TYPES, Entry, Schema, Schemas
from tui.report.columns import NULL, Int64
from tui.report.extra.extra_table import ExtraRows, ExtraTable, Times
from tui.report.extra.tables import PAYLOAD_LINKS, PAYLOAD_NAMES
from tui.report.model import Report

_NAME = re.compile(r"DYNAMIC_NVTXPAYLOAD_DATATYPE_(-?\d{1,20})_(-?\d{1,20})_(-?\d{1,20})", re.IGNORECASE)
_NO_LETTER = re.compile(r"\W+")
_REALS = frozenset("fd")
_OF_NCCL = Schema(
    tuple(
        Entry(name, 18, 0, 0, None)
        for name in (
            "NCCL communicator ID", "Message size [bytes]", "Reduction operation", "Root", "Peer rank",
            "No. of ranks", "Rank", "CUDA device",
        )
    )
)  # fmt: skip
"""The fields that are looked for where the export does not say which ones a table has."""


def dynamic_payloads(report: Report, schemas: Schemas) -> Iterator[tuple[Int64, list[Fields], Int64]]:
    """Of each table: the events (rowids) of its rows, the distinct payloads, and which of them each row has.

    Rows that are linked with no event are left out. An event's id is its rowid.
    """
    linked, sanitized = _linked(report), _sanitized(report)
    for source in sorted(report.has):
        match = _NAME.fullmatch(source)
        if match is None:
            continue
        process, domain, number = (int(part) for part in match.groups())
        schema = schemas.of((domain, number), process) or _OF_NCCL
        columns = {entry: _spellings(entry, sanitized) for entry in schema.entries if entry.length == 1}
        rows = report.extra_rows(_table(source, columns))
        events = rows["eventId"]
        known = events != NULL
        if linked is not None:
            known &= np.isin(events, linked)
        distinct, which = _distinct(rows, columns, np.flatnonzero(known))
        for entry in columns:
            enum = schemas.enum_of(domain, entry)
            if enum is None:
                continue
            for fields in distinct:
                if isinstance(value := fields.get(entry.name), int):
                    fields[entry.name] = enum.labels.get(value, value)
        yield events[known], distinct, which


def _linked(report: Report) -> Int64 | None:
    """The events that have payloads in tables; None where the export has no list of them."""
    if PAYLOAD_LINKS.source not in report.has:
        return None
    return np.unique(report.extra_rows(PAYLOAD_LINKS)["eventId"])


def _spellings(entry: Entry, sanitized: Mapping[str, list[str]]) -> tuple[str, ...]:
    """What the column of a field may be called: as the export says, else as the field or its letters."""
    plain = _NO_LETTER.sub("_", entry.name)
    return tuple(dict.fromkeys((*sanitized.get(entry.name, ()), entry.name, plain, plain.strip("_"))))


def _sanitized(report: Report) -> dict[str, list[str]]:
    rows = report.extra_rows(PAYLOAD_NAMES)
    found: dict[str, list[str]] = {}
    for original, name in zip(rows.texts("originalName"), rows.texts("sanitizedName"), strict=True):
        if original and name:
            found.setdefault(original, []).append(name)
    return found


def _is_real(entry: Entry) -> bool:
    kind = TYPES.get(entry.type)
    return kind is not None and kind.code in _REALS


def _is_text(entry: Entry) -> bool:
    kind = TYPES.get(entry.type)
    return kind is not None and kind.is_text


def _table(source: str, columns: dict[Entry, tuple[str, ...]]) -> ExtraTable:
    def of(kind: bool, test: bool) -> tuple[str, ...]:
        found = (
            name
            for entry, names in columns.items()
            if _is_real(entry) is kind and _is_text(entry) is test
            for name in names
        )
        return tuple(dict.fromkeys(name for name in found if name and name != "eventId"))

    integers = ("eventId", *of(False, False))
    return ExtraTable(source, Times.NONE, integers, of(True, False), texts=of(False, True))


def _distinct(
    rows: ExtraRows, columns: dict[Entry, tuple[str, ...]], chosen: Int64
) -> tuple[list[Fields], Int64]:
    """The distinct payloads of chosen rows, and the position of each row's. NULL is no value."""
    read = [
        (entry, rows[name][chosen])
        for entry, names in columns.items()
        for name in names
        if name in rows.columns and name != "eventId"
    ]
    if not read or not len(chosen):
        return [{}], np.zeros(len(chosen), np.int64)
    bits = np.stack(
        [found.view(np.int64) if found.dtype == np.float64 else found.astype(np.int64) for _, found in read]
    )
    which, first = combined(*bits)
    found: list[Fields] = []
    for column in bits[:, first].T:
        fields: Fields = {}
        for (entry, values), stored in zip(read, column, strict=True):
            if values.dtype == np.float64:
                real = float(stored.view(np.float64))
                if real == real:
                    fields.setdefault(entry.name, real)
            elif values.dtype == np.int32:
                if stored >= 0:
                    fields.setdefault(entry.name, rows.strings[int(stored)])
            elif stored != NULL:
                fields.setdefault(entry.name, int(stored))
        found.append(fields)
    return found, which
