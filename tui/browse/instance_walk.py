"""Walks the instances of a row of the side pane."""

from __future__ import annotations

from dataclasses import dataclass

from tui.browse.jumps import Jumps
from tui.browse.page import Instances, Section
from tui.browse.part import Part
from tui.browse.state import Browse


@dataclass(frozen=True)
class Place:
    """The instance of a row that was shown last."""

    section: Section
    row: int
    instances: Instances
    position: int


class Walk(Part):
    """Remembers which row is walked, and which of its instances was shown last."""

    def __init__(self, browse: Browse, jumps: Jumps) -> None:
        super().__init__(browse)
        self._jumps = jumps
        self._place: Place | None = None

    def forget(self) -> None:
        """Stop walking a row."""
        self._place = None

    def step(self, move: int) -> bool:
        """Show the next (1) or previous (-1) instance of the row that is walked; False where none is."""
        place = self._place
        return place is not None and self.follow(place.section, place.row, move)

    def follow(self, section: Section, row: int, move: int) -> bool:
        """Show the longest (``move`` 0), next (1) or previous (-1) instance of a row; False for none."""
        place = self._place
        if place is not None and (place.section, place.row) != (section, row):
            place = None
        if place is not None and (move or section.walks):
            found, position = place.instances, (place.position + (move or 1)) % len(place.instances)
        else:
            instances = section.find(row) if section.find is not None else None
            if instances is None or not len(instances):
                self.say("this row has no place on the timeline")
                return False
            found, position = instances, self._first(instances, section, move)
        self._place = Place(section, row, found, position)
        self._jumps.go_instance(found, position)
        self.say(self._message(found, position))
        return True

    def _first(self, found: Instances, section: Section, move: int) -> int:
        """Return the instance with which a walk begins: the longest, or the next one from the cursor."""
        if section.walks:
            return 0
        if not move:
            return found.longest
        after = int(found.start.searchsorted(self.view.cursor, "right" if move > 0 else "left"))
        return (after if move > 0 else after - 1) % len(found)

    def _message(self, found: Instances, position: int) -> str:
        if found.words:
            return f"{position + 1} of {len(found)}: {found.words[position]}"
        what = "longest" if position == found.longest else "instance"
        n, previous = self.browse.hint("row-next"), self.browse.hint("row-previous")
        return f"{what}: {position + 1} of {len(found):,} · {n} {previous} walk them"
