"""Places to come back to: the views before this one, and marks."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from tui.timeline.viewport import Viewport


@dataclass
class History:
    """The last views before the current one, and those that going back has left."""

    back: deque[Viewport] = field(default_factory=lambda: deque(maxlen=200))
    forward: list[Viewport] = field(default_factory=list)
    _gliding: bool = False

    def leave(self, view: Viewport, glide: bool = False) -> None:
        """Remember ``view``, which is about to change. A run of small moves (``glide``) counts as one."""
        if not (glide and self._gliding) and (not self.back or self.back[-1] != view):
            self.back.append(view)
            self.forward.clear()
        self._gliding = glide

    def step_back(self, current: Viewport) -> Viewport | None:
        """Return the view before ``current``; None at the beginning."""
        self._gliding = False
        while self.back:
            view = self.back.pop()
            if view != current:
                self.forward.append(current)
                return view
        return None

    def step_forward(self, current: Viewport) -> Viewport | None:
        """Return the view that :meth:`step_back` left; None at the end."""
        self._gliding = False
        if not self.forward:
            return None
        self.back.append(current)
        return self.forward.pop()


@dataclass(frozen=True)
class Mark:
    """A time (ns), a row of a lane, and the view in which they were marked."""

    time: int
    lane: str
    sub: int
    viewport: Viewport
