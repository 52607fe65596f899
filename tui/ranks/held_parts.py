"""What of the summaries in the store is open and in memory: the parts that were asked for last.

A thousand ranks of which each part is asked for in turn must neither be in memory at once nor keep a
thousand files open.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from tui.report.columns import Array
from tui.report.store.columnfile import ColumnReader

MOST_OPEN = 32
"""So many files are mapped at a time, of which each map keeps one open."""
MOST_BYTES = 96 << 20
"""So many bytes of parts are in memory."""
_LARGE = 4 << 20
"""A part of this size is not held but read from the map."""

Part = Any
"""One of the tables of a rank's summary, or its strip."""


class KeptFile:
    """A summary in the store, which is opened when something is read of it."""

    def __init__(self, find: Callable[[], ColumnReader | None], key: str) -> None:
        """``find`` opens it; ``key`` names the report's content."""
        self._find = find
        self.key = key

    def reader(self) -> ColumnReader | None:
        """The open file; None where it has gone."""
        found: ColumnReader | None = _OPEN.get(self, self._find)
        return found


class _Recent:
    """The values that were asked for last."""

    def __init__(self, most: int, size: Callable[[Any], int]) -> None:
        self._most = most
        self._size = size
        self._held: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._total = 0
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return what ``make`` gave for the key when it was last called. None and large parts aren't held."""
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
                return self._held[key][0]
        value = make()
        if value is None or (size := self._size(value)) > min(self._most, _LARGE):
            return value
        value = _in_memory(value)
        with self._lock:
            if key not in self._held:
                self._held[key] = value, size
                self._total += size
            while self._total > self._most:
                _, (_, gone) = self._held.popitem(last=False)
                self._total -= gone
        return value


def _bytes_of(part: Part) -> int:
    return sum(values.itemsize if _is_constant(values) else values.nbytes for values in _arrays_of(part))


def _is_constant(values: Array) -> bool:
    """Whether all of an array is one value in memory, as the store gives columns that hold one throughout."""
    return not any(values.strides)


def _arrays_of(part: Part) -> list[Array]:
    if not is_dataclass(part):
        return [part]
    columns = [getattr(part, field.name) for field in fields(part)]
    return [values for values in columns if values is not None]


def _in_memory(part: Part) -> Part:
    """Return a part that keeps no file open."""
    if isinstance(part, ColumnReader):
        return part
    if not is_dataclass(part):
        return np.array(part)
    columns = {field.name: getattr(part, field.name) for field in fields(part)}
    kind: type[Any] = type(part)
    return kind(**{n: v if v is None or _is_constant(v) else np.array(v) for n, v in columns.items()})


_OPEN = _Recent(MOST_OPEN, lambda reader: 1)
HELD = _Recent(MOST_BYTES, _bytes_of)
