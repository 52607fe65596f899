"""The lines of the help screen."""

from __future__ import annotations

from tui.app.keys import Keymap, entries
from tui.text import pad, width
from tui.timeline.runs import Line, Run

START_HERE = (
    "Idle stretches stand out on each GPU's line, with their length and what the host did meanwhile.",
    "The side pane sums the same window up: the whole capture, or the range that you select.",
)


def help_lines(keymap: Keymap, room: int, ascii_only: bool) -> list[Line]:
    """Every key by group, in two columns where there is room."""
    lines: list[Line] = [[Run(" " + text, "pane")] for text in START_HERE]
    for group, listed in entries(keymap, ascii_only).items():
        lines += [[], [Run(f" {group}", "pane.title")]]
        shown = [(" ".join(keys) or "-", text) for keys, text in listed]
        key_room = max(width(keys) for keys, _ in shown)
        columns = 2 if room >= 110 else 1
        cell = room // columns
        rows = -(-len(shown) // columns)
        for row in range(rows):
            line: Line = []
            for keys, text in shown[row::rows]:
                line.append(Run(f" {pad(keys, key_room)}  ", "status.key"))
                line.append(Run(pad(text, max(width(text), cell - key_room - 3)), "pane"))
            lines.append(line)
    return lines
