"""Actions that tell more: details, legend, notices, clipboard, export, settings."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from textual import work
from textual.worker import get_current_worker

from tui.analysis.index import Busy
from tui.analysis.scope import Scope, Window
from tui.app.export import default_name, write_export
from tui.app.screens.stage import Stage
from tui.app.screens.text import TextScreen
from tui.app.texts import help_lines, legend_lines
from tui.app.widgets.lines import pair_lines
from tui.browse.details import as_text
from tui.browse.notices import notice_lines
from tui.browse.page import Pairs
from tui.browse.target import full_details
from tui.errors import NsystuiError
from tui.text import safe

LOCK_S = 0.3
"""How long a key waits for the worker that has the report's lookups."""


class Tells(Stage):
    """Everything that shows, copies or writes something out."""

    _yanked = ""
    _export: Window | None = None

    # Screens over the main one -------------------------------------------------------------

    def action_details(self) -> None:
        found = self._details()
        if found is not None:
            self.show_pairs(*found)
        self.refresh_view()

    def _details(self) -> tuple[str, Pairs] | None:
        """(title, all that is known) of the thing under the cursor; None: it says why it can't."""
        capture, target = self.capture, self.target
        if capture is None:
            return None
        if target is None:
            self.say("nothing under the cursor")
        elif not capture.lock.acquire(timeout=LOCK_S):
            self.say("figures are still being worked out: once more in a moment")
        else:
            try:
                return full_details(capture, target, self.books, self.clock)
            finally:
                capture.lock.release()
        return None

    def show_pairs(self, title: str, pairs: Pairs) -> None:
        """(label, value) pairs on a screen of their own."""
        build = partial(pair_lines, pairs)
        self.app.push_screen(TextScreen(self.looks, title, build, as_text(pairs)))

    def action_help(self) -> None:
        keymap, ascii_only = self.config.keymap, self.looks.ascii
        self.app.push_screen(
            TextScreen(self.looks, "Keys", lambda room: help_lines(keymap, room, ascii_only))
        )

    def action_legend(self) -> None:
        self.app.push_screen(TextScreen(self.looks, "Colours and glyphs", lambda _: legend_lines(self.looks)))

    def action_notices(self) -> None:
        if self.capture is not None:
            report = self.capture.report
            self.app.push_screen(TextScreen(self.looks, "About this report", partial(notice_lines, report)))

    # Settings ------------------------------------------------------------------------------

    def action_busy(self) -> None:
        self.busy = Busy.KERNELS if self.busy is Busy.ALL else Busy.ALL
        meaning = "all device work" if self.busy is Busy.ALL else "kernels only: copies count as idle"
        self.say(f"busy = {meaning}")
        self.explorer.work_out_gaps()
        self.refresh_view()

    def action_time(self) -> None:
        self.absolute = not self.absolute
        self.say("times as recorded" if self.absolute else "times since the first device work")
        self.refresh_view()

    # Clipboard -----------------------------------------------------------------------------

    def action_yank(self) -> None:
        found = self._details()
        if found is not None:
            self.yank(as_text(found[1]))
        self.refresh_view()

    def yank(self, text: str) -> None:
        """Ask the terminal to take ``text``; asked again for the same, offer a file."""
        if text == self._yanked:
            self._yanked = ""
            self.prompt.ask("yank-file", "write it to a file:", self._free_name("nsystui-copy.txt"))
            self._pending_text = text
            return
        self._yanked = text
        self.app.copy_to_clipboard(text)
        key = self.config.keymap.hint("yank", self.looks.ascii)
        self.say(
            f"sent {len(text)} characters to the terminal (OSC 52), which may ignore them: "
            f"{key} again writes a file"
        )

    _pending_text = ""

    def write_yank(self, name: str) -> None:
        """The copied text into the file ``name``, which must not exist."""
        if not name.strip():
            return
        try:
            with Path(name).expanduser().open("x", encoding="utf-8") as file:
                file.write(self._pending_text)
            self.say(f"wrote {safe(name)}")
        except FileExistsError:
            self.say(f"{safe(name)} exists: nothing written")
        except OSError as error:
            self.say(f"can't write {safe(name)}: {error.strerror}")
        self.refresh_view()

    # Export --------------------------------------------------------------------------------

    def action_export(self) -> None:
        if self.capture is None or self.view is None:
            return
        if self.capture.loading:
            self.say("the report is still loading: its events can be written once it is whole")
            self.refresh_view()
            return
        chosen = self.view.chosen
        window = (
            self.window if chosen is not None else Window(*self.capture.span, label="everything recorded")
        )
        self._export = window
        name = default_name(self.capture.report.path, chosen)
        what = "the range's events" if chosen is not None else "ALL events (no range chosen)"
        self.prompt.ask("export", f"write {what} to:", self._free_name(name))

    def _free_name(self, name: str) -> str:
        """``name``, or with a number where that is taken in the working directory."""
        path = Path(name)
        number = 2
        while path.exists():
            path = Path(f"{Path(name).stem}-{number}{Path(name).suffix}")
            number += 1
        return str(path)

    def export_to(self, name: str) -> None:
        """Write the chosen events into ``name``; asks first where the file exists."""
        if not name.strip() or self._export is None:
            return
        path = Path(name).expanduser()
        if path.is_dir():
            self.say(f"{safe(name)} is a directory")
            self.refresh_view()
        elif os.path.lexists(path):
            self._export_path = path
            self.prompt.ask("overwrite", f"{safe(name)} exists: replace it? y/N")
        else:
            self.run_export(path)

    _export_path: Path | None = None

    def overwrite(self, answer: str) -> None:
        """``answer`` to whether the file may be replaced."""
        if answer.strip().lower() in ("y", "yes") and self._export_path is not None:
            self.run_export(self._export_path)
        else:
            self.say("nothing written")
            self.refresh_view()

    def run_export(self, path: Path) -> None:
        """Start writing."""
        self.say(f"writing {safe(str(path))} ...")
        self.refresh_view()
        self._write_export(path)

    @work(thread=True, exclusive=True, group="export")
    def _write_export(self, path: Path) -> None:
        capture, window = self.capture, self._export
        if capture is None or window is None:
            return
        worker = get_current_worker()
        try:
            count = write_export(capture, Scope(window), path)
            text = f"wrote {count:,} events to {safe(str(path))}"
        except NsystuiError as error:
            text = safe(str(error))
        if not worker.is_cancelled:
            self.app.call_from_thread(self.tell_later, text)

    def tell_later(self, text: str) -> None:
        """A message that something in the background has ended."""
        self.say(text)
        self.refresh_view()
