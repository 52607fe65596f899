"""Lists of lines that scroll, with a narrow scroll bar that every terminal can show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.color import Color
from rich.segment import Segment, Segments
from rich.style import Style
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBarRender
from textual.strip import Strip

from tui.app.looks import Looks
from tui.browse.scroll_bar import bar_cell, thumb
from tui.timeline.runs import Line

_UNUSED = Color.default()
"""The default of Textual's colours, which we don't use: ours come from the theme."""


def bar_renderer(looks: Looks) -> type[ScrollBarRender]:
    """Return a renderer of scroll bars that draws the cells of :func:`bar_cell`."""

    class BarRenderer(ScrollBarRender):
        @classmethod
        def render_bar(
            cls,
            size: int = 25,
            virtual_size: float = 50,
            window_size: float = 20,
            position: float = 0,
            thickness: int = 1,
            vertical: bool = True,
            back_color: Color = _UNUSED,
            bar_color: Color = _UNUSED,
        ) -> Segments:
            total, full = int(virtual_size), looks.drawing.thumb
            first, stop = thumb(size, total, position)
            segments = []
            for y in range(size):
                run = bar_cell(y, size, total, position, full)
                grab = "grab" if first <= y < stop else "scroll_up" if y < first else "scroll_down"
                style = looks.style(run.style) + Style(meta={"@mouse.down": grab})
                segments.append(Segment(run.text * thickness, style))
            return Segments(segments, new_lines=True)

    return BarRenderer


class Scrolling(ScrollView, can_focus=True):
    """The base of lists that scroll up and down."""

    DEFAULT_CSS = "Scrolling { overflow-x: hidden; overflow-y: auto; scrollbar-size-vertical: 1; }"
    ALLOW_MAXIMIZE: ClassVar[bool] = False

    def __init__(self, looks: Looks) -> None:
        super().__init__()
        self.looks = looks
        self.vertical_scrollbar.renderer = bar_renderer(looks)  # type: ignore[misc]


class Lines(Scrolling, can_focus=True):
    """A list of ready lines, cut at the right edge: help, legend, details, notices."""

    lines: Sequence[Line] = ()

    def show(self, lines: Sequence[Line]) -> None:
        """Replace the lines."""
        self.lines = lines
        self.virtual_size = Size(self.size.width, len(lines))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        number = y + self.scroll_offset.y
        line = self.lines[number] if number < len(self.lines) else []
        return self.looks.strip(line, self.size.width, "pane")
