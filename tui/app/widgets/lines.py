"""A scrolling list of ready lines: help, legend, details, notices."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from textual.geometry import Size
from textual.strip import Strip

from tui.app.looks import Looks
from tui.app.widgets.scrolling import Scrolling
from tui.text import width
from tui.text.cells import wrapped
from tui.timeline.runs import Line, Run, fit_line


class Lines(Scrolling, can_focus=True):
    """Lines of styled runs, cut at the right edge."""

    def __init__(self, looks: Looks, lines: Sequence[Line] = (), *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(looks, id=id)
        self.lines: list[Line] = list(lines)

    def show(self, lines: Sequence[Line]) -> None:
        """Replace the lines."""
        self.lines = list(lines)
        self.virtual_size = Size(self.size.width, len(self.lines))
        self.refresh()

    def on_mount(self) -> None:
        self.virtual_size = Size(self.size.width, len(self.lines))

    def render_line(self, y: int) -> Strip:
        number = y + self.scroll_offset.y
        line = self.lines[number] if number < len(self.lines) else []
        room = self.size.width
        return Strip(
            [Segment(run.text, self.looks.style(run.style)) for run in fit_line(line, room, "pane")], room
        )


def pair_lines(pairs: Sequence[tuple[str, str]], room: int) -> list[Line]:
    """(label, value) pairs in two columns, long values wrapped in full."""
    label_room = min(18, max([width(label) for label, _ in pairs], default=0))
    lines: list[Line] = []
    for label, value in pairs:
        for index, piece in enumerate(wrapped(value, max(8, room - label_room - 3))):
            head = label if index == 0 else ""
            lines.append(
                [
                    Run(f" {head}{' ' * (label_room - width(head))}  ", "pane.dim"),
                    Run(piece, "pane.name" if label == "name" else "pane"),
                ]
            )
    return lines
