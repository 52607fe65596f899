"""The summary of a report as a file of the store: packed once, read from there part by part.

A set holds the summaries of a thousand reports and looks at few of them at a time. So a rank that comes from
a file has none of its arrays: each part is read when it is asked for, and what was asked for last is held.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from tui.ranks.held_parts import HELD, KeptFile, Part
from tui.ranks.summary import (
    BlameRows,
    Collectives,
    CommLane,
    DeviceFacts,
    ExposedPieces,
    KernelRows,
    PhaseRows,
    RankSummary,
    ReportSummary,
    StepColumns,
)
from tui.report.columns import Array
from tui.report.kernels.class_table import TABLE
from tui.report.kernels.user_rules import UserRules
from tui.report.store.columnfile import ColumnReader, ColumnWriter
from tui.report.store.folder import StoreShelf, anonymous_stream

_MEANING = 8
"""Goes up whenever what a figure of a summary means or how it is packed changes."""

_PARTS: dict[str, type[Any]] = {
    "steps": StepColumns,
    "collectives": Collectives,
    "pieces": ExposedPieces,
    "kernels": KernelRows,
    "blame": BlameRows,
    "phases": PhaseRows,
}
_STRIP = "strip"
_PLAIN = ("process", "pid", "process_name", "host_only", "window", "totals", "step_name", "warm_up", "names")
_HEADER = ("key", "span", "identity", "versions", "doubtful", "notes", "tables", "options")

_FIELDS = [(name, [field.name for field in fields(kind)]) for name, kind in _PARTS.items()]
VERSION = zlib.crc32(repr((_MEANING, _FIELDS, TABLE)).encode())
"""Identifies what a summary says: one of another version is not read but made again."""


def kept_name(comm: str, step: str | None, rules: UserRules = ()) -> str:
    """What the summary that is made with these options is kept as."""
    options = [comm, step, *([rule.pattern, rule.kernel_class.value] for rule in rules)]
    digest = hashlib.blake2b(json.dumps(options).encode(), digest_size=4)
    return f"ranks-{digest.hexdigest()}"


def pack(summary: ReportSummary, source: Path) -> bytes:
    """The summary as the bytes of a column file; ``source``: the report, for people who list the store.

    Equal summaries give equal bytes.
    """
    with _memory() as stream:
        writer = ColumnWriter(stream)
        facts = {name: getattr(summary, name) for name in _HEADER}
        facts["ranks"] = [_put_rank(rank, f"{i}.", writer.put) for i, rank in enumerate(summary.ranks)]
        writer.finish(facts, source)
        stream.seek(0)
        return stream.read()


def unpack(data: bytes) -> ReportSummary:
    """The summary that was packed, in memory. Raises Damaged where it is none, or one of another version."""
    with _memory() as stream:
        stream.write(data)
        stream.flush()
        reader = ColumnReader(stream)
    return _report(reader.facts, lambda i, facts: _in_memory(i, facts, reader))


def load(shelf: StoreShelf, comm: str, step: str | None, rules: UserRules = ()) -> ReportSummary | None:
    """The summary that is kept on ``shelf``; None where there is none that can be trusted."""
    name = kept_name(comm, step, rules)
    reader = shelf.find_lasting(name, VERSION)
    if reader is None:
        return None
    path = shelf.lasting_path(name, VERSION)
    file = KeptFile(path, lambda: shelf.find_lasting(name, VERSION), reader.facts["key"])
    try:
        file.take(reader)
    except OSError:  # it has gone since
        return None
    return _report(reader.facts, lambda i, facts: _from_file(i, facts, file))


def keep(shelf: StoreShelf, data: bytes, comm: str, step: str | None, rules: UserRules = ()) -> bool:
    """Keep a packed summary; False where the store can't take it."""
    return shelf.keep_lasting(kept_name(comm, step, rules), VERSION, data) is not None


class KeptRank(RankSummary):
    """A rank whose arrays are in a file of the store, or in the memory of those asked for last."""

    def __getattr__(self, name: str) -> Any:
        if name in _PARTS or name == _STRIP:
            number, file, shape = (self.__dict__[held] for held in ("_number", "_file", "_shape"))
            return HELD.get((file, number, name), lambda: _read_part(file, number, name, shape))
        raise AttributeError(name)


def _memory() -> BinaryIO:
    """A file in memory; where the system has none, in the temporary folder. Raises OSError."""
    create = getattr(os, "memfd_create", None)
    return anonymous_stream() if create is None else os.fdopen(create("nsystui"), "w+b")


