"""Small tables: versions, capture options, the session's start and enums."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tui.report.data import Origin
from tui.report.environment import about_environment
from tui.report.importing.origin import read_origin, text_pairs
from tui.report.schema import ENUMS, SUPPORTED_MAJOR_VERSIONS
from tui.report.sqlite.source import Source
from tui.report.sqlite.values import NUMBER, TEXT, no_integer, whole_text


@dataclass(frozen=True)
class Metadata:
    """What the small tables say; the fields are those of :class:`~tui.report.data.Facts`."""

    product_version: str | None
    schema_version: str | None
    capture: Mapping[str, str]
    session_start_utc_ns: int | None
    origin: Origin
    enums: Mapping[str, Mapping[int, str]]
    notes: tuple[str, ...]


def typed_records(source: Source, table: str, **types: type) -> Iterator[tuple[Any, ...]]:
    """Read the rows of a small table in which each of these columns has a value of its type.

    A value of another type goes to :attr:`Source.odd_records`.
    """
    for number, row in enumerate(source.records(table, list(types)), 1):
        values = tuple(_typed(row.get(column), kind) for column, kind in types.items())
        for (column, kind), value in zip(types.items(), values, strict=True):
            if value is not None and not isinstance(value, kind):
                source.note_odd(table, number, column, _wrong(value, kind), value)
        if all(map(isinstance, values, types.values())):
            yield values


def _typed(value: object, kind: type) -> object:
    """The number that a text spells, where numbers belong."""
    if kind is not int or not isinstance(value, str):
        return value
    number, wrong = whole_text(value.encode("utf-8", "replace"))
    return value if wrong else number


def _wrong(value: object, kind: type) -> str:
    if kind is str:
        return NUMBER
    return no_integer(value) if isinstance(value, float) else whole_text(str(value).encode())[1] or TEXT


def _pairs(rows: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Values by name, but for those of the environment; further values of a name follow after a comma."""
    out: dict[str, str] = {}
    for name, value in rows:
        if not about_environment(name):
            out[name] = f"{out[name]}, {value}" if name in out else value
    return out


def read_metadata(source: Source) -> Metadata:
    """Read META_DATA_EXPORT (before 3.4 EXPORT_META_DATA, in the oldest files neither) and similar tables."""
    export_rows = [*text_pairs(source, "META_DATA_EXPORT")] or [*text_pairs(source, "EXPORT_META_DATA")]
    capture_rows = [*text_pairs(source, "META_DATA_CAPTURE")]
    export = _pairs(export_rows)
    schema_version = export.get("EXPORT_SCHEMA_VERSION")
    note = f"export schema {schema_version} is not one this version knows: figures may be incomplete"
    supported = schema_version is None or schema_version.split(".")[0] in SUPPORTED_MAJOR_VERSIONS
    starts = typed_records(source, "TARGET_INFO_SESSION_START_TIME", utcEpochNs=int)
    return Metadata(
        export.get("EXPORT_PRODUCT_VERSION"),
        schema_version,
        _pairs(capture_rows),
        next((start for (start,) in starts), None),
        read_origin(source, capture_rows, export_rows),
        _enums(source),
        () if supported else (note,),
    )


def _enums(source: Source) -> dict[str, dict[int, str]]:
    """Read the labels of enums: the file's own, else the built-in ones."""
    return {
        key: built_in | {n: label for n, label in typed_records(source, table, id=int, label=str) if label}
        for key, (table, built_in) in ENUMS.items()
    }
