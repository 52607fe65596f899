"""Walks the events whose name contains a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.browse.instance_walk import Walk
from tui.browse.jumps import Jumps
from tui.browse.part import Ask, Part
from tui.browse.state import Browse
from tui.text import safe

if TYPE_CHECKING:
    from tui.browse.search import Matches


class NameSearch(Part):
    """Keeps the text that is searched for and the events that match it."""

    def __init__(self, browse: Browse, jumps: Jumps, walk: Walk, ask: Ask) -> None:
        super().__init__(browse)
        self._jumps = jumps
        self._walk = walk
        self._ask = ask
        self.needle = ""
        self.matches: Matches | None = None
        """None until a match is asked for: the text or the report has changed."""

    def ask(self) -> None:
        """Ask for the text to search for."""
        self._ask("/", "", self.find)

    def find(self, text: str) -> None:
        """Search for all events whose name contains ``text`` and go to the first from the cursor on."""
        self._walk.forget()
        self.forget()
        self.needle = text
        if text:
            self._go(1, from_here=True)

    def next(self, move: int) -> None:
        """Go to the next (1) or previous (-1) instance of the row that is walked, else to a match."""
        if not self._walk.step(move):
            self._go(move)

    def clear(self) -> None:
        """Remove the range, the search and the message."""
        if not (self.view.clear() or self.needle or self.browse.message):
            self.say("nothing to clear")
        else:
            self.forget()
            self.say("")

    def forget(self) -> None:
        """Search for nothing."""
        self.needle = ""
        self.matches = None

    def found(self) -> Matches | None:
        """Return the events that match; None without a search. Says so where there are none."""
        if not self.needle:
            return None
        if self.matches is None:
            from tui.browse.search import search

            self.matches = search(self.capture.report, self.needle)
        if not len(self.matches):
            so_far = " so far: still loading" if self.capture.loading else ""
            self.say(f"no name contains {safe(self.needle)!r}{so_far}")
        return self.matches

    def _go(self, move: int, from_here: bool = False) -> None:
        view, name = self.view, safe(self.needle)
        if not self.needle:
            self.say("nothing searched for yet: / searches")
            return
        matches = self.found()
        if matches is None or not len(matches):
            return
        here = matches.position(view.picked) if view.picked is not None else None
        if here is not None:
            position = (here + move) % len(matches)
        else:
            time = view.cursor - 1 if from_here else view.cursor
            position = matches.after(time) if move > 0 else matches.before(time)
        self._jumps.go_slice(matches.id(position))
        self.say(f"match {position + 1} of {len(matches)} for {name!r}")
