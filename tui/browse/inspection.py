"""Everything about the thing under the cursor."""

from __future__ import annotations

from tui.browse.page import Pairs
from tui.browse.state import Browse
from tui.browse.target import full_details

LOOKUPS_S = 0.3
"""How long a key waits for the worker that has the report's lookups."""


def inspect(browse: Browse) -> tuple[str, Pairs] | None:
    """(title, all that is recorded) of the thing under the cursor; None, and a message, where it can't be."""
    capture, target = browse.capture, browse.target
    if capture is None:
        return None
    if target is None:
        browse.message = "nothing under the cursor"
        return None
    with capture.try_lookups(LOOKUPS_S) as index:
        if index is None:
            browse.message = "figures are still being worked out: once more in a moment"
            return None
        return full_details(capture, target, browse.books, browse.clock)
