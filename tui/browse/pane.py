"""The side pane: the page of one tab as lines, its selected row, how its tables are sorted and filtered."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from tui.analysis.table import Unit
from tui.browse.block import Block
from tui.browse.drawing import Drawing
from tui.browse.page import ColumnFormat, Page, Pairs, SortedRows
from tui.browse.pages import Tab
from tui.text import safe
from tui.timeline.runs import Line, Run, fit_line


def tabs_line(tabs: Sequence[Tab], current: Tab, room: int) -> tuple[Line, list[tuple[int, int, Tab]]]:
    """Draw the names around the current one that fit; and (first cell, cell after the last, tab) of each."""
    names = [tab.name for tab in tabs]
    here = tabs.index(current)
    gap = 2 if sum(len(name) + 2 for name in names) <= room else 1
    first = 0
    while first < here and sum(len(name) + gap for name in names[first : here + 1]) > room - 2:
        first += 1
    line: Line = [Run(" " if first == 0 else "<", "pane.dim")]
    spots: list[tuple[int, int, Tab]] = []
    at = 1
    left = names[first:]
    whole = 1 + sum(map(len, left)) + gap * (len(left) - 1) <= room
    for tab in tabs[first:]:
        if not whole and at + len(tab.name) > room - 2:
            line.append(Run(" " * (room - 1 - at) + ">", "pane.dim"))
            break
        spots.append((at, at + len(tab.name), tab))
        line.append(Run(tab.name, "pane.tab.active" if tab is current else "pane.tab"))
        line.append(Run(" " * min(gap, room - at - len(tab.name)), "pane"))
        at += len(tab.name) + gap
    return line, spots


class Pane:
    """A page in ``width`` cells. ``block`` and ``at``: the section and the row in it that are selected."""

    def __init__(self, drawing: Drawing) -> None:
        self.drawing = drawing
        self.width = 0
        self.page: Page | None = None
        self.message = ""
        self.blocks: list[Block] = []
        self.block = self.at = 0
        self.focused = False
        self.length = 0
        """Lines of the page."""
        self._arranged: dict[str, tuple[int, bool, str]] = {}
        """Section title -> how the user sorted and filtered it."""

    # What is shown -------------------------------------------------------------------------

    def show(self, page: Page | None, message: str = "") -> None:
        """Show ``page`` (sorting and filters of sections of the same title stay) or a ``message``."""
        chosen = self.blocks[self.block].section.title if self.block < len(self.blocks) else ""
        self.message = message
        self.page = page
        self.blocks = []
        for section in page or ():
            rows = None
            formats: tuple[ColumnFormat, ...] = ()
            if section.table is not None:
                column, descending, needle = self._arranged.get(section.title, (-1, True, ""))
                column = column if column < len(section.table.columns) else -1
                rows = SortedRows(section.table, column, descending, needle)
                formats = tuple(ColumnFormat.of(c) for c in section.table.columns)
            self.blocks.append(Block(section, self.drawing, rows, formats))
        titles = [block.section.title for block in self.blocks]
        if chosen in titles and self.blocks[titles.index(chosen)].shown:
            self.block = titles.index(chosen)
        else:
            self.block = next((i for i, b in enumerate(self.blocks) if b.shown), 0)
            self.at = 0
        self.lay_out(self.width)

    def start_over(self) -> None:
        """Forget the selected row (another tab)."""
        self.block = self.at = 0
        self.blocks = []

    def lay_out(self, width: int) -> None:
        """Give every section its lines in ``width`` cells."""
        self.width = width
        top = 0
        for block in self.blocks:
            top = block.lay_out(top, width)
        self.at = max(0, min(self.at, self.selected_count - 1))
        self.length = max(1, top - 1)

    @property
    def _rows(self) -> SortedRows | None:
        """The table under the cursor, as it is sorted and filtered."""
        return self.blocks[self.block].rows if self.block < len(self.blocks) else None

    @property
    def selected_count(self) -> int:
        """Rows in the section under the cursor."""
        return len(self._rows.order) if self._rows is not None else 0

    @property
    def selected(self) -> tuple[Block, int] | None:
        """The block and table row under the cursor."""
        rows = self._rows
        if rows is None or not len(rows.order):
            return None
        return self.blocks[self.block], int(rows.order[self.at])

    @property
    def selected_name(self) -> str:
        """The first text of the selected row: what it is called."""
        if self.selected is None:
            return ""
        block, row = self.selected
        names = (
            (column.values[row] for column in block.rows.table.columns if column.unit is Unit.TEXT)
            if block.rows
            else ()
        )
        return next((safe(str(name)) for name in names if name is not None), "")

    # Lines ---------------------------------------------------------------------------------

    def line(self, number: int) -> Line:
        """Draw line ``number`` of the page."""
        if not self.blocks:
            return fit_line([Run(" " + self.message if number == 0 else "", "pane.dim")], self.width, "pane")
        place = self.place(number)
        if place is None:
            return [Run(" " * self.width, "pane")]
        selected = "pane.row" if self.focused else "pane.chosen"
        style = selected if self.is_selected(number) else None
        return fit_line(place[0].line(place[1], self.message, style), self.width, "pane")

    def is_selected(self, number: int) -> bool:
        """Return whether line ``number`` is the selected row."""
        return bool(self.selected_count) and number == self.selected_line

    @property
    def selected_line(self) -> int:
        """The line of the selected row."""
        block = self.blocks[self.block]
        return block.top + block.head + block.line_of(self.at)

    @property
    def revealed(self) -> tuple[int, int]:
        """(first, last) line to bring into sight for the selected row: for a first row, its headings too."""
        line = self.selected_line
        if self.at > 0:
            return line, line
        return (line - self.blocks[self.block].head if self.block > 0 else 0), line

    def place(self, number: int) -> tuple[Block, int] | None:
        """Return the block at line ``number`` and the line within it; None below the last block."""
        index = bisect_right([b.top for b in self.blocks], number) - 1
        if index < 0:
            return None
        block = self.blocks[index]
        offset = number - block.top
        return (block, offset) if offset < block.height else None

    # Moving about --------------------------------------------------------------------------

    @property
    def row_count(self) -> int:
        """Rows of all sections."""
        return sum(block.shown for block in self.blocks)

    def move(self, rows: int) -> None:
        """Move the cursor by rows, through all sections."""
        before = sum(b.shown for b in self.blocks[: self.block]) + self.at
        wanted = max(0, min(self.row_count - 1, before + rows))
        for index, block in enumerate(self.blocks):
            if wanted < block.shown:
                self.block, self.at = index, wanted
                return
            wanted -= block.shown

    def row_at(self, number: int) -> tuple[int, int] | None:
        """Return (section, position among its rows) of line ``number``; None where no row is."""
        place = self.place(number)
        if place is None:
            return None
        at = place[0].position_of(place[1] - place[0].head)
        return (self.blocks.index(place[0]), at) if at is not None else None

    # Sorting and filtering -----------------------------------------------------------------

    def sort_next(self) -> bool:
        """Sort by the next column, after the last by none; False where there is no table."""
        rows = self._rows
        return rows is not None and self._sort((rows.column + 2) % (len(rows.table.columns) + 1) - 1, True)

    def sort_reverse(self) -> bool:
        """Reverse the order; False where there is no table."""
        rows = self._rows
        return rows is not None and self._sort(max(0, rows.column), not rows.descending)

    def _sort(self, column: int, descending: bool) -> bool:
        """Sort the table under the cursor, which stays on its row."""
        rows, selected = self._rows, self.selected
        if rows is None or selected is None:
            return False
        rows.column, rows.descending = column, descending
        self._rearrange(rows)
        self.at = rows.position(selected[1]) or 0
        return True

    @property
    def needle(self) -> str:
        """The filter of the section under the cursor."""
        return self._rows.needle if self._rows is not None else ""

    def filter_by(self, needle: str) -> bool:
        """Show only rows of the section under the cursor that contain ``needle``; False without a table."""
        rows = self._rows
        if rows is None:
            return False
        rows.needle = needle
        self.at = 0
        self._rearrange(rows)
        return True

    def _rearrange(self, rows: SortedRows) -> None:
        rows.arrange()
        self._arranged[self.blocks[self.block].section.title] = (rows.column, rows.descending, rows.needle)
        self.lay_out(self.width)

    def details(self) -> tuple[str, Pairs] | None:
        """Return (title, everything) of the selected row; None where none is."""
        if self.selected is None:
            return None
        block, row = self.selected
        assert block.rows is not None
        if block.section.details is not None and (found := block.section.details(row)) is not None:
            return block.section.title, found
        columns = block.rows.table.columns
        return block.section.title, [
            (cells.header, cells.write(column.values[row]))
            for cells, column in zip(block.cells, columns, strict=True)
        ]
