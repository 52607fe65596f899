"""One line of input at the bottom: a search, a filter, a file's name, yes or no."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.suggester import Suggester
from textual.widget import Widget
from textual.widgets import Input, Static

from tui.text import width
from tui.text.cells import squeeze

ROOM = 10
"""The least number of cells for what is typed."""


class Completer(Suggester):
    """Shows what would complete the text, behind it."""

    def __init__(self, complete: Callable[[str], str | None]) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._whole = complete

    async def get_suggestion(self, value: str) -> str | None:
        return self._whole(value)


class Prompt(Horizontal):
    """A label and an input; hands the answer over, or None where it is left with escape."""

    DEFAULT_CSS = """
    Prompt { height: 1; display: none; }
    Prompt.-asking { display: block; }
    Prompt > Static { width: auto; height: 1; }
    Prompt > Input { width: 1fr; height: 1; border: none; padding: 0; background: transparent; }
    Prompt > Input:focus { border: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "leave", "Leave"),
        Binding("tab", "complete", "Complete", priority=True),
    ]

    def __init__(self, ellipsis: str) -> None:
        super().__init__()
        self._ellipsis = ellipsis
        self._then: Callable[[str | None], None] = lambda answer: None
        self._typing: Callable[[str], None] | None = None
        self._complete: Callable[[str], str | None] | None = None

    def compose(self) -> ComposeResult:
        yield Static("", markup=False)
        yield Input(compact=True, select_on_focus=False)

    def ask(
        self,
        label: str,
        text: str,
        then: Callable[[str | None], None],
        typing: Callable[[str], None] | None = None,
        complete: Callable[[str], str | None] | None = None,
    ) -> None:
        """Open with ``text`` to edit; ``typing`` gets the text after each change, ``then`` the answer.

        ``complete`` returns the whole of what is typed, which is shown behind it: tab takes it.
        """
        self._then, self._typing, self._complete = then, typing, complete
        static = self.query_one(Static)
        label = squeeze(label, max(ROOM, self.app.size.width - ROOM), self._ellipsis)
        static.update(label + " ")
        static.styles.width = width(label) + 1
        box = self.query_one(Input)
        box.suggester = None if complete is None else Completer(complete)
        box.value = text
        box.cursor_position = len(text)
        self._set_asking(True)
        box.focus()
        self.call_after_refresh(self._show_end)

    def _show_end(self) -> None:
        """Scroll to the end of the text: the input did so before it had its width, and went too far."""
        box = self.query_one(Input)
        if box.cursor_position == len(box.value):
            box.scroll_to(x=max(0, width(box.value) + 1 - box.size.width), animate=False, force=True)

    @property
    def asking(self) -> bool:
        return self.has_class("-asking")

    def _close(self, answer: str | None) -> None:
        self._set_asking(False)
        self._then(answer)

    def _set_asking(self, asking: bool) -> None:
        """Show or hide; the parent gets the class too, so that its bars make room."""
        self.set_class(asking, "-asking")
        if isinstance(self.parent, Widget):
            self.parent.set_class(asking, "-asking")

    def on_descendant_blur(self) -> None:
        """Stay with the input: a click elsewhere must not leave the keys to nobody."""
        if self.asking:
            self.query_one(Input).focus()

    def action_complete(self) -> None:
        """Take what completes the text."""
        box = self.query_one(Input)
        whole = self._complete(box.value) if self._complete is not None else None
        if whole:
            box.value = whole
            box.cursor_position = len(whole)

    def action_leave(self) -> None:
        self._close(None)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if self.asking:
            self._close(event.value)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if self.asking and self._typing is not None:
            self._typing(event.value)
