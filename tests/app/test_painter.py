"""The last step to the terminal: few bytes, and exactly the screen that Textual means."""

from __future__ import annotations

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from tests.support.other_widths import CLASSES, OPINIONS, cell, drawn_as
from tui.app.painter import PLAIN, Painter, Shown, changed
from tui.text import pad, safe

STYLES = [
    Style.parse(text)
    for text in (
        "white on black",
        "red on black",
        "white on blue",
        "bold white on black",
        "reverse white on black",
    )
]
WIDTH = 12


@st.composite
def strips(draw: st.DrawFn) -> Strip:
    """A strip of WIDTH cells in random runs, wide characters among them."""
    segments: list[Segment] = []
    room = WIDTH
    while room:
        text = ""
        for char in draw(st.text("ab  核", min_size=1, max_size=6)):
            size = 2 if char == "核" else 1
            if size > room:
                break
            text += char
            room -= size
        segments.append(Segment(text, draw(st.sampled_from(STYLES))))
    return Strip([s for s in segments if s.text], WIDTH)


def look(screen: pyte.Screen) -> list[tuple[object, ...]]:
    """What one sees of the first line: the ink of a blank is not seen."""
    row = screen.buffer[0]
    cells: list[tuple[object, ...]] = []
    for x in range(WIDTH):
        cell = row[x]
        paper, ink = (cell.fg, cell.bg) if cell.reverse else (cell.bg, cell.fg)
        cells.append(
            (cell.data, paper, ink if cell.data.strip() else None, cell.bold if cell.data.strip() else None)
        )
    return cells


def shown_by(text: str, screen: pyte.Screen | None = None) -> pyte.Screen:
    screen = screen or pyte.Screen(WIDTH, 1)
    pyte.Stream(screen).feed(text)
    return screen


def textuals(strip: Strip) -> str:
    """How Textual itself writes a strip."""
    return "".join(
        Strip.render_style(s.style, s.text, ColorSystem.STANDARD) for s in strip if s.style is not None
    )


@given(strips(), strips())
def test_the_terminal_shows_what_textual_would_show(first: Strip, second: Strip) -> None:
    painter, shown = Painter(ColorSystem.STANDARD), Shown()
    screen = pyte.Screen(WIDTH, 1)
    for strip in (first, second, second, first):
        piece = shown.put(0, 0, strip)
        if piece is not None:
            text, pen = painter.text(piece[1])
            shown_by(f"\x1b[1;{piece[0] + 1}H{text}" + ("\x1b[0m" if pen != PLAIN else ""), screen)
        assert look(screen) == look(shown_by("\x1b[1;1H" + textuals(strip)))


@given(strips(), strips(), st.integers(0, WIDTH - 1), st.integers(1, WIDTH))
def test_parts_of_a_line_are_put_together(first: Strip, second: Strip, left: int, size: int) -> None:
    painter, shown = Painter(ColorSystem.STANDARD), Shown()
    screen = pyte.Screen(WIDTH, 1)
    part = second.crop(left, min(left + size, WIDTH))
    whole = Strip.join([first.crop(0, left), part, first.crop(left + part.cell_length, WIDTH)])
    for x, strip in ((0, first), (left, part)):
        piece = shown.put(x, 0, strip)
        if piece is not None:
            text, _ = painter.text(piece[1])
            shown_by(f"\x1b[1;{piece[0] + 1}H{text}\x1b[0m", screen)
    assert look(screen) == look(shown_by("\x1b[1;1H" + textuals(whole)))


def test_what_did_not_change_is_not_written() -> None:
    a, b = STYLES[:2]
    old = Strip([Segment("hello ", a), Segment("world", b), Segment("!", a)])
    new = Strip([Segment("hello ", a), Segment("wxrld", b), Segment("!", a)])
    assert changed(old, old) is None
    assert changed(old, new) == (7, 8)
    assert changed(old, Strip([Segment("hello ", b), Segment("world", b), Segment("!", a)])) == (0, 6)
    assert changed(old, Strip([Segment("other", a)])) == (0, 5)
    assert changed(Strip([Segment("aaaa", a)]), Strip([Segment("aaba", a)])) == (2, 3)
    assert changed(Strip([Segment("核x", a)]), Strip([Segment("核y", a)])) == (2, 3)


def test_only_attributes_that_change_are_written() -> None:
    painter = Painter(ColorSystem.STANDARD)
    white, red, blue, bold, _ = STYLES
    text, pen = painter.text(
        [Segment("a", white), Segment("b", red), Segment("  ", blue), Segment("c", bold)]
    )
    assert text == "\x1b[37;40ma\x1b[31mb\x1b[44m  \x1b[1;37;40mc"
    assert painter.text([Segment("d", white)], pen)[0] == "\x1b[0;37;40md"


