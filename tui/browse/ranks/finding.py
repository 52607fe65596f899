"""Finds ranks by number, host or report, and instants of the common axis."""

from __future__ import annotations

import re
from typing import NamedTuple

from tui.browse.instance_walk import Walk
from tui.browse.name_search import NameSearch
from tui.browse.part import Ask, Part
from tui.browse.ranks.browse import RanksBrowse
from tui.browse.ranks.lanes import absent_key, run_title
from tui.browse.ranks.moves import RankJumps
from tui.browse.ranks.scene import Scene
from tui.errors import UsageError
from tui.text import safe
from tui.text.times import instant, parse_time

_NUMBER = re.compile(r"(?:rank|r)?\s*(\d+)", re.IGNORECASE)


class Found(NamedTuple):
    """A rank that was asked for."""

    at: int
    """Position in the scene's ranks; -1: it is missing, or its report can't be read."""
    key: str
    """The lane of one that is absent."""
    words: str


def find_ranks(scene: Scene, text: str) -> list[Found]:
    """The ranks of that number; without one, all whose name, host, report or process contains ``text``.

    In the order of the set; those of which there is no report are last.
    """
    every: list[tuple[int | None, tuple[str, ...], Found]] = []
    for at, facts in enumerate(scene.ranks):
        host = f" on {facts.rank.host}" if facts.rank.host else ""
        host += f", {run_title(scene, facts.run)}" if len(scene.runs) > 1 else ""
        words = (facts.title, facts.rank.host or "", facts.path.name, facts.rank.summary.process_name or "")
        every.append((facts.rank.number, words, Found(at, "", safe(facts.title + host))))
    for absent in scene.absent:
        found = Found(-1, absent_key(absent), safe(f"{absent.title}: {absent.reason}"))
        every.append((absent.number, (absent.title, absent.host or ""), found))
    number = _NUMBER.fullmatch(text.strip())
    if number is not None and (exact := [found for n, _, found in every if n == int(number[1])]):
        return exact
    needle = text.strip().casefold()
    return [found for _, words, found in every if any(needle in word.casefold() for word in words)]


class RankSearch(NameSearch):
    """Keeps the text that is searched for and goes through the ranks that match it."""

    def __init__(self, browse: RanksBrowse, jumps: RankJumps, walk: Walk, ask: Ask) -> None:
        super().__init__(browse, jumps, walk, ask)
        self._ranks = browse
        self._prompt = ask
        self._last: Found | None = None

    def ask(self) -> None:
        """Ask for a rank, a host or a report."""
        self._prompt("rank, host or report:", "", self.find)

    def forget(self) -> None:
        super().forget()
        self._last = None

    def _go(self, move: int, from_here: bool = False) -> None:
        ranks, name = self._ranks, safe(self.needle)
        scene = ranks.scene
        if scene is None or not self.needle.strip():
            self.say(f"no rank searched for yet: {ranks.hint('rank-search')} searches")
            return
        matches = find_ranks(scene, self.needle)
        if not matches:
            self.say(f"no rank, host or report contains {name!r}")
            return
        place = next((i for i, found in enumerate(matches) if found == self._last), None)
        place = (0 if move > 0 else -1) if place is None else place + move
        found = self._last = matches[place % len(matches)]
        if found.at >= 0:
            ranks.go_rank(found.at)
        else:
            self.view.reveal_lane(found.key)
        self.say(f"{place % len(matches) + 1} of {len(matches)} for {name!r}: {found.words}")


class Instants(Part):
    """Goes to a time of the common axis."""

    def __init__(self, browse: RanksBrowse, ask: Ask) -> None:
        super().__init__(browse)
        self._ask = ask

    def ask(self) -> None:
        """Ask for a time."""
        self._ask("go to the time (such as 1.5s or 200ms):", "", self.go)

    def go(self, text: str) -> None:
        """Go to a time of the axis, as the ruler counts it."""
        if not text.strip():
            return
        first, last = self.view.span
        zero = self.browse.clock.zero
        try:
            time = zero + parse_time(text)
        except UsageError as error:
            self.say(safe(str(error)))
            return
        if first <= time <= last:
            self.view.go(time)
            self.say("")
        else:
            self.say(f"nothing was recorded then: only {instant(first - zero)} .. {instant(last - zero)}")
