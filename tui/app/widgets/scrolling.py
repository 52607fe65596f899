"""What the scrolling widgets share: a narrow scroll bar that a plain terminal can show too."""

from __future__ import annotations

from typing import ClassVar

from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollBarRender

from tui.app.looks import Looks


class PlainBars(ScrollBarRender):
    """A scroll bar of whole cells: no part blocks at the thumb's ends."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "] * len(ScrollBarRender.VERTICAL_BARS)
    HORIZONTAL_BARS: ClassVar[list[str]] = [" "] * len(ScrollBarRender.HORIZONTAL_BARS)


class Scrolling(ScrollView, can_focus=True):
    """A list of lines that scrolls up and down."""

    DEFAULT_CSS = "Scrolling { overflow-x: hidden; overflow-y: auto; scrollbar-size-vertical: 1; }"
    ALLOW_MAXIMIZE: ClassVar[bool] = False

    def __init__(self, looks: Looks, *, id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self.looks = looks
        if looks.ascii:
            self.vertical_scrollbar.renderer = PlainBars  # type: ignore[misc]
