"""Every action by name: type a part of it, enter runs it."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from tui.analysis.table import Column, Table, Unit
from tui.app.keys import ACTIONS, PANE, Action, Keymap
from tui.app.looks import Looks
from tui.app.widgets.page import PageView
from tui.browse.page import Page, Section


class PaletteScreen(ModalScreen[Action]):
    """Ends with the chosen action, or None."""

    DEFAULT_CSS = """
    PaletteScreen { align: center top; background: transparent; }
    PaletteScreen > Vertical { width: 80%; max-width: 90; height: 70%; margin-top: 2; border: round $border; }
    PaletteScreen Input { border: none; height: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "close", "Close"),
        Binding("down,ctrl+n", "move(1)", "Down", priority=True),
        Binding("up,ctrl+p", "move(-1)", "Up", priority=True),
        Binding("pagedown", "move(10)", "Page down", priority=True),
        Binding("pageup", "move(-10)", "Page up", priority=True),
    ]

    def __init__(self, looks: Looks, keymap: Keymap) -> None:
        super().__init__()
        self.looks = looks
        self.actions = [a for a in ACTIONS if a.context != PANE and a.id != "palette"]
        table = Table(
            "actions",
            "Actions",
            (
                Column("what it does", "action", Unit.TEXT, [a.description for a in self.actions]),
                Column("keys", "keys", Unit.TEXT, [keymap.shown(a, looks.ascii) for a in self.actions]),
                Column("name", "name", Unit.TEXT, [a.id for a in self.actions]),
            ),
        )
        self.page = Page("", (Section("Actions", table),))

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Input(placeholder="an action, or a part of its name", compact=True)
            view = PageView(self.looks)
            view.can_focus = False
            yield view

    def on_mount(self) -> None:
        self.query_one(PageView).show(self.page)
        self.query_one(Input).focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        self.query_one(PageView).filter_by(event.value.strip())

    def on_input_submitted(self) -> None:
        chosen = self.query_one(PageView).selected
        self.dismiss(self.actions[chosen[1]] if chosen is not None else None)

    def action_move(self, rows: int) -> None:
        self.query_one(PageView).move(rows)

    def action_close(self) -> None:
        self.dismiss(None)
