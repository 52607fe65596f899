"""Walks the events whose name contains a text."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tui.browse.details import name_of
from tui.browse.instance_walk import Walk
from tui.browse.jumps import Jumps
from tui.browse.part import Ask, Part
from tui.browse.state import Browse
from tui.errors import UsageError
from tui.text import safe
from tui.text.cells import squeeze
from tui.timeline.found import Found

if TYPE_CHECKING:
    from tui.browse.search import Matches, Wanted
    from tui.report.columns import Positions
    from tui.timeline.slices import SliceId

NAME_CELLS = 60
"""What a match's name may take of the status line."""


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
        """Remove the range and the search, and say so; where there is none of them, the filter of lanes."""
        view = self.view
        had = (("selection", view.clear()), ("search", bool(self.needle)))
        cleared = " and ".join(f"the {what}" for what, there in had if there)
        self.forget()
        if cleared:
            self.say(f"cleared {cleared}")
        elif view.arrangement.needle:
            view.arrange(replace(view.arrangement, needle=""))
            self.say("all lanes")
        else:
            self.say("nothing to clear")

    def forget(self) -> None:
        """Search for nothing."""
        self.needle = ""
        self.renew()

    def renew(self) -> None:
        """Search again when a match is asked for: the report has grown."""
        self.matches = self.browse.found = None

    def found(self) -> Matches | None:
        """Return the events that match; None without a search. Says so where there are none."""
        if not self.needle:
            return None
        if self.matches is None:
            from tui.browse.search import KIND_WORDS, search_for, wanted_of

            try:
                wanted = wanted_of(self.needle)
            except UsageError as error:
                self.say(safe(str(error)))
                return None
            if not (wanted.text or wanted.all_names):
                self.say(f"search for what? {KIND_WORDS}")
                return None
            lanes = self._lanes(wanted) if wanted.lane else None
            if lanes is not None and not lanes:
                self.say(f"no lane is called {safe(wanted.lane)!r}")
                return None
            self.matches = search_for(self.capture.report, wanted, lanes)
            self.browse.found = Found(self.matches.start, self.matches.hits()) if len(self.matches) else None
        if not len(self.matches):
            so_far = " so far: still loading" if self.capture.loading else ""
            self.say(f"no name contains {safe(self.needle)!r}{so_far}")
        return self.matches

    def _lanes(self, wanted: Wanted) -> list[tuple[str, Positions]]:
        """Return (table, rows) of the lanes that are wanted, with all below them."""
        from tui.browse.listing import LaneEvents

        capture = self.capture
        chosen = capture.shown.select([wanted.lane])
        found = []
        for lane in chosen.walk():
            whole = [wanted.lane.casefold() in part.casefold() for part in (lane.key, lane.title)]
            if any(whole):
                found += [inner for inner in lane.walk() if inner not in found]
        listed = [LaneEvents(lane).find(capture.report, capture.scope) for lane in found if lane.ready]
        return [(events.tables[0], events.index) for events in listed if len(events)]

    def _go(self, move: int, from_here: bool = False) -> None:
        view = self.view
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
        match = matches.id(position)
        self._jumps.go_slice(match)
        ellipsis = self.browse.drawing.glyphs.ellipsis
        name = squeeze(self._name(match), NAME_CELLS, ellipsis)
        self.say(f"match {position + 1:,} of {len(matches):,}: {name}{self._where()}")

    def _name(self, match: SliceId) -> str:
        """A match's name as its lane shows it, safe for a screen."""
        catalogue = self.view.tree.catalogue
        return safe(name_of(self.capture.report, match)) if catalogue is None else catalogue.labels(match)[1]

    def _where(self) -> str:
        """Say whose lane the cursor is on: ``, GPU 0 s7``; ``, python 4242``."""
        line = self.view.at
        if line is None:
            return ""
        root = self.view.root_of(line.lane)
        inner = f" {line.lane.title}" if root is not line.lane and line.lane.device >= 0 else ""
        return f", {root.title}{inner}"
