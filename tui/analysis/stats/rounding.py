"""Rounding as NVIDIA's reports print it: half away from zero, on exact rationals.

Sums, averages and deviations are kept as integers up to here, so that 2.25 is 2.3 and no binary
fraction ever decides a digit. A scaled integer (``23`` with one digit) becomes a float only where
that float prints as exactly that decimal, else a Decimal.
"""

from __future__ import annotations

from decimal import Decimal
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.analysis.table import Values

INT64_LIMIT = 1 << 62
FLOAT_LIMIT = 1 << 49
"""Below it, a scaled integer divided by its scale prints with the very digits it has."""

Integers = NDArray[Any]
"""int64, or Python integers in an object array where int64 could overflow."""


def largest(values: Integers) -> int:
    """The largest magnitude in ``values``; 0 for none."""
    return max(abs(int(values.max())), abs(int(values.min()))) if len(values) else 0


def widened(values: Integers, factor: int) -> Integers:
    """``values`` as Python integers where ``factor`` times them could overflow int64, else as they are."""
    if values.dtype != object and largest(values) * factor >= INT64_LIMIT:
        return values.astype(object)
    return values


def quotient(numerator: Integers, denominator: Integers | int, digits: int) -> Integers:
    """``numerator / denominator`` rounded to ``digits`` decimals, as integers of that scale.

    ``denominator`` is positive.
    """
    scale = 2 * 10**digits
    below: Integers = np.asarray(denominator)
    if below.dtype != object and largest(below.ravel()) >= INT64_LIMIT // 4:
        below = below.astype(object)
    above = widened(numerator, 2 * scale)
    magnitude = (abs(above) * scale + below) // (2 * below)
    rounded: Integers = np.where(above < 0, -magnitude, magnitude)
    return rounded


def root(numerator: int, denominator: int, digits: int) -> int:
    """The square root of ``numerator / denominator`` rounded to ``digits`` decimals, scaled."""
    return (isqrt(4 * 100**digits * numerator // denominator) + 1) // 2


def printed(scaled: Integers, digits: int) -> Values:
    """Integers of a scale as the decimal numbers that they represent."""
    if scaled.dtype != object and largest(scaled) < FLOAT_LIMIT:
        values: NDArray[np.float64] = scaled / 10**digits
        return values
    return [Decimal(int(value)).scaleb(-digits) for value in scaled]
