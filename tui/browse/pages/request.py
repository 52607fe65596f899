"""What a page is built from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tui.analysis.index import Busy, Index
from tui.analysis.scope import Scope, Window
from tui.browse.background import Dropped
from tui.browse.capture import Capture
from tui.browse.clock import Clock
from tui.browse.focus import Focus
from tui.browse.listing import Subject
from tui.text.times import brief


@dataclass(frozen=True)
class PageRequest:
    """One capture, one window, one meaning of busy."""

    capture: Capture
    index: Index
    """The capture's lookups, which no other thread uses until the page is built."""
    window: Window
    busy: Busy
    min_gap_ns: int
    clock: Clock
    limits: Mapping[str, Any] = field(default_factory=dict)
    """Thresholds of the diagnosis that the user changed."""
    dropped: Callable[[], bool] = lambda: False
    focus: Focus = field(default_factory=Focus)
    """What the cursor is on, for a tab that follows it."""
    subject: Subject | None = None
    """What the list of events is of."""

    @property
    def scope(self) -> Scope:
        return self.capture.scope_of(self.window)

    @property
    def counted(self) -> Scope:
        """The scope for tables that take the default window for everything recorded, as those of nsys do.

        What the pane counts is what overlaps the window that the header names, whichever that is.
        """
        return self.capture.scope_of(replace(self.window, chosen=True))

    @property
    def label(self) -> str:
        """The window in words, with its length."""
        partial = " · partial" if self.capture.loading else ""
        return f"{self.window.label} {brief(self.window.length)}{partial}"

    def stop_if_dropped(self) -> None:
        """Raise :class:`Dropped` where the answer is no longer wanted."""
        if self.dropped():
            raise Dropped
