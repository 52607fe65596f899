"""The functions that one thread's samples are in, counted between any edges."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tui.analysis.grouping import dense
from tui.report.columns import Int64, Positions
from tui.text import safe
from tui.timeline.series import NamedCells

_BLOCK = 256
_MOST_COUNTS = 4_000_000
"""The sums that are kept: samples are in longer blocks where there are very many of them or of functions."""


class SampledNames:
    """Samples by time, each with a function's code; -1: it names no function that may be called hot.

    Codes are numbered by how many samples they have, the most first. What lies wholly between two edges is
    taken from sums over blocks of samples, so that the cost grows with the cells.
    """

    def __init__(self, start: Int64, leaf: Positions, names: Sequence[str]) -> None:
        """``start``: ascending; ``leaf``: a position in ``names``, or -1."""
        self._start = start
        number, leaves = dense(leaf[leaf >= 0])
        order = np.argsort(-np.bincount(number, minlength=len(leaves)), kind="stable")
        place = np.empty(len(leaves), np.int32)
        place[order] = np.arange(len(leaves))
        self._code = np.full(len(leaf), -1, np.int32)
        self._code[leaf >= 0] = place[number]
        self.leaves: list[int] = leaves[order].tolist()
        """The position of each code in ``names``."""
        self._names = names
        self._block = max(_BLOCK, len(start) * len(leaves) // _MOST_COUNTS)
        self._sums = self._summed()

    def _summed(self) -> NDArray[np.int32]:
        """How many samples before each block have each code."""
        blocks, codes = len(self._start) // self._block, len(self.leaves)
        sums = np.zeros((blocks + 1, codes), np.int32)
        code = self._code[: blocks * self._block]
        named = np.flatnonzero(code >= 0)
        if len(named):
            cell = named // self._block * codes + code[named]
            counts = np.bincount(cell, minlength=blocks * codes)
            np.cumsum(counts.reshape(blocks, codes), axis=0, out=sums[1:])
        return sums

    def over(self, edges: Int64) -> NamedCells:
        """What was seen from each edge up to, not including, the next. Of equals the commoner one counts."""
        at = np.searchsorted(self._start, edges, "left")
        seen = np.diff(at).astype(np.int64)
        code, share = np.full(len(seen), -1, np.int32), np.full(len(seen), np.nan)
        full = np.flatnonzero(seen)
        if not len(full):
            return NamedCells(seen, code, share)
        share[full] = 0.0
        if self.leaves:
            counts = self._counts(at[full], at[full + 1])
            top = counts.argmax(axis=1)
            most = counts[np.arange(len(full)), top]
            code[full] = np.where(most > 0, top, -1)
            share[full] = most / seen[full]
        return NamedCells(seen, code, share)

    def _counts(self, first: Positions, last: Positions) -> NDArray[np.int64]:
        """How many of the samples ``first`` to ``last`` of each cell have each code."""
        low, high = -(-first // self._block), last // self._block
        whole = high > low
        counts = np.zeros((len(first), len(self.leaves)), np.int64)
        counts[whole] = self._sums[high[whole]] - self._sums[low[whole]]
        for begin, stop in (
            (first, np.where(whole, low * self._block, last)),
            (np.where(whole, high * self._block, last), last),
        ):
            size = stop - begin
            cell = np.repeat(np.arange(len(first)), size)
            sample = np.arange(len(cell)) - np.repeat(np.cumsum(size) - size - begin, size)
            code = self._code[sample]
            named = code >= 0
            pair = cell[named] * len(self.leaves) + code[named]
            counts += np.bincount(pair, minlength=counts.size).reshape(counts.shape)
        return counts

    def word(self, code: int) -> str:
        """The name of a code, safe for a screen."""
        return safe(self._names[self.leaves[code]])
