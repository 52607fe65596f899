"""What all groups of the explorer's actions have in common."""

from __future__ import annotations

from collections.abc import Callable

from tui.browse.capture import Capture
from tui.browse.state import Browse
from tui.browse.view import View

Ask = Callable[[str, str, Callable[[str], None]], None]
"""Asks the user for a line of text: (label, text to begin with, what to do with the answer)."""


class Part:
    """A group of actions on the open report: they run only while there is one."""

    def __init__(self, browse: Browse) -> None:
        self.browse = browse

    @property
    def view(self) -> View:
        """The view of the open report."""
        assert self.browse.view is not None
        return self.browse.view

    @property
    def capture(self) -> Capture:
        """The open report."""
        return self.browse.opened[0]

    def say(self, text: str) -> None:
        """Show a message in the status line until the next key."""
        self.browse.message = text
