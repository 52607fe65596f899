"""Versions, capture options, the session's clock, enums: the small tables that say what the file is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tui.report.schema import ENUMS, KNOWN_MAJOR_VERSIONS
from tui.report.sqlite.source import Source


@dataclass(frozen=True)
class Metadata:
    product_version: str | None
    schema_version: str | None
    capture: Mapping[str, str]
    session_start_utc_ns: int | None
    notes: tuple[str, ...]


def _pairs(source: Source, table: str) -> dict[str, str]:
    """(name, value) rows; a name that comes again adds its value after a comma."""
    out: dict[str, str] = {}
    for row in source.records(table, ["name", "value"]):
        name, value = row.get("name"), row.get("value")
        if name is None or value is None:
            continue
        out[str(name)] = f"{out[str(name)]}, {value}" if str(name) in out else str(value)
    return out


def read_metadata(source: Source) -> Metadata:
    """META_DATA_EXPORT (before 3.4 EXPORT_META_DATA, in the oldest files neither) and its kin."""
    export = _pairs(source, "META_DATA_EXPORT") or _pairs(source, "EXPORT_META_DATA")
    schema_version = export.get("EXPORT_SCHEMA_VERSION")
    notes = []
    if schema_version is not None:
        major = schema_version.split(".")[0]
        if not major.isdigit() or int(major) not in KNOWN_MAJOR_VERSIONS:
            notes.append(
                f"export schema {schema_version} is not one this version knows: figures may be incomplete"
            )
    session = None
    for row in source.records("TARGET_INFO_SESSION_START_TIME", ["utcEpochNs"]):
        value = row.get("utcEpochNs")
        session = value if isinstance(value, int) and session is None else session
    return Metadata(
        export.get("EXPORT_PRODUCT_VERSION"),
        schema_version,
        _pairs(source, "META_DATA_CAPTURE"),
        session,
        tuple(notes),
    )


def read_enums(source: Source) -> dict[str, dict[int, str]]:
    """The file's own labels over the built-in ones."""
    out: dict[str, dict[int, str]] = {}
    for key, (table, built_in) in ENUMS.items():
        labels = dict(built_in)
        for row in source.records(table, ["id", "label"]):
            number, label = row.get("id"), row.get("label")
            if isinstance(number, int) and isinstance(label, str) and label:
                labels[number] = label
        out[key] = labels
    return out
