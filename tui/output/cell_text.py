"""How a cell becomes text: units, decimals, thousands separators, unknown values.

Values arrive as integers or as numbers that are already rounded to what their unit shows; nothing
here rounds. ``--timeunit`` only moves the decimal point, so no digit is lost in any unit.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from enum import Enum
from typing import Any

from tui.analysis.table import Column, Unit
from tui.errors import UsageError


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


def header(column: Column, timeunit: TimeUnit) -> str:
    """The column's header with the unit that its times are printed in."""
    if column.unit.is_time:
        return column.header.replace("(ns)", f"({timeunit.label})")
    return column.header


def key(column: Column, timeunit: TimeUnit) -> str:
    """The column's JSON key with the unit that its times are printed in."""
    if column.unit.is_time and column.key.endswith("_ns"):
        return f"{column.key[:-2]}{timeunit.label}"
    return column.key


def number_text(unit: Unit, timeunit: TimeUnit, *, grouped: bool) -> Callable[[Any], str]:
    """A function from a number of ``unit`` to its text, with thousands separators if ``grouped``."""
    comma = "," if grouped and unit is not Unit.ID else ""
    shift = timeunit.shift if unit.is_time else 0
    if shift:
        spec = f"{comma}.{unit.decimals + shift}f"
        return lambda value: format(Decimal(str(value)).scaleb(-shift), spec)
    if unit.decimals:
        spec = f"{comma}.{unit.decimals}f"
        return lambda value: format(value, spec)
    return lambda value: format(value, comma)