@pytest.mark.parametrize(
    ("system", "codes"),
    [
        (ColorSystem.TRUECOLOR, "38;2;1;2;3;48;2;250;0;0"),
        (ColorSystem.EIGHT_BIT, "38;5;16;48;5;196"),
        (ColorSystem.STANDARD, "30;41"),
    ],
)
def test_colours_are_brought_down_to_the_terminals(system: ColorSystem, codes: str) -> None:
    text, _ = Painter(system).text([Segment("x", Style.parse("rgb(1,2,3) on rgb(250,0,0)"))])
    assert text == f"\x1b[{codes}mx"


def test_forgetting_writes_everything_again() -> None:
    shown = Shown()
    strip = Strip([Segment("abc", STYLES[0])])
    assert shown.put(0, 0, strip) is not None
    assert shown.put(0, 0, strip) is None
    shown.forget()
    piece = shown.put(0, 0, strip)
    assert piece is not None
    assert piece[1].text == "abc"


NAMES = [*map(safe, CLASSES.values()), "plain", "", "gemm<float>"]
COLUMNS = (12, 30, 18)
Row = list[tuple[str, str, Style]]
"""Per column the name, the figure behind it and the style."""


def columns_of(row: Row) -> Strip:
    """Names and figures with bars between them, as in the pane."""
    segments = []
    for cells, (name, figure, style) in zip(COLUMNS, row, strict=True):
        segments += [Segment(f"{pad(name, cells - 4)}  {figure}", style), Segment("│", STYLES[0])]
    return Strip(segments, sum(COLUMNS))


ROWS = st.tuples(
    *[st.tuples(st.sampled_from(NAMES), st.sampled_from("0123"), st.sampled_from(STYLES[:3]))] * len(COLUMNS)
).map(list)


@settings(deadline=None)
@given(st.lists(ROWS, min_size=1, max_size=4), st.sampled_from(sorted(OPINIONS)), st.data())
def test_columns_stay_in_place_however_wide_a_terminal_draws_names(
    wanted: list[Row], opinion: str, data: st.DataObject
) -> None:
    """One column after the other changes, on a terminal of another opinion."""
    painter, shown = Painter(ColorSystem.STANDARD), Shown()
    size = sum(COLUMNS)
    with pytest.MonkeyPatch.context() as patch:
        drawn_as(patch, opinion)
        screen, now = unwrapped(size), wanted[0]
        shown_by("\x1b[1;1H" + "#" * size, screen)
        for number, row in enumerate(wanted):
            changing = data.draw(st.integers(0, 2)) if number else None
            now = row if changing is None else [*now[:changing], row[changing], *now[changing + 1 :]]
            first = sum(COLUMNS[:changing]) if changing else 0
            last = size if changing is None else first + COLUMNS[changing]
            if (piece := shown.put(first, 0, columns_of(now).crop(first, last))) is not None:
                shown_by(f"\x1b[1;{piece[0] + 1}H{painter.text(piece[1], at=piece[0])[0]}\x1b[0m", screen)
            ends = [sum(COLUMNS[: i + 1]) for i in range(len(COLUMNS))]
            found = [cell(screen, end - 2, 0)[:1] + cell(screen, end - 1, 0)[:1] for end in ends]
            assert found == [f"{figure}│" for _, figure, _ in now]
            assert "#" not in [cell(screen, x, 0) for x in range(size)]
        afresh = unwrapped(size)
        shown_by(f"\x1b[1;1H{painter.text(columns_of(now))[0]}", afresh)
        assert [cell(screen, x, 0) for x in range(size)] == [cell(afresh, x, 0) for x in range(size)]


def unwrapped(columns: int) -> pyte.Screen:
    """A screen that breaks no lines, as the explorer's."""
    screen = pyte.Screen(columns, 1)
    screen.reset_mode(7, private=True)
    return screen


def test_plain_lines_cost_no_byte_more() -> None:
    painter, shown = Painter(ColorSystem.STANDARD), Shown()
    for text in ("│ gemm<float>  12.3 ms │ ▏▎ … · ▸ ▾", "核函数 한국  1 │"):
        piece = shown.put(0, 0, Strip([Segment(text, STYLES[0])]))
        assert piece is not None
        assert painter.text(piece[1])[0] == f"\x1b[37;40m{text}"


def test_a_changed_mark_is_written() -> None:
    shown = Shown()
    shown.put(0, 0, Strip([Segment("cafe", STYLES[0])], 4))
    piece = shown.put(0, 0, Strip([Segment("cafe\u0301", STYLES[0])], 4))
    assert piece is not None
    assert (piece[0], piece[1].text) == (3, "e\u0301")
