"""The layouts of payloads that an export describes: which fields, of which type, at which byte."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from tui.report.columns import NULL
from tui.report.extra.extra_table import ExtraRows
from tui.report.extra.tables import PAYLOAD_ENTRIES, PAYLOAD_ENUM_ENTRIES, PAYLOAD_ENUMS, PAYLOAD_SCHEMAS
from tui.report.model import Report

FIRST_OWN = 16_777_216
"""Types from here on are other schemas and enums of the same domain."""
_SELECTS = (3, 4)
"""Types of schemas that are unions: which member counts isn't told."""
_NOT_PLAIN = 0x0E
"""Flags of an entry whose value is elsewhere: a pointer, or an offset from the base or from here."""
_ARRAY, _FIXED = 0x70, 0x10
"""The bits that say how long an array is, and what they are where the entry itself says it."""


class FieldType(NamedTuple):
    """How a value of a predefined type is stored."""

    code: str
    """Its format in the words of :mod:`struct`; empty: bytes that are no number."""
    size: int
    is_text: bool = False


_CODES: dict[int, str] = {
    1: "b", 2: "B", 3: "h", 4: "H", 5: "i", 6: "I", 7: "q", 8: "Q", 9: "q", 10: "Q", 11: "b", 12: "B",
    13: "h", 14: "H", 15: "i", 16: "I", 17: "q", 18: "Q", 19: "f", 20: "d", 22: "Q", 23: "Q", 37: "f",
    38: "d",
}  # fmt: skip
_BYTES = {"b": 1, "h": 2, "i": 4, "q": 8, "f": 4, "d": 8}
TYPES: Mapping[int, FieldType] = {
    **{number: FieldType(code, _BYTES[code.lower()]) for number, code in _CODES.items()},
    24: FieldType("", 4, True),
    25: FieldType("", 1, True),
    26: FieldType("", 2, True),
    27: FieldType("", 4, True),
    32: FieldType("", 1),
}
ENUM = FieldType("i", 4)
"""An enum whose size the export does not say, as C has them."""


@dataclass(frozen=True)
class Entry:
    """A field of a schema as the export lists it."""

    name: str
    type: int
    flags: int
    detail: int
    offset: int | None

    @property
    def length(self) -> int | None:
        """How many values it has; None: the export does not say, or they lie elsewhere."""
        if self.flags & _NOT_PLAIN:
            return None
        if not self.flags & _ARRAY:
            return 1
        return self.detail if self.flags & _ARRAY == _FIXED and self.detail > 0 else None


@dataclass(frozen=True)
class Schema:
    """A kind of payload."""

    entries: tuple[Entry, ...]
    size: int | None = None
    is_union: bool = False

    @property
    def names(self) -> frozenset[str]:
        """The names of its fields."""
        return frozenset(entry.name for entry in self.entries)


@dataclass(frozen=True)
class Enum:
    """Names of numbers."""

    labels: Mapping[int, str]
    size: int | None = None


KNOWN_ENUMS: Mapping[str, Enum] = {
    "Reduction operation": Enum({0: "Sum", 1: "Product", 2: "Max", 3: "Min", 4: "Avg"}, 4)
}
"""Enums by the field that has them: some exports leave out NCCL's."""

Key = tuple[int, int]
"""(domain, schema)."""


@dataclass(frozen=True)
class Schemas:
    """All schemas of a report. Domains are numbered by process: one may have several layouts."""

    layouts: Mapping[Key, Mapping[int, Schema]]
    """By the process (globalPid) that has it; 0: of all processes."""
    enums: Mapping[Key, Enum]

    def of(self, key: Key, process: int) -> Schema | None:
        """The layout of a schema in a process; None where there is none, or it isn't known which."""
        found = self.layouts.get(key, {})
        return found.get(process) or found.get(0)

    def enum_of(self, domain: int, entry: Entry) -> Enum | None:
        """The enum of a field; None where nothing says what its numbers mean."""
        return self.enums.get((domain, entry.type)) or KNOWN_ENUMS.get(entry.name)

    def __bool__(self) -> bool:
        return bool(self.layouts)


def read_schemas(report: Report) -> Schemas:
    """The schemas that a report's file describes."""
    entries = report.extra_rows(PAYLOAD_ENTRIES)
    copies: dict[tuple[Key, int], list[Schema]] = {}
    for key, process, found in _entry_lists(entries):
        copies.setdefault((key, process), []).append(Schema(found))
    about = report.extra_rows(PAYLOAD_SCHEMAS)
    kinds = zip(*(_numbers(about, c) for c in ("domainId", "schemaId", "type", "payloadSize")), strict=True)
    sizes: dict[Key, set[tuple[int | None, bool]]] = {}
    for domain, schema, kind, size in kinds:
        sizes.setdefault((domain, schema), set()).add((size if size > 0 else None, kind in _SELECTS))
    layouts: dict[Key, dict[int, Schema]] = {}
    for (key, process), schemas in copies.items():
        known = sizes.get(key, {(None, False)})
        if len(set(schemas)) == 1 and len(known) == 1:  # of different ones nobody knows which is whose
            ((size, is_union),) = known
            layouts.setdefault(key, {})[process] = Schema(schemas[0].entries, size, is_union)
    return Schemas(layouts, _enums(report))


def _numbers(rows: ExtraRows, column: str) -> list[int]:
    found: list[int] = rows[column].tolist()
    return found


def _entry_lists(rows: ExtraRows) -> Iterator[tuple[Key, int, tuple[Entry, ...]]]:
    """The entries of each copy of each schema. A copy ends where its numbers begin anew."""
    columns = ("domainId", "schemaId", "globalPid", "idx", "type", "flags", "arrayOrUnionDetail", "offset")
    names = rows.texts("name")
    open_lists: dict[tuple[Key, int], dict[int, Entry]] = {}
    for (domain, schema, pid, number, kind, flags, detail, offset), name in zip(
        zip(*(_numbers(rows, column) for column in columns), strict=True), names, strict=True
    ):
        place = (domain, schema), 0 if pid == NULL else pid
        listed = open_lists.setdefault(place, {})
        if number in listed:
            yield (*place, _in_order(listed))
            listed = open_lists[place] = {}
        flags, detail = (0 if value == NULL else value for value in (flags, detail))
        listed[number] = Entry(name or "", kind, flags, detail, None if offset == NULL else offset)
    for place, listed in open_lists.items():
        yield (*place, _in_order(listed))


def _in_order(entries: dict[int, Entry]) -> tuple[Entry, ...]:
    return tuple(entries[number] for number in sorted(entries))


def _enums(report: Report) -> dict[Key, Enum]:
    rows = report.extra_rows(PAYLOAD_ENUM_ENTRIES)
    labels: dict[Key, dict[int, str]] = {}
    columns = (_numbers(rows, column) for column in ("domainId", "schemaId", "idx", "value"))
    for (domain, schema, number, value), name in zip(
        zip(*columns, strict=True), rows.texts("name"), strict=True
    ):
        if name:
            labels.setdefault((domain, schema), {}).setdefault(number if value == NULL else value, name)
    about = report.extra_rows(PAYLOAD_ENUMS)
    sizes = {
        (domain, schema): size if size in (1, 2, 4, 8) else None
        for domain, schema, size in zip(
            *(_numbers(about, column) for column in ("domainId", "schemaId", "size")), strict=True
        )
    }
    return {key: Enum(labels.get(key, {}), sizes.get(key)) for key in labels.keys() | sizes.keys()}
