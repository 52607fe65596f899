"""What the scrolling widgets share: a narrow scroll bar that every terminal can show."""

from __future__ import annotations

from typing import ClassVar

from rich.color import Color
from rich.segment import Segment, Segments
from rich.style import Style
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBarRender

from tui.app.looks import Looks
from tui.browse.scroll_bar import bar_cell, thumb

_UNUSED = Color.default()
"""The colours come from the theme."""


def bar_of(looks: Looks) -> type[ScrollBarRender]:
    """The renderer of scroll bars for these looks: the cells that a drawn frame has."""

    class Bars(ScrollBarRender):
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

    return Bars


class Scrolling(ScrollView, can_focus=True):
    """A list of lines that scrolls up and down."""

    DEFAULT_CSS = "Scrolling { overflow-x: hidden; overflow-y: auto; scrollbar-size-vertical: 1; }"
    ALLOW_MAXIMIZE: ClassVar[bool] = False

    def __init__(self, looks: Looks, *, id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self.looks = looks
        self.vertical_scrollbar.renderer = bar_of(looks)  # type: ignore[misc]
