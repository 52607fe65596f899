"""Idle time as a text for people: sentences first, then the tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from tui.analysis.gap_tables import headline
from tui.analysis.idle import Idle, short_classes
from tui.analysis.index import Index
from tui.analysis.notes import blocking_ns, outside_note
from tui.analysis.table import Table
from tui.output.readable import readable
from tui.output.text_layout import TextLayout
from tui.output.text_table import paragraph, spelled, write_table
from tui.text import safe
from tui.text.times import show_duration, show_time


def write_idle(
    index: Index,
    idle: Idle,
    tables: Iterable[Table],
    notes: Iterable[str],
    stream: TextIO,
    layout: TextLayout,
    *,
    title: str,
    glance: bool = True,
) -> None:
    """Write what each device did in the window, the ``tables``, and the ``notes``.

    ``glance``: each time in the unit that suits it; else all in the layout's unit.
    """

    def say(line: str) -> None:
        stream.write(f"{spelled(line, layout)}\n")

    window = idle.scope.window
    dot = "-" if layout.ascii else "·"
    when = f"{show_duration(window.length)} from {show_time(window.start)}"
    say(f"{safe(title)} {dot} {safe(window.label)} {dot} {when}")
    if more := outside_note(index.report, window):
        say(paragraph(more, layout.width))
    for device in idle.devices:
        say("")
        for line in headline(device, short_classes(index, idle, device)):
            say(paragraph(safe(line), layout.width))
    if waited := blocking_ns(index, idle.scope):
        say("")
        say(f" host: {show_duration(waited)} in calls that wait for a device, added up over threads")
    for table in tables:
        say("")
        write_table(readable(table) if glance else table, stream, layout)
    for note in notes:
        say("")
        say(paragraph(f"note: {safe(note)}", layout.width))
