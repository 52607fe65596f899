"""A section as lines: heading, text, headers, rows, a blank. Only lines that are asked for are drawn."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from types import MappingProxyType

from tui.browse.drawing import Drawing
from tui.browse.page import ColumnFormat, Section, SortedRows
from tui.text import cut, pad, safe
from tui.text.cells import wrapped
from tui.text.widths import fit_widths
from tui.timeline.runs import Line, Run, fit_line, merge

GAP = 2
SWATCH = 2
"""Cells of the patch before a row, with the space after it."""
NAME_MOST = 67
"""The part of a pane (in percent) for which a name pushes figures out: alone it says little."""
COLOURS: Mapping[str, str] = MappingProxyType(
    {
        "idle_ns": "pane.idle",
        "idle_pct": "pane.idle",
        "kernel_pct": "pane.busy",
        "busy_ns": "pane.busy",
        "copy_pct": "pane.copy",
        "unknown_ns": "pane.unknown",
        "unknown_pct": "pane.unknown",
        "cost_ns": "pane.idle",
        "exposed_comm_ns": "pane.idle",
        "remark": "note",
    }
)
"""Column key -> style of its values, in :data:`COLOURED` tables."""
COLOURED = ("busy", "steps", "diagnosis")


@dataclass
class Block:
    """A section laid out. ``rows``: its table, sorted and filtered; ``top``: its first line on the page."""

    section: Section
    drawing: Drawing
    rows: SortedRows | None = None
    cells: tuple[ColumnFormat, ...] = ()
    top: int = 0
    room: int = 0
    title: tuple[str, ...] = ("",)
    """The section's title, wrapped."""
    text: tuple[str, ...] = ()
    """The section's text lines, wrapped."""
    widths: list[int] = field(default_factory=list)
    picture: Sequence[Line] = ()
    """The section's picture, drawn for its width."""
    starts: list[int] = field(default_factory=list)
    """The first line of each row, and the one after the last, where rows may have several; else empty."""

    def lay_out(self, top: int, room: int) -> int:
        """Set its place and width in cells. Returns the first line after it."""
        self.top = top
        self.room = room
        self.title = tuple(wrapped(safe(self.section.title), max(8, room - 2))) or ("",)
        self.text = tuple(p for line in self.section.lines for p in wrapped(safe(line), max(8, room - 2)))
        picture = self.section.picture
        self.picture = picture(room, self.drawing.glyphs) if picture is not None else ()
        needs = [cells.need for cells in self.cells]
        room -= 2 + (SWATCH if self.section.swatch else 0)
        wanted = min(self.section.least, max(NAME_MOST * room // 100, 12))
        self.widths = fit_widths(needs, room, gap=GAP, wanted=wanted)
        self.starts = []
        if self.section.wraps and self.rows is not None:
            heights = [len(self._wrapped(int(row))) for row in self.rows.order.tolist()]
            self.starts = [0, *accumulate(heights)]
        return top + self.height

    def _wrapped(self, row: int) -> list[str]:
        """The lines of a row's text that goes on below."""
        assert self.rows is not None
        for cells, column, room in zip(self.cells, self.rows.table.columns, self.widths, strict=True):
            if column.key == self.section.wraps and room:
                return wrapped(cells.write(column.values[row]), room)
        return [""]

    def line_of(self, position: int) -> int:
        """The line of the row at ``position``, counted from the first row's."""
        return self.starts[position] if self.starts else position

    def position_of(self, line: int) -> int | None:
        """The position of the row on a line, counted from the first row's; None where none is."""
        if not 0 <= line < self._lines:
            return None
        return bisect_right(self.starts, line) - 1 if self.starts else line

    @property
    def _lines(self) -> int:
        """Lines of all rows."""
        return self.starts[-1] if self.starts else self.shown

    @property
    def shown(self) -> int:
        """Rows that pass the filter."""
        return len(self.rows.order) if self.rows is not None else 0

    @property
    def head(self) -> int:
        """Lines before the first row."""
        return len(self.title) + len(self.text) + len(self.picture) + (1 if self.shown else 0)

    @property
    def height(self) -> int:
        empty = 1 if not self.shown and (self.rows is not None or not self.text) else 0
        return self.head + self._lines + empty + 1

    def line(self, offset: int, message: str, style: str | None) -> Line:
        """Draw line ``offset``; ``message`` is part of the heading; ``style``: that of a selected row."""
        row = offset - self.head
        text, look = "", "pane"
        if offset < len(self.title):
            text, look = self._title(offset, message), "pane.title"
        elif (at := offset - len(self.title)) < len(self.text):
            text = " " + self.text[at]
        elif (at := at - len(self.text)) < len(self.picture):
            return self.picture[at]
        elif not self.shown:
            text, look = self._why_empty() if row == 0 else "", "pane.dim"
        elif row < 0:
            text, look = self._headers(), "pane.head"
        elif (position := self.position_of(row)) is not None:
            below = row - self.line_of(position)
            return self._row(position, style) if not below else self._below(position, below, style)
        return [Run(pad(text, self.room, ellipsis=self.drawing.glyphs.ellipsis), look)]

    def _title(self, number: int, message: str) -> str:
        """A line of the title; on the last one the message and the filter."""
        text = " " + self.title[number]
        if number + 1 < len(self.title):
            return text
        dot = f" {self.drawing.glyphs.dot} "
        text += dot + message if message else ""
        if self.rows is not None and self.rows.needle:
            text += f"{dot}filter {safe(self.rows.needle)!r}: {self.shown} of {len(self.rows.table)}"
        return text

    def _why_empty(self) -> str:
        if self.rows is None:
            return ""
        needle = safe(self.rows.needle)
        return f" {self.section.unmatched} {needle!r}" if needle else f" {self.section.empty}"

    def _headers(self) -> str:
        assert self.rows is not None
        glyphs, parts = self.drawing.glyphs, []
        arrow = glyphs.descending if self.rows.descending else glyphs.ascending
        for index, (cells, room) in enumerate(zip(self.cells, self.widths, strict=True)):
            if room:
                sorted_by = index == self.rows.column
                text = cut(cells.header, max(1, room - 1), "") + arrow if sorted_by else cells.header
                parts.append(self._cell(text, room, cells))
        return " " * (1 + (SWATCH if self.section.swatch else 0)) + (" " * GAP).join(parts)

    def _cell(self, text: str, room: int, cells: ColumnFormat) -> str:
        return pad(text, room, "left" if cells.need.is_name else "right", self.drawing.glyphs.ellipsis)

    def _below(self, position: int, number: int, style: str | None) -> Line:
        """A further line of a row: its text alone goes on."""
        assert self.rows is not None
        row = int(self.rows.order[position])
        before = 1 + (SWATCH if self.section.swatch else 0)
        for column, room in zip(self.rows.table.columns, self.widths, strict=True):
            if column.key == self.section.wraps:
                break
            before += room + GAP if room else 0
        text = " " * before + self._wrapped(row)[number]
        return fit_line([Run(text, style or "pane")], self.room, style or "pane")

    def _row(self, position: int, style: str | None) -> Line:
        assert self.rows is not None
        row = int(self.rows.order[position])
        pointer = self.drawing.glyphs.closed if self.drawing.fill else ">"
        line: Line = [Run(pointer if style else " ", style or "pane")]
        if self.section.swatch:
            patch = self.section.swatch(row)
            sample = " " if self.drawing.fill else self.drawing.glyphs.fill(patch)
            line += [Run(sample, patch), Run(" ", style or "pane")]
        colours = COLOURS if self.rows.table.name in COLOURED else {}
        between = ""
        for cells, column, room in zip(self.cells, self.rows.table.columns, self.widths, strict=True):
            if room:
                if column.key == self.section.wraps:
                    text = self._wrapped(row)[0]
                else:
                    text = cells.fitted(column.values[row], room, self.drawing.glyphs.ellipsis)
                look = style or colours.get(column.key, "pane")
                line += [Run(between, style or "pane"), Run(self._cell(text, room, cells), look)]
                between = " " * GAP
        return fit_line(merge(line), self.room, style or "pane")
