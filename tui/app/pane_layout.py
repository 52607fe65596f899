"""The side pane: which tab it shows, and whether it lies beside the timeline or over it."""

from __future__ import annotations

from collections.abc import Callable

from textual.screen import Screen

from tui.app.widgets.bar import Edge, Tabs
from tui.app.widgets.flame import FlameView
from tui.app.widgets.page_view import PageView
from tui.app.widgets.timeline import Timeline
from tui.browse.instance_walk import Walk
from tui.browse.pages import Tab, numbered, tab_named
from tui.browse.screen_shape import PANE_STEP, Shape
from tui.browse.state import Browse


class Shaped(Screen[None]):
    """A screen that says how it is divided."""

    def shape(self, width: int, height: int, *, overlay: bool = False, maximised: bool = False) -> Shape:
        """Return the cells of each of its parts."""
        raise NotImplementedError


class PaneLayout:
    """Places the timeline and the pane of ``screen``; choosing a tab ends the ``walk``."""

    def __init__(
        self, screen: Shaped, browse: Browse, walk: Walk, remember: Callable[[int], None] = lambda cells: None
    ) -> None:
        """``remember`` gets the width that the user chooses for the pane."""
        self._screen = screen
        self._browse = browse
        self._walk = walk
        self._remember = remember
        self.wanted: int | None = None
        """Cells of the pane beside the timeline that the user wants; None: as many as suit the screen."""
        self.maximised = False
        self.overlay = False
        """Whether the pane lies over the timeline of a narrow screen."""
        self.flaming = False
        """Whether the flame is in the place of the lanes."""

    @property
    def timeline(self) -> Timeline:
        return self._screen.query_one(Timeline)

    @property
    def flame(self) -> FlameView:
        return self._screen.query_one(FlameView)

    @property
    def lanes(self) -> Timeline | FlameView:
        """What is in the place of the lanes: these, or the flame."""
        return self.flame if self.flaming else self.timeline

    @property
    def page(self) -> PageView:
        return self._screen.query_one(PageView)

    @property
    def shown(self) -> bool:
        """Whether the pane is on the screen."""
        return self._screen.query_one("#pane").display

    def lay_out(self) -> None:
        """Place timeline and pane for the screen's width."""
        pane, timeline = self._screen.query_one("#pane"), self.timeline
        shape = self._screen.shape(*self._screen.size, overlay=self.overlay, maximised=self.maximised)
        shown = pane.display = shape.pane > 0
        timeline.display = shape.timeline > 0 and not self.flaming
        self.flame.display = shape.timeline > 0 and self.flaming
        self._screen.query_one(Edge).display = shape.edge > 0
        pane.styles.width = shape.pane
        if not shown and self.page.has_focus:
            self.lanes.focus()

    def focus(self) -> None:
        """Focus the timeline, or the page where the timeline is hidden."""
        (self.lanes if self.lanes.display else self.page).focus()

    def cross(self) -> None:
        """Go to the pane, or from it back to the timeline."""
        if self.page.has_focus:
            self.leave()
        else:
            self.overlay = True
            self.lay_out()
            self.page.focus()

    def leave(self) -> None:
        """Go back to the timeline and close an overlay."""
        self.overlay = self.maximised = False
        self.lay_out()
        self.lanes.focus()

    def burn(self, flaming: bool) -> None:
        """Show the flame, or the lanes again."""
        self.flaming = flaming
        self.leave()

    def uncover(self) -> None:
        """Go back to the timeline if the pane, or the flame, hides it; the keys stay where they can."""
        if self.flaming:
            self.flaming = False
            self.lay_out()
        if not self.timeline.display:
            self.leave()

    def widen(self, steps: int) -> None:
        """Make the pane beside the timeline wider (1) or narrower (-1)."""
        width, height = self._screen.size
        now = self._screen.shape(width, height)
        if not now.edge:
            self._browse.message = "there is no pane beside the timeline to make wider"
            return
        self.wanted = now.pane + steps * PANE_STEP
        self.wanted = self._screen.shape(width, height).pane
        if self.wanted == now.pane:
            self._browse.message = "the pane is as " + ("wide" if steps > 0 else "narrow") + " as it can be"
            return
        self.lay_out()
        self._remember(self.wanted)

    def maximise(self) -> None:
        """Give the pane the whole screen, or take it back."""
        self.maximised = not self.maximised
        self.overlay = self.overlay or self.maximised
        self.lay_out()
        (self.page if self.maximised else self.lanes).focus()

    def show_numbered(self, digit: int) -> None:
        """Show the tab of a digit, with the keys in its rows."""
        capture = self._browse.capture
        tabs = numbered(capture.report if capture is not None else None, self._browse.tabs)
        if (tab := tabs.get(str(digit))) is not None:
            self.choose(tab)
            self.page.focus()

    def show(self, name: str) -> None:
        """Show the tab called ``name``."""
        if (tab := tab_named(name, self._browse.tabs)) is not None:
            self.choose(tab)

    def walk_rows(self, name: str) -> None:
        """Show the tab called ``name`` with the keys in its rows."""
        self.show(name)
        self.page.focus()

    def choose(self, tab: Tab) -> None:
        """Show ``tab``."""
        browse = self._browse
        if tab is not browse.tab:
            self.page.start_over()
        browse.tab = tab
        browse.settle_subject()
        self._walk.forget()
        self.overlay = True
        self.lay_out()
        self._screen.query_one(Tabs).choose(tab, browse.offered_tabs)
        if not self.lanes.display:
            self.page.focus()
