"""The last step to the terminal: few bytes, and exactly the screen that Textual means."""

from __future__ import annotations

import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from tui.app.painter import PLAIN, Painter, Shown, changed

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
