"""Tables for people: aligned by display width, thousands separators, fitted to the terminal.

Where a terminal is too narrow, first the columns of the highest rank are left out, then names are
folded and cut; a line under the table says so and how to see everything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TextIO

from tui.analysis.table import Column, Table, Unit, plain
from tui.output.text_layout import CHUNK, TextLayout, header, number_text
from tui.text import cut, pad, safe, width
from tui.text.cells import wrapped
from tui.text.drift import steadied
from tui.text.times import show_duration, show_time
from tui.text.widths import ColumnNeed, fit_widths

if TYPE_CHECKING:
    from tui.report.kernels.short_names import ShortNames

GAP = "  "
INDENT = " "
WANTED_NAME = 24
"""Cells of a name that columns are left out for."""
NARROWEST_NAME = 12
"""Cells of a name that nothing narrows further."""
NAME_LINES = 3
"""Lines that a long name in the last column may take."""
_PLAIN = (("…", "..."), ("±", "+-"), ("·", "-"))
"""What our own sentences hold besides ASCII, and what stands for it."""
LONGEST_RULE = 60
MOMENTS = (
    "start_ns", "end_ns", "utc_start_ns", "time_ns", "peak_at_ns", "allocated_at_ns", "freed_at_ns",
)  # fmt: skip
"""Keys of columns that hold points in time; other times are durations."""


def readable(table: Table) -> Table:
    """``table`` with its times as right-aligned text: ``152.310 ms``, ``0.871 204 113 s``."""
    return replace(table, columns=tuple(map(_readable, table.columns)))


def _readable(column: Column) -> Column:
    if not column.unit.is_time:
        return column
    show = show_time if column.key in MOMENTS else show_duration
    values = plain(column.values, 0, len(column.values))
    texts = [column.header.replace(" (ns)", "")]
    texts += [column.blank if value is None else show(round(value)) for value in values]
    cells = max(map(len, texts))
    heading, *texts = (text.rjust(cells) for text in texts)
    return replace(column, header=heading, unit=Unit.TEXT, values=texts)


def write_lines(lines: Iterable[str], stream: TextIO, layout: TextLayout) -> None:
    """Write ``lines`` as the far end can show them."""
    spell = ascii_only if layout.ascii else str
    stream.writelines(f"{spell(line)}\n" for line in lines)


def ascii_only(text: str) -> str:
    """``text`` with everything that is not ASCII spelled out."""
    for sign, plain_text in _PLAIN:
        text = text.replace(sign, plain_text)
    return text.encode("ascii", "backslashreplace").decode("ascii")


def paragraph(text: str, cells: int | None) -> str:
    """``text`` as one paragraph no wider than ``cells``, its later lines indented."""
    return "\n".join(wrapped(text, max(20, cells or 100), " ", "   "))


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


def write_title(table: Table, stream: TextIO, layout: TextLayout, window: str) -> None:
    """Write what a table is, and of which time, and an empty line."""
    lines = [f" ** {safe(table.title)} ({safe(table.name)})"]
    if window:
        lines.append(f"    window: {safe(window)}")
    if layout.width is not None:
        lines = [cut(line, layout.width) for line in lines]
    write_lines([*lines, ""], stream, layout)


def write_rows(table: Table, stream: TextIO, layout: TextLayout) -> None:
    """Write headings, rows and notes."""
    columns, left_out, shortened = fit([drawn(column, layout) for column in table.columns], layout)
    write_lines(headings(columns), stream, layout)
    for low in range(0, len(table), CHUNK):
        for row in zip(*(column.chunk(low) for column in columns), strict=True):
            stream.writelines(f"{in_place(line, layout)}\n" for line in aligned(columns, row, layout))
    write_lines((f"\n{line}" for line in remarks(table, left_out, shortened, layout.width)), stream, layout)


@dataclass
class Drawn:
    """One column on its way to the terminal."""

    column: Column
    heading: str
    text: Callable[[Any], str]
    cells: int
    """Cells of the heading and the widest value, or as many as the column gets."""
    short: ShortNames | None = None
    """Of a column of kernels on a terminal: the short forms of all its names."""

    @property
    def is_name(self) -> bool:
        return self.column.unit is Unit.TEXT

    def chunk(self, low: int) -> list[str]:
        values = plain(self.column.values, low, low + CHUNK)
        return [self.column.blank if value is None else self.text(value) for value in values]


def drawn(column: Column, layout: TextLayout) -> Drawn:
    """``column`` with its heading, a function from a value to the text of its cell, and its width."""
    text = number_text(column.unit, layout.timeunit, grouped=True)
    if column.unit is Unit.TEXT:
        spell = ascii_only if layout.ascii else str
        text = lru_cache(CHUNK)(lambda value: spell(safe(str(value))))
    short = None
    if column.kernels and layout.width is not None:
        from tui.report.kernels.short_names import ShortNames

        short = ShortNames(str(value) for value in column.values if value is not None)
        text = _short_text(short, layout, None)
    heading = header(column, layout.timeunit)
    made = Drawn(column, heading, text, width(heading), short)
    seen: set[str] = set()
    for low in range(0, len(column.values), CHUNK):
        new = set(made.chunk(low)) - seen
        made.cells = max([made.cells, *map(width if made.is_name else len, new)])
        if made.is_name:
            seen = new if len(seen) > CHUNK else seen | new
    return made


def _short_text(short: ShortNames, layout: TextLayout, cells: int | None) -> Callable[[Any], str]:
    """A function from the name of a kernel to its short form, in so many cells."""
    spell, ellipsis = (ascii_only, "...") if layout.ascii else (str, "…")
    if cells is None:
        return lambda value: spell(short[str(value)])
    return lambda value: spell(short.fitted(str(value), cells, ellipsis))


def fit(columns: list[Drawn], layout: TextLayout) -> tuple[list[Drawn], list[str], list[str]]:
    """Leave out columns and narrow names until lines and names take no more cells than ``layout`` allows.

    Returns the columns that stay, the headings left out, and what happened to names.
    """
    needs = [ColumnNeed(drawn.cells, drawn.is_name, drawn.column.rank) for drawn in columns]
    if layout.longest is not None:
        needs = [n._replace(cells=min(n.cells, layout.longest)) if n.is_name else n for n in needs]
    sizes = [need.cells for need in needs]
    if layout.width is not None:
        room = layout.width - len(INDENT)
        sizes = fit_widths(
            needs, room, gap=len(GAP), wanted=WANTED_NAME, least=NARROWEST_NAME, keep_unranked=True
        )
    kept = [
        replace(d, cells=size, text=d.text if d.short is None else _short_text(d.short, layout, size))
        for d, size in zip(columns, sizes, strict=True)
        if size
    ]
    left_out = [drawn.heading.strip() for drawn, size in zip(columns, sizes, strict=True) if not size]
    sized = [*zip(columns, sizes, strict=True)]
    shortened = ["kernel names shortened"] if any(size and d.short is not None for d, size in sized) else []
    if any(0 < size < d.cells and d.short is None for d, size in sized):
        shortened.append("long names folded or cut")
    return kept, left_out, shortened


def headings(columns: list[Drawn]) -> tuple[str, str]:
    """The line of headings and the rule under it."""
    names = (pad(drawn.heading, drawn.cells, "left" if drawn.is_name else "right") for drawn in columns)
    *rules, last = ("-" * drawn.cells for drawn in columns)
    return INDENT + GAP.join(names).rstrip(), INDENT + GAP.join([*rules, last[:LONGEST_RULE]])


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


def in_place(line: str, layout: TextLayout) -> str:
    """``line`` with its columns where they belong, whatever width the terminal gives a name's characters.

    Only a terminal is told so, and only of what fits into it: a longer line goes on below.
    """
    return line if layout.columns is None else steadied(line, 0, layout.columns, alone=True)


def folded(text: str, cells: int, ellipsis: str) -> list[str]:
    """``text`` on up to :data:`NAME_LINES` lines of ``cells``, what is beyond them cut."""
    pieces: list[str] = []
    while len(pieces) < NAME_LINES - 1 and (head := cut(text, cells, "")) != text and head:
        pieces.append(head)
        text = text[len(head) :]
    return [*pieces, cut(text, cells, ellipsis)]


def remarks(table: Table, left_out: list[str], shortened: list[str], cells: int | None) -> Iterator[str]:
    """What a reader has to know about a table, under it."""
    if not len(table):
        yield " (no rows)"
    if left_out or shortened:
        what = [f"columns left out: {', '.join(left_out)}"] if left_out else []
        what += shortened
        room = "" if cells is None else f", to fit {cells} cells"
        yield paragraph(f"{'; '.join(what)}{room} (--wide shows everything)", cells)
    if table.note:
        yield paragraph(f"note: {safe(table.note)}", cells)
