"""Columns that are worked out when their rows are written, so that a trace of millions stays small."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.analysis.stats.select import RowSet
from tui.report.columns import NULL
from tui.report.model import Report


class Computed(Sequence[Any]):
    """``make(positions)`` for the chosen rows of a table, a slice at a time."""

    def __init__(
        self, rows: RowSet, length: int, make: Callable[[RowSet], Sequence[Any] | NDArray[Any]]
    ) -> None:
        self._rows = rows
        self._length = length
        self._make = make

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, at: Any) -> Any:
        if not isinstance(at, slice):
            i = range(self._length)[at]
            return self[i : i + 1][0]
        low, high, _ = at.indices(self._length)
        made = self._make(slice(low, high) if isinstance(self._rows, slice) else self._rows[low:high])
        if not isinstance(made, np.ndarray):
            return list(made)
        return blanked(made.tolist(), made == NULL) if made.dtype == np.int64 else made.tolist()


def blanked(values: Sequence[Any], unknown: NDArray[np.bool_]) -> list[Any]:
    """``values`` with None where ``unknown``."""
    if not unknown.any():
        return list(values)
    return [None if no else value for value, no in zip(values, unknown.tolist(), strict=True)]


def size_of(rows: RowSet, length: int) -> int:
    """How many rows ``rows`` are of a table of ``length``."""
    return len(range(*rows.indices(length))) if isinstance(rows, slice) else len(rows)


class ThreadIds:
    """pid, tid and name of threads by their position; NULL and None where a row has no thread."""

    def __init__(self, report: Report) -> None:
        self.pid = np.array([thread.pid for thread in report.threads] + [NULL], np.int64)
        self.tid = np.array([thread.tid for thread in report.threads] + [NULL], np.int64)
        self.names = [thread.name for thread in report.threads] + [None]
        self.process_pid = np.array([process.pid for process in report.processes] + [NULL], np.int64)
