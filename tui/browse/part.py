"""What the groups of the explorer's actions share: the state that they work on."""

from __future__ import annotations

from collections.abc import Callable

from tui.browse.capture import Capture
from tui.browse.state import Browse
from tui.browse.view import View

Ask = Callable[[str, str, Callable[[str], None]], None]
"""Asks for a line of text: (label, text to begin with, what to do with the answer)."""


class Part:
    """Works on an open report: whoever runs an action sees to it that one is."""

    def __init__(self, browse: Browse) -> None:
        self.browse = browse

    @property
    def view(self) -> View:
        """The view of the open report."""
        view = self.browse.view
        assert view is not None
        return view

    @property
    def capture(self) -> Capture:
        """The open report."""
        capture = self.browse.capture
        assert capture is not None
        return capture

    def say(self, text: str) -> None:
        """Show a message in the status line until the next key."""
        self.browse.message = text
