"""Exact figures of groups of durations or sizes: count, total, average, median, extremes, deviation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.analysis.grouping import Group
from tui.analysis.sample import Sample, Statistic
from tui.analysis.stats.rounding import INT64_LIMIT, Integers, largest, printed, quotient, root
from tui.analysis.table import Values
from tui.report.columns import Int64


@dataclass(frozen=True)
class GroupFigures:
    """The figures of each group of values; every array but ``ordered`` has one entry a group."""

    count: Int64
    total: Integers
    minimum: Int64
    maximum: Int64
    middle: Integers  # the two middle values added up: twice the median
    ordered: Int64  # all values, by group and size
    first: Int64  # where each group begins in `ordered`

    def average(self, digits: int = 1, per: int = 1) -> Values:
        """The mean in units of ``per``, as printed with ``digits`` decimals."""
        return printed(quotient(self.total, self.count * per, digits, ties_to_even=per > 1), digits)

    def median(self, digits: int = 1, per: int = 1) -> Values:
        """The middle value, of an even count the mean of the two, as printed."""
        return printed(quotient(self.middle, 2 * per, digits, ties_to_even=per > 1), digits)

    def deviation(self, digits: int = 1, per: int = 1) -> Values:
        """The sample standard deviation (n - 1) as printed; 0 for one value."""
        roots = np.zeros(len(self.count), object)
        varied = np.flatnonzero(self.maximum > self.minimum)
        if len(varied):
            parts = (part[varied].tolist() for part in (self.count, *self.powers))
            roots[varied] = [
                root(n * square - plain * plain, n * (n - 1) * per * per, digits)
                for n, plain, square in zip(*parts, strict=True)
            ]
        return printed(roots if largest(roots) >= INT64_LIMIT else roots.astype(np.int64), digits)

    def sample(self, statistic: Statistic, digits: int = 1, per: int = 1) -> Sample:
        """The values behind a column of these figures."""
        return Sample(self.ordered, self.first, self.count, statistic, None, digits, per)

    @cached_property
    def powers(self) -> tuple[Integers, Integers]:
        """Per group, the exact sums of the distances from the middle of its extremes, and of their squares.

        Distances from there are small: most often int64 holds the sums.
        """
        centre = self.minimum + (self.maximum - self.minimum) // 2
        distance = self.ordered - np.repeat(centre, self.count)
        bits = largest(distance).bit_length()
        half = (bits + 1) // 2
        if 2 * half + 2 + int(self.count.max()).bit_length() > 62:
            wide = distance.astype(object)
            return np.add.reduceat(wide, self.first), np.add.reduceat(wide * wide, self.first)
        sums = np.add.reduceat(distance, self.first)
        if 2 * bits + int(self.count.max()).bit_length() <= 62:
            return sums, np.add.reduceat(distance * distance, self.first)
        # Two halves of the digits keep each partial sum within int64; Python joins them.
        high = distance >> half
        low = distance - (high << half)
        products = (high * high, high * low, low * low)
        top, cross, bottom = (np.add.reduceat(product, self.first).astype(object) for product in products)
        return sums, top * (1 << 2 * half) + cross * (1 << (half + 1)) + bottom


def figures(groups: Group, values: Int64, count: int) -> GroupFigures:
    """The figures of ``values`` by group; each of the ``count`` groups has at least one row."""
    if not count:
        none = np.zeros(0, np.int64)
        return GroupFigures(none, none, none, none, none, none, none)
    sizes = np.bincount(groups, minlength=count)
    first = np.zeros(count, np.int64)
    np.cumsum(sizes[:-1], out=first[1:])
    ordered = by_group(groups, values, sizes)
    last = first + sizes - 1
    wide = ordered.astype(object) if largest(values) * int(sizes.max()) >= INT64_LIMIT else ordered
    total = np.add.reduceat(wide, first)
    middle = wide[(first + last) // 2] + wide[(first + last + 1) // 2]
    return GroupFigures(sizes, total, ordered[first], ordered[last], middle, ordered, first)


def by_group(groups: Group, values: Int64, sizes: Int64) -> Int64:
    """``values`` sorted by group, then by size."""
    low, high = int(values.min()), int(values.max())
    span = high - low + 1
    if span * len(sizes) < INT64_LIMIT:  # one plain sort of numbers, several times faster than a lexsort
        key = groups * span + (values - low)
        key.sort()
        return key - np.repeat(np.arange(len(sizes)) * span - low, sizes)
    ordered: Int64 = values[np.lexsort((values, groups))]
    return ordered


class Ties(Enum):
    """The order in which a report of nsys lists groups of one total."""

    COUNT = "count ascending, then name"
    NAME = "name"
    RECORDED = "as in the file's string table"


def ordered_by_total(sums: GroupFigures, names: Sequence[Any], ties: Ties) -> NDArray[np.int64]:
    """The order of groups in a report: total descending, then as ``ties`` says.

    The groups are given as in the file's string table.
    """
    if ties is Ties.RECORDED:
        return np.argsort(-sums.total, kind="stable")
    count = sums.count if ties is Ties.COUNT else np.zeros_like(sums.count)
    return by_total(sums.total, count, names)


def by_total(total: Integers, count: Int64, names: Sequence[Any]) -> NDArray[np.int64]:
    """The order of groups in a report: total descending, count ascending, name ascending.

    Reads names only where totals and counts are equal.
    """
    if total.dtype == object:
        rank = sorted(range(len(total)), key=lambda i: (-total[i], count[i], names[i]))
        return np.array(rank, np.int64)
    order: NDArray[np.int64] = np.lexsort((count, -total))
    same = (total[order][1:] == total[order][:-1]) & (count[order][1:] == count[order][:-1])
    edges = np.flatnonzero(np.diff(np.concatenate(([False], same, [False])).astype(np.int8)))
    for begin, end in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        tied = order[begin : end + 1]
        order[begin : end + 1] = sorted(tied.tolist(), key=lambda i: names[i])
    return order
