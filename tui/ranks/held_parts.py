"""What of the summaries in the store is in memory: the parts that were asked for last.

A thousand ranks of which each part is asked for in turn must neither be in memory at once nor keep a
thousand files open. So a part is read from the file when it is asked for, and the file closed.
"""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tui.errors import ReportError
from tui.report.columns import Array
from tui.report.store.columnfile import ColumnReader

MOST_BYTES = 64 << 20
"""So many bytes of parts are in memory."""
_LARGE = 4 << 20
"""A part of this size is read each time."""

Part = Any
"""One of the tables of a rank's summary, or its strip."""


class KeptFile:
    """A summary in the store that has been found sound, of which some columns are read at a time."""

    def __init__(self, path: Path, find: Callable[[], ColumnReader | None], key: str) -> None:
        """``find`` opens and checks what is at ``path``; ``key`` names the report's content."""
        self._path = path
        self._find = find
        self._key = key

    def take(self, reader: ColumnReader) -> None:
        """Rely on what ``reader`` has checked, as long as it is the same file."""
        self._places = reader.places
        self._stamp = _stamp(self._path.stat())

    def columns(self, names: Iterable[str]) -> dict[str, Array]:
        """Read columns, which are near to each other in the file. ReportError where it is gone."""
        try:
            descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            raise self._gone() from None
        try:
            if _stamp(os.fstat(descriptor)) != self._stamp:  # removed and made again
                reader = self._find()
                if reader is None:
                    raise self._gone()
                self.take(reader)
                return {name: reader.get(name) for name in names}
            return self._read(descriptor, names)
        except OSError as error:
            raise ReportError(f"{self._path}: can't be read: {error.strerror or error}") from error
        finally:
            os.close(descriptor)

    def _read(self, descriptor: int, names: Iterable[str]) -> dict[str, Array]:
        places = {name: self._places[name] for name in names}
        base = min((p.at for p in places.values() if p.at is not None), default=0)
        data = np.empty(max((p.end for p in places.values()), default=base) - base or 0, np.uint8)
        with open(descriptor, "rb", buffering=0, closefd=False) as stream:
            stream.seek(base)
            done = 0
            while done < len(data):
                if not (count := stream.readinto(data.data[done:])):
                    raise self._gone()
                done += count
        data.flags.writeable = False
        return {name: place.within(data, base) for name, place in places.items()}

    def _gone(self) -> ReportError:
        return ReportError(f"the summary {self._key} is no longer in the store; run the command again")


def _stamp(found: os.stat_result) -> tuple[int, int, int]:
    return found.st_dev, found.st_ino, found.st_size


class Recent:
    """The parts that were asked for last; for any thread."""

    def __init__(self, most: int) -> None:
        """``most``: how many bytes they may take."""
        self._most = most
        self._held: OrderedDict[Hashable, tuple[Part, int]] = OrderedDict()
        self.total = 0
        """How many bytes they take."""
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Part]) -> Part:
        """Return what ``make`` gave for the key when it was last called. Large parts aren't held."""
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
                return self._held[key][0]
        part = make()
        size = _bytes_of(part)
        if size > min(self._most, _LARGE):
            return part
        with self._lock:
            if key not in self._held:
                self._held[key] = part, size
                self.total += size
            while self.total > self._most:
                _, (_, gone) = self._held.popitem(last=False)
                self.total -= gone
        return part


def _bytes_of(part: Part) -> int:
    columns = [getattr(part, field.name) for field in fields(part)] if is_dataclass(part) else [part]
    return sum(_length(values) for values in columns if values is not None)


def _length(values: Array) -> int:
    """The bytes of an array; one value throughout takes the room of one."""
    return values.nbytes if any(values.strides) else values.itemsize


HELD = Recent(MOST_BYTES)
