"""What a table's reader asks for: units, width, and what the far end can show."""

from __future__ import annotations

from dataclasses import dataclass

from tui.output.cell_text import TimeUnit

CHUNK = 8192
"""Rows that are turned into text at a time."""
LONGEST_NAME = 1000
"""Cells of a name in a table of any width: one name of 100,000 would make every row as long."""


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
