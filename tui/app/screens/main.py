"""The main screen: header, timeline, side pane, status line."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical

from tui.app.keys import PANE, SCREEN, Action, Keymap
from tui.app.looks import Looks
from tui.app.screens.moves import Moves
from tui.app.screens.palette import PaletteScreen
from tui.app.screens.side import Side
from tui.app.screens.text import TextScreen
from tui.app.settings import Config
from tui.app.widgets.bar import Bar, Edge
from tui.app.widgets.page import PageView
from tui.app.widgets.prompt import Prompt
from tui.app.widgets.tabs import Tabs
from tui.app.widgets.timeline import Timeline
from tui.browse.capture import Capture
from tui.browse.pages import TABS
from tui.browse.shape import ONE_LINE_STATUS, TWO_LINES_FROM
from tui.browse.status import header, status_lines
from tui.browse.view import View


def bindings(context: str) -> list[BindingType]:
    """Textual's bindings for the built-in keys of a context; the app's keymap replaces the user's."""
    return [
        Binding(keys, action.method, action.description, show=False, id=action.id)
        for keys, action in Keymap().bound(context)
    ]


class KeyedPage(PageView, inherit_bindings=False):
    """The side pane's page with the pane's keys."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(PANE)


class MainScreen(Moves, Side, inherit_bindings=False):
    """Wires widgets, actions and messages together; see the mixed-in groups for what keys do."""

    BINDINGS: ClassVar[list[BindingType]] = bindings(SCREEN)
    DEFAULT_CSS = """
    MainScreen { layout: vertical; }
    MainScreen #body { height: 1fr; }
    MainScreen #bottom { height: 1; }
    MainScreen #hints { display: none; }
    MainScreen #bottom.-asking > Bar { display: none; }
    """

    def __init__(self, config: Config, looks: Looks) -> None:
        super().__init__(config, looks)
        self._waiting_frame = False

    def compose(self) -> ComposeResult:
        yield Bar(self.looks, "header", id="header")
        with Horizontal(id="body"):
            yield Timeline(self.looks)
            yield Edge(self.looks)
            with Vertical(id="pane"):
                yield Tabs(self.looks, TABS)
                yield KeyedPage(self.looks, id="page")
        with Vertical(id="bottom"):
            yield Bar(self.looks, "status", id="status")
            yield Bar(self.looks, "status", id="hints")
            yield Prompt(self.looks.glyphs.ellipsis)

    def on_mount(self) -> None:
        self.timeline.focus()
        self.lay_out()
        self.explorer.screen_ready()

    # The report ----------------------------------------------------------------------------

    def show_capture(self, capture: Capture) -> None:
        """Another report is open: start afresh on it. Or more of the one on the screen: go on in it."""
        before, self.capture = self.capture, capture
        self.matches = None
        self._page_key = None
        if before is not None and before.loading and self.view is not None:
            self._go_on(self.view, before, capture)
        else:
            self.needle = ""
            self.view = View(capture.shown, capture.span, (capture.home.start, capture.home.end))
            self.page_view.start_over()
            self.timeline.set_view(self.view)
            self.view.resize(self.timeline.cells, self.timeline.lane_lines)
            self._look_at_choice(self.view, capture)
        self.refresh_view()

    def _go_on(self, view: View, before: Capture, capture: Capture) -> None:
        """More of the report is there: what is looked at stays, as long as somebody looks at it."""
        untouched = view.untouched
        view.grow(capture.shown, capture.span, (capture.home.start, capture.home.end))
        self.timeline.set_view(view)
        view.resize(self.timeline.cells, self.timeline.lane_lines)
        if untouched and capture.scope.window != before.scope.window:
            self._look_at_choice(view, capture)

    def _look_at_choice(self, view: View, capture: Capture) -> None:
        """Go where the command line says."""
        window = capture.scope.window
        if window.chosen:
            view.select(window.start, window.end)
            view.fit(window.start, window.end)
            view.go(window.start)
            view.settle()
        self.say(window.note or "")

    def show_loading(self, lines: list[str]) -> None:
        """What stands in the timeline's place while a report loads, or where none could be opened."""
        self.timeline.note = lines
        if self.view is not None:
            self.view = None
            self.capture = None
            self.timeline.state = None
            self.page_view.show(None)
        self.timeline.update_view()
        self.refresh_bars()

    # Bringing it up to date ----------------------------------------------------------------

    def refresh_view(self) -> None:
        """Repaint what changed. Where the terminal lags behind, wait: the newest state will do."""
        if self.explorer.behind > 1:
            if not self._waiting_frame:
                self._waiting_frame = True
                self.set_timer(0.03, self._retry_frame)
            return
        self.timeline.update_view(self.backdrop())
        self.refresh_page()
        self.refresh_bars()

    def _retry_frame(self) -> None:
        self._waiting_frame = False
        self.refresh_view()

    def refresh_bars(self) -> None:
        """Header and status line."""
        cells = self.size.width
        browse = self.browse
        self.query_one("#header", Bar).show(header(browse, cells))
        bar, hints = self.query_one("#status", Bar), self.query_one("#hints", Bar)
        lines = status_lines(browse, cells, 2 if hints.display else 1, in_pane=self.page_view.has_focus)
        for widget, line in zip((bar, hints), lines, strict=False):
            widget.show(line)

    def on_resize(self, event: events.Resize) -> None:
        spare = event.size.width < ONE_LINE_STATUS and event.size.height >= TWO_LINES_FROM
        self.query_one("#hints").display = spare
        self.query_one("#bottom").styles.height = 2 if spare else 1
        self.lay_out()
        self.call_after_refresh(self.refresh_bars)

    def on_timeline_resized(self) -> None:
        if self.view is not None:
            self.view.resize(self.timeline.cells, self.timeline.lane_lines)
            self.refresh_view()

    def on_descendant_focus(self) -> None:
        self.refresh_bars()

    def on_descendant_blur(self) -> None:
        self.refresh_bars()

    # Keys ----------------------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        """A letter after ``m`` or ``'``; any other key takes the last message away."""
        if self.pending:
            event.stop()
            event.prevent_default()
            letter = event.character
            self.take_letter(letter if letter and letter.isprintable() and letter != " " else None)
        elif self.message:
            self.say("")
            self.call_after_refresh(self.refresh_bars)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """No action while a letter or a line of text is awaited."""
        return not (self.pending or self.prompt_open)

    @property
    def prompt_open(self) -> bool:
        prompts = self.query(Prompt)
        return bool(prompts) and prompts.first().asking

    async def run_named(self, action: Action | None) -> None:
        """Run an action chosen from the palette."""
        if action is not None:
            await self.run_action(action.method)

    def action_palette(self) -> None:
        self.app.push_screen(PaletteScreen(self.looks, self.config.keymap), self.run_named)

    def action_clear(self) -> None:
        view = self.view
        if view is None:
            return
        if not (view.clear() or self.matches is not None or self.message):
            self.say("nothing to clear")
        else:
            self.matches, self.needle = None, ""
            self.say("")
        self.refresh_view()

    def action_range_start(self) -> None:
        if self.view is not None:
            self.view.toggle_anchor()
            going = self.view.anchor is not None
            again = self.config.keymap.hint("range-start", self.looks.ascii)
            self.say(f"range starts here: move to its other end, {again} ends it" if going else "")
            self.refresh_view()

    def action_range_here(self) -> None:
        if self.view is None:
            return
        target = self.target
        here = self.view.aim or ((target.start, target.end) if target is not None else (0, 0))
        if here[1] <= here[0]:
            self.say("nothing with a length under the cursor")
        else:
            self.view.select(*here)
            self.say("")
        self.refresh_view()

    def action_redraw(self) -> None:
        self.explorer.redraw()

    def action_quit(self) -> None:
        self.explorer.leave()

    def action_suspend(self) -> None:
        self.app.action_suspend_process()

    def action_next_report(self) -> None:
        self.explorer.next_report()

    def action_reload(self) -> None:
        self.explorer.reload()

    # Prompt --------------------------------------------------------------------------------

    def on_prompt_changed(self, event: Prompt.Changed) -> None:
        if event.purpose == "filter":
            self.page_view.filter_by(event.text.strip())

    def on_prompt_done(self, event: Prompt.Done) -> None:
        before = self.page_view if event.purpose == "filter" else self.timeline
        (before if before.display else self.page_view).focus()
        text = event.text
        if text is None:
            if event.purpose == "filter":
                self.page_view.filter_by("")
        elif event.purpose == "search":
            self.search_for(text)
        elif event.purpose == "export":
            self.export_to(text)
        elif event.purpose == "overwrite":
            self.overwrite(text)
        elif event.purpose == "yank-file":
            self.write_yank(text)
        self.refresh_view()

    def on_text_screen_yank(self, event: TextScreen.Yank) -> None:
        self.yank(event.text)
        self.refresh_view()

    # Mouse ---------------------------------------------------------------------------------

    def on_timeline_clicked(self, event: Timeline.Clicked) -> None:
        view = self.view
        if view is None:
            return
        self.timeline.focus()
        if event.line >= 0:
            view.go_line(view.top + event.line)
        if event.cell < 0:
            view.toggle_fold()
        else:
            view.go(view.viewport.time(event.cell))
        self.refresh_view()
        if event.again and event.cell >= 0:
            self.action_details()

    def on_timeline_map_clicked(self, event: Timeline.MapClicked) -> None:
        if self.view is not None:
            self.view.look(self.view.viewport.pan(self.view.viewport.cell(event.at) - self.view.cells // 2))
            self.view.go(event.at)
            self.refresh_view()

    def on_timeline_dragged(self, event: Timeline.Dragged) -> None:
        view = self.view
        if view is not None:
            first, last = sorted((event.first, event.last))
            view.select(view.viewport.time(first), view.viewport.time(last + 1))
            self.refresh_view()

    def on_timeline_wheel(self, event: Timeline.Wheel) -> None:
        if self.view is not None:
            if event.lanes:
                self.view.scroll(-3 if event.closer else 3)
            else:
                self.view.zoom_about(event.cell, event.closer)
            self.refresh_view()
