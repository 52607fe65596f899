"""Shortened frames show the same cells in the same styles, in fewer bytes."""

from __future__ import annotations

import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.color import Color
from rich.style import Style

from tui.app.sgr import PLAIN, Pen, Shortener, coarse, difference, taken

COLOURS = st.sampled_from([None, "red", "bright_blue", "color(42)", "#0e1318", "#4f9bdb", "default"])
STYLES = st.builds(
    lambda ink, paper, bold, italic, reverse, under: Style(
        color=ink, bgcolor=paper, bold=bold, italic=italic, reverse=reverse, underline=under
    ),
    COLOURS, COLOURS, *[st.booleans()] * 4,
)  # fmt: skip
RUNS = st.lists(st.tuples(STYLES, st.text("ab █▁", min_size=1, max_size=6), st.booleans()), max_size=12)


def shown(text: str) -> list[list[object]]:
    """Every cell, with its style."""
    screen = pyte.Screen(40, 6)
    pyte.Stream(screen).feed(text)
    return [[screen.buffer[y][x] for x in range(40)] for y in range(6)]


def written(runs: list[tuple[Style, str, bool]]) -> str:
    """A frame as Textual writes it: moves, then runs with all of their style, reset after each."""
    out, row = ["\x1b[1;1H"], 1
    for style, text, next_row in runs:
        out.append(style.render(text))
        if next_row and row < 5:
            row += 1
            out.append(f"\x1b[{row};7H\r\n\x1b[{row};3H")
    return "".join(out)


@given(RUNS)
def test_same_cells(runs: list[tuple[Style, str, bool]]) -> None:
    text = written(runs)
    short = Shortener().shorten(text)
    assert shown(short) == shown(text)
    assert len(short) <= len(text)
    # The pen is left as it was found: what others write between frames looks as they meant it.
    assert shown(f"{short}\x1b[6;1Hx") == shown(f"{text}\x1b[6;1Hx")


def test_neighbours_share_what_they_have_in_common() -> None:
    text = "\x1b[1;38;2;1;2;3;48;2;9;9;9ma\x1b[0m\x1b[1;38;2;4;5;6;48;2;9;9;9mb\x1b[0m"
    assert Shortener().shorten(text) == "\x1b[1;38;2;1;2;3;48;2;9;9;9ma\x1b[38;2;4;5;6mb\x1b[0m"


def test_a_move_that_another_follows_is_left_out() -> None:
    text = "\x1b[31ma\x1b[0m\x1b[4;100H\r\n\x1b[5;1H\x1b[31mb\x1b[0m"
    assert Shortener().shorten(text) == "\x1b[31ma\x1b[5;1Hb\x1b[0m"


@pytest.mark.parametrize("text", ["", "plain", "\x1b[6n", "\x1b[?2026h", "\x1b[31ma\x1b[99mb\x1b[0m"])
def test_left_alone(text: str) -> None:
    assert Shortener().shorten(text) == text


@pytest.mark.parametrize(
    ("parameters", "pen"),
    [
        ("", PLAIN),
        ("0", PLAIN),
        ("1;31", Pen(frozenset({"1"}), "31", "")),
        ("38;5;7;104", Pen(frozenset(), "38;5;7", "104")),
        ("38;2;1;2;3;0;97", Pen(frozenset(), "97", "")),
        ("38;5", None),
        ("58;5;1", None),
    ],
)
def test_taken(parameters: str, pen: Pen | None) -> None:
    assert taken(PLAIN, parameters) == pen


def test_an_attribute_goes_by_a_reset() -> None:
    have = Pen(frozenset({"1", "4"}), "31", "44")
    assert difference(have, Pen(frozenset({"4"}), "31", "44")) == "\x1b[0;4;31;44m"
    assert difference(have, PLAIN) == "\x1b[0m"
    assert difference(have, have) == ""


def test_styles_of_rich_are_understood() -> None:
    for number in range(256):
        style = Style(color=Color.from_ansi(number), bgcolor=Color.from_ansi(255 - number), bold=True)
        text = style.render("a") + style.render("b")
        assert len(Shortener().shorten(text)) < len(text)


def test_a_frame_of_specks_is_coarsened() -> None:
    """Every cell of another ink and paper: single cells get the nearest of the palette, runs keep theirs."""
    ground = Style(color="#aaaaaa", bgcolor="#0e1318")
    out = []
    for y in range(46):
        out.append(f"\x1b[{y + 1};1H")
        for x in range(98):
            levels = f"{150 + x % 13 * 8:02x}{150 + y % 11 * 9:02x}"
            style = Style(color=f"#{levels}c8", bgcolor=f"#c8{levels}")
            out.append(style.render("▌"))
        out.append(ground.render(" " * 61))
    text = "".join(out)
    short = Shortener().shorten(text)
    assert len(text.encode()) > 180 * 1024
    assert len(short.encode()) <= 100 * 1024
    assert short.count("48;2;") == short.count("48;2;14;19;24") == 46


def test_coarse() -> None:
    assert coarse("38;2;255;0;0") == "38;5;196"
    assert coarse("48;2;95;135;175") == "48;5;67"
    assert coarse("31") == "31"
    assert coarse("") == ""
