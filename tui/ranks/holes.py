"""Arithmetic on int64 matrices of (ranks, steps) that have holes: ``NULL`` where a rank lacks a step.

Medians of an even number of values are their mean, rounded half up: figures stay whole nanoseconds.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tui.report.columns import NULL, Bool, Int64, Positions

_HIGHEST = int(np.iinfo(np.int64).max)


def gathered(places: Int64, columns: Sequence[Int64 | None]) -> Int64:
    """Values of each rank (a row of ``places``, positions into its column) as a matrix with holes."""
    found = np.full(places.shape, NULL, np.int64)
    for row, (place, column) in enumerate(zip(places, columns, strict=True)):
        if column is not None and len(column):
            found[row] = np.where(place >= 0, column[np.maximum(place, 0)], NULL)
    return found


def where_known(values: Int64, known: Bool) -> Int64:
    """``values`` with holes where they are not known."""
    return np.where(known, values, NULL)


def count(values: Int64, axis: int) -> Int64:
    """How many values there are."""
    return np.asarray((values != NULL).sum(axis=axis), np.int64)


def least(values: Int64, axis: int) -> Int64:
    """The smallest value; NULL where there is none."""
    if not values.shape[axis]:
        return _none(values, axis)
    found = np.where(values == NULL, _HIGHEST, values).min(axis=axis)
    return np.where(count(values, axis) > 0, found, NULL)


def most(values: Int64, axis: int) -> Int64:
    """The greatest value; NULL where there is none."""
    if not values.shape[axis]:
        return _none(values, axis)
    return np.asarray(values.max(axis=axis), np.int64)  # NULL is below all others


def place_of_most(values: Int64, axis: int) -> Positions:
    """Where the greatest value is, the first of equal ones; -1 where there is none."""
    if not values.shape[axis]:
        return np.full(_none(values, axis).shape, -1, np.intp)
    return np.where(count(values, axis) > 0, values.argmax(axis=axis), -1)


def median(values: Int64, axis: int) -> Int64:
    """The median; NULL where there is no value."""
    if not values.shape[axis]:
        return _none(values, axis)
    number = np.expand_dims(count(values, axis), axis)
    ordered = np.sort(values, axis=axis)  # holes come first
    holes = values.shape[axis] - number
    low = np.take_along_axis(ordered, np.minimum(holes + (number - 1) // 2, ordered.shape[axis] - 1), axis)
    high = np.take_along_axis(ordered, np.minimum(holes + number // 2, ordered.shape[axis] - 1), axis)
    middle = low + (high - low + 1) // 2
    return np.where(number > 0, middle, NULL).squeeze(axis)


def less(values: Int64, others: Int64) -> Int64:
    """``values - others``, a hole where either has one. Shapes are those of NumPy's arithmetic."""
    holes = (values == NULL) | (others == NULL)
    return np.where(holes, NULL, np.where(holes, 0, values) - np.where(holes, 0, others))


def total(values: Int64, axis: int) -> Int64:
    """The sum of the values; NULL where there is none."""
    found = np.where(values == NULL, 0, values).sum(axis=axis)
    return np.where(count(values, axis) > 0, found, NULL)


def one(value: int | np.integer) -> int | None:
    """A cell as a Python number; None for a hole."""
    return None if value == NULL else int(value)


def _none(values: Int64, axis: int) -> Int64:
    shape = [size for place, size in enumerate(values.shape) if place != axis % values.ndim]
    return np.full(shape, NULL, np.int64)
