"""Payloads as an export keeps their bytes: each behind a header of its domain, schema, size and end."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from tui.analysis.payloads.schemas import ENUM, FIRST_OWN, TYPES, Entry, FieldType, Schema, Schemas

Value = int | float | str
Fields = dict[str, Value]

_HEADER = struct.Struct("<4Q")
_DEEPEST = 8
"""Schemas within schemas that are followed."""
ALONE = "payload"
"""What the field of a payload is called that is one number without a schema."""
_HEX = frozenset(b"0123456789abcdefABCDEF \t\r\n")


class DoesNotFit(ValueError):
    """Bytes, or a text, that are not what the schema says: no value can be told."""


def stored_bytes(stored: bytes) -> bytes:
    """The bytes of a payload: they may be stored as hexadecimal digits."""
    if stored and stored[0] in _HEX and all(byte in _HEX for byte in stored):
        try:
            return bytes.fromhex(stored.decode("ascii"))
        except ValueError:
            pass
    return stored


def decode(stored: bytes, schemas: Schemas, process: int) -> Fields:
    """The fields of all payloads of an event, by name; of equal names the first.

    ``process``: the globalPid whose schemas they have. Raises :class:`DoesNotFit`: nothing of it can be told.
    """
    found: Fields = {}
    for domain, schema, body in _payloads(stored_bytes(stored)):
        for name, value in _payload(domain, schema, body, schemas, process).items():
            found.setdefault(name, value)
    return found


def _payloads(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """The domain, the schema and the bytes of each payload."""
    if not data:
        raise DoesNotFit("no bytes")
    at = 0
    while at < len(data):
        start = at + _HEADER.size
        if start > len(data):
            raise DoesNotFit("a header that is cut")
        domain, schema, size, end = _HEADER.unpack_from(data, at)
        if start + size > end or end > len(data):
            raise DoesNotFit("a payload that is cut")
        yield domain, schema, data[start : start + size]
        at = end


def _payload(domain: int, number: int, body: bytes, schemas: Schemas, process: int) -> Fields:
    if number < FIRST_OWN:
        kind = TYPES.get(number)
        if kind is None or kind.is_text or not kind.code or len(body) < kind.size:
            raise DoesNotFit("a number of an unknown type")
        return {ALONE: _number(kind, body, 0)}
    schema = schemas.of((domain, number), process)
    if schema is None:
        raise DoesNotFit("a schema that is not known")
    return _struct(domain, schema, body, 0, schemas, process, 0)[0]


def _struct(
    domain: int, schema: Schema, body: bytes, base: int, schemas: Schemas, process: int, depth: int
) -> tuple[Fields, int]:
    """The fields of a structure that begins at ``base``, and where it ends."""
    if schema.is_union or depth > _DEEPEST:
        raise DoesNotFit("a schema whose members can't be told")
    found: Fields = {}
    at = base
    for number, entry in enumerate(schema.entries):
        if entry.length is None:
            raise DoesNotFit("a field whose length is not in the export")
        inner = schemas.of((domain, entry.type), process) if entry.type >= FIRST_OWN else None
        kind = _type_of(domain, entry, schemas) if inner is None else _place_of(inner)
        if entry.offset is not None and (entry.offset or not number):
            at = base + entry.offset
        elif kind is None:
            raise DoesNotFit("a field of an unknown type")
        else:
            at += -(at - base) % min(kind.size, 8)
        if inner is not None and entry.length == 1:
            members, at = _struct(domain, inner, body, at, schemas, process, depth + 1)
            found.update({key: value for key, value in members.items() if key not in found})
            continue
        if kind is None:  # the fields behind it say themselves where they are
            continue
        end = at + kind.size * entry.length
        if end > len(body):
            raise DoesNotFit("fewer bytes than its fields take")
        value = _value(domain, entry, kind, body, at, schemas)
        if value is not None:
            found.setdefault(entry.name, value)
        at = end
    return found, at


def _place_of(inner: Schema) -> FieldType:
    """The room that a schema takes within another."""
    return FieldType("", inner.size or 1)


def _type_of(domain: int, entry: Entry, schemas: Schemas) -> FieldType | None:
    """How the values of a field are stored; None for an enum or a schema that the export doesn't describe."""
    if entry.type < FIRST_OWN:
        if entry.type not in TYPES:
            raise DoesNotFit("a field of an unknown type")
        return TYPES[entry.type]
    enum = schemas.enum_of(domain, entry)
    if enum is None:
        return None
    return ENUM if enum.size is None else FieldType({1: "b", 2: "h", 4: "i", 8: "q"}[enum.size], enum.size)


def _value(
    domain: int, entry: Entry, kind: FieldType, body: bytes, at: int, schemas: Schemas
) -> Value | None:
    """The value of a field; None for several values, and for bytes that are no number."""
    if kind.is_text:
        raw = body[at : at + kind.size * (entry.length or 1)]
        coding = {1: "utf-8", 2: "utf-16-le", 4: "utf-32-le"}[kind.size]
        return raw.decode(coding, "replace").partition("\0")[0]
    if entry.length != 1 or not kind.code:
        return None
    value = _number(kind, body, at)
    enum = schemas.enum_of(domain, entry) if entry.type >= FIRST_OWN else None
    return enum.labels.get(int(value), value) if enum is not None else value


def _number(kind: FieldType, body: bytes, at: int) -> int | float:
    value: int | float = struct.unpack_from("<" + kind.code, body, at)[0]
    return value
