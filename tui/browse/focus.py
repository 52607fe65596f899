"""What the cursor is on, for pages that say more of it than of the rest of the window."""

from __future__ import annotations

from dataclasses import dataclass

from tui.browse.target import Target
from tui.browse.view import View


@dataclass(frozen=True)
class Focus:
    """A gap, a step, a thread; of none of them, the window alone."""

    device: int = -1
    gap: int = -1
    """The number of a gap in the list of ``device``; -1: the cursor is on none."""
    step: tuple[int, int] | None = None
    """Start and end (ns) of the step that the last move went to."""
    thread: int = -1
    """The thread, a position in ``Report.threads``, whose lane the cursor is on."""


def focus_of(view: View | None, target: Target | None) -> Focus:
    """Return what the cursor of ``view`` is on; ``target``: the thing under it."""
    if view is None or view.at is None:
        return Focus()
    if target is not None and target.gap >= 0:
        return Focus(target.device, target.gap)
    return Focus(step=view.aim, thread=view.at.lane.thread)
