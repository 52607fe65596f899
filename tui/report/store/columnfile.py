"""The columns of one report in one file, which is written once and mapped each time it is opened.

Layout: a fixed header, then each column as raw little-endian values at a multiple of 64 bytes, then an
index in JSON (name, dtype, length, offset, checksums; and the caller's facts). One file instead of
one ``.npy`` a column, because opening is then one ``open`` and one ``mmap`` instead of a hundred.
Columns that hold one value throughout take no room: they come back as broadcast arrays.

Trust: the header carries the file's length and the index's checksum, the index a checksum of both
ends of each column. Small files are checked whole; for large ones that would cost as much as
reading all columns, and a file is only ever renamed into place complete and synced.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
import sys
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from tui.report.assemble import COLUMNS
from tui.report.columns import Array
from tui.report.spool import bytes_of

_MEANING = 19
"""Goes up whenever the layout of the file, the facts in it or the meaning of a column change."""
VERSION = zlib.crc32(repr((_MEANING, COLUMNS)).encode())
"""Identifies the layout and the set of columns: a file of another version is not read but built again."""

_MAGIC = b"nsystui\n"
_HEADER = struct.Struct("<8sIIQQQ")  # magic, version, index crc, index offset, index length, file length
_ALIGN = 64
_SAMPLE = 1024
_WHOLE = 8 << 20
"""Files up to this size are checked byte by byte: some milliseconds."""
_BATCH = 16 << 20
_REPEAT = 1 << 16


class Damaged(Exception):
    """The file is not what was written."""


class ColumnWriter:
    """A sink that writes columns to ``stream`` as they come. :meth:`finish` makes the file whole."""

    def __init__(self, stream: BinaryIO) -> None:
        if sys.byteorder != "little":
            raise OSError("the store needs a little-endian machine")
        self._stream = stream
        self._entries: dict[str, dict[str, Any]] = {}
        self.at = _HEADER.size
        """Bytes written so far."""
        self._map: mmap.mmap | bytes = b""
        stream.write(b"\0" * _HEADER.size)

    def put(self, name: str, values: Array) -> None:
        """Keep a whole column."""
        self.write(name, values.dtype, [values])

    def write(self, name: str, dtype: DTypeLike, blocks: Iterable[Array]) -> None:
        """Keep a column that comes in blocks."""
        self._write(bytes(-self.at % _ALIGN))
        column = _NewColumn(np.dtype(dtype), self)
        for block in blocks:
            column.add(block)
        self._entries[name] = column.entry()

    def _write(self, data: bytes | memoryview) -> None:
        for at in range(0, len(data), _BATCH):
            self._stream.write(data[at : at + _BATCH])
        self.at += len(data)

    def get(self, name: str) -> Array:
        """A column put before, mapped from the unfinished file."""
        entry = self._entries[name]
        if "at" in entry and entry["at"] + entry["size"] * np.dtype(entry["dtype"]).itemsize > len(self._map):
            self._stream.flush()
            self._map = mmap.mmap(self._stream.fileno(), 0, access=mmap.ACCESS_READ)
        return _column(self._map, entry)

    def finish(self, facts: dict[str, Any], source: Path) -> None:
        """Write the index and the header and sync: after that the file can be opened.

        ``source``: the report's path, for people who list the store; nothing depends on it.
        """
        index = json.dumps({"source": str(source), "columns": self._entries, "facts": facts}).encode("ascii")
        offset = self.at
        self._write(index)
        header = _HEADER.pack(_MAGIC, VERSION, zlib.crc32(index), offset, len(index), self.at)
        self._stream.seek(0)
        self._stream.write(header)
        self._stream.flush()
        os.fsync(self._stream.fileno())


class _NewColumn:
    """A column that is being written: nothing reaches the file while all its values are the same."""

    def __init__(self, dtype: np.dtype[Any], file: ColumnWriter) -> None:
        self._dtype = dtype
        self._file = file
        self._size = 0
        self._at: int | None = None
        self._first: Array = np.empty(0, dtype)
        self._head = self._tail = b""
        self._whole = 0

    def add(self, block: Array) -> None:
        if not len(block):
            return
        block = np.ascontiguousarray(block, self._dtype)
        if not self._size:
            self._first = block[:1].copy()
        if self._at is None:
            value = self._first[0]
            if block[0] == value and block[-1] == value and bool((block == value).all()):
                self._size += len(block)
                return
            constant, self._size = self._size, 0
            for at in range(0, constant, _REPEAT):
                self._put(np.full(min(_REPEAT, constant - at), value, self._dtype))
        self._put(block)

    def _put(self, block: Array) -> None:
        raw = bytes_of(block)
        if self._at is None:
            self._at = self._file.at
        self._file._write(raw)
        self._size += len(block)
        if len(self._head) < _SAMPLE:
            self._head += bytes(raw[: _SAMPLE - len(self._head)])
        self._tail = (self._tail + bytes(raw[-_SAMPLE:]))[-_SAMPLE:]
        if self._bytes <= _WHOLE:
            self._whole = zlib.crc32(raw, self._whole)

    @property
    def _bytes(self) -> int:
        return self._size * self._dtype.itemsize

    def entry(self) -> dict[str, Any]:
        """What the index says of the column."""
        entry: dict[str, Any] = {"dtype": self._dtype.str, "size": self._size}
        if self._at is None:
            return {**entry, "value": int(self._first[0])} if self._size else entry
        entry |= {"at": self._at, "crc": zlib.crc32(self._tail, zlib.crc32(self._head))}
        if self._bytes <= _WHOLE:
            entry["whole"] = self._whole
        return entry


class Place(NamedTuple):
    """Where a column is in its file."""

    dtype: str
    size: int
    at: int | None
    """The first of its bytes; None: it is ``value`` throughout."""
    value: int

    @property
    def end(self) -> int:
        """One past the last of its bytes; 0 for one that has none."""
        return 0 if self.at is None else self.at + self.size * np.dtype(self.dtype).itemsize

    def within(self, data: Array, base: int) -> Array:
        """The column, given the bytes of the file from ``base`` on."""
        if self.at is None:
            return np.broadcast_to(np.array(self.value, self.dtype), self.size)
        return data[self.at - base : self.end - base].view(self.dtype)


class ColumnReader:
    """A finished file, mapped. Raises :class:`Damaged` if it can't be trusted, else OSError."""

    def __init__(self, stream: BinaryIO) -> None:
        """``stream``: the open file, which may be closed afterwards."""
        size = os.fstat(stream.fileno()).st_size
        if size < _HEADER.size:
            raise Damaged("too short")
        self._map = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        magic, version, crc, offset, length, total = _HEADER.unpack_from(self._map)
        if magic != _MAGIC or version != VERSION:
            raise Damaged("not a column file of this version")
        if total != size or offset + length != size:
            raise Damaged("wrong length")
        index = self._map[offset : offset + length]
        if zlib.crc32(index) != crc:
            raise Damaged("index damaged")
        try:
            data = json.loads(index)
            self.facts: dict[str, Any] = data["facts"]
            self.source: str = data["source"]
            self._entries: dict[str, dict[str, Any]] = data["columns"]
            self._check(offset, whole=size <= _WHOLE)
        except (ValueError, KeyError, TypeError) as error:
            raise Damaged("index unreadable") from error

    def _check(self, limit: int, *, whole: bool) -> None:
        view = memoryview(self._map)
        for name, entry in self._entries.items():
            if "at" not in entry:
                continue
            at, size = entry["at"], np.dtype(entry["dtype"]).itemsize * entry["size"]
            if at + size > limit:
                raise Damaged(f"column {name} out of bounds")
            raw = view[at : at + size]
            sound = zlib.crc32(raw) == entry["whole"] if whole else _ends(raw) == entry["crc"]
            if not sound:
                raise Damaged(f"column {name} damaged")

    def get(self, name: str) -> Array:
        """A column as a read-only array on the map."""
        if name not in self._entries:
            raise Damaged(f"column {name} missing")
        return _column(self._map, self._entries[name])

    @property
    def places(self) -> dict[str, Place]:
        """Where each column is in the file, for whoever reads some of them without a map."""
        return {
            name: Place(sys.intern(e["dtype"]), e["size"], e.get("at"), e.get("value", 0))
            for name, e in self._entries.items()
        }


def _column(data: mmap.mmap | bytes, entry: dict[str, Any]) -> Array:
    dtype, size = np.dtype(entry["dtype"]), entry["size"]
    if "at" in entry:
        return np.frombuffer(data, dtype, size, entry["at"])
    return np.broadcast_to(np.array(entry.get("value", 0), dtype), size)


def _ends(raw: memoryview) -> int:
    """Checksum of the first and the last bytes of a column."""
    return zlib.crc32(raw[-_SAMPLE:], zlib.crc32(raw[:_SAMPLE]))
