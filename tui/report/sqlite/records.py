"""Tables read straight from their pages: every step is done for all rows of a block at once.

A record is a header of serial types, one a column, then the values. What a type means and how many
bytes it takes is a table; a value is eight bytes read from where it starts, shifted down.

This is the quick way, for ordinary rowid tables of a UTF-8 file whose wanted columns have no default.
SQLite reads the others, any page that looks odd, and each record so long that it continues in other pages.
It decides what is damaged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tui.report.columns import NULL, Bool, Int64, UInt8
from tui.report.sqlite.pages import LEAF, LEAST_CELL, Pages, Unreadable, big_endian, spread
from tui.report.sqlite.texts import Texts
from tui.report.sqlite.values import (
    BYTES,
    LONGEST_NUMBER,
    NUMBER,
    OddValues,
    spelled_texts,
    whole_floats,
    whole_texts,
)
from tui.report.table_names import folded

_SIZES = np.array([0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0] + [(t - 12) // 2 for t in range(12, 128)], np.int64)
_EIGHT, _FLOAT, _ZERO, _ONE, _RESERVED = 6, 7, 8, 9, (10, 11)
_CONSTANTS = {0: NULL, _FLOAT: NULL, _ZERO: 0, _ONE: 1}


class ColumnShape(NamedTuple):
    """What SQLite says of a column: its position in the records, and more."""

    at: int
    kind: str
    """Its declared type."""
    default: object
    is_key: bool
    is_generated: bool = False


@dataclass(frozen=True)
class TableShape:
    """What SQLite says of a table: enough to know how its records look."""

    root: int
    """Its first page; 0 for a view."""
    sql: str
    columns: dict[str, ColumnShape]
    """By their folded names."""


@dataclass(frozen=True)
class RecordLayout:
    """Which columns of a table are wanted, by their position in its records."""

    ints: tuple[int, ...]
    texts: tuple[int, ...]
    rowid_alias: int | None
    """The INTEGER PRIMARY KEY: its value is the rowid, whatever the records say."""
    names: tuple[str, ...]
    """Those of ``ints``, then those of ``texts``."""
    floats: frozenset[int]
    """Columns whose integers SQLite makes floating-point numbers."""

    @property
    def width(self) -> int:
        return 1 + max((*self.ints, *self.texts), default=-1)


@dataclass
class Decoded:
    """Rows of one block. ``overflow``: positions of records that go on in other pages; no values are set."""

    rowid: Int64
    ints: list[Int64]
    texts: list[Texts]
    overflow: Int64
    utf8: bool
    """Whether that is the encoding of its texts."""
    odd: OddValues = field(default_factory=OddValues)


_ODD_SQL = re.compile(r"\bWITHOUT\s+ROWID\b|\bGENERATED\b|\bVIRTUAL\b|\bDESC\b|\bAS\s*\(", re.IGNORECASE)


def layout_of(shape: TableShape, ints: Sequence[str], texts: Sequence[str]) -> RecordLayout | None:
    """Where the columns are in the records; None where only SQLite can read the table."""
    names = (*ints, *texts)
    wanted = [shape.columns[folded(name)] for name in names]
    if shape.root < 1 or _ODD_SQL.search(shape.sql) or any(c.default is not None for c in wanted):
        return None
    if any(column.is_generated for column in shape.columns.values()):
        return None
    keys = [column for column in shape.columns.values() if column.is_key]
    alias = keys[0].at if len(keys) == 1 and keys[0].kind.upper() == "INTEGER" else None
    places = tuple(column.at for column in wanted)
    floats = frozenset(column.at for column in wanted if _becomes_float(column.kind))
    return RecordLayout(places[: len(ints)], places[len(ints) :], alias, names, floats)


def _becomes_float(kind: str) -> bool:
    """Whether SQLite shows stored integers of a column of this type as floating-point numbers."""
    if re.search("INT|CHAR|CLOB|TEXT|BLOB", kind, re.IGNORECASE):
        return False
    return re.search("REAL|FLOA|DOUB", kind, re.IGNORECASE) is not None


def rows_of(pages: Pages, root: int, layout: RecordLayout) -> Iterator[Decoded]:
    """Blocks of rows in the order of their ids. Raises Unreadable before any block that is not simple."""
    if layout.texts and not pages.utf8:
        raise Unreadable("text is not UTF-8")
    last: int | None = None
    for numbers, block in pages.blocks(pages.leaves(root)):
        found = _decode(pages, block, len(numbers), layout)
        if not len(found.rowid):
            continue
        if (found.rowid[1:] <= found.rowid[:-1]).any() or (last is not None and int(found.rowid[0]) <= last):
            raise Unreadable("rows out of order")
        last = int(found.rowid[-1])
        yield found


def _decode(pages: Pages, block: UInt8, count: int, layout: RecordLayout) -> Decoded:
    """The rows of ``count`` leaf pages in ``block``."""
    rowid, headers, payloads, overflow = _cells(pages, block, count)
    n = len(rowid)
    ints = [np.empty(n, np.int64) for _ in layout.ints]
    texts = [Texts(block, np.zeros(n, np.int64), np.full(n, -1, np.int64)) for _ in layout.texts]
    out = Decoded(rowid, ints, texts, overflow, pages.utf8)
    whole = np.ones(n, bool)
    whole[overflow] = False
    # Records whose header is short and plain, one byte a column, are the rule: all at once.
    sizes = block[headers].astype(np.int64)
    width = layout.width
    types = _bytes_at(block, headers + 1, width)
    plain = whole & (sizes < 0x80) & (sizes > width) & (types.max(axis=0, initial=0) < 0x80)
    for mask, quick in ((plain, True), (whole & ~plain, False)):
        rows = np.flatnonzero(mask)
        if not len(rows):
            continue
        which = slice(None) if len(rows) == n else rows  # views instead of copies
        header, payload = headers[which], payloads[which]
        limit = header + payload
        if quick:
            body = header + sizes[which]
            kinds = iter(types[:, which])
            ends = [body == header + 1 + width]
        else:
            length, after = varint(block, header)
            body = header + length
            if (length > payload).any() or (after > body).any():
                raise Unreadable("a header that does not fit its record")
            kinds, ends = _types(block, after, body.copy(), width)
        at = _values(out, block, which, limit, body, kinds, layout)
        # Where the header has no more columns, the record ends with the last value.
        if ((at != limit) & ends[-1]).any():
            raise Unreadable("a record that is longer than its values")
    return out


def _values(
    out: Decoded,
    block: UInt8,
    which: Int64 | slice,
    limit: Int64,
    at: Int64,
    kinds: Iterator[NDArray[np.integer]],
    layout: RecordLayout,
) -> Int64:
    """Set the wanted columns of the rows ``which``; move ``at`` from the start of their values to the end."""
    words = np.ndarray((len(block) - 7,), ">i8", block, strides=(1,))
    for column, kind in enumerate(kinds):
        low, high = int(kind.min()), int(kind.max())
        if low < 0 or high > 2 * len(block) or int(at.max()) >= len(words):
            raise Unreadable("values longer than their record")
        if low <= 11 and high >= 10 and bool(np.isin(kind, _RESERVED).any()):
            raise Unreadable("a reserved type")
        if column in layout.floats and bool((kind == _EIGHT).any()):
            raise Unreadable("an integer that SQLite rounds")
        cells = Cells(block, words, at, kind)
        if column in layout.ints:
            i = layout.ints.index(column)
            if column == layout.rowid_alias:
                out.ints[i][which] = out.rowid[which]
            else:
                out.ints[i][which] = _integers(cells, low, high)
                if high >= 12 or low <= _FLOAT <= high:
                    _settle_integers(out, i, cells, np.arange(len(out.rowid))[which], layout.names[i])
        if column in layout.texts:
            i = layout.texts.index(column)
            name = layout.names[len(layout.ints) + i]
            is_text = (kind >= 13) & ((kind & 1) == 1)
            out.texts[i].start[which] = at
            out.texts[i].size[which] = np.where(is_text, (kind.astype(np.int64) - 13) >> 1, -1)
            if column == layout.rowid_alias:
                out.texts[i].size[which] = -1
                out.odd.add(name, NUMBER, np.arange(len(out.rowid))[which], "...")
            elif not (is_text | (kind == 0)).all():
                _settle_texts(out, i, cells, np.arange(len(out.rowid))[which], name)
        if low == high:
            at += _SIZES[low] if low < 128 else (low - 12) >> 1
        elif high < 128:
            at += _SIZES.take(kind)
        else:
            wide = kind.astype(np.int64)
            at += np.where(wide < 12, _SIZES.take(np.minimum(wide, 11)), (wide - 12) >> 1)
    if (at > limit).any():
        raise Unreadable("values longer than their record")
    return at


class Cells(NamedTuple):
    """The values of a column in some rows: where each is in ``block``, and its type."""

    block: UInt8
    words: NDArray[np.int64]
    """Eight bytes from each place of ``block``."""
    at: Int64
    kind: NDArray[np.integer]

    def raw(self, rows: Int64, longest: int | None = None) -> list[bytes]:
        """The bytes of texts and blobs, at most ``longest`` of each."""
        sizes = (self.kind[rows].astype(np.int64) - 12) >> 1
        spans = zip(self.at[rows].tolist(), sizes.tolist(), strict=True)
        cut = len(self.block) if longest is None else longest
        return [self.block[at : at + min(size, cut)].tobytes() for at, size in spans]

    def floats(self, rows: Int64) -> NDArray[np.float64]:
        return self.words[self.at[rows]].astype(np.int64).view(np.float64)


def _integers(cells: Cells, low: int, high: int) -> Int64 | np.int64:
    """Integer values; NULL where the value is no integer."""
    kind = cells.kind
    if low == high:
        if low in _CONSTANTS or low >= 12:
            return np.int64(_CONSTANTS.get(low, NULL))
        return cells.words[cells.at].astype(np.int64) >> (64 - 8 * int(_SIZES[low]))
    found = cells.words[cells.at].astype(np.int64)
    found >>= 64 - 8 * np.maximum(_SIZES.take(np.minimum(kind, 11)), 1)
    for value in (0, _FLOAT, _ZERO, _ONE):
        if low <= value <= high:
            found[kind == value] = _CONSTANTS[value]
    if high >= 12:
        found[kind >= 12] = NULL
    return found


def _settle_integers(out: Decoded, number: int, cells: Cells, rows: Int64, name: str) -> None:
    """Set what floating-point numbers and texts spell; ``rows``: the places of the cells in the chunk."""
    kind, values = cells.kind, out.ints[number]
    floats = np.flatnonzero(kind == _FLOAT)
    if len(floats):
        values[rows[floats]] = whole_floats(name, cells.floats(floats), rows[floats], out.odd)
    out.odd.add(name, BYTES, rows[(kind >= 12) & (kind & 1 == 0)], b"...")
    spelled = np.flatnonzero((kind >= 13) & (kind & 1 == 1))
    if len(spelled):
        if not out.utf8:
            raise Unreadable("text is not UTF-8")
        found = cells.raw(spelled, LONGEST_NUMBER + 1)
        values[rows[spelled]] = whole_texts(name, found, rows[spelled], out.odd)


def _settle_texts(out: Decoded, number: int, cells: Cells, rows: Int64, name: str) -> None:
    """Set the texts that bytes spell, and note the numbers."""
    kind, size = cells.kind, out.texts[number].size
    blobs = np.flatnonzero((kind >= 12) & (kind & 1 == 0))
    found = spelled_texts(name, cells.raw(blobs), [True] * len(blobs), out.odd, rows[blobs])
    size[rows[blobs]] = [-1 if text is None else len(text) for text in found]
    numbers = np.flatnonzero((kind >= 1) & (kind <= _ONE))
    floats = kind[numbers] == _FLOAT
    nan = np.zeros(len(numbers), bool)
    nan[floats] = np.isnan(cells.floats(numbers[floats]))
    out.odd.add(name, NUMBER, rows[numbers[~nan]], "...")


def _types(block: UInt8, at: Int64, end: Int64, width: int) -> tuple[Iterator[Int64], list[Bool]]:
    """Serial types column by column, of records of any shape; columns after a record's end are NULL.

    The list's last entry says, after each column, which headers have been read to their end.
    """
    ends = [at == end]

    def walk() -> Iterator[Int64]:
        here = at
        for _ in range(width):
            there = here < end
            kind, after = varint(block, here)
            here = np.where(there, after, here)
            if (here > end).any():
                raise Unreadable("a type beyond its header")
            ends[:] = [here == end]
            yield np.where(there, kind, 0)

    return walk(), ends


def _bytes_at(block: UInt8, at: Int64, width: int) -> UInt8:
    """``width`` bytes from each position, as ``width`` rows; 0xFF behind the block's end."""
    if not width:
        return np.empty((0, len(at)), np.uint8)
    safe = np.minimum(at, len(block) - width)
    found = np.ndarray((len(block) - width + 1,), f"V{width}", block, strides=(1,))[safe]
    rows = np.ascontiguousarray(found.view(np.uint8).reshape(len(at), width).T)
    if (safe != at).any():
        rows[:, safe != at] = 0xFF
    return rows


