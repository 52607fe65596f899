"""Open the screens over the main one: details, help, legend, notices, palette."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from textual.screen import Screen

from tui.app.keys import SCREEN, Action, Keymap
from tui.app.looks import Looks
from tui.app.screens.command_palette import PaletteScreen
from tui.app.screens.text import TextScreen, help_lines, pair_lines
from tui.browse.details import as_text
from tui.browse.inspection import inspect
from tui.browse.notices import notes_of, notice_lines
from tui.browse.page import Pairs
from tui.browse.pages import numbered
from tui.browse.state import Browse
from tui.browse.step_pair import Compared
from tui.timeline.legend import legend_lines
from tui.timeline.state_lane import state_lines


class Dialogs:
    """Opens screens over ``screen``, the main one; ``run`` runs the action chosen in the palette."""

    def __init__(
        self,
        screen: Screen[None],
        browse: Browse,
        looks: Looks,
        keymap: Keymap,
        run: Callable[[Action | None], Awaitable[None]],
        context: str = SCREEN,
    ) -> None:
        self._screen = screen
        self._browse = browse
        self._looks = looks
        self._keymap = keymap
        self._run = run
        self._context = context

    def details(self) -> None:
        """Show everything about the thing under the cursor."""
        found = inspect(self._browse)
        if found is not None:
            self.pairs(*found)

    def pairs(self, title: str, pairs: Pairs) -> None:
        """Show (label, value) pairs."""
        self._push(TextScreen(self._looks, title, partial(pair_lines, pairs), as_text(pairs)))

    def compared(self, found: Compared) -> None:
        """Show two steps side by side."""
        self._push(TextScreen(self._looks, found.title, found.lines, found.text))

    def help(self) -> None:
        """Show every key."""
        keymap, ascii_only, context = self._keymap, self._looks.ascii, self._context
        self._push(
            TextScreen(self._looks, "Keys", lambda room: help_lines(keymap, room, ascii_only, context))
        )

    def legend(self) -> None:
        """Show what colours and glyphs mean."""
        lines = legend_lines(self._looks.glyphs, self._looks.theme.fill)
        if self._context != SCREEN:
            lines = [*state_lines(self._looks.glyphs), [], *lines]
        self._push(TextScreen(self._looks, "Colours and glyphs", lambda _: lines))

    def notices(self) -> None:
        """Show notes and doubtful rows of the report."""
        capture = self._browse.capture
        if capture is not None:
            lines = partial(notice_lines, capture.report, notes_of(capture))
            self._push(TextScreen(self._looks, "About this report", lines))

    def palette(self) -> None:
        """Offer every action by name."""
        capture, tabs = self._browse.capture, self._browse.tabs
        digits = numbered(capture.report if capture is not None else None, tabs)
        palette = PaletteScreen(self._looks, self._keymap, tabs, digits, self._context)
        self._screen.app.push_screen(palette, self._run)

    def _push(self, screen: TextScreen) -> None:
        self._screen.app.push_screen(screen)
