"""One line of input at the bottom: search, filter, a file's name, yes or no."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Static

from tui.text import width
from tui.text.cells import squeeze

ROOM = 10
"""Cells that are always left for what is typed."""


class Prompt(Horizontal):
    """A label and an input; tells the screen what was typed, or None when left with escape."""

    DEFAULT_CSS = """
    Prompt { height: 1; display: none; }
    Prompt.-asking { display: block; }
    Prompt > Static { width: auto; height: 1; }
    Prompt > Input { width: 1fr; height: 1; border: none; padding: 0; background: transparent; }
    Prompt > Input:focus { border: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,ctrl+c", "leave", "Leave")]

    @dataclass
    class Changed(Message):
        """The text so far (while typing)."""

        purpose: str
        text: str

    @dataclass
    class Done(Message):
        """What was typed; None: left."""

        purpose: str
        text: str | None

    purpose = ""

    def __init__(self, ellipsis: str) -> None:
        super().__init__()
        self._ellipsis = ellipsis

    def compose(self) -> ComposeResult:
        yield Static("", markup=False)
        yield Input(compact=True, select_on_focus=False)

    def ask(self, purpose: str, label: str, text: str = "") -> None:
        """Open with ``label`` and ``text`` to edit."""
        self.purpose = purpose
        static = self.query_one(Static)
        label = squeeze(label, max(ROOM, self.app.size.width - ROOM), self._ellipsis)
        static.update(label + " ")
        static.styles.width = width(label) + 1
        box = self.query_one(Input)
        box.value = text
        box.cursor_position = len(text)
        self._set_asking(True)
        box.focus()
        self.call_after_refresh(self._show_end)

    def _show_end(self) -> None:
        """Scroll to the end of the text: the input did before it had its width, and so past everything."""
        box = self.query_one(Input)
        if box.cursor_position == len(box.value):
            box.scroll_to(x=max(0, width(box.value) + 1 - box.size.width), animate=False, force=True)

    @property
    def asking(self) -> bool:
        return self.has_class("-asking")

    def _close(self) -> str:
        purpose, self.purpose = self.purpose, ""
        self._set_asking(False)
        return purpose

    def _set_asking(self, asking: bool) -> None:
        """Show or hide; the parent's class lets what shares the place give way."""
        self.set_class(asking, "-asking")
        if isinstance(self.parent, Widget):
            self.parent.set_class(asking, "-asking")

    def action_leave(self) -> None:
        self.post_message(self.Done(self._close(), None))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if self.purpose:
            self.post_message(self.Done(self._close(), event.value))

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if self.purpose:
            self.post_message(self.Changed(self.purpose, event.value))
