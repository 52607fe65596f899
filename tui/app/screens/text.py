"""A screen of text over the main one: details, help, legend, notices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.app.looks import Looks
from tui.app.widgets.lines import Lines
from tui.timeline.runs import Line

Builder = Callable[[int], Sequence[Line]]
"""Width -> the lines to show."""


class TextScreen(ModalScreen[None]):
    """``title`` and lines made for the width at hand. ``yankable``: what ``y`` copies."""

    DEFAULT_CSS = """
    TextScreen { align: center middle; background: transparent; }
    TextScreen > Vertical {
        width: 90%; max-width: 120; height: auto; max-height: 90%;
        border: round $border; background: $background; border-title-color: $foreground;
    }
    TextScreen Lines { height: auto; max-height: 100%; background: $background; }
    TextScreen .hint { height: 1; dock: bottom; color: $text-muted; background: $background; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,space,question_mark", "close", "Close"),
        Binding("y", "yank", "Copy"),
        Binding("down,j", "scroll_by(1)", "Down"),
        Binding("up,k", "scroll_by(-1)", "Up"),
        Binding("pagedown", "scroll_by(15)", "Page down"),
        Binding("pageup", "scroll_by(-15)", "Page up"),
        Binding("home", "scroll_by(-1000000)", "Top"),
        Binding("end", "scroll_by(1000000)", "Bottom"),
        Binding("ctrl+c", "app.quit", "Quit"),
    ]

    @dataclass
    class Yank(Message):
        """``text`` is wanted in the clipboard."""

        text: str

    def __init__(self, looks: Looks, title: str, build: Builder, yankable: str = "") -> None:
        super().__init__()
        self.looks = looks
        self.heading = title
        self.build = build
        self.yankable = yankable

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = ""
            yield Lines(self.looks)
            copy = " · y copy" if self.yankable else ""
            yield Static(f" {self.looks.arrows} scroll · esc close{copy}", markup=False, classes="hint")

    def on_resize(self, event: events.Resize) -> None:
        lines = self.query_one(Lines)
        self.call_after_refresh(lambda: lines.show(self.build(max(10, lines.size.width))))

    def on_mount(self) -> None:
        from rich.text import Text

        self.query_one(Vertical).border_title = Text(self.heading)
        lines = self.query_one(Lines)
        lines.show(self.build(min(114, max(10, self.app.size.width * 9 // 10 - 4))))

    def action_close(self) -> None:
        self.dismiss()

    def action_scroll_by(self, rows: int) -> None:
        self.query_one(Lines).scroll_relative(y=rows, animate=False)

    def action_yank(self) -> None:
        if self.yankable:
            self.post_message(self.Yank(self.yankable))
