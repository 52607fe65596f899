"""Copy everything about a thing through the terminal or, at the second try, to a file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from tui.app.exporter import free_name
from tui.browse.details import as_text
from tui.browse.inspection import inspect
from tui.browse.page import Pairs
from tui.browse.part import Ask
from tui.browse.state import Browse
from tui.text import safe


class Clipboard:
    """Copies through ``send``, which passes a text to the terminal; the same text again goes to a file."""

    def __init__(
        self,
        browse: Browse,
        send: Callable[[str], None],
        ask: Ask,
        look: Callable[[], tuple[str, Pairs] | None] | None = None,
    ) -> None:
        """``look`` tells everything about the thing under the cursor; default: as of an open report."""
        self._browse = browse
        self._look = look or partial(inspect, browse)
        self._send = send
        self._ask = ask
        self._sent = ""

    def copy_target(self) -> None:
        """Copy everything about the thing under the cursor."""
        found = self._look()
        if found is not None:
            self.copy(as_text(found[1]))

    def copy(self, text: str) -> None:
        """Send ``text`` to the terminal, or ask for a file if it was the last one sent."""
        if text == self._sent:
            self._sent = ""
            self._ask("write it to a file:", free_name("nsystui-copy.txt"), partial(self._write, text))
            return
        self._sent = text
        self._send(text)
        self._browse.message = (
            f"sent {len(text)} characters to the terminal (OSC 52), which may ignore them: "
            f"{self._browse.hint('yank')} again writes a file"
        )

    def _write(self, text: str, name: str) -> None:
        """Write ``text`` to the new file ``name``."""
        if not name.strip():
            self._browse.message = "nothing written"
            return
        try:
            with Path(name).expanduser().open("x", encoding="utf-8") as file:
                file.write(text)
            self._browse.message = f"wrote {safe(name)}"
        except FileExistsError:
            self._browse.message = f"{safe(name)} exists: nothing written"
        except OSError as error:
            self._browse.message = f"can't write {safe(name)}: {error.strerror}"
