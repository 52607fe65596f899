"""Which instance of a communicator each row of a chain is, kept as stretches of consecutive instances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.report.columns import Bool, Int64, Positions


@dataclass(frozen=True)
class Placement:
    """Rows ``first[i] .. first[i] + count[i] - 1`` of a chain are instances ``instance[i] ..``.

    All others are unmatched. Rows rise, and so do instances but for matches by time; where several rows are
    one instance, each is a stretch.
    """

    first: Int64
    instance: Int64
    count: Int64

    @classmethod
    def of(cls, instances: Int64) -> Placement:
        """Compress instances by row, -1 unmatched."""
        placed = np.flatnonzero(instances >= 0)
        if not len(placed):
            none = np.zeros(0, np.int64)
            return cls(none, none, none)
        values = instances[placed]
        breaks = np.flatnonzero((np.diff(placed) != 1) | (np.diff(values) != 1)) + 1
        starts = np.concatenate(([0], breaks))
        ends = np.append(breaks, len(placed))
        return cls(placed[starts].astype(np.int64), values[starts].astype(np.int64), ends - starts)

    @property
    def matched(self) -> int:
        """How many rows are matched."""
        return int(self.count.sum())

    def by_row(self, length: int) -> Int64:
        """The instance of each of ``length`` rows, -1 unmatched."""
        found = np.full(length, -1, np.int64)
        if len(self.first):
            ramp = np.arange(self.matched, dtype=np.int64) - np.repeat(
                np.cumsum(self.count) - self.count, self.count
            )
            found[np.repeat(self.first, self.count) + ramp] = np.repeat(self.instance, self.count) + ramp
        return found

    def rows_of(self, instances: Int64) -> tuple[Positions, Bool]:
        """A row of each of some instances (0: none), and which have one; only where instances rise."""
        if not len(self.first):
            return np.zeros(len(instances), np.intp), np.zeros(len(instances), bool)
        at = np.clip(np.searchsorted(self.instance, instances, side="right") - 1, 0, None)
        within = instances - self.instance[at]
        there = (within >= 0) & (within < self.count[at])
        return np.where(there, self.first[at] + within, 0).astype(np.intp), there
