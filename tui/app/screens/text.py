"""A screen of text over the main one: details, help, legend, notices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Static

from tui.app.keys import FLAME, PANE, SCREEN, Keymap, actions_in, entries, listed_at
from tui.app.looks import Looks
from tui.app.widgets.scrolling import Lines
from tui.browse.page import Pairs
from tui.text import pad, width
from tui.text.cells import wrapped
from tui.timeline.runs import Line, Run

START_HERE = (
    "Idle stretches stand out on each GPU's line, with their length and what the host did meanwhile.",
    "The side pane sums the window of the header up: the GPU work and its steps, or your selection.",
)

START_MANY = (
    "A row is a rank: what each moment went into most. Who waits for nobody is who the others wait for.",
    "* marks a rank that is late again and again; the side pane says by how much, and why.",
)


class TextScreen(ModalScreen[None]):
    """A title and the lines that ``build`` returns for a width; ``y`` copies ``yankable``."""

    DEFAULT_CSS = """
    TextScreen { align: center middle; background: transparent; }
    TextScreen > Vertical {
        width: 90%; max-width: 120; height: auto; max-height: 90%;
        border: round $border; background: $background; border-title-color: $foreground;
    }
    TextScreen Lines { height: auto; max-height: 100%; background: $background; }
    TextScreen .hint { height: 1; dock: bottom; color: $text-muted; background: $background; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,space,question_mark", "dismiss", "Close"),
        Binding("y", "yank", "Copy"),
        Binding("down,j", "scroll_by(1)", "Down"),
        Binding("up,k", "scroll_by(-1)", "Up"),
        Binding("pagedown", "scroll_by(15)", "Page down"),
        Binding("pageup", "scroll_by(-15)", "Page up"),
        Binding("home", "scroll_by(-1000000)", "Top"),
        Binding("end", "scroll_by(1000000)", "Bottom"),
        Binding("ctrl+c", "app.quit", "Quit"),
    ]

    @dataclass
    class Yank(Message):
        """Copy ``text`` to the clipboard."""

        text: str

    def __init__(
        self, looks: Looks, title: str, build: Callable[[int], Sequence[Line]], yankable: str = ""
    ) -> None:
        super().__init__()
        self.looks = looks
        self.heading = title
        self.build = build
        self.yankable = yankable

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = Text(self.heading)
            yield Lines(self.looks)
            arrows = "up/down" if self.looks.ascii else "↑↓"
            copy = " · y copy" if self.yankable else ""
            yield Static(f" {arrows} scroll · esc close{copy}", markup=False, classes="hint")

    def on_resize(self, event: events.Resize) -> None:
        lines = self.query_one(Lines)

        def fill() -> None:
            bar = 0 if lines.show_vertical_scrollbar else 1  # it may come with the lines
            lines.show(self.build(max(10, lines.size.width - bar)))

        self.call_after_refresh(fill)

    def on_mount(self) -> None:
        self.query_one(Lines).show(self.build(min(114, max(10, self.app.size.width * 9 // 10 - 4))))

    def action_scroll_by(self, rows: int) -> None:
        self.query_one(Lines).scroll_relative(y=rows, animate=False)

    def action_yank(self) -> None:
        if self.yankable:
            self.post_message(self.Yank(self.yankable))


def help_lines(keymap: Keymap, room: int, ascii_only: bool, context: str = SCREEN) -> list[Line]:
    """Return every key of a screen and its pane by group, in two columns where there is room."""
    start = START_HERE if context == SCREEN else START_MANY
    lines: list[Line] = [[Run(piece, "pane")] for text in start for piece in wrapped(text, room, " ", " ")]
    more = (*actions_in(PANE), *(actions_in(FLAME) if context == SCREEN else ()))
    actions = [*actions_in(context), *more]
    for group, listed in entries(keymap, ascii_only, sorted(actions, key=listed_at)).items():
        lines += [[], [Run(f" {group}", "pane.title")]]
        shown = [(" ".join(keys) or "-", text) for keys, text in listed]
        key_room = max(width(keys) for keys, _ in shown)
        columns = 2 if room >= 110 else 1
        text_room = room // columns - key_room - 3
        rows = -(-len(shown) // columns)
        if columns == 1:
            for keys, text in shown:
                for number, piece in enumerate(wrapped(text, max(8, text_room))):
                    head = pad("" if number else keys, key_room)
                    lines.append([Run(f" {head}  ", "status.key"), Run(piece, "pane")])
            continue
        for row in range(rows):
            lines += _beside(shown[row::rows], key_room, text_room)
    return lines


def _beside(shown: Sequence[tuple[str, str]], key_room: int, text_room: int) -> list[Line]:
    """Return (keys, text) beside each other, long texts wrapped in their columns."""
    columns = [wrapped(text, max(8, text_room)) for _, text in shown]
    lines: list[Line] = []
    for row in range(max(map(len, columns))):
        line: Line = []
        for (keys, _), pieces in zip(shown, columns, strict=True):
            line.append(Run(f" {pad('' if row else keys, key_room)}  ", "status.key"))
            line.append(Run(pad(pieces[row] if row < len(pieces) else "", text_room), "pane"))
        lines.append(line)
    return lines


def pair_lines(pairs: Pairs, room: int) -> list[Line]:
    """Return (label, value) pairs in two columns, long values wrapped in full."""
    label_room = min(18, max([width(label) for label, _ in pairs], default=0))
    lines: list[Line] = []
    for label, value in pairs:
        for index, piece in enumerate(wrapped(value, max(8, room - label_room - 3))):
            head = label if index == 0 else ""
            filled = f" {head}{' ' * (label_room - width(head))}  "
            lines.append([Run(filled, "pane.dim"), Run(piece, "pane.name" if label == "name" else "pane")])
    return lines
