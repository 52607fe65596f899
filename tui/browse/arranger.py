"""Hide, pin, move and filter lanes, and remember how they are arranged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event

from tui.browse.background import Background
from tui.browse.kept_state import KeptState, LanesOf, change_state, name_of, read_state
from tui.browse.part import Ask, Part
from tui.browse.state import Browse
from tui.text import cut, safe
from tui.text.numbers import plural
from tui.timeline.arrangement import matching
from tui.timeline.lane import Lane

STATE = "state"
"""The kind of the jobs that write what is remembered; their answer is a word, empty where all went well."""
EVERY = "all"


class Arranger(Part):
    """Keeps the state file at ``path`` up to date, in the background."""

    def __init__(self, browse: Browse, ask: Ask, background: Background, path: Path) -> None:
        super().__init__(browse)
        self._ask = ask
        self._background = background
        self._path = path

    def restore(self) -> str:
        """Arrange the lanes of the report that has just been opened as they were the last time.

        Returns a word where that is not known any more.
        """
        state, word = read_state(self._path)
        lanes = state.reports.get(name_of(self.capture.report.path))
        if lanes is not None:
            self.view.heights.update(lanes.heights)
            self.view.arrange(lanes.arrangement)
            self.view.start_here()
        return word

    def hide(self) -> None:
        """Hide the lane under the cursor."""
        if (lane := self._lane()) is None:
            return
        if len({line.lane.key for line in self.view.lines}) == 1:
            self.say("this is the only lane")
            return
        self.view.arrange(self.view.arrangement.hide(lane.key))
        self._remember()
        self.say(f"{_name(lane)} hidden: {self.browse.hint('lanes-hidden')} brings lanes back")

    def bring_back(self) -> None:
        """Ask which of the hidden lanes to show again."""
        hidden = self._hidden()
        if not hidden:
            self.say(f"no lane is hidden: {self.browse.hint('lane-hide')} hides the one under the cursor")
            return
        names = cut(", ".join(_name(lane) for lane in hidden), 60, self.browse.drawing.glyphs.ellipsis)
        label = f"show which of {plural(len(hidden), 'hidden lane')} ({names}), {EVERY} or a part of a name:"
        self._ask(label, EVERY, self._bring_back)

    def _bring_back(self, text: str) -> None:
        wanted, hidden = text.strip().casefold(), self._hidden()
        chosen = [lane for lane in hidden if wanted == EVERY or (wanted and wanted in _name(lane).casefold())]
        if not chosen:
            self.say(f"no hidden lane is called like {safe(text.strip())!r}")
            return
        self.view.arrange(self.view.arrangement.show(frozenset(lane.key for lane in chosen)))
        self.view.reveal_lane(chosen[0].key)
        self._remember()
        self.say(f"{plural(len(chosen), 'lane')} shown again")

    def _hidden(self) -> list[Lane]:
        hidden = self.view.arrangement.hidden
        return [lane for lane in self.view.tree.walk() if lane.key in hidden]

    def pin(self) -> None:
        """Put the lane under the cursor before all others, or back to its place."""
        if (lane := self._lane()) is None:
            return
        self.view.arrange(self.view.arrangement.pin(lane.key))
        self._remember()
        pinned = lane.key in self.view.arrangement.pinned
        self.say(f"{_name(lane)} {'pinned: it stands first' if pinned else 'is back at its place'}")

    def move(self, by: int) -> None:
        """Move the lane under the cursor up (-1) or down (1) among those beside it."""
        view = self.view
        if (lane := self._lane()) is None:
            return
        moved = view.arrangement.move(view.tree, lane, by)
        if moved is None:
            self.say(f"{_name(lane)} is the {'last' if by > 0 else 'first'} here")
        else:
            view.arrange(moved)
            self._remember()

    def grow(self, by: int) -> None:
        """Give the row under the cursor more lines, or fewer."""
        at = self.view.at
        rows = self.view.grow_line(by)
        if rows is None:
            self.say("this row shows no more in more lines")
        elif at is not None and rows == at.rows:
            self.say("no row less" if by < 0 else f"no more than {plural(rows, 'row')}")
        else:
            self._remember()

    def filter(self) -> None:
        """Ask for the text that lanes have to contain."""
        self._ask("lanes with (nothing: all):", self.view.arrangement.needle, self._filter_by)

    def _filter_by(self, text: str) -> None:
        view, needle = self.view, text.strip()
        found = matching(view.tree, needle)
        if found is not None and not found:
            self.say(f"no lane is called like {safe(needle)!r}")
            return
        before = view.arrangement
        view.arrange(replace(before, needle=needle))
        if found is not None and all(
            found[line.lane.key] for line in view.lines
        ):  # headings alone, if anything
            view.arrange(before)
            back = self.browse.hint("lanes-hidden")
            self.say(f"lanes with {safe(needle)!r} are hidden: {back} brings lanes back")
            return
        key, clear = self.browse.hint("lanes-filter"), self.browse.hint("clear")
        self.say(
            f"lanes with {safe(needle)!r}: {key} and nothing, or {clear}, shows all again"
            if needle
            else "all lanes"
        )

    def remember_pane(self, cells: int) -> None:
        """Remember how wide the pane is."""
        self._write(lambda state: replace(state, pane=cells))

    def _lane(self) -> Lane | None:
        """Return the lane under the cursor; None, and a message, without one."""
        if self.view.at is None:
            self.say("no lane here")
            return None
        return self.view.at.lane

    def _remember(self) -> None:
        """Have the arrangement of this moment written."""
        report = name_of(self.capture.report.path)
        lanes = LanesOf(self.view.arrangement, dict(self.view.heights))
        self._write(lambda state: state.with_lanes(report, lanes))

    def _write(self, change: Callable[[KeptState], KeptState]) -> None:
        path = self._path

        def write(dropped: Event) -> str:
            return change_state(path, change)

        self._background.run(STATE, object(), write, queue=True)


def _name(lane: Lane) -> str:
    """Return what a lane is called apart from its place: its title, and what tells it from others."""
    return lane.title if lane.depth == 0 else lane.detail or lane.title
