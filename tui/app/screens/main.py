"""The main screen: header, timeline, side pane, status line."""

from __future__ import annotations

from collections.abc import Callable
from types import NoneType, new_class
from typing import ClassVar, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.dom import DOMNode
from textual.screen import Screen

from tui.app.clipboard import Clipboard
from tui.app.exporter import Exporter
from tui.app.figures import Figures
from tui.app.keys import PANE, SCREEN, Action, Keymap
from tui.app.looks import Looks
from tui.app.pane_layout import PaneLayout
from tui.app.screens.dialogs import Dialogs
from tui.app.screens.text import TextScreen
from tui.app.shell import Shell
from tui.app.widgets.bar import Bar, Edge
from tui.app.widgets.page_view import PageView
from tui.app.widgets.prompt import Prompt
from tui.app.widgets.tabs import Tabs
from tui.app.widgets.timeline import Timeline
from tui.browse.background import News
from tui.browse.capture import Capture
from tui.browse.jumps import Jumps
from tui.browse.marks import Marks
from tui.browse.name_search import NameSearch
from tui.browse.navigator import Navigator
from tui.browse.part import Part
from tui.browse.screen_shape import ONE_LINE_STATUS, TWO_LINES_FROM
from tui.browse.state import Browse
from tui.browse.status import header, status_lines
from tui.browse.view import View
from tui.browse.walk import Walk

FILTER, ANSWER = "filter", "answer"
"""Purposes of the prompt: the pane's filter, and every question that is answered by a whole line."""
RETRY_S = 0.03
"""How long a frame waits for a terminal that lags behind."""

Node = TypeVar("Node", bound=DOMNode)


def keyed(owner: type[Node], context: str, keymap: Keymap) -> type[Node]:
    """``owner`` with the keys of a context as its only bindings: Textual reads them from the class."""
    bindings: list[BindingType] = [
        Binding(keys, action.method, action.description, show=False, id=action.id)
        for keys, action in keymap.bound(context)
    ]
    made: type[Node] = new_class(
        owner.__name__, (owner,), {"inherit_bindings": False}, lambda names: names.update(BINDINGS=bindings)
    )
    return made