def _put_rank(rank: RankSummary, prefix: str, put: Callable[[str, Array], None]) -> dict[str, Any]:
    """Put the arrays of a rank, and return the facts about it."""
    facts: dict[str, Any] = {name: getattr(rank, name) for name in _PLAIN}
    facts["totals"] = dict(rank.totals)
    facts["devices"] = [vars(device) for device in rank.devices]
    facts["lanes"] = [vars(lane) for lane in rank.lanes]
    facts["wide"] = wide = {}
    facts["absent"] = absent = []
    for name, values in _arrays(rank):
        if values is None:
            absent.append(name)
            continue
        if values.ndim == 2:  # columns without anything in them take no room
            used = np.flatnonzero(values.any(axis=0))
            wide[name] = [*values.shape, used.tolist()]
            values = values[:, used].ravel()
        put(prefix + name, values.view(np.int64) if values.dtype == np.float64 else values)
    return facts


def _arrays(rank: RankSummary) -> Iterator[tuple[str, Array | None]]:
    for part, kind in _PARTS.items():
        columns = getattr(rank, part)
        for field in fields(kind):
            yield f"{part}.{field.name}", getattr(columns, field.name)
    yield _STRIP, rank.strip


def _report(facts: Mapping[str, Any], rank: Callable[[int, dict[str, Any]], RankSummary]) -> ReportSummary:
    header = {name: facts[name] for name in _HEADER}
    for name in ("notes", "tables"):
        header[name] = tuple(map(sys.intern, header[name]))
    header["span"] = None if header["span"] is None else tuple(header["span"])
    return ReportSummary(**header, ranks=tuple(rank(i, found) for i, found in enumerate(facts["ranks"])))


def _plain(facts: dict[str, Any]) -> dict[str, Any]:
    """What of a rank is no array. Names are shared by the ranks of a set, which run the same kernels."""
    made = {name: facts[name] for name in _PLAIN}
    made["names"] = tuple(map(sys.intern, made["names"]))
    made["window"] = tuple(made["window"])
    made["devices"] = tuple(DeviceFacts(**device) for device in facts["devices"])
    made["lanes"] = tuple(CommLane(**lane) for lane in facts["lanes"])
    return made


def _shape(facts: dict[str, Any]) -> dict[str, Any]:
    return {**facts["wide"], **dict.fromkeys(facts["absent"])}


def _in_memory(number: int, facts: dict[str, Any], reader: ColumnReader) -> RankSummary:
    shape = _shape(facts)
    parts = {}
    for name in (*_PARTS, _STRIP):
        columns = {column: np.array(reader.get(column)) for column in _columns_of(number, name, shape)}
        parts[name] = _part(columns, number, name, shape)
    return RankSummary(**_plain(facts), **parts)


def _from_file(number: int, facts: dict[str, Any], file: KeptFile) -> RankSummary:
    rank = object.__new__(KeptRank)
    rank.__dict__.update(_plain(facts), _number=number, _file=file, _shape=_shape(facts))
    return rank


def _read_part(file: KeptFile, number: int, name: str, shape: dict[str, Any]) -> Part:
    return _part(file.columns(_columns_of(number, name, shape)), number, name, shape)


def _arrays_of(part: str) -> list[str]:
    """What the arrays of a part are called in a rank."""
    return [part] if part == _STRIP else [f"{part}.{field.name}" for field in fields(_PARTS[part])]


def _columns_of(number: int, part: str, shape: dict[str, Any]) -> list[str]:
    """What those of them that a rank has are called in its file."""
    return [f"{number}.{name}" for name in _arrays_of(part) if shape.get(name, ()) is not None]


def _part(columns: Mapping[str, Array], number: int, part: str, shape: dict[str, Any]) -> Part:
    """The part that these columns are. ``shape``: of a table its size and used columns; None for absent."""
    arrays = [_array(columns.get(f"{number}.{name}"), name, shape.get(name)) for name in _arrays_of(part)]
    return arrays[0] if part == _STRIP else _PARTS[part](*arrays)


def _array(values: Array | None, name: str, wide: list[Any] | None) -> Array | None:
    if values is None:
        return None
    if name == "kernels.squares":
        values = np.ascontiguousarray(values).view(np.float64)
    if wide is None:
        return values
    rows, width, used = wide
    full = np.zeros((rows, width), values.dtype)
    if used:
        full[:, used] = values.reshape(-1, len(used))
    return full
