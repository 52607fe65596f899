"""Write the events of a range to a CSV file: the same bytes as ``nsystui export``."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Event

from tui.analysis.scope import Scope, Window
from tui.browse.background import Background
from tui.browse.capture import Capture
from tui.browse.page import Recorded, Section
from tui.browse.part import Ask, Part
from tui.browse.state import Browse
from tui.errors import NsystuiError
from tui.report.columns import Positions
from tui.text import safe
from tui.text.numbers import plural

EXPORT = "export"
"""The kind of the jobs."""
Save = Callable[[Path], int]
"""Writes a file and returns how many events it holds."""


class Exporter(Part):
    """Asks for a file's name and before replacing a file; writes in the background."""

    def __init__(self, browse: Browse, ask: Ask, background: Background) -> None:
        super().__init__(browse)
        self._ask = ask
        self._background = background

    def ask(self) -> None:
        """Ask for the file to write the events of the range to."""
        if self.capture.loading:
            self.say("the report is still loading: its events can be written once it is whole")
            return
        name = self.capture.report.path.stem
        if (chosen := self.view.chosen) is not None:
            window, what = self.browse.window, "the selection's events"
            name += f"-{chosen[0]}-{chosen[1]}"
        else:
            window = Window(*self.capture.span, label="everything recorded")
            what = "ALL events (nothing is selected)"
        self._ask_for(f"write {what} to:", name, partial(_save_window, self.capture, window))

    def ask_rows(self, section: Section, rows: Positions) -> None:
        """Ask for the file to write rows of a list to, in the order in which they are shown."""
        if self.capture.loading:
            self.say("the report is still loading: its events can be written once it is whole")
        elif section.recorded is not None:
            what = f"write {plural(len(rows), 'listed event')} to:"
            self._ask_for(what, section.file_name, partial(_save_rows, self.capture, section.recorded, rows))

    def _ask_for(self, question: str, name: str, save: Save) -> None:
        self._ask(question, free_name(f"{name}.csv"), partial(self._write_to, save))

    def _write_to(self, save: Save, name: str) -> None:
        """Write to the file ``name``; ask first if it exists."""
        if not name.strip():
            self.say("nothing written")
            return
        path = Path(name).expanduser()
        if path.is_dir():
            self.say(f"{safe(name)} is a directory")
        elif os.path.lexists(path):
            question = f"{safe(name)} exists: replace it? y/N"
            self._ask(question, "", partial(self._replace, save, path))
        else:
            self._write(save, path)

    def _replace(self, save: Save, path: Path, answer: str) -> None:
        if answer.strip().lower() in ("y", "yes"):
            self._write(save, path)
        else:
            self.say("nothing written")

    def _write(self, save: Save, path: Path) -> None:
        self.say(f"writing {safe(str(path))} ...")

        def write(dropped: Event) -> str:
            try:
                count = save(path)
            except NsystuiError as error:
                return safe(str(error))
            return f"wrote {count:,} events to {safe(str(path))}"

        self._background.run(EXPORT, path, write, queue=True)


def _save_window(capture: Capture, window: Window, path: Path) -> int:
    from tui.output.events_file import save_events

    with capture.lookups() as index:
        return save_events(capture.report, Scope(window), path, index=index)


def _save_rows(capture: Capture, made: Recorded, rows: Positions, path: Path) -> int:
    from tui.output.events_file import save_table

    with capture.lookups() as index:
        return save_table(made(index, rows), path, capture.report.path)


def free_name(name: str) -> str:
    """Return ``name``, with a number added if the working directory has such a file."""
    wanted = path = Path(name)
    number = 2
    while path.exists():
        path = wanted.with_stem(f"{wanted.stem}-{number}")
        number += 1
    return str(path)
