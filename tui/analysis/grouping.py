"""Rows sorted into groups of equal keys: numbered from 0, listed, added up."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tui.report.columns import Bool, Int64, Positions

Group = NDArray[np.int64]
"""Per row the number of its group, 0 to groups - 1."""

Text = TypeVar("Text", bound=Hashable)


def dense(keys: NDArray[Any], size: int | None = None) -> tuple[Group, NDArray[np.int64]]:
    """Number the distinct values of ``keys`` from 0, in ascending order.

    ``size``: an upper bound of the keys where they are small non-negative numbers (positions in a
    pool). Keys within narrow bounds are counted, others sorted. Returns the group of each row, and each
    group's key.
    """
    low, spread = 0, size
    if size is None and len(keys) and keys.dtype.kind in "iub":
        low = int(keys.min())
        spread = int(keys.max()) - low + 1
    if spread == 1:
        return np.zeros(len(keys), np.int64), np.array([low] if len(keys) else [], np.int64)
    if spread is not None and spread <= max(1 << 16, (8 if size else 2) * len(keys)):
        near = keys if low == 0 and keys.dtype != bool else keys.astype(np.int64) - low
        used = np.flatnonzero(np.bincount(near, minlength=1))
        place = np.zeros(int(used[-1]) + 1 if len(used) else 1, np.int64)
        place[used] = np.arange(len(used))
        return place[near], used + low
    values, groups = np.unique(keys, return_inverse=True)
    return groups.astype(np.int64, copy=False).reshape(-1), values.astype(np.int64, copy=False)


def that_fit(keys: NDArray[Any], fits: Callable[[int], bool]) -> Bool:
    """For each row whether its key ``fits``, which is asked once for each distinct key."""
    groups, values = dense(keys)
    return np.array([fits(value) for value in values.tolist()], bool)[groups]


def combined(*columns: NDArray[Any]) -> tuple[Group, NDArray[np.int64]]:
    """Number the distinct rows of ``columns`` from 0, in ascending order.

    Returns the group of each row, and each group's first row.
    """
    groups, _ = dense(columns[0])
    for column in columns[1:]:
        more, values = dense(column)
        if len(values) <= 1:
            continue
        groups, _ = dense(groups * max(1, len(values)) + more)
    count = int(groups.max()) + 1 if len(groups) else 0
    first = np.zeros(count, np.int64)
    first[groups[::-1]] = np.arange(len(groups) - 1, -1, -1)
    return groups, first


def by_text(
    keys: NDArray[Any], text: Callable[[int], Text], size: int | None = None
) -> tuple[Group, list[Text]]:
    """Number the rows by the text of their keys: keys of one text are one group.

    Groups are in the order in which their text first comes up among the ascending keys. ``size``: see
    :func:`dense`. Returns the group of each row, and each group's text.
    """
    groups, values = dense(keys, size)
    place: dict[Text, int] = {}
    new = np.array([place.setdefault(text(value), len(place)) for value in values.tolist()], np.int64)
    return (new[groups] if len(new) else groups), list(place)


def group_rows(groups: Group, count: int) -> Iterator[Positions]:
    """The rows of each of the ``count`` groups, ascending."""
    order = np.argsort(groups, kind="stable")
    ends = np.cumsum(np.bincount(groups, minlength=count))
    yield from np.split(order, ends[:-1]) if count else ()


def summed(groups: Group, count: int, values: Int64) -> Int64:
    """The exact integer sum of ``values`` in each of the ``count`` groups, none of them empty."""
    if not count:
        return np.zeros(0, np.int64)
    order = np.argsort(groups, kind="stable")
    return np.add.reduceat(values[order], np.searchsorted(groups[order], np.arange(count)))


def sums_where(group: Positions | Int64, groups: int, values: Int64) -> Int64:
    """The exact sum of the values of each group, like :func:`summed`; 0 for a group without any."""
    sums = np.zeros(groups, np.int64)
    np.add.at(sums, group, values)
    return sums
