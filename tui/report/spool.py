"""Room for columns on their way from the report to the store: memory while they are small, then files.

The files have no name, are private to their user and gone with their last map. They are never mapped for
writing: a full disk is an error then, not a signal. Afterwards freed memory goes back to the system.
"""

from __future__ import annotations

import mmap
import os
import sys
import tempfile
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import DTypeLike

from tui.report.columns import Array

PIECES = 40 << 20
"""Bytes of :meth:`Spool.keep` that stay in memory: a report of a million events needs no file."""
GATHERED = 24 << 20
"""Bytes of :meth:`Spool.gathered` that are in memory at a time."""
_SEGMENT = 64 << 20
_ALIGN = 64


class Spool:
    """Keeps arrays until nothing refers to them any more."""

    def __init__(
        self, folder: Path | None, *, pieces: int = PIECES, gathered: int = GATHERED, segment: int = _SEGMENT
    ) -> None:
        """``folder``: where the files go; None: everything stays in memory."""
        self.folder = folder
        self.room = gathered
        self._pieces = pieces
        self._size = segment
        self._file: BinaryIO | None = None
        self._segment: mmap.mmap | None = None
        self._at = 0  # in the segment
        self._end = 0  # of the file

    def keep(self, values: Array) -> Array:
        """Return ``values``, or an equal array in a file; the caller may not change ``values``."""
        size = values.nbytes
        if self.folder is None or not size:
            return values
        if size <= self._pieces:
            self._pieces -= size
            return values
        if size > self._size:
            return self.gathered(values.dtype, [values])
        self._at += -self._at % _ALIGN
        if self._file is None:
            self._file = self.file()
        if self._segment is None or self._at + size > self._size:
            number = self._file.fileno()
            os.ftruncate(number, self._end + self._size)
            self._segment = mmap.mmap(number, self._size, access=mmap.ACCESS_READ, offset=self._end)
            self._end += self._size
            self._at = 0
        self._file.seek(self._end - self._size + self._at)
        self._file.write(bytes_of(np.ascontiguousarray(values)))
        self._file.flush()
        kept = np.frombuffer(self._segment, values.dtype, len(values), self._at)
        self._at += size
        return kept

    def gathered(self, dtype: DTypeLike, blocks: Iterable[Array]) -> Array:
        """Join ``blocks`` to one read-only array."""
        collector = Collector(self, dtype)
        for block in blocks:
            collector.add(block)
        return collector.done()

    def file(self) -> BinaryIO:
        """Open a new nameless file."""
        return tempfile.TemporaryFile(prefix="nsystui-", dir=self.folder)

    def close(self) -> None:
        """Keep no more arrays; those that are kept live on."""
        self._segment = None
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Collector:
    """An array of unknown length that grows by blocks: in memory while the spool has room, then in a file."""

    def __init__(self, spool: Spool, dtype: DTypeLike) -> None:
        self._spool = spool
        self._dtype = np.dtype(dtype)
        self._parts: list[Array] = []
        self._used = 0  # bytes of the spool's memory
        self._file: BinaryIO | None = None
        self._length = 0

    def add(self, block: Array) -> None:
        """Add the next rows; the caller may not change ``block``."""
        block = np.ascontiguousarray(block, self._dtype)
        self._length += len(block)
        if self._file is not None:
            self._file.write(bytes_of(block))
            return
        self._parts.append(block)
        self._used += block.nbytes
        self._spool.room -= block.nbytes
        if self._spool.folder is not None and self._spool.room < 0:
            self._file = self._spool.file()
            for part in self._parts:
                self._file.write(bytes_of(part))
            self._parts.clear()
            self._give_room_back()

    def done(self) -> Array:
        """Return what was added, read-only."""
        if self._file is not None:
            with self._file as file:
                file.flush()
                mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            return np.frombuffer(mapped, self._dtype, self._length)
        whole = np.concatenate(self._parts) if self._parts else np.empty(0, self._dtype)
        self._parts.clear()
        whole.flags.writeable = False
        weakref.finalize(whole, self._give_room_back)  # its views keep it alive
        return whole

    def _give_room_back(self) -> None:
        self._spool.room += self._used
        self._used = 0


def bytes_of(values: Array) -> memoryview:
    """The bytes of a contiguous array."""
    return values.view(np.uint8).data


def give_back() -> None:
    """Hand freed memory back to the system, where the C library can (glibc), in some milliseconds.

    It keeps what was freed, in case it is asked for again: after an import that is more than all that an open
    report needs.
    """
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
