"""An update of many colours stays within its bytes: specks, and only they, get the nearest of the palette."""

from __future__ import annotations

from typing import Any, cast

import pyte
from rich.color import ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import LayoutUpdate
from textual.geometry import Region
from textual.strip import Strip

from tui.app.painter import LIMIT, PLAIN, Frugal, Painter, Pen, Shown

GROUND = "#0e1318"


def frame(specks: bool) -> LayoutUpdate:
    """46 lines of 159 cells; 98 of each line in as many colours, or all in one."""
    lines = []
    for y in range(46):
        line = []
        for x in range(98):
            level = f"{150 + x % 13 * 8:02x}{150 + y % 11 * 9:02x}" if specks else "4040"
            line.append(Segment("▌", Style(color=f"#{level}c8", bgcolor=f"#c8{level}")))
        line.append(Segment("x" * 61, Style(color="#a1b2c3", bgcolor=GROUND)))
        lines.append([Strip(line)])
    return LayoutUpdate(cast(Any, lines), Region(0, 0, 159, 46))


def written(update: LayoutUpdate) -> str:
    return Frugal(update, Painter(ColorSystem.TRUECOLOR), Shown()).render_segments(cast(Console, None))


def test_specks_are_coarsened() -> None:
    text = written(frame(specks=True))
    assert "48;5;" in text
    assert len(text.encode()) < 2 * LIMIT  # the worst that there is: each cell of another ink and paper
    screen = pyte.Screen(159, 46)
    pyte.Stream(screen).feed(text)
    for y in range(46):
        assert screen.buffer[y][120].fg == "a1b2c3"  # a run keeps its colours
        assert screen.buffer[y][120].bg == GROUND[1:]
        assert all(screen.buffer[y][x].data == "▌" for x in range(98))


def test_a_frame_within_the_limit_is_exact() -> None:
    text = written(frame(specks=False))
    assert ";5;" not in text
    assert len(text.encode()) < LIMIT


def test_coarse() -> None:
    painter = Painter(ColorSystem.TRUECOLOR)
    ground = "48;2;14;19;24"

    def pen_of(style: Style) -> Pen:
        return painter.text([Segment("x", style)], ground=ground)[1]

    assert pen_of(Style(color="#ff0000", bgcolor=GROUND)) == Pen("38;5;196", ground)
    assert pen_of(Style(color="red", bgcolor="#5f87af")) == Pen("31", "48;5;67")
    assert pen_of(Style()) == PLAIN


def test_the_ground_is_behind_most_cells() -> None:
    strips = [Strip([Segment("xxx", Style(bgcolor=GROUND)), Segment("y", Style(bgcolor="red"))])]
    assert Painter(ColorSystem.TRUECOLOR).ground(strips) == "48;2;14;19;24"
