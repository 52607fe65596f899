"""Have pages, gaps and steps worked out in the background, and show the current page."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from textual.cache import LRUCache

from tui.app.pane_layout import PaneLayout
from tui.browse.background import Background, News
from tui.browse.page import Page
from tui.browse.state import Browse
from tui.text import safe

PAGE, GAPS, TOLD = "page", "gaps", "told"
"""Kinds of jobs."""
KEPT_PAGES = 64


class Figures:
    """Keeps pages by the question that they answer; ``note_failure`` gets the error of a page."""

    def __init__(
        self,
        browse: Browse,
        pane: PaneLayout,
        background: Background,
        note_failure: Callable[[Exception], None],
    ) -> None:
        self._browse = browse
        self._pane = pane
        self._background = background
        self._note_failure = note_failure
        self._pages: LRUCache[Hashable, Page] = LRUCache(KEPT_PAGES)
        self._shown: Hashable = None

    def start_over(self) -> None:
        """Forget the pages: another report has been opened, or more of it loaded."""
        self._pages.clear()
        self._shown = None

    def show_page(self) -> None:
        """Show the page of the current tab and window, or have it worked out first."""
        browse = self._browse
        if not browse.ready or not self._pane.shown:
            return
        question, view = browse.question(), self._pane.page
        if question == self._shown:
            return
        page = self._pages.get(question)
        if page is not None:
            self._shown = question
            view.show(page)
        else:
            view.show(view.pane.page, "computing" + browse.drawing.glyphs.ellipsis)
            self._background.run(PAGE, question, browse.page_job())

    def work_out_gaps(self) -> None:
        """Have gaps, blame and steps worked out unless they are there; then what samples tell of them."""
        browse = self._browse
        capture, busy, min_gap_ns = browse.capture, browse.busy, browse.min_gap_ns
        if capture is not None and not capture.has_books(busy, min_gap_ns):
            key = (capture, busy, min_gap_ns)
            self._background.run(GAPS, key, lambda dropped: capture.books(busy, min_gap_ns))
        elif capture is not None and capture.untold(busy, min_gap_ns):
            key = (capture, busy, min_gap_ns)
            self._background.run(TOLD, key, lambda dropped: capture.tell(busy, min_gap_ns))

    def receive(self, news: News) -> None:
        """Keep a page that was worked out, and show it or its error if it is the current one."""
        if news.error is None:
            self._pages[news.key] = news.answer
        elif self._browse.ready and news.key == self._browse.question():
            self._shown = news.key
            self._pane.page.show(None, f"can't be worked out: {safe(str(news.error))}")
            self._note_failure(news.error)
        self.show_page()