def _cells(pages: Pages, block: UInt8, count: int) -> tuple[Int64, Int64, Int64, Int64]:
    """The row id of each cell, where its record begins, the record's length; and which records overflow."""
    start = np.arange(count) * pages.size
    if (block[start] != LEAF).any():
        raise Unreadable("not a leaf")
    cells = big_endian(block, start + 3, 2)
    page, slot = spread(start, cells)
    if int(cells.max(initial=0)) * LEAST_CELL + 8 > pages.size:
        raise Unreadable("too many cells")
    at = big_endian(block, page + 8 + 2 * slot, 2)
    if len(at) and (int(at.min()) < 8 or int(at.max()) > pages.usable - 4):
        raise Unreadable("a cell beyond its page")
    payload, after = varint(block, page + at)
    rowid, header = varint(block, after)
    overflow = payload > pages.usable - 35
    if ((header + payload > page + pages.usable) & ~overflow).any() or (header > page + pages.usable).any():
        raise Unreadable("a record beyond its page")
    if (payload < 1).any():
        raise Unreadable("an empty record")
    return rowid, header, payload, np.flatnonzero(overflow)


def varint(block: UInt8, at: Int64) -> tuple[Int64, Int64]:
    """Variable-length integers at ``at``, and the positions behind them."""
    byte = block[np.minimum(at, len(block) - 1)]
    value = (byte & 0x7F).astype(np.int64)
    after = at + 1
    more = np.flatnonzero(byte & 0x80)
    for i in range(1, 9):
        if not len(more):
            break
        byte = block[np.minimum(after[more], len(block) - 1)]
        if i == 8:  # the ninth byte counts with all its bits
            value[more] = (value[more] << 8) | byte
        else:
            value[more] = (value[more] << 7) | (byte & 0x7F)
        after[more] += 1
        more = more[(byte & 0x80) != 0]
    return value, after
