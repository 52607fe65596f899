"""Writes a range to CSV: the same bytes as ``nsystui export``."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from threading import Event

from tui.analysis.scope import Scope, Window
from tui.browse.background import Background
from tui.browse.part import Ask, Part
from tui.browse.state import Browse
from tui.errors import NsystuiError
from tui.text import safe

EXPORT = "export"
"""The kind of the jobs."""


class Exporter(Part):
    """Asks for a file's name, and before it replaces one; writes beside the screen."""

    def __init__(self, browse: Browse, ask: Ask, background: Background) -> None:
        super().__init__(browse)
        self._ask = ask
        self._background = background

    def ask(self) -> None:
        """Ask where the events of the range are to go."""
        if self.capture.loading:
            self.say("the report is still loading: its events can be written once it is whole")
            return
        chosen = self.view.chosen
        if chosen is not None:
            window, what = self.browse.window, "the range's events"
        else:
            window = Window(*self.capture.span, label="everything recorded")
            what = "ALL events (no range chosen)"
        name = free_name(default_name(self.capture.report.path, chosen))
        self._ask(f"write {what} to:", name, partial(self._to, window))

    def _to(self, window: Window, name: str) -> None:
        """Write into the file ``name``; ask first where it exists."""
        if not name.strip():
            return
        path = Path(name).expanduser()
        if path.is_dir():
            self.say(f"{safe(name)} is a directory")
        elif os.path.lexists(path):
            question = f"{safe(name)} exists: replace it? y/N"
            self._ask(question, "", partial(self._replace, window, path))
        else:
            self._write(window, path)

    def _replace(self, window: Window, path: Path, answer: str) -> None:
        if answer.strip().lower() in ("y", "yes"):
            self._write(window, path)
        else:
            self.say("nothing written")

    def _write(self, window: Window, path: Path) -> None:
        capture = self.capture
        self.say(f"writing {safe(str(path))} ...")

        def write(dropped: Event) -> str:
            from tui.output.events_file import save_events

            try:
                with capture.lookups() as index:
                    count = save_events(capture.report, Scope(window), path, index=index)
            except NsystuiError as error:
                return safe(str(error))
            return f"wrote {count:,} events to {safe(str(path))}"

        self._background.run(EXPORT, path, write, queue=True)


def default_name(report: Path, chosen: tuple[int, int] | None) -> str:
    """``run-1500000000-1620000000.csv``: the report and the range in ns."""
    return f"{report.stem}-{chosen[0]}-{chosen[1]}.csv" if chosen else f"{report.stem}.csv"


def free_name(name: str) -> str:
    """``name``, or with a number where the working directory has such a file."""
    path = Path(name)
    number = 2
    while path.exists():
        path = Path(f"{Path(name).stem}-{number}{Path(name).suffix}")
        number += 1
    return str(path)
