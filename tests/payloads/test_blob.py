"""Payloads as bytes: the layout is worked out by hand, every misfit is no value."""

from __future__ import annotations

import struct

import pytest

from tui.analysis.payloads.blob import DoesNotFit, decode, stored_bytes
from tui.analysis.payloads.schemas import Entry, Enum, Schema, Schemas

EXAMPLE = bytes.fromhex(
    "0100000000000000 0300000100000000 1800000000000000 3800000000000000"
    "15cd5b0700000000 0000200000000000 0000000000000000"
)
REDUCE = Schema(
    (
        Entry("NCCL communicator ID", 18, 0, 0, None),
        Entry("Message size [bytes]", 22, 0, 0, 8),
        Entry("Reduction operation", 16_777_232, 0, 0, 16),
    ),
    24,
)
ENUM = Enum({0: "Sum", 1: "Product"}, 4)


def of(schema: Schema, **enums: Enum) -> Schemas:
    return Schemas({(1, 16_777_219): {0: schema}}, {(1, int(key[1:])): enum for key, enum in enums.items()})


def schema(*entries: tuple[str, int, int | None], flags: int = 0, detail: int = 0) -> Schemas:
    return of(Schema(tuple(Entry(name, kind, flags, detail, at) for name, kind, at in entries)))


def packed(body: bytes, number: int = 16_777_219, size: int | None = None, end: int | None = None) -> bytes:
    size = len(body) if size is None else size
    return struct.pack("<4Q", 1, number, size, 32 + len(body) if end is None else end) + body


WORKED = {
    "NCCL communicator ID": 123_456_789,
    "Message size [bytes]": 2_097_152,
    "Reduction operation": "Sum",
}


@pytest.mark.parametrize("enums", [{"e16777232": ENUM}, {}], ids=["enum", "enum not in the export"])
def test_the_worked_example(enums: dict[str, Enum]) -> None:
    assert len(EXAMPLE) == 56
    assert decode(EXAMPLE, of(REDUCE, **enums), 0) == WORKED
    assert decode(EXAMPLE.hex().encode(), of(REDUCE, **enums), 0) == WORKED


def test_fields_without_offsets_are_aligned_to_their_size() -> None:
    body = struct.pack("<bxxxiqhxxxxxxd", -3, -70_000, 1 << 40, 7, 2.5)
    found = decode(
        packed(body),
        schema(("a", 11, None), ("b", 5, None), ("c", 17, None), ("d", 13, None), ("e", 20, None)),
        0,
    )
    assert found == {"a": -3, "b": -70_000, "c": 1 << 40, "d": 7, "e": 2.5}


def test_numbers_without_a_sign_and_floats() -> None:
    body = struct.pack("<QIHBxf", (1 << 64) - 1, (1 << 32) - 1, 65_535, 255, 0.5)
    found = decode(
        packed(body),
        schema(("a", 18, None), ("b", 16, None), ("c", 14, None), ("d", 12, None), ("e", 19, None)),
        0,
    )
    assert found == {"a": (1 << 64) - 1, "b": (1 << 32) - 1, "c": 65_535, "d": 255, "e": 0.5}


def test_several_payloads_follow_each_other() -> None:
    first = packed(struct.pack("<q", 5))
    second = struct.pack("<4Q", 1, 18, 8, len(first) + 40) + struct.pack("<Q", 9)
    assert decode(first + second, schema(("a", 17, None)), 0) == {"a": 5, "payload": 9}


def test_schemas_in_schemas_and_texts() -> None:
    inner = Schema((Entry("x", 5, 0, 0, None), Entry("y", 5, 0, 0, None)), 8)
    outer = Schema(
        (Entry("n", 25, 0x10, 4, None), Entry("pair", 16_777_300, 0, 0, 4), Entry("z", 5, 0, 0, 12)), 16
    )
    schemas = Schemas({(1, 16_777_219): {0: outer}, (1, 16_777_300): {0: inner}}, {})
    body = b"ab\0\0" + struct.pack("<3i", 1, 2, 3)
    assert decode(packed(body), schemas, 0) == {"n": "ab", "x": 1, "y": 2, "z": 3}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "no bytes"),
        (EXAMPLE[:31], "a header that is cut"),
        (EXAMPLE[:-1], "a payload that is cut"),
        (EXAMPLE + b"\1", "a header that is cut"),
        (packed(bytes(24), number=16_777_999), "a schema that is not known"),
        (packed(bytes(19)), "fewer bytes than its fields take"),
        (packed(bytes(24), size=25), "a payload that is cut"),
        (packed(bytes(8), number=75), "a number of an unknown type"),
        (packed(bytes(4), number=18), "a number of an unknown type"),
    ],
)
def test_what_does_not_fit_has_no_value(data: bytes, why: str) -> None:
    with pytest.raises(DoesNotFit, match=why):
        decode(data, of(REDUCE), 0)


@pytest.mark.parametrize(
    ("schemas", "why"),
    [
        (schema(("a", 17, None), ("b", 99, None)), "a field of an unknown type"),
        (schema(("a", 17, None), flags=2), "a field whose length is not in the export"),
        (schema(("a", 17, None), flags=0x20), "a field whose length is not in the export"),
        (schema(("a", 16_777_777, None), ("b", 17, None)), "a field of an unknown type"),
        (of(Schema(REDUCE.entries, 24, is_union=True)), "a schema whose members can't be told"),
        (of(Schema((Entry("me", 16_777_219, 0, 0, None),))), "a schema whose members can't be told"),
    ],
)
def test_what_a_schema_does_not_tell(schemas: Schemas, why: str) -> None:
    with pytest.raises(DoesNotFit, match=why):
        decode(packed(bytes(64)), schemas, 0)


def test_a_field_of_an_unknown_schema_alone_is_unknown() -> None:
    found = decode(
        packed(struct.pack("<qiiq", 1, 2, 0, 3)), schema(("a", 17, 0), ("b", 16_777_777, 8), ("c", 17, 16)), 0
    )
    assert found == {"a": 1, "c": 3}


def test_hexadecimal_digits() -> None:
    assert stored_bytes(b"0A ff") == b"\n\xff"
    assert stored_bytes(b"0A f") == b"0A f"
    assert stored_bytes(b"\1\0") == b"\1\0"
