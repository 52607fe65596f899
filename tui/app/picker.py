"""Choose reports from a list: where the explorer begins without any."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static

from tui.app.driver import RobustDriver
from tui.app.looks import Looks
from tui.app.textual_private import OpenApp
from tui.app.widgets.bar import Bar
from tui.app.widgets.page_view import FAR, PageView
from tui.browse.found_reports import FoundReport, Known, known_of, reports_page
from tui.timeline.runs import Run, fit_line

HINTS = (
    ("enter", "open"),
    ("space", "mark several"),
    ("up down", "move"),
    ("ctrl+o", "sort"),
    ("esc", "leave"),
)
REFRESH_S = 0.2


class Filter(Input):
    """What is typed narrows the list; a space is no text: it marks."""

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        return key != "space" and super().check_consume_key(key, character)


class Picker(OpenApp):
    """Lists ``found``; after :meth:`run`, ``chosen`` holds what the user opens, empty for nothing."""

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    * { scrollbar-size: 1 1; }
    Picker Vertical { height: 1fr; }
    Picker Horizontal { height: 1; }
    Picker Static { width: auto; height: 1; }
    Picker Input { width: 1fr; height: 1; border: none; padding: 0; background: transparent; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c,ctrl+q", "leave", "Leave", priority=True),
        Binding("down,ctrl+n", "move(1)", "Down", priority=True),
        Binding("up,ctrl+p", "move(-1)", "Up", priority=True),
        Binding("pagedown", "move(10)", "Page down", priority=True),
        Binding("pageup", "move(-10)", "Page up", priority=True),
        Binding("ctrl+home", f"move({-FAR})", "First", priority=True),
        Binding("ctrl+end", f"move({FAR})", "Last", priority=True),
        Binding("space", "mark", "Mark", priority=True),
        Binding("ctrl+o", "sort", "Sort by the next column", priority=True),
    ]

    def __init__(
        self,
        folder: Path,
        found: Sequence[FoundReport],
        looks: Looks,
        look_up: Callable[[Path], Known] = known_of,
    ) -> None:
        """``look_up`` says what is known of a report; it runs on a thread of its own."""
        self.looks = looks  # for get_css_variables, which the base class calls at once

        class Driver(RobustDriver):
            ascii_only = looks.ascii

        super().__init__(driver_class=Driver, ansi_color=True)
        self._folder = folder
        self._found = found
        self._known: list[Known | None] = [None] * len(found)
        self._look_up = look_up
        self._marked: frozenset[int] = frozenset()
        self._left = threading.Event()
        self._shown = -1
        self.chosen: list[Path] = []

    def get_css_variables(self) -> dict[str, str]:
        ground = self.looks.background
        return super().get_css_variables() | {
            **dict.fromkeys(("background", "surface", "panel"), ground),
            "foreground": "#d5dde5" if self.looks.theme.fill else "ansi_default",
        }

    def compose(self) -> ComposeResult:
        yield Bar(self.looks, "header", id="header")
        with Horizontal():
            yield Static(" filter: ", markup=False)
            yield Filter(compact=True)
        with Vertical():
            view = PageView(self.looks)
            view.can_focus = False
            yield view
        yield Bar(self.looks, "status", id="hints")

    def on_mount(self) -> None:
        self._show()
        self.query_one(Input).focus()
        self.set_interval(REFRESH_S, self._show_news)
        threading.Thread(target=self._look_all_up, daemon=True).start()

    def _look_all_up(self) -> None:
        """Look every report up, the latest first, until the user leaves."""
        for number, report in enumerate(self._found):
            if self._left.is_set():
                return
            try:
                self._known[number] = self._look_up(report.path)
            except Exception as error:  # whatever a file does to its reader: the list stays
                self._known[number] = Known(fault=str(error) or type(error).__name__)

    @property
    def looking(self) -> bool:
        """Whether reports are still being looked up."""
        return None in self._known

    def _show_news(self) -> None:
        count = sum(facts is not None for facts in self._known)
        if count != self._shown:
            self._shown = count
            self._show()

    def _show(self) -> None:
        view = self.query_one(PageView)
        view.pane.focused = True
        view.show(reports_page(self._folder, self._found, self._known, self._marked))

    def on_resize(self) -> None:
        cells = self.size.width
        head = [Run(" nsystui", "header"), Run(" · which report?", "header.dim")]
        hints = [
            run
            for key, words in HINTS
            for run in (Run(f" {key}", "status.key"), Run(f" {words} ", "status.dim"))
        ]
        dot = self.looks.glyphs.dot
        head = [run._replace(text=run.text.replace("·", dot)) for run in head]
        self.query_one("#header", Bar).show(fit_line(head, cells, "header"))
        self.query_one("#hints", Bar).show(fit_line(hints, cells, "status"))

    # Keys ----------------------------------------------------------------------------------

    @property
    def _selected(self) -> int | None:
        chosen = self.query_one(PageView).pane.selected
        return None if chosen is None else chosen[1]

    def on_input_changed(self, event: Input.Changed) -> None:
        self.query_one(PageView).filter_by(event.value.strip())

    def on_input_submitted(self) -> None:
        self._open()

    def on_page_view_follow(self) -> None:
        """Open what is clicked twice."""
        self._open()

    def _open(self) -> None:
        at = self._selected
        numbers = sorted(self._marked) or ([] if at is None else [at])
        if numbers:
            self.chosen = [self._found[number].path for number in numbers]
            self.action_leave()

    def action_mark(self) -> None:
        """Mark the report under the cursor, or take its mark away, and go on to the next."""
        if (at := self._selected) is not None:
            self._marked ^= {at}
            self._show()
            self.action_move(1)

    def action_move(self, rows: int) -> None:
        self.query_one(PageView).action_move(rows)

    def action_sort(self) -> None:
        self.query_one(PageView).action_sort_next()

    def action_leave(self) -> None:
        self._left.set()
        self.exit()


def pick(
    folder: Path, found: Sequence[FoundReport], looks: Looks, cache_dir: Path | None, mouse: bool
) -> list[Path]:
    """Let the user choose; return the reports to open, none where the user leaves."""
    app = Picker(folder, found, looks, partial(known_of, cache_dir=cache_dir))
    app.run(mouse=mouse)
    if app.crash is not None:
        raise app.crash
    return app.chosen
