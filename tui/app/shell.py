"""What the screens need of the explorer around them, besides the methods that keys call."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from tui.browse.background import Background
from tui.browse.loader import Load


class Shell(Protocol):
    """What the main screen needs."""

    background: Background

    @property
    def behind(self) -> int: ...
    def screen_ready(self) -> None: ...
    def copy_to_clipboard(self, text: str) -> None: ...
    def open_with_step(self, name: str | None) -> None: ...
    def note_failure(self, error: Exception) -> None: ...


class RankShell(Shell, Protocol):
    """What the ranks view needs."""

    def load_of(self, path: Path) -> Load: ...
    def open_report(self, at: int) -> None: ...
