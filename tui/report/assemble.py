"""Columns by name and a few facts -> a :class:`Report`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from tui.report.columns import Columns, ColumnSource, Shelf
from tui.report.data import Device, Diagnostic, Doubtful, Facts, Origin, Process, Strings, TableInfo, Thread
from tui.report.event_tables import COLUMN_TABLES
from tui.report.event_tables.other import OTHERS, PREFIX
from tui.report.extra.extra_table import ExtraSource
from tui.report.kernels.classes import Classes
from tui.report.kernels.user_rules import UserRules
from tui.report.model import OtherEvents, Report

_KINDS: tuple[tuple[str, type[Columns]], ...] = (*COLUMN_TABLES.items(), (OTHERS, OtherEvents))
COLUMNS = tuple(f"{table}.{field.name}" for table, kind in _KINDS for field in fields(kind))
"""Names of all columns that an import makes: ``table.field``; other tables are numbered, `others.0.start`."""

_DTYPES = {"Int64": np.int64, "Int32": np.int32, "UInt8": np.uint8, "Bool": np.bool_}
_LISTED = {
    "processes": Process, "threads": Thread, "tables": TableInfo, "doubtful": Doubtful,
    "diagnostics": Diagnostic,
}  # fmt: skip


def dtype_of(name: str) -> np.dtype[Any]:
    """The type of a column, one of :data:`COLUMNS`; other tables are numbered."""
    table, _, column = name.rpartition(".")
    kind = COLUMN_TABLES.get(table, OtherEvents)
    return np.dtype(_DTYPES[next(str(f.type) for f in fields(kind) if f.name == column)])


@dataclass(frozen=True, eq=False, repr=False)
class ReportFacts(Facts):
    """Everything of a :class:`Report` that is no column and no path."""

    others: tuple[str, ...]
    has: tuple[str, ...]

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> ReportFacts:
        """Restore facts that became a dictionary and went through JSON."""
        made: dict[str, Any] = dict(data)
        for key, kind in _LISTED.items():
            made[key] = tuple(kind(**item) for item in data[key])
        made["devices"] = tuple(
            Device(**{**item, "owners": tuple(map(tuple, item["owners"])), "users": tuple(item["users"])})
            for item in data["devices"]
        )
        origin = data["origin"]
        made["origin"] = Origin(**{**origin, "communicators": tuple(map(tuple, origin["communicators"]))})
        made["enums"] = {k: {int(n): label for n, label in v.items()} for k, v in data["enums"].items()}
        for key in ("notes", "device_notes", "others", "has", "span", "op_span"):
            made[key] = None if data[key] is None else tuple(data[key])
        return cls(**made)


def _table(kind: type[Columns], prefix: str, columns: ColumnSource) -> Columns:
    return kind(**{f.name: columns.get(f"{prefix}.{f.name}") for f in fields(kind)})


def assemble(
    path: Path,
    facts: ReportFacts,
    columns: ColumnSource,
    stamp: tuple[int, int, int, int],
    notes: Iterable[str] = (),
    shelf: Shelf | None = None,
    loading: frozenset[str] = frozenset(),
    extra: ExtraSource | None = None,
    rules: UserRules = (),
) -> Report:
    """Make the report of some facts and columns; ``notes`` come after those of the import.

    ``rules``: the user's classes of kernels.
    """
    events: dict[str, Columns] = {name: _table(kind, name, columns) for name, kind in COLUMN_TABLES.items()}
    for number, source in enumerate(facts.others):
        events[PREFIX + source] = _table(OtherEvents, f"{OTHERS}.{number}", columns)
    common: dict[str, Any] = {field.name: getattr(facts, field.name) for field in fields(Facts)}
    common["notes"] = (*facts.notes, *notes)
    return Report(
        path=path,
        **common,
        strings=Strings(columns.get("strings.blob"), columns.get("strings.offsets")),
        events=events,
        has=frozenset(facts.has),
        stamp=stamp,
        loading=loading,
        shelf=shelf,
        extra=extra,
        classes=Classes(rules),
    )
