"""The main screen: header, timeline, side pane, status line."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import NoneType, new_class
from typing import ClassVar, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.dom import DOMNode
from textual.widget import Widget

from tui.app.clipboard import Clipboard
from tui.app.exporter import Exporter
from tui.app.figures import Figures
from tui.app.keys import FLAME, PANE, Action, Keymap
from tui.app.looks import Looks
from tui.app.pane_layout import PaneLayout, Shaped
from tui.app.screens.dialogs import Dialogs
from tui.app.screens.text import TextScreen
from tui.app.shell import Shell
from tui.app.widgets.bar import Bar, Edge, Tabs
from tui.app.widgets.flame import FlameView
from tui.app.widgets.page_view import PageView
from tui.app.widgets.prompt import Prompt
from tui.app.widgets.timeline import Timeline
from tui.browse.arranger import Arranger
from tui.browse.background import News
from tui.browse.capture import Capture
from tui.browse.goto import GoTo
from tui.browse.instance_walk import Walk
from tui.browse.jumps import Jumps
from tui.browse.kept_state import read_state, state_path
from tui.browse.late_lanes import LateLanes
from tui.browse.linking import Linker
from tui.browse.lists import RANGES, Lists
from tui.browse.marks import Marks
from tui.browse.name_search import NameSearch
from tui.browse.navigator import Navigator
from tui.browse.part import Part
from tui.browse.screen_shape import Shape, screen_shape
from tui.browse.state import Browse
from tui.browse.status import FLAME_HINTS, header, status_lines
from tui.browse.step_choice import StepChoice
from tui.browse.step_pair import StepComparer
from tui.browse.view import View
from tui.text import safe
from tui.timeline.runs import Line

RETRY_S = 0.03
"""How long a frame waits for a terminal that lags behind."""

Node = TypeVar("Node", bound=DOMNode)


def keyed(owner: type[Node], context: str, keymap: Keymap) -> type[Node]:
    """Return ``owner`` with the keys of a context as its only bindings: Textual reads them from the class."""
    bindings: list[BindingType] = [
        Binding(keys, action.method, action.description, show=False, id=action.id)
        for keys, action in keymap.bindings(context)
    ]
    made: type[Node] = new_class(
        owner.__name__, (owner,), {"inherit_bindings": False}, lambda names: names.update(BINDINGS=bindings)
    )
    return made


class MainScreen(Shaped, inherit_bindings=False):
    """Wires keys, mouse and messages to the parts that do the work."""

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
        self.links = Linker(browse, self.jumps)
        self.rows = Walk(browse, self.jumps)
        self.search = NameSearch(browse, self.jumps, self.rows, self.ask)
        self.places = GoTo(browse, self.jumps, self.ask)
        self.marks = Marks(browse)
        state = state_path()
        self.lanes = Arranger(browse, self.ask, shell.background, state)
        self.pane = PaneLayout(self, browse, self.rows, self.lanes.remember_pane)
        self.pane.wanted = read_state(state)[0].pane
        self.figures = Figures(browse, self.pane, shell.background, shell.note_failure)
        self.late = LateLanes(browse, shell.background, shell.note_failure)
        self.exporter = Exporter(browse, self.ask, shell.background)
        self.lists = Lists(browse, self.search, self.pane.walk_rows)
        self.steps = StepComparer(browse, shell.background)
        self.step_choice = StepChoice(browse, shell.open_with_step)
        self.clipboard = Clipboard(browse, shell.copy_to_clipboard, self.ask)
        self.dialogs = Dialogs(self, browse, looks, keymap, self.run_chosen)
        self.prompt = Prompt(looks.glyphs.ellipsis)
        self._waiting_frame = False
        self._keys: dict[Widget | None, frozenset[str]] = {}

    def compose(self) -> ComposeResult:
        yield Bar(self.looks, "header", id="header")
        with Horizontal(id="body"):
            yield self.make_timeline()
            yield keyed(FlameView, FLAME, self.keymap)(self.looks)
            yield Edge(self.looks)
            with Vertical(id="pane"):
                yield Tabs(self.looks, self.browse.tabs)
                yield keyed(PageView, PANE, self.keymap)(self.looks)
        with Vertical(id="bottom"):
            yield Bar(self.looks, "status", id="status")
            yield Bar(self.looks, "status", id="hints")
            yield self.prompt

    def make_timeline(self) -> Timeline:
        """Make the widget of the lanes."""
        return Timeline(self.looks)

    def shape(self, width: int, height: int, *, overlay: bool = False, maximised: bool = False) -> Shape:
        """How a screen of this size is divided."""
        wanted = self.pane.wanted
        return screen_shape(width, height, overlay=overlay, maximised=maximised, wanted=wanted)

    def draw_header(self, cells: int) -> Line:
        """Draw the first line."""
        return header(self.browse, cells)

    def draw_status(self, cells: int, lines: int) -> list[Line]:
        """Draw the last lines."""
        hints = FLAME_HINTS if self.pane.flame.has_focus else None
        return status_lines(self.browse, cells, lines, in_pane=self.pane.page.has_focus, hints=hints)

    def on_mount(self) -> None:
        self.pane.timeline.focus()
        self.pane.lay_out()
        self.shell.screen_ready()

    @property
    def view(self) -> View | None:
        """The view of the open report."""
        return self.browse.view

    # The report ----------------------------------------------------------------------------

    def show_capture(self, capture: Capture) -> None:
        """Show another report from its beginning, or more of the one on the screen."""
        browse, before, word = self.browse, self.browse.capture, ""
        if before is not None and before.loading:
            choose = browse.grow(capture)
            self.search.renew()
        else:
            browse.open(capture)
            choose = True
            self.pane.burn(False)
            self.search.forget()
            self.rows.forget()
            self.pane.page.start_over()
            word = self.lanes.restore()
        assert browse.view is not None
        self.figures.start_over()
        self.pane.timeline.set_view(browse.view)
        if choose:
            browse.go_to_choice()
        browse.message = browse.message or word
        self.refresh_view()

    def show_loading(self, lines: list[str]) -> None:
        """Show ``lines`` instead of the timeline while a report loads, or where none could be opened."""
        timeline = self.pane.timeline
        timeline.note = lines
        if self.browse.capture is not None:
            self.browse.close()
            timeline.state = None
            self.pane.page.show(None)
        timeline.update_view()
        self.refresh_bars()

    # Refreshing ----------------------------------------------------------------------------

    def refresh_view(self) -> None:
        """Repaint what changed; wait while the terminal lags behind, as only the newest state matters."""
        if self.shell.behind > 1:
            if not self._waiting_frame:
                self._waiting_frame = True
                self.set_timer(RETRY_S, self._retry_frame)
            return
        self.pane.timeline.update_view(self.browse.backdrop())
        self.figures.show_page()
        self.figures.work_out_gaps()
        self.query_one(Tabs).choose(self.browse.tab, self.browse.offered_tabs)
        self.late.load()
        self.refresh_bars()

    def lane_loaded(self, news: News) -> None:
        """Show the lines of a lane of values that have been gathered."""
        self.late.receive(news)
        self.pane.timeline.lay_out()
        self.refresh_view()

    def _retry_frame(self) -> None:
        self._waiting_frame = False
        self.refresh_view()

    def refresh_bars(self) -> None:
        """Repaint header and status."""
        cells = self.size.width
        self.query_one("#header", Bar).show(self.draw_header(cells))
        bar, hints = self.query_one("#status", Bar), self.query_one("#hints", Bar)
        bars = [bar, hints] if hints.display else [bar]
        for bar, line in zip(bars, self.draw_status(cells, len(bars)), strict=True):
            bar.show(line)

    def on_resize(self, event: events.Resize) -> None:
        lines = self.shape(*event.size).status
        self.query_one("#hints").display = lines > 1
        self.query_one("#bottom").styles.height = lines
        self.pane.lay_out()
        self.call_after_refresh(self.refresh_bars)

    def on_timeline_resized(self) -> None:
        if self.view is not None:
            self.refresh_view()

    def on_descendant_focus(self) -> None:
        self.refresh_bars()

    on_descendant_blur = on_descendant_focus

    # Keys ----------------------------------------------------------------------------------

    def action_do(self, part: str, method: str, *arguments: object) -> None:
        """Run a method of a part; parts that work on an open report do nothing without one."""
        owner = getattr(self, part)
        if self.view is not None or not isinstance(owner, (Part, NoneType)):
            getattr(owner, method)(*arguments)
            self.refresh_view()
        elif owner is self.navigator and method == "back":  # from a report that can't be opened
            self.browse.leave()

    def on_key(self, event: events.Key) -> None:
        """Read the letter after ``m`` or ``'``; others clear the last message, those without use say so."""
        if self.marks.waiting:
            event.stop()
            event.prevent_default()
            letter = event.character
            self.marks.letter(letter if letter and letter.isprintable() and letter != " " else None)
            self.refresh_view()
            return
        if self.browse.message:
            self.browse.message = ""
            self.call_after_refresh(self.refresh_bars)
        if self.view is not None and event.key not in self._known_keys():
            key = event.character if event.is_printable and event.character else event.key
            self.browse.message = f"no such key: {safe(key)}; ? lists them"
            self.call_after_refresh(self.refresh_bars)

    def _known_keys(self) -> frozenset[str]:
        """The keys that do something where the focus is: gathered once for each widget that has it."""
        if self.prompt.asking:
            return frozenset(self.active_bindings)
        if self.focused not in self._keys:
            self._keys[self.focused] = frozenset(self.active_bindings)
        return self._keys[self.focused]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Allow no action while a letter or a line of text is awaited. Asked for many bindings at a key."""
        return not (self.marks.waiting or self.prompt.asking)

    async def run_chosen(self, action: Action | None) -> None:
        """Run an action chosen in the palette."""
        if action is not None:
            await self.run_action(action.method)

    # Prompt --------------------------------------------------------------------------------

    def ask(
        self,
        label: str,
        text: str,
        then: Callable[[str], None],
        complete: Callable[[str], str | None] | None = None,
    ) -> None:
        """Ask for a line of text and hand it to ``then``."""
        self.prompt.ask(label, text, partial(self._answered, then), complete=complete)

    def _answered(self, then: Callable[[str], None], text: str | None) -> None:
        self.pane.focus()
        if text is not None:
            then(text)
        self.refresh_view()

    def on_text_screen_yank(self, event: TextScreen.Yank) -> None:
        self.clipboard.copy(event.text)
        self.refresh_view()

    # The side pane -------------------------------------------------------------------------

    def on_tabs_chosen(self, event: Tabs.Chosen) -> None:
        self.pane.choose(event.tab)
        self.refresh_view()

    def on_page_view_follow(self, event: PageView.Follow) -> None:
        if self.view is None:
            return
        if self.rows.follow(event.section, event.row, event.move) and event.move == 0:
            self.pane.uncover()
        self.refresh_view()

    def on_page_view_list_events(self, event: PageView.ListEvents) -> None:
        self.lists.of_row(event.section, event.name, event.row)
        self.refresh_view()

    def on_page_view_write(self, event: PageView.Write) -> None:
        """Write the rows of a list; another page: the events of the range."""
        section, rows = event.section, event.rows
        if self.view is None:
            return
        if section is not None and section.recorded is not None and rows is not None:
            self.exporter.ask_rows(section, rows)
        else:
            self.exporter.ask()
        self.refresh_bars()

    def on_page_view_burn(self) -> None:
        """Draw the flame of the window; from another page: fit what is under the cursor."""
        if self.view is None:
            return
        if self.browse.tab.name != RANGES:
            self.navigator.fit()
        elif (flame := self.lists.flame()) is not None:
            self.pane.flame.show(flame)
            self.pane.burn(True)
        self.refresh_view()

    def on_flame_view_moved(self, event: FlameView.Moved) -> None:
        flame = self.pane.flame.flame
        self.browse.message = event.said or (flame.words if flame is not None else "")
        self.refresh_bars()

    def on_flame_view_leave(self) -> None:
        self.pane.burn(False)
        self.browse.message = ""
        self.refresh_view()

    def on_flame_view_list_events(self) -> None:
        if (flame := self.pane.flame.flame) is not None and self.view is not None:
            self.lists.of_node(flame)
            self.refresh_view()

    def on_page_view_whole(self, event: PageView.Whole) -> None:
        self.dialogs.pairs(event.title, event.pairs)

    def on_page_view_ask_filter(self) -> None:
        page = self.pane.page

        def answered(text: str | None) -> None:
            page.focus()
            if text is None:
                page.filter_by("")
            self.refresh_view()

        self.prompt.ask("rows with:", page.pane.needle, answered, lambda text: page.filter_by(text.strip()))

    def on_page_view_leave(self) -> None:
        self.pane.leave()
        self.refresh_view()

    # Mouse ---------------------------------------------------------------------------------

    def look_closer(self) -> None:
        """Do on a second click what enter does."""
        self.dialogs.details()

    def on_timeline_clicked(self, event: Timeline.Clicked) -> None:
        if self.view is None:
            return
        self.pane.timeline.focus()
        self.navigator.click(event.cell, event.line)
        self.refresh_view()
        if event.again and event.cell >= 0:
            self.look_closer()
            self.refresh_bars()

    def on_timeline_moved(self, event: Timeline.Moved) -> None:
        if self.view is not None:
            event.move(self.navigator)
            self.refresh_view()
