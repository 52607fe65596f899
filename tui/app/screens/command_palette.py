"""Choose any action by name: type a part of it, press enter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from tui.analysis.table import Column, Table, Unit
from tui.app.keys import (
    BY_DIGIT,
    BY_NAME,
    RANKS,
    SCREEN,
    Action,
    Keymap,
    action_named,
    actions_in,
    actions_of,
    shows_numbered,
)
from tui.app.looks import Looks
from tui.app.widgets.page_view import PageView
from tui.browse.page import Section
from tui.browse.pages import Tab


class PaletteScreen(ModalScreen[Action]):
    """Returns the chosen action, or None."""

    DEFAULT_CSS = """
    PaletteScreen { align: center top; background: transparent; }
    PaletteScreen > Vertical { width: 80%; max-width: 90; height: 70%; margin-top: 2; border: round $border; }
    PaletteScreen Input { border: none; height: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "dismiss(None)", "Close"),
        Binding("down,ctrl+n", "move(1)", "Down", priority=True),
        Binding("up,ctrl+p", "move(-1)", "Up", priority=True),
        Binding("pagedown", "move(10)", "Page down", priority=True),
        Binding("pageup", "move(-10)", "Page up", priority=True),
    ]

    def __init__(
        self,
        looks: Looks,
        keymap: Keymap,
        tabs: Sequence[Tab],
        digits: Mapping[str, Tab],
        context: str = SCREEN,
    ) -> None:
        super().__init__()
        self.looks = looks
        self.actions = [
            action
            for action in (actions_in(RANKS) if context == RANKS else actions_of(tabs))
            if action.context in (SCREEN, context) and action.id != "palette" and not shows_numbered(action)
        ]
        keys = [_keys(action, keymap, digits, looks.ascii) for action in self.actions]
        table = Table(
            "actions",
            "Actions",
            (
                Column("what it does", "action", Unit.TEXT, [a.description for a in self.actions]),
                Column("keys", "keys", Unit.TEXT, keys),
                Column("name", "name", Unit.TEXT, [a.id for a in self.actions]),
            ),
        )
        self.page = [Section("Actions", table, unmatched="no action called")]

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
        chosen = self.query_one(PageView).pane.selected
        self.dismiss(self.actions[chosen[1]] if chosen is not None else None)

    def action_move(self, rows: int) -> None:
        self.query_one(PageView).action_move(rows)


def _keys(action: Action, keymap: Keymap, digits: Mapping[str, Tab], ascii_only: bool) -> str:
    """Return the keys of ``action``; for a tab, those of its digit too."""
    same = [d for d, tab in digits.items() if action.id == f"{BY_NAME}{tab.name.lower()}"]
    shown = [action, *(action_named(f"{BY_DIGIT}{d}") for d in same)]
    return " ".join(filter(None, (keymap.shown(a, ascii_only) for a in shown)))
