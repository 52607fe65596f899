"""What the main screen needs of the explorer around it."""

from __future__ import annotations

from typing import Protocol

from tui.browse.background import Background


class Shell(Protocol):
    """The reports, the terminal and the way out."""

    background: Background

    @property
    def behind(self) -> int:
        """Frames that the terminal has not shown yet."""

    def screen_ready(self) -> None:
        """The main screen is there."""

    def copy_to_clipboard(self, text: str) -> None:
        """Ask the terminal to take ``text``."""

    def note_failure(self, error: Exception) -> None:
        """Name ``error`` when leaving."""

    def next_report(self) -> None:
        """Open the next of the reports."""

    def reload(self) -> None:
        """Open the report again."""

    def redraw(self) -> None:
        """Write the whole screen again."""

    def suspend_explorer(self) -> None:
        """Give the terminal back until the shell continues the explorer."""

    def leave(self) -> None:
        """Quit."""
