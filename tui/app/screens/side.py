"""Actions of the side pane: which tab, where it stands, and where its rows lead."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from tui.app.analyst import Failed
from tui.app.screens.finds import Finds
from tui.app.screens.tells import Tells
from tui.app.widgets.bar import Edge
from tui.app.widgets.page import PageView
from tui.app.widgets.tabs import Tabs
from tui.browse.page import Instances, Page, Section
from tui.browse.pages import TABS, PageRequest
from tui.browse.shape import shape_of
from tui.text import safe

TAB_NAMES = tuple(tab.name for tab in TABS)


class Side(Finds, Tells):
    """The pane at the right, or over the timeline where the screen is narrow."""

    tab = 0
    maximised = False
    overlay = False
    """Narrow screens: whether the pane lies over the timeline."""
    _walk: tuple[Section, int, Instances, int] | None = None
    """The section, row and instances that n and N walk, and the position among them."""

    def lay_out(self) -> None:
        """Give timeline and pane their places for the screen's width."""
        pane = self.query_one("#pane")
        shape = shape_of(*self.size, overlay=self.overlay, maximised=self.maximised)
        shown = pane.display = shape.pane > 0
        self.timeline.display = shape.timeline > 0
        self.query_one(Edge).display = shape.edge > 0
        pane.styles.width = shape.pane
        if not shown and self.page_view.has_focus:
            self.timeline.focus()

    def action_pane(self) -> None:
        if self.page_view.has_focus:
            self.to_timeline()
            return
        self.overlay = True
        self.lay_out()
        self.page_view.focus()
        self.refresh_view()

    def to_timeline(self) -> None:
        """Back to the timeline; an overlay goes away."""
        self.overlay = False
        self.maximised = False
        self.lay_out()
        self.timeline.focus()
        self.refresh_view()

    def action_maximise(self) -> None:
        self.maximised = not self.maximised
        if self.maximised:
            self.overlay = True
        self.lay_out()
        (self.page_view if self.maximised else self.timeline).focus()
        self.refresh_view()

    def choose_tab(self, number: int) -> None:
        """Show tab ``number``."""
        if number != self.tab:
            self.page_view.start_over()
        self.tab = number
        self._walk = None
        self.overlay = True
        self.lay_out()
        self.query_one(Tabs).choose(number)
        if not self.timeline.display:
            self.page_view.focus()
        self.refresh_view()

    def action_pane_1(self) -> None:
        self.choose_tab(0)

    def action_pane_2(self) -> None:
        self.choose_tab(1)

    def action_pane_3(self) -> None:
        self.choose_tab(2)

    def action_pane_4(self) -> None:
        self.choose_tab(3)

    def action_pane_5(self) -> None:
        self.choose_tab(4)

    def action_pane_6(self) -> None:
        self.choose_tab(5)

    def action_pane_7(self) -> None:
        self.choose_tab(6)

    def action_pane_8(self) -> None:
        self.choose_tab(7)

    def action_pane_9(self) -> None:
        self.choose_tab(8)

    def on_tabs_chosen(self, event: Tabs.Chosen) -> None:
        self.choose_tab(event.number)

    # Figures -------------------------------------------------------------------------------

    def question(self) -> Hashable:
        """What tells one page from another."""
        window = self.window
        return (
            id(self.capture), self.capture and self.capture.loading, TAB_NAMES[self.tab], window.start,
            window.end, window.chosen, self.busy, self.min_gap_ns, self.clock,
        )  # fmt: skip

    def refresh_page(self) -> None:
        """Show the page of the current tab and window; have it worked out where it is not known."""
        capture = self.capture
        if capture is None or not self.query_one("#pane").display:
            return
        key = self.question()
        if key == self._page_key:
            return
        analyst = self.explorer.analyst
        page = analyst.known(key)
        if isinstance(page, Page):
            self._page_key = key
            self.page_view.show(page)
            return
        tab, window, busy, clock = TABS[self.tab], self.window, self.busy, self.clock

        def work(dropped: Callable[[], bool]) -> Page:
            with capture.lock:
                asked = PageRequest(
                    capture, window, busy, self.min_gap_ns, clock, self.config.diagnose, dropped
                )
                return tab.build(asked)

        self.page_view.show(self.page_view.page, "computing" + self.looks.glyphs.ellipsis)
        analyst.ask(key, work)

    _page_key: Hashable = None

    def deliver(self, key: Hashable, answer: object) -> None:
        """A page that was worked out; one for another question only stays in the cache."""
        if self.capture is None or key != self.question():
            return
        if isinstance(answer, Failed):
            self._page_key = key
            self.page_view.show(None, f"can't be worked out: {safe(str(answer.error))}")
            self.explorer.note_failure(answer.error)
        else:
            self.refresh_page()

    # Rows ----------------------------------------------------------------------------------

    def on_page_view_follow(self, event: PageView.Follow) -> None:
        walk = self._walk
        move = event.move
        again = walk is not None and walk[:2] == (event.section, event.row)
        if again and not move and event.section.walks:
            move = 1
        if move and again and walk is not None:
            found, position = walk[2], (walk[3] + move) % len(walk[2])
        else:
            instances = event.section.find(event.row) if event.section.find is not None else None
            if instances is None or not len(instances):
                self.say("this row has no place on the timeline")
                self.refresh_view()
                return
            found = instances
            if event.section.walks:
                position = 0
            else:
                position = found.longest if move == 0 else self._nearest(found, move)
        self._walk = (event.section, event.row, found, position)
        if not self.timeline.display and event.move == 0:
            self.to_timeline()
        self.follow(found, position)
        self.say(self._walked(found, position))
        self.refresh_view()

    def _walked(self, found: Instances, position: int) -> str:
        """What is told about the instance just shown."""
        if found.words:
            return f"{position + 1} of {len(found)}: {found.words[position]}"
        what = "longest" if position == found.longest else "instance"
        n, previous = (self.config.keymap.hint(a, self.looks.ascii) for a in ("row-next", "row-previous"))
        return f"{what}: {position + 1} of {len(found):,} · {n} {previous} walk them"

    def walk_rows(self, move: int) -> bool:
        if self._walk is None:
            return False
        section, row, _, _ = self._walk
        self.on_page_view_follow(PageView.Follow(section, row, move))
        return True

    def search_for(self, text: str) -> None:
        self._walk = None
        super().search_for(text)

    def _nearest(self, found: Instances, move: int) -> int:
        """The instance next to the cursor in that direction."""
        cursor = self.view.cursor if self.view is not None else 0
        if move > 0:
            return int(found.start.searchsorted(cursor, "right")) % len(found)
        return (int(found.start.searchsorted(cursor, "left")) - 1) % len(found)

    def on_page_view_whole(self, event: PageView.Whole) -> None:
        self.show_pairs(event.title, event.pairs)

    def on_page_view_ask_filter(self) -> None:
        self.prompt.ask("filter", "rows with:", self.page_view.needle)

    def on_page_view_leave(self) -> None:
        self.to_timeline()
