"""What happens to the bytes of a file: flipped, swapped, cut off, written over."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from pathlib import Path

Damage = Callable[[random.Random, bytearray], str]
"""Changes the file's content in place and says how."""


def page_size(data: bytearray) -> int:
    """The page size in the header, or 4096 where that can't be one."""
    (size,) = struct.unpack_from(">H", data, 16) if len(data) >= 18 else (0,)
    size = 65536 if size == 1 else size
    return size if size >= 512 and not size & (size - 1) else 4096


def page_at(rng: random.Random, data: bytearray, first: int = 0) -> tuple[int, int]:
    """The bounds of a page picked by ``rng``."""
    size = page_size(data)
    at = rng.randrange(first, max(len(data) // size, first + 1)) * size
    return at, min(at + size, len(data))


def flip_bits(rng: random.Random, data: bytearray) -> str:
    places = [rng.randrange(len(data)) for _ in range(rng.choice((1, 1, 2, 8, 64, 512)))]
    for place in places:
        data[place] ^= 1 << rng.randrange(8)
    return f"{len(places)} bits flipped from byte {places[0]}"


def set_bytes(rng: random.Random, data: bytearray) -> str:
    places = [rng.randrange(len(data)) for _ in range(rng.choice((1, 4, 32)))]
    for place in places:
        data[place] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
    return f"{len(places)} bytes set from byte {places[0]}"


def harm_header(rng: random.Random, data: bytearray) -> str:
    """One field of the file's header."""
    at, size = rng.choice(
        ((16, 2), (18, 1), (19, 1), (20, 1), (21, 1), (24, 4), (28, 4), (32, 4), (36, 4), (44, 4), (52, 4),
         (56, 4), (60, 4), (64, 4), (92, 4), (96, 4))
    )  # fmt: skip
    value = rng.choice((0, 1, 2, 3, 4, 255, 256, 65535, rng.randrange(1 << 16)))
    data[at : at + size] = (value % (1 << 8 * size)).to_bytes(size, "big")
    return f"header field {at} set to {value}"


def harm_page_header(rng: random.Random, data: bytearray) -> str:
    """Kind, free block, cell count, content start or right-most child of some page, or a cell pointer."""
    at, end = page_at(rng, data)
    if end - at < 512:
        return "no page to harm"
    at += 100 if at == 0 else 0
    field, size = rng.choice(((0, 1), (1, 2), (3, 2), (5, 2), (7, 1), (8, 4), (8, 2), (10, 2), (12, 2)))
    value = rng.choice((0, 1, 2, 5, 10, 13, 100, 4096, 65535, rng.randrange(1 << 16)))
    data[at + field : at + field + size] = (value % (1 << 8 * size)).to_bytes(size, "big")
    return f"byte {at + field} of a page's header set to {value}"


def harm_cell(rng: random.Random, data: bytearray) -> str:
    """The first bytes of some record: its length, its rowid, its serial types."""
    for _ in range(50):
        at, end = page_at(rng, data, 1)
        if end - at >= 512 and data[at] in (0x0D, 0x05):
            break
    if end - at < 512:
        return "no page to harm"
    (cells,) = struct.unpack_from(">H", data, at + 3)
    head = 8 if data[at] == 0x0D else 12
    if not 0 < cells < (end - at) // 2:
        return "no record to harm"
    (cell,) = struct.unpack_from(">H", data, at + head + 2 * rng.randrange(cells))
    place = min(at + cell + rng.randrange(12), len(data) - 1)
    data[place] = rng.choice(
        (0, 1, 6, 7, 8, 9, 0x0C, 0x0D, 0x7F, 0x80, 0xFF, data[place] ^ 1, rng.randrange(256))
    )
    return f"byte {place} of a record set to {data[place]}"


def swap_pages(rng: random.Random, data: bytearray) -> str:
    a, a_end = page_at(rng, data, 1)
    b, b_end = page_at(rng, data, 1)
    if a_end - a == b_end - b:
        data[a:a_end], data[b:b_end] = data[b:b_end], data[a:a_end]
    return f"pages at {a} and {b} swapped"


def copy_page(rng: random.Random, data: bytearray) -> str:
    a, a_end = page_at(rng, data, 1)
    b, b_end = page_at(rng, data, 1)
    if a_end - a == b_end - b:
        data[b:b_end] = data[a:a_end]
    return f"page at {a} written over the one at {b}"


def blank_page(rng: random.Random, data: bytearray) -> str:
    at, end = page_at(rng, data)
    kind = rng.choice(("zeros", "ones", "noise"))
    fill = {"zeros": bytes(end - at), "ones": b"\xff" * (end - at), "noise": rng.randbytes(end - at)}[kind]
    data[at:end] = fill
    return f"page at {at}: {kind}"


def cut_off(rng: random.Random, data: bytearray) -> str:
    size = page_size(data)
    kept = rng.choice(
        (
            rng.randrange(len(data)),
            rng.randrange(len(data) // size + 1) * size,
            rng.randrange(200),
            len(data) - 1,
        )
    )
    del data[kept:]
    return f"cut off after {kept} bytes"


def cut_off_quietly(rng: random.Random, data: bytearray) -> str:
    """Cut at a page boundary, the header adjusted to what is left or not vouching for any length."""
    size = page_size(data)
    pages = rng.randrange(1, max(len(data) // size, 2))
    del data[pages * size :]
    if len(data) >= 100:
        struct.pack_into(">I", data, 28, rng.choice((pages, 0)))
    return f"cut off after {pages} pages, the header knows"


def append(rng: random.Random, data: bytearray) -> str:
    more = rng.choice((1, 100, page_size(data), 3 * page_size(data)))
    data += rng.choice((bytes(more), rng.randbytes(more)))
    return f"{more} bytes appended"


DAMAGES: tuple[Damage, ...] = (
    *([flip_bits] * 3), *([set_bytes] * 2), harm_header, *([harm_page_header] * 2), *([harm_cell] * 3),
    *([swap_pages] * 2), copy_page, blank_page, cut_off, cut_off_quietly, append,
)  # fmt: skip
"""All of them, the likelier ones more than once."""


def damage(rng: random.Random, path: Path) -> str:
    """Do one of :data:`DAMAGES` to the file at ``path``; says what."""
    data = bytearray(path.read_bytes())
    if not data:
        return "already empty"
    said = rng.choice(DAMAGES)(rng, data)
    path.write_bytes(data)
    return said
