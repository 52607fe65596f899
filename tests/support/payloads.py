"""NCCL's ranges with their payloads, in every form that an export may have them."""

from __future__ import annotations

import json
import struct
import zlib
from typing import Any, Literal

from tests.support.export import Export, global_id

Form = Literal["json", "json id", "blob", "hex", "dynamic", "sanitized", "absent"]
FORMS: tuple[Form, ...] = ("json", "json id", "blob", "hex", "dynamic", "sanitized")
DOMAIN = 1
REDUCTION = 16_777_232
REDUCTIONS = ("Sum", "Product", "Max", "Min", "Avg")
ID, SIZE = "NCCL communicator ID", "Message size [bytes]"
SCHEMAS: dict[str, tuple[int, tuple[tuple[str, int, int | None], ...]]] = {
    "init": (16_777_218, ((ID, 18, None), ("No. of ranks", 5, 8), ("Rank", 5, 12), ("CUDA device", 5, 16))),
    "reduce": (16_777_219, ((ID, 18, None), (SIZE, 22, 8), ("Reduction operation", REDUCTION, 16))),
    "plain": (16_777_220, ((ID, 18, None), (SIZE, 22, 8))),
    "root": (16_777_221, ((ID, 18, None), (SIZE, 22, 8), ("Root", 5, 16))),
    "peer": (16_777_225, ((ID, 18, None), (SIZE, 22, 8), ("Peer rank", 5, 16))),
    "old size": (16_777_240, ((SIZE, 22, None),)),
    "old init": (16_777_241, (("Rank", 5, None), ("No. of ranks", 5, 4), ("CUDA device", 5, 8))),
}
"""The schemas of NCCL by what they are for: id, and (name, type, offset) of their entries."""
_CODES = {5: ("i", 4), 18: ("Q", 8), 22: ("Q", 8), REDUCTION: ("i", 4)}


class NcclExport(Export):
    """An export with the calls of NCCL."""

    form: Form = "json"

    def describe(self, *, enums: bool = True, copies: int = 1) -> None:
        """List the schemas, as often as there are processes."""
        self.row(
            "NVTX_EVENTS", start=0, eventType=75, text="NCCL", domainId=DOMAIN, globalTid=global_id(100, 1)
        )
        for _ in range(copies):
            for number, entries in SCHEMAS.values():
                size = 8 * -(-struct.calcsize("<" + "".join(_CODES[kind][0] for _, kind, _ in entries)) // 8)
                self.row(
                    "NVTX_PAYLOAD_SCHEMAS",
                    domainId=DOMAIN, schemaId=number, name="", type=1, numEntries=len(entries),
                    payloadSize=size,
                )  # fmt: skip
                for at, (name, kind, offset) in enumerate(entries):
                    self.row(
                        "NVTX_PAYLOAD_SCHEMA_ENTRIES",
                        domainId=DOMAIN, schemaId=number, idx=at, flags=None, type=kind, name=name,
                        description=None, arrayOrUnionDetail=None, offset=offset,
                    )  # fmt: skip
        if enums:
            self.row("NVTX_PAYLOAD_ENUMS", domainId=DOMAIN, schemaId=REDUCTION, name="", size=4)
            for at, label in enumerate(REDUCTIONS):
                self.row(
                    "NVTX_PAYLOAD_ENUM_ENTRIES",
                    domainId=DOMAIN, schemaId=REDUCTION, idx=at, name=label, value=at,
                )  # fmt: skip

    def call(
        self,
        name: str,
        start: int,
        end: int,
        schema: str | None = None,
        values: tuple[int, ...] = (),
        pid: int = 100,
        tid: int = 1,
    ) -> None:
        """A call of NCCL with the values of its schema's entries, in the order of these."""
        columns: dict[str, Any] = {}
        if schema is not None and self.form != "absent":
            columns = self._payload(schema, values, pid)
        self.push_pop(name, start, end, pid=pid, tid=tid, domainId=DOMAIN, **columns)

    def _payload(self, schema: str, values: tuple[int, ...], pid: int) -> dict[str, Any]:
        number, entries = SCHEMAS[schema]
        if self.form in ("json", "json id"):
            text = json.dumps(_spelled(entries, values))
            return {"jsonText": text} if self.form == "json" else {"jsonTextId": text}
        if self.form in ("blob", "hex"):
            packed = blob(number, entries, values)
            return {"binaryData": packed if self.form == "blob" else packed.hex()}
        event = len(self.rows.get("NVTX_EVENTS", ())) + 1
        table = f"DYNAMIC_NVTXPAYLOAD_DATATYPE_{global_id(pid)}_{DOMAIN}_{number}"
        named = {name: _signed(value) for (name, _, _), value in zip(entries, values, strict=True)}
        if self.form == "sanitized":
            named = {f"f{zlib.crc32(name.encode())}": value for name, value in named.items()}
            for name, sanitized in zip(_names(entries), named, strict=True):
                self.row("NVTX_EXPORT_TRANSLATION", originalName=name, sanitizedName=sanitized)
        self.row(table, eventId=event, **named)
        self.row(
            "NVTX_EVENTS_PAYLOAD_SCHEMAS",
            eventId=event, globalPid=global_id(pid), domainId=DOMAIN, payloadSchemaID=number,
        )  # fmt: skip
        return {}


def _names(entries: tuple[tuple[str, int, int | None], ...]) -> list[str]:
    return [name for name, _, _ in entries]


def blob(number: int, entries: tuple[tuple[str, int, int | None], ...], values: tuple[int, ...]) -> bytes:
    """A payload of a schema as NVTX's own bytes behind their header."""
    body = bytearray()
    for (_, kind, offset), value in zip(entries, values, strict=True):
        code, _ = _CODES[kind]
        body += bytes((offset or 0) - len(body)) + struct.pack("<" + code, value)
    body += bytes(-len(body) % 8)
    return struct.pack("<4Q", DOMAIN, number, len(body), 32 + len(body)) + bytes(body)


def _spelled(entries: tuple[tuple[str, int, int | None], ...], values: tuple[int, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for (name, kind, _), value in zip(entries, values, strict=True):
        found[name] = REDUCTIONS[value] if kind == REDUCTION else f"{value:,}" if name == SIZE else value
    return found


def _signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value
