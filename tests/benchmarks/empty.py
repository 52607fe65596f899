"""The yardstick of the first frame: a Textual app of the explorer's layout that shows nothing."""

from __future__ import annotations

from rich.segment import Segment
from textual.app import App, ComposeResult
from textual.containers import Horizontal, Vertical
from textual.strip import Strip
from textual.widget import Widget


class Blank(Widget, can_focus=True):
    """Lines of spaces, drawn as the explorer's widgets draw theirs; the first one has a word."""

    def render_line(self, y: int) -> Strip:
        text = ("EMPTY" if y == 0 else "").ljust(self.size.width)
        return Strip([Segment(text)], self.size.width)


class Empty(App[None]):
    """Header, timeline, tabs and page, status line, prompt."""

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    Screen { layout: vertical; }
    .line { height: 1; }
    #body { height: 1fr; }
    #pane { width: 61; border-left: tall white; }
    #bottom { height: 1; }
    """

    def compose(self) -> ComposeResult:
        yield Blank(classes="line")
        with Horizontal(id="body"):
            yield Blank()
            with Vertical(id="pane"):
                yield Blank(classes="line")
                yield Blank()
        with Vertical(id="bottom"):
            yield Blank(classes="line")
            yield Blank(classes="line")


if __name__ == "__main__":
    Empty().run()
