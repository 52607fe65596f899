"""The page of the side pane as a scrolling list that builds only the lines on the screen."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.cache import LRUCache
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip

from tui.app.looks import Looks
from tui.app.widgets.scrolling import Scrolling
from tui.browse.page import Page, Pairs, Section
from tui.browse.pane import Pane
from tui.report.columns import Positions

CACHED_STRIPS = 512
FAR = 10**12
"""A number of rows that leads beyond the first or last row of any page."""


class PageView(Scrolling, can_focus=True):
    """Draws a :class:`Pane` and passes keys and clicks on to it."""

    @dataclass
    class Follow(Message):
        """Show an instance of ``row`` on the timeline: the longest (``move`` 0), next (1), previous (-1)."""

        section: Section
        row: int
        move: int

    @dataclass
    class Whole(Message):
        """Show a row in full."""

        title: str
        pairs: Pairs

    @dataclass
    class ListEvents(Message):
        """List the events that a row sums up."""

        section: Section
        name: str
        row: int

    @dataclass
    class Write(Message):
        """Write the rows of the section under the cursor to a file, as they are shown."""

        section: Section | None
        rows: Positions | None

    class Burn(Message):
        """Draw the flame, where the page is of ranges."""

    class AskFilter(Message):
        """Ask for a filter of the section under the cursor."""

    class Leave(Message):
        """Go back to the timeline."""

    def __init__(self, looks: Looks) -> None:
        super().__init__(looks)
        self.pane = Pane(looks.drawing)
        self._strips: LRUCache[tuple[object, ...], Strip] = LRUCache(CACHED_STRIPS)

    # What is shown -------------------------------------------------------------------------

    def show(self, page: Page | None, message: str = "") -> None:
        """Show ``page`` or a ``message``: see :meth:`Pane.show`."""
        self.pane.show(page, message)
        self._show_laid_out()

    def start_over(self) -> None:
        """Forget the selected row: another tab is coming."""
        self.pane.start_over()
        self.scroll_to(0, 0, animate=False, immediate=True)

    def _show_laid_out(self) -> None:
        self._strips.clear()
        self.virtual_size = Size(self.size.width, self.pane.length)
        self.refresh()

    def notify_style_update(self) -> None:
        self._strips.clear()
        super().notify_style_update()

    def render_line(self, y: int) -> Strip:
        pane, line = self.pane, y + self.scroll_offset.y
        pane.focused = self.has_focus
        key = (line, pane.width, pane.focused, pane.message, pane.is_selected(line))
        strip = self._strips.get(key)
        if strip is None:
            strip = self._strips[key] = self.looks.strip(pane.line(line), pane.width)
        return strip

    # Moving about --------------------------------------------------------------------------

    def action_move(self, rows: int) -> None:
        """Move the cursor by rows; scroll a page without rows."""
        pane = self.pane
        if not pane.row_count:
            self.scroll_relative(y=rows, animate=False)
            return
        before = pane.selected_line
        pane.move(rows)
        self._reveal()
        for line in (before, pane.selected_line):
            self.refresh_line(line)

    def _reveal(self) -> None:
        first, last = self.pane.revealed
        region = Region(0, first, 1, last - first + 1)
        self.scroll_to_region(region, animate=False, immediate=True, force=True)

    def action_move_pages(self, pages: int) -> None:
        """Move the cursor by pages."""
        self.action_move(pages * max(1, self.size.height - 2))

    def action_row_first(self) -> None:
        self.action_move(-FAR)
        self.scroll_to(0, 0, animate=False, immediate=True)

    def action_row_last(self) -> None:
        self.action_move(FAR)

    # Sorting and filtering -----------------------------------------------------------------

    def action_sort_next(self) -> None:
        self._show_rearranged(self.pane.sort_next())

    def action_sort_reverse(self) -> None:
        self._show_rearranged(self.pane.sort_reverse())

    def filter_by(self, needle: str) -> None:
        """Show only rows of the section under the cursor that contain ``needle``."""
        self._show_rearranged(self.pane.filter_by(needle))

    def _show_rearranged(self, changed: bool) -> None:
        if changed:
            self._show_laid_out()
            if self.pane.selected_count:
                self._reveal()

    def action_filter(self) -> None:
        if any(block.rows is not None for block in self.pane.blocks):
            self.post_message(self.AskFilter())

    # Following -----------------------------------------------------------------------------

    def action_follow(self, move: int) -> None:
        """Show the selected row on the timeline; of a list of events the next row's instance is the next."""
        chosen = self.pane.selected
        if chosen is not None and chosen[0].section.one_by_one and move:
            self.action_move(move)
            chosen, move = self.pane.selected, 0
        if chosen is not None:
            self.post_message(self.Follow(chosen[0].section, chosen[1], move))

    def action_row_events(self) -> None:
        chosen, name = self.pane.selected, self.pane.selected_name
        if chosen is not None:
            self.post_message(self.ListEvents(chosen[0].section, name, chosen[1]))

    def action_flame(self) -> None:
        self.post_message(self.Burn())

    def action_rows_export(self) -> None:
        chosen = self.pane.selected
        rows = chosen[0].rows.order if chosen is not None and chosen[0].rows is not None else None
        self.post_message(self.Write(chosen[0].section if chosen is not None else None, rows))

    def action_row_details(self) -> None:
        if (found := self.pane.details()) is not None:
            self.post_message(self.Whole(*found))

    def action_pane_leave(self) -> None:
        if self.pane.needle:
            self.filter_by("")
        else:
            self.post_message(self.Leave())

    def on_click(self, event: events.Click) -> None:
        """Select a row; show it on the timeline at the second click."""
        pane, found = self.pane, self.pane.row_at(event.y + self.scroll_offset.y)
        if found is None:
            return
        again = (pane.block, pane.at) == found
        pane.block, pane.at = found
        self.refresh()
        if again or event.chain > 1:
            self.action_follow(0)

    def on_resize(self) -> None:
        self.pane.lay_out(self.size.width)
        self._show_laid_out()

    def on_focus(self) -> None:
        self.refresh()

    on_blur = on_focus
