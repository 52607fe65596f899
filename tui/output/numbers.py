"""How a cell becomes text: units, decimals, thousands separators, unknown values.

Values arrive as integers or as numbers that are already rounded to what their unit shows; nothing
here rounds. ``--timeunit`` only moves the decimal point, so no digit is lost in any unit.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from enum import Enum
from typing import Any

import numpy as np

from tui.analysis.table import Column, Unit, Values
from tui.errors import UsageError
from tui.report.columns import NULL


class TimeUnit(Enum):
    """What times are printed in: label, and how far the decimal point moves from nanoseconds."""

    NSEC = ("ns", 0)
    USEC = ("us", 3)
    MSEC = ("ms", 6)
    SECONDS = ("s", 9)

    @property
    def label(self) -> str:
        return self.value[0]

    @property
    def shift(self) -> int:
        return self.value[1]

    @classmethod
    def parse(cls, text: str) -> TimeUnit:
        """The unit that ``text`` names (nsec, nanoseconds, ns, ...); UsageError for anything else."""
        names = {
            cls.NSEC: ("nsec", "nanoseconds", "ns"),
            cls.USEC: ("usec", "microseconds", "us"),
            cls.MSEC: ("msec", "milliseconds", "ms"),
            cls.SECONDS: ("seconds", "sec", "s"),
        }
        for unit, words in names.items():
            if text.lower() in words:
                return unit
        raise UsageError(f"unknown time unit {text!r}: use nsec, usec, msec or seconds")


DECIMALS = {Unit.NS: 0, Unit.NS_1: 1, Unit.PCT: 1, Unit.DECIMAL: 1, Unit.MB: 3}
"""Digits after the point in nanoseconds (times) or as they are (the rest)."""

TIMES = (Unit.NS, Unit.NS_1)


def header(column: Column, timeunit: TimeUnit) -> str:
    """The column's header with the unit that its times are printed in."""
    if column.unit in TIMES:
        return column.header.replace("(ns)", f"({timeunit.label})")
    return column.header


def key(column: Column, timeunit: TimeUnit) -> str:
    """The column's JSON key with the unit that its times are printed in."""
    if column.unit in TIMES and column.key.endswith("_ns"):
        return f"{column.key[:-2]}{timeunit.label}"
    return column.key


def plain(values: Values, low: int, high: int) -> list[Any]:
    """``values[low:high]`` as Python objects; NULL (in integer arrays) becomes None."""
    part = values[low:high]
    if isinstance(part, np.ndarray):
        if part.dtype == np.int64 and (null := part == NULL).any():
            return [None if no else v for v, no in zip(part.tolist(), null.tolist(), strict=True)]
        return list(part.tolist())
    return list(part)


def number_text(unit: Unit, timeunit: TimeUnit, *, grouped: bool) -> Callable[[Any], str]:
    """A function from a number of ``unit`` to its text, with thousands separators if ``grouped``."""
    comma = "," if grouped and unit is not Unit.ID else ""
    shift = timeunit.shift if unit in TIMES else 0
    decimals = DECIMALS.get(unit)
    if shift and decimals is not None:
        spec = f"{comma}.{decimals + shift}f"
        return lambda value: format(exact(value).scaleb(-shift), spec)
    if decimals:
        spec = f"{comma}.{decimals}f"
        return lambda value: format(value, spec)
    return lambda value: format(value, comma)


def exact(value: Any) -> Decimal:
    """``value`` as the decimal number that it is printed as."""
    return value if isinstance(value, Decimal) else Decimal(str(value))
