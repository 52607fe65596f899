"""Tables for people: aligned by display width, thousands separators, fitted to the terminal.

Where a terminal is too narrow, first the columns of the highest rank are left out, then names are
folded and cut; a line under the table says so and how to see everything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TextIO

from tui.analysis.table import Column, Table, Unit, plain
from tui.output.cell_text import header, number_text
from tui.output.text_layout import CHUNK, TextLayout
from tui.text import cut, pad, safe, width
from tui.text.cells import wrapped
from tui.text.widths import ColumnNeed, fit_widths

GAP = "  "
INDENT = " "
WANTED_NAME = 24
"""Cells of a name that columns are left out for."""
NARROWEST_NAME = 12
"""Cells of a name that nothing narrows further."""
NAME_LINES = 3
"""Lines that a long name in the last column may take."""
LONGEST_RULE = 60


@dataclass
class Drawn:
    """One column on its way to the terminal."""

    column: Column
    heading: str
    text: Callable[[Any], str]
    cells: int = 0

    @property
    def is_name(self) -> bool:
        return self.column.unit is Unit.TEXT

    def chunk(self, low: int) -> list[str]:
        return list(map(self.text, plain(self.column.values, low, low + CHUNK)))


def write_tables(tables: Iterable[Table], stream: TextIO, layout: TextLayout, window: str = "") -> None:
    """Write each table under its title; ``window`` names the time under study."""
    for position, table in enumerate(tables):
        if position:
            stream.write("\n")
        write_table(table, stream, layout, window)


def write_table(table: Table, stream: TextIO, layout: TextLayout, window: str = "") -> None:
    """Write one table: title, headings, rows, notes."""
    write_title(table, stream, layout, window)
    write_rows(table, stream, layout)


def write_title(table: Table, stream: TextIO, layout: TextLayout, window: str = "") -> None:
    """Write what a table is, and of which time, and an empty line."""
    for line in title(table, window, layout.width):
        stream.write(f"{spelled(line, layout)}\n")
    stream.write("\n")


def write_rows(table: Table, stream: TextIO, layout: TextLayout) -> None:
    """Write headings, rows and notes."""
    columns = [drawn(column, layout) for column in table.columns]
    measure(columns, len(table))
    columns, left_out, shortened = fit(columns, layout.width, layout.longest)
    for line in headings(columns):
        stream.write(f"{line}\n")
    for low in range(0, len(table), CHUNK):
        for row in zip(*(column.chunk(low) for column in columns), strict=True):
            stream.writelines(f"{line}\n" for line in aligned(columns, row, layout))
    for line in remarks(table, left_out, shortened, layout.width):
        stream.write(f"\n{spelled(line, layout)}\n")


def title(table: Table, window: str, cells: int | None) -> Iterator[str]:
    """The lines over a table: what it is, and of which time."""
    lines = [f" ** {safe(table.title)} ({safe(table.name)})"]
    if window:
        lines.append(f"    window: {safe(window)}")
    yield from lines if cells is None else (cut(line, cells) for line in lines)


def drawn(column: Column, layout: TextLayout) -> Drawn:
    """``column`` with its heading and a function from a value to the text of its cell."""
    blank = column.blank
    if column.unit is Unit.TEXT:
        spell = ascii_only if layout.ascii else str
        known: dict[str, str] = {}

        def text(value: Any) -> str:
            if value is None:
                return blank
            cell = known.get(value)
            if cell is None:
                cell = known[value] = spell(safe(str(value)))
            return cell
    else:
        number = number_text(column.unit, layout.timeunit, grouped=True)

        def text(value: Any) -> str:
            return blank if value is None else number(value)

    return Drawn(column, header(column, layout.timeunit), text)


def measure(columns: list[Drawn], rows: int) -> None:
    """Set the cells that each column needs."""
    for column in columns:
        column.cells = width(column.heading)
        seen: set[str] = set()
        for low in range(0, rows, CHUNK):
            fresh = set(column.chunk(low)) - seen if column.is_name else set(column.chunk(low))
            if fresh:
                measured = map(width, fresh) if column.is_name else map(len, fresh)
                column.cells = max(column.cells, *measured)
            if column.is_name:
                seen |= fresh


def fit(
    columns: list[Drawn], cells: int | None, longest: int | None = None
) -> tuple[list[Drawn], list[str], bool]:
    """Leave out columns and narrow names until a line takes ``cells`` and no name more than ``longest``.

    Returns the columns that stay, the headings left out, and whether names were narrowed.
    """
    shortened = False
    for drawn in columns:
        if longest is not None and drawn.is_name and drawn.cells > longest:
            drawn.cells = longest
            shortened = True
    if cells is None:
        return columns, [], shortened
    needs = [ColumnNeed(drawn.cells, drawn.is_name, drawn.column.rank) for drawn in columns]
    widths = fit_widths(
        needs, cells - len(INDENT), gap=len(GAP), wanted=WANTED_NAME, least=NARROWEST_NAME, keep_unranked=True
    )
    kept, left_out = [], []
    for drawn, size in zip(columns, widths, strict=True):
        if not size:
            left_out.append(drawn.heading.strip())
            continue
        shortened |= size < drawn.cells
        drawn.cells = size
        kept.append(drawn)
    return kept, left_out, shortened


def headings(columns: list[Drawn]) -> Iterator[str]:
    """The line of headings and the rule under it."""
    last = len(columns) - 1
    yield (
        INDENT
        + GAP.join(
            pad(drawn.heading, drawn.cells, "left" if drawn.is_name else "right") for drawn in columns
        ).rstrip()
    )
    yield INDENT + GAP.join(
        "-" * (min(drawn.cells, LONGEST_RULE) if place == last else drawn.cells)
        for place, drawn in enumerate(columns)
    )


def aligned(columns: list[Drawn], row: tuple[str, ...], layout: TextLayout) -> Iterator[str]:
    """One row as a line, names cut to their column; a long last name goes on below."""
    ellipsis = "..." if layout.ascii else "…"
    *others, last = zip(columns, row, strict=True)
    cells = [
        pad(text, drawn.cells, "left", ellipsis) if drawn.is_name else text.rjust(drawn.cells)
        for drawn, text in others
    ]
    drawn, text = last
    pieces = folded(text, drawn.cells, ellipsis) if drawn.is_name else [text.rjust(drawn.cells)]
    yield (INDENT + GAP.join([*cells, pieces[0]])).rstrip()
    below = " " * width(INDENT + GAP.join([*cells, ""]))
    for piece in pieces[1:]:
        yield f"{below}{piece}"


def folded(text: str, cells: int, ellipsis: str) -> list[str]:
    """``text`` on up to :data:`NAME_LINES` lines of ``cells``, what is beyond them cut."""
    pieces: list[str] = []
    while len(pieces) < NAME_LINES - 1 and (head := cut(text, cells, "")) != text and head:
        pieces.append(head)
        text = text[len(head) :]
    return [*pieces, cut(text, cells, ellipsis)]


def remarks(table: Table, left_out: list[str], shortened: bool, cells: int | None) -> Iterator[str]:
    """What a reader has to know about a table, under it."""
    if not len(table):
        yield " (no rows)"
    if left_out or shortened:
        what = [f"columns left out: {', '.join(left_out)}"] if left_out else []
        what += ["long names folded or cut"] if shortened else []
        room = "" if cells is None else f", to fit {cells} cells"
        yield paragraph(f"{'; '.join(what)}{room} (--wide shows everything)", cells)
    if table.note:
        yield paragraph(f"note: {safe(table.note)}", cells)


def paragraph(text: str, cells: int | None) -> str:
    """``text`` as one paragraph no wider than ``cells``, its later lines indented."""
    return "\n".join(wrapped(text, max(20, cells or 100), " ", "   "))


def spelled(text: str, layout: TextLayout) -> str:
    """``text`` as the far end can show it."""
    return ascii_only(text) if layout.ascii else text


def ascii_only(text: str) -> str:
    """``text`` with everything that is not ASCII spelled out."""
    return text.replace("…", "...").encode("ascii", "backslashreplace").decode("ascii")
