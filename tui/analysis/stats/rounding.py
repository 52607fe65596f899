"""Rounding as NVIDIA's reports print it: of the binary double that is nearest to a figure.

Sums are exact integers. A quotient of two is the nearest double, as in SQLite, and the digits printed
are those of that double's exact value: 2.25 is a tie, 2164.85 is not (the double is a little less). Nsys
rounds ties of times and shares away from zero, those of megabytes to the even digit. A scaled integer (``23``
with one digit) becomes a float only where that float prints as exactly that decimal, else a Decimal.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.analysis.table import Values

INT64_LIMIT = 1 << 62
FLOAT_LIMIT = 1 << 49
"""Below it, a scaled integer divided by its scale prints with the very digits it has."""
_SPLIT = float((1 << 27) + 1)
"""Times this, a double falls apart into two of 26 bits (Veltkamp)."""
_EXACT = float(1 << 52)
"""Below it, a double has a binary digit for one half."""

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


def quotient(
    numerator: Integers, denominator: Integers | int, digits: int, *, ties_to_even: bool = False
) -> Integers:
    """The double nearest to ``numerator / denominator``, rounded to ``digits`` decimals, as scaled integers.

    ``denominator`` is positive. Ties go away from zero, or to the even digit.
    """
    ratio = np.asarray(numerator).astype(np.float64) / np.asarray(denominator).astype(np.float64)
    magnitude = abs(ratio)
    doubled = magnitude * (2.0 * 10**digits)
    if len(ratio) and not float(doubled.max()) < _EXACT:
        return np.array([_rounded(value, digits, ties_to_even) for value in ratio.tolist()], object)
    halves = np.floor(doubled)
    rest = _lost(magnitude, 2.0 * 10**digits, doubled)
    whole = doubled == halves
    low = halves.astype(np.int64) - (whole & (rest < 0))
    scaled = (low + 1) // 2
    if ties_to_even:
        scaled -= whole & (rest == 0) & (low % 4 == 1)
    signed: Integers = np.where(ratio < 0, -scaled, scaled)
    return signed


def _lost(values: NDArray[np.float64], factor: float, product: NDArray[np.float64]) -> NDArray[np.float64]:
    """What rounding took from ``product``, that of ``values`` and a small ``factor`` (Dekker)."""
    scaled = values * _SPLIT
    high = scaled - (scaled - values)
    lost: NDArray[np.float64] = (high * factor - product) + (values - high) * factor
    return lost


def _rounded(value: float, digits: int, ties_to_even: bool) -> int:
    """One double, of any size, rounded to ``digits`` decimals and scaled."""
    scaled = abs(Fraction(value)) * 10**digits
    magnitude: int = round(scaled) if ties_to_even else (2 * scaled + 1) // 2
    return -magnitude if value < 0 else magnitude


def root(numerator: int, denominator: int, digits: int) -> int:
    """The square root of ``numerator / denominator`` rounded to ``digits`` decimals, scaled."""
    return (isqrt(4 * 100**digits * numerator // denominator) + 1) // 2


def printed(scaled: Integers, digits: int) -> Values:
    """Integers of a scale as the decimal numbers that they represent."""
    if scaled.dtype != object and largest(scaled) < FLOAT_LIMIT:
        values: NDArray[np.float64] = scaled / 10**digits
        return values
    return [Decimal(int(value)).scaleb(-digits) for value in scaled]
