"""The values that a figure was made of, so that figures of several reports can be made anew of all values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from tui.report.columns import Int64


class Statistic(Enum):
    """What a column says of the values of its row."""

    TOTAL = "total"
    AVERAGE = "average"
    MEDIAN = "median"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    DEVIATION = "deviation"


@dataclass(frozen=True)
class Sample:
    """The values behind a column, each row's: those of its group, or none."""

    ordered: Int64
    """All values, by group."""
    first: Int64
    """Where each group begins in ``ordered``."""
    count: Int64
    """How many values each group has."""
    statistic: Statistic
    rows: NDArray[np.integer] | None = None
    """The group of each row, one past the last for none; None: row i is group i."""
    digits: int = 1
    per: int = 1
    """The figures are in units of so many, with ``digits`` decimals."""

    def picked(self, order: NDArray[np.integer]) -> Sample:
        """The sample of a column whose row i is row ``order[i]`` of this one's; one past the last is none."""
        rows = np.arange(len(self.count)) if self.rows is None else self.rows
        return replace(self, rows=np.append(rows, len(self.count))[order])

    def grouped(self, keys: Int64) -> tuple[Int64, Int64, Int64]:
        """``(key of each group, its size, all values by group)`` where ``keys`` has the key of each row.

        Groups without a row are left out.
        """
        rows = np.arange(len(self.count)) if self.rows is None else self.rows
        there = np.flatnonzero(rows < len(self.count))
        groups = np.asarray(rows[there], np.int64)
        sizes = self.count[groups]
        if len(groups) == len(self.count) and (np.diff(groups) == 1).all():
            return keys[there], sizes, self.ordered
        starts = np.repeat(self.first[groups] - np.cumsum(sizes) + sizes, sizes)
        return keys[there], sizes, self.ordered[starts + np.arange(int(sizes.sum()))]
