"""Marks: ``m`` and a letter marks a place, ``'`` and the letter goes back to it."""

from __future__ import annotations

from tui.browse.part import Part
from tui.browse.state import Browse


class Marks(Part):
    """Remembers which action waits for a letter."""

    def __init__(self, browse: Browse) -> None:
        super().__init__(browse)
        self._setting = False
        self.waiting = False
        """Whether the next letter is a mark's."""

    def set(self) -> None:
        """Mark this place by the next letter."""
        self._setting = self.waiting = True
        self.say("mark this place as: a letter")

    def go(self) -> None:
        """Go to the mark of the next letter."""
        known = " ".join(sorted(self.view.marks))
        self.say(f"go to mark: {known}" if known else "no marks yet: m sets one")
        self._setting, self.waiting = False, bool(known)

    def letter(self, letter: str | None) -> None:
        """Use the letter that was waited for; None: something else was pressed."""
        self.waiting = False
        self.say("")
        if letter is None or self.browse.view is None:
            return
        if self._setting:
            self.view.set_mark(letter)
            self.say(f"marked {letter}: ' {letter} comes back")
        elif not self.view.go_mark(letter):
            self.say(f"no mark {letter}")
