"""Columns that are worked out when their rows are written, so that a trace of millions stays small."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.analysis.stats.select import RowSet
from tui.analysis.table import Values, plain
from tui.report.columns import NULL
from tui.report.model import Report


class Computed(Sequence[Any]):
    """What ``make`` returns for ``rows`` of a table, called with a slice of them; NULL becomes None."""

    def __init__(self, rows: RowSet, make: Callable[[Any], Values]) -> None:
        self._rows = rows
        self._make = make

    def __len__(self) -> int:
        return int(self._rows.stop) if isinstance(self._rows, slice) else len(self._rows)

    def __getitem__(self, at: Any) -> Any:
        if not isinstance(at, slice):
            i = range(len(self))[at]
            return self[i : i + 1][0]
        low, high, _ = at.indices(len(self))
        made = self._make(slice(low, high) if isinstance(self._rows, slice) else self._rows[low:high])
        return plain(made, 0, len(made))


class Names(Sequence[str]):
    """The texts of ``indices`` in ``strings`` as ``spell`` writes them, decoded once each; "" for -1."""

    def __init__(
        self, strings: Sequence[str], indices: NDArray[Any], spell: Callable[[str], str] = str
    ) -> None:
        self._indices = indices
        self._text = cache(lambda index: spell(strings[index]) if index >= 0 else "")

    def __len__(self) -> int:
        return len(self._indices)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return list(map(self._text, self._indices[at].tolist()))
        return self._text(int(self._indices[at]))


def blanked(values: Values, unknown: NDArray[np.bool_]) -> list[Any]:
    """``values`` with None where ``unknown``."""
    cells = plain(values, 0, len(values))
    if not unknown.any():
        return cells
    return [None if no else value for value, no in zip(cells, unknown.tolist(), strict=True)]


class OwnerIds:
    """The ids that reports print for threads, processes and devices, by position; NULL or None for -1."""

    def __init__(self, report: Report) -> None:
        self.pid = np.array([thread.pid for thread in report.threads] + [NULL], np.int64)
        self.tid = np.array([thread.tid for thread in report.threads] + [NULL], np.int64)
        self.priority = np.array([_known(thread.priority) for thread in report.threads] + [NULL], np.int64)
        self.names = [thread.name for thread in report.threads] + [None]
        self.process_pid = np.array([process.pid for process in report.processes] + [NULL], np.int64)
        self.device = np.array([device.cuda_id for device in report.devices] + [NULL], np.int64)


def _known(number: int | None) -> int:
    return NULL if number is None else number