class MainScreen(Screen[None], inherit_bindings=False):
    """Wires keys, mouse and messages to the parts that do what they ask for."""

    BINDINGS: ClassVar[list[BindingType]] = []
    DEFAULT_CSS = """
    MainScreen { layout: vertical; }
    MainScreen #body { height: 1fr; }
    MainScreen #bottom { height: 1; }
    MainScreen #hints { display: none; }
    MainScreen #bottom.-asking > Bar { display: none; }
    """

    def __init__(self, browse: Browse, looks: Looks, keymap: Keymap, shell: Shell) -> None:
        super().__init__()
        self.browse = browse
        self.looks = looks
        self.keymap = keymap
        self.shell = shell
        self.navigator = Navigator(browse)
        self.jumps = Jumps(browse)
        self.rows = Walk(browse, self.jumps)
        self.search = NameSearch(browse, self.jumps, self.rows, self.ask)
        self.marks = Marks(browse)
        self.pane = PaneLayout(self, browse, self.rows)
        self.figures = Figures(browse, shell.background, shell.note_failure)
        self.exporter = Exporter(browse, self.ask, shell.background)
        self.clipboard = Clipboard(browse, shell.copy_to_clipboard, self.ask)
        self.dialogs = Dialogs(self, browse, looks, keymap, self.run_chosen)
        self._waiting_frame = False
        self._then: Callable[[str], None] = lambda text: None

    def compose(self) -> ComposeResult:
        yield Bar(self.looks, "header", id="header")
        with Horizontal(id="body"):
            yield Timeline(self.looks)
            yield Edge(self.looks)
            with Vertical(id="pane"):
                yield Tabs(self.looks, self.browse.tabs)
                yield keyed(PageView, PANE, self.keymap)(self.looks, id="page")
        with Vertical(id="bottom"):
            yield Bar(self.looks, "status", id="status")
            yield Bar(self.looks, "status", id="hints")
            yield Prompt(self.looks.glyphs.ellipsis)

    def on_mount(self) -> None:
        self.timeline.focus()
        self.pane.lay_out()
        self.shell.screen_ready()

    @property
    def view(self) -> View | None:
        """The view of the open report."""
        return self.browse.view

    @property
    def timeline(self) -> Timeline:
        return self.pane.timeline

    @property
    def page_view(self) -> PageView:
        return self.pane.page

    @property
    def prompt(self) -> Prompt:
        return self.query_one(Prompt)

    # The report ----------------------------------------------------------------------------

    def show_capture(self, capture: Capture) -> None:
        """Show another report from its beginning, or go on in more of the one on the screen."""
        browse, before = self.browse, self.browse.capture
        if before is not None and before.loading:
            choose = browse.grow(capture)
            self.search.matches = None
        else:
            browse.open(capture)
            choose = True
            self.search.forget()
            self.page_view.start_over()
        view = self.view
        assert view is not None
        self.figures.start_over()
        self.timeline.set_view(view)
        view.resize(self.timeline.cells, self.timeline.lane_lines)
        if choose:
            browse.go_to_choice()
        self.refresh_view()

    def show_loading(self, lines: list[str]) -> None:
        """Show ``lines`` in the timeline's place while a report loads, or where none could be opened."""
        self.timeline.note = lines
        if self.browse.capture is not None:
            self.browse.close()
            self.timeline.state = None
            self.page_view.show(None)
        self.timeline.update_view()
        self.refresh_bars()

    def receive_page(self, news: News) -> None:
        """A page was worked out, or can't be."""
        self.figures.receive(news, self.page_view)
        self._refresh_page()

    # Bringing it up to date ----------------------------------------------------------------

    def refresh_view(self) -> None:
        """Repaint what changed. Where the terminal lags behind, wait: the newest state will do."""
        if self.shell.behind > 1:
            if not self._waiting_frame:
                self._waiting_frame = True
                self.set_timer(RETRY_S, self._retry_frame)
            return
        self.timeline.update_view(self.browse.backdrop())
        self._refresh_page()
        self.figures.work_out_gaps()
        self.refresh_bars()

    def _retry_frame(self) -> None:
        self._waiting_frame = False
        self.refresh_view()

    def _refresh_page(self) -> None:
        if self.browse.capture is not None and self.pane.shown:
            self.figures.show_page(self.page_view)

    def refresh_bars(self) -> None:
        """Repaint header and status."""
        cells = self.size.width
        self.query_one("#header", Bar).show(header(self.browse, cells))
        bar, hints = self.query_one("#status", Bar), self.query_one("#hints", Bar)
        bars = [bar, hints] if hints.display else [bar]
        lines = status_lines(self.browse, cells, len(bars), in_pane=self.page_view.has_focus)
        for bar, line in zip(bars, lines, strict=True):
            bar.show(line)

    def on_resize(self, event: events.Resize) -> None:
        spare = event.size.width < ONE_LINE_STATUS and event.size.height >= TWO_LINES_FROM
        self.query_one("#hints").display = spare
        self.query_one("#bottom").styles.height = 2 if spare else 1
        self.pane.lay_out()
        self.call_after_refresh(self.refresh_bars)

    def on_timeline_resized(self) -> None:
        view = self.view
        if view is not None:
            view.resize(self.timeline.cells, self.timeline.lane_lines)
            self.refresh_view()

    def on_descendant_focus(self) -> None:
        self.refresh_bars()

    def on_descendant_blur(self) -> None:
        self.refresh_bars()

    # Keys ----------------------------------------------------------------------------------

    def action_do(self, part: str, method: str, *arguments: object) -> None:
        """Run a method of a part; of one that works on an open report only while there is one."""
        owner = getattr(self, part)
        if self.view is not None or not isinstance(owner, (Part, NoneType)):
            getattr(owner, method)(*arguments)
            self.refresh_view()

    def on_key(self, event: events.Key) -> None:
        """Take a letter after ``m`` or ``'``; any other key takes the last message away."""
        if self.marks.waiting:
            event.stop()
            event.prevent_default()
            letter = event.character
            self.marks.letter(letter if letter and letter.isprintable() and letter != " " else None)
            self.refresh_view()
        elif self.browse.message:
            self.browse.message = ""
            self.call_after_refresh(self.refresh_bars)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """No action while a letter or a line of text is awaited."""
        return not (self.marks.waiting or self.prompt_open)

    @property
    def prompt_open(self) -> bool:
        prompts = self.query(Prompt)
        return bool(prompts) and prompts.first().asking

    async def run_chosen(self, action: Action | None) -> None:
        """Run an action chosen from the palette."""
        if action is not None:
            await self.run_action(action.method)

    # Prompt --------------------------------------------------------------------------------

    def ask(self, label: str, text: str, then: Callable[[str], None]) -> None:
        """Ask for a line of text and hand it to ``then``."""
        self._then = then
        self.prompt.ask(ANSWER, label, text)

    def on_prompt_changed(self, event: Prompt.Changed) -> None:
        if event.purpose == FILTER:
            self.page_view.filter_by(event.text.strip())

    def on_prompt_done(self, event: Prompt.Done) -> None:
        filtering, text = event.purpose == FILTER, event.text
        self.pane.focus(self.page_view if filtering else self.timeline)
        if filtering and text is None:
            self.page_view.filter_by("")
        elif not filtering and text is not None:
            self._then(text)
        self.refresh_view()

    def on_text_screen_yank(self, event: TextScreen.Yank) -> None:
        self.clipboard.copy(event.text)
        self.refresh_view()

    # The side pane -------------------------------------------------------------------------

    def on_tabs_chosen(self, event: Tabs.Chosen) -> None:
        self.pane.choose(self.browse.tabs[event.number])
        self.refresh_view()

    def on_page_view_follow(self, event: PageView.Follow) -> None:
        if self.view is None:
            return
        if self.rows.follow(event.section, event.row, event.move) and event.move == 0:
            self.pane.uncover()
        self.refresh_view()

    def on_page_view_whole(self, event: PageView.Whole) -> None:
        self.dialogs.pairs(event.title, event.pairs)

    def on_page_view_ask_filter(self) -> None:
        self.prompt.ask(FILTER, "rows with:", self.page_view.needle)

    def on_page_view_leave(self) -> None:
        self.pane.leave()
        self.refresh_view()

    # Mouse ---------------------------------------------------------------------------------

    def on_timeline_clicked(self, event: Timeline.Clicked) -> None:
        if self.view is None:
            return
        self.timeline.focus()
        self.navigator.click(event.cell, event.line)
        self.refresh_view()
        if event.again and event.cell >= 0:
            self.dialogs.details()
            self.refresh_bars()

    def on_timeline_map_clicked(self, event: Timeline.MapClicked) -> None:
        if self.view is not None:
            self.navigator.centre(event.at)
            self.refresh_view()

    def on_timeline_dragged(self, event: Timeline.Dragged) -> None:
        if self.view is not None:
            self.navigator.drag(event.first, event.last)
            self.refresh_view()

    def on_timeline_wheel(self, event: Timeline.Wheel) -> None:
        if self.view is not None:
            self.navigator.wheel(event.cell, event.closer, event.lanes)
            self.refresh_view()


def main_screen(browse: Browse, looks: Looks, keymap: Keymap, shell: Shell) -> MainScreen:
    """The main screen with the user's keys."""
    return keyed(MainScreen, SCREEN, keymap)(browse, looks, keymap, shell)
