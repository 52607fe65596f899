"""The pages of an SQLite file, and which of them hold the rows of a table.

Only what is read here is trusted: any surprise raises :class:`Unreadable`, and the caller asks SQLite
instead. The format is the published one of SQLite 3, stable since 2004.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tui.report.columns import Int64, UInt8, distinct_values

LEAF = 0x0D
_INTERIOR = 0x05
LEAST_CELL = 6
"""The least bytes of a cell, its pointer included: SQLite refuses pages with more cells."""
PADDING = 16
"""Bytes after the last page of a block, so that reading eight bytes anywhere stays inside."""
_BLOCK = 1 << 20


class Unreadable(Exception):
    """Something is damaged, or not as simple as this reader needs it."""


class Pages:
    """An SQLite file as numbered pages (from 1). Holds the file open; close it after SQLite's connection.

    (Closing any descriptor of a file drops the locks that the process has on it.)
    """

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            head = os.pread(self._file, 100, 0)
            if len(head) < 100:
                raise Unreadable("no header")
            (page,) = struct.unpack_from(">H", head, 16)
            (encoding,) = struct.unpack_from(">I", head, 56)
            self.size = 65536 if page == 1 else int(page)
            if self.size < 512 or self.size & (self.size - 1):
                raise Unreadable("no page size")
        except BaseException:
            os.close(self._file)
            raise
        self.usable = self.size - head[20]
        self.utf8 = encoding == 1
        self.count = os.fstat(self._file).st_size // self.size

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def read(self, numbers: Int64) -> UInt8:
        """The pages of these numbers one after the other, and :data:`PADDING`; runs are read at once."""
        out = np.empty(len(numbers) * self.size + PADDING, np.uint8)
        if not len(numbers):
            return out
        if int(numbers.min()) < 1 or int(numbers.max()) > self.count:
            raise Unreadable("a page beyond the file")
        view = memoryview(out.data)
        edges = np.flatnonzero(np.diff(numbers) != 1) + 1
        starts = [0, *edges.tolist()]
        for first, end in zip(starts, [*starts[1:], len(numbers)], strict=True):
            at, stop = first * self.size, end * self.size
            offset = (int(numbers[first]) - 1) * self.size
            while at < stop:
                data = os.pread(self._file, stop - at, offset)
                if not data:
                    raise Unreadable("the file ends early")
                view[at : at + len(data)] = data
                at += len(data)
                offset += len(data)
        out[-PADDING:] = 0
        return out

    def blocks(self, numbers: Int64) -> Iterator[tuple[Int64, UInt8]]:
        """``numbers`` in portions of about a megabyte, with their content."""
        step = max(1, _BLOCK // self.size)
        for at in range(0, len(numbers), step):
            part = numbers[at : at + step]
            yield part, self.read(part)

    def leaves(self, root: int) -> Int64:
        """The leaf pages of the table whose tree begins at ``root``, in the order of their rows."""
        if root < 2:
            raise Unreadable("not a table of its own")
        level = np.array([root], np.int64)
        seen = 0
        while True:
            kinds = set()
            below = []
            for numbers, block in self.blocks(level):
                start = np.arange(len(numbers)) * self.size
                kinds |= set(distinct_values(block[start]).tolist())
                if seen and not big_endian(block, start + 3, 2).all():
                    raise Unreadable("an empty page within a tree")
                if kinds == {_INTERIOR}:
                    below.append(self._children(block, start))
            if kinds == {LEAF}:
                return level
            if kinds != {_INTERIOR}:
                raise Unreadable("not a table of rows")
            level = np.concatenate(below)
            seen += len(level)
            if seen > self.count:
                raise Unreadable("pages that lead in circles")

    def _children(self, block: UInt8, start: Int64) -> Int64:
        """The pages below interior ones, in the order of their rows."""
        cells = big_endian(block, start + 3, 2)
        page, slot = spread(start, cells)
        if int(cells.max()) * LEAST_CELL + 12 > self.size:
            raise Unreadable("too many cells")
        at = big_endian(block, page + 12 + 2 * slot, 2)
        if len(at) and int(at.max()) > self.usable - 4:
            raise Unreadable("a cell beyond its page")
        inner = big_endian(block, page + at, 4)
        # Each page's rightmost child comes after those of its cells.
        out = np.empty(len(inner) + len(start), np.int64)
        last = np.cumsum(cells + 1) - 1
        mask = np.ones(len(out), bool)
        mask[last] = False
        out[mask] = inner
        out[last] = big_endian(block, start + 8, 4)
        return out


def spread(start: Int64, cells: Int64) -> tuple[Int64, Int64]:
    """For every cell of every page: where its page starts, and the cell's number there."""
    total = int(cells.sum())
    first = np.cumsum(cells) - cells
    return np.repeat(start, cells), np.arange(total) - np.repeat(first, cells)


def big_endian(block: UInt8, at: Int64, size: int) -> Int64:
    """Unsigned integers of ``size`` bytes, highest byte first."""
    out: NDArray[np.int64] = block[at].astype(np.int64)
    for i in range(1, size):
        out <<= 8
        out |= block[at + i]
    return out
