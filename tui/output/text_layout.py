"""What a table's reader asks for, and how a cell becomes text: units, decimals, thousands separators.

Values arrive as integers or as numbers that are already rounded to what their unit shows; nothing
here rounds. ``--timeunit`` only moves the decimal point, so no digit is lost in any unit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Any

from tui.analysis.table import Column, Unit
from tui.errors import UsageError

CHUNK = 8192
"""Rows that are turned into text at a time."""
LONGEST_NAME = 1000
"""Cells of a name in a table of any width: one name of 100,000 would make every row as long."""


class TimeUnit(Enum):
    """A unit of times: its label, how far the decimal point moves from nanoseconds, its other names."""

    NSEC = ("ns", 0, "nsec", "nanoseconds")
    USEC = ("us", 3, "usec", "microseconds")
    MSEC = ("ms", 6, "msec", "milliseconds")
    SECONDS = ("s", 9, "seconds", "sec")

    def __init__(self, label: str, shift: int, *names: str) -> None:
        self.label = label
        self.shift = shift
        self.names = (label, *names)

    @classmethod
    def parse(cls, text: str) -> TimeUnit:
        """The unit that ``text`` names (nsec, nanoseconds, ns, ...); UsageError for anything else."""
        for unit in (cls.NSEC, cls.USEC, cls.MSEC, cls.SECONDS):
            if text.lower() in unit.names:
                return unit
        raise UsageError(f"unknown time unit {text!r}: use nsec, usec, msec or seconds")


@dataclass(frozen=True)
class TextLayout:
    """How tables are written."""

    timeunit: TimeUnit = TimeUnit.NSEC
    width: int | None = None
    """Cells that a table line may take; None: as wide as it needs."""
    longest: int | None = LONGEST_NAME
    """Cells that a name in a table may take; None: as many as it has."""
    screen: bool = False
    """The text goes to a terminal: nothing in it may act on the terminal."""
    ascii: bool = False
    """Only ASCII can be shown; everything else is spelled out as an escape."""
    raw: bool = False
    """Leave CSV cells alone that a spreadsheet would run as a formula."""
    columns: int | None = None
    """Columns of the terminal that the text goes to, whose cursor can be placed; None anywhere else."""


def header(column: Column, timeunit: TimeUnit) -> str:
    """The column's header with the unit that its times are printed in."""
    if column.unit.is_time:
        return column.header.replace("(ns)", f"({timeunit.label})")
    return column.header


def number_text(unit: Unit, timeunit: TimeUnit, *, grouped: bool) -> Callable[[Any], str]:
    """A function from a number of ``unit`` to its text, with thousands separators if ``grouped``."""
    comma = "," if grouped and unit is not Unit.ID else ""
    shift = timeunit.shift if unit.is_time else 0
    decimals = unit.decimals + shift
    spec = f"{comma}.{decimals}f" if decimals else comma
    if shift:
        return lambda value: format(Decimal(str(value)).scaleb(-shift), spec)
    return lambda value: format(value, spec)
