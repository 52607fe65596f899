"""Textual's Linux driver, made to outlive what real terminals send and do.

- Bytes that are no UTF-8 (legacy mouse reports above column 95, line noise) never end the input thread;
  legacy mouse reports work like modern ones.
- A terminal that went away (closed window, dropped link) ends the app quietly, never blocks it.
- Where the locale can't show a character, a plain one of the same width is written.
- The screen goes to stdout: `2>file` keeps its meaning.
- After each frame the terminal is asked for a sign of life; :attr:`RobustDriver.behind` tells how many
  frames it has not answered for, so that a slow link gets the newest frame and not every one in between.
"""

from __future__ import annotations

import codecs
import os
import re
import selectors
import sys
import time
from typing import IO, TYPE_CHECKING, Any

from textual.events import CursorPosition
from textual.message import Message

from tui.app.textual_private import OpenDriver
from tui.text import width

if TYPE_CHECKING:
    from textual.app import App

_LEGACY_MOUSE = re.compile(rb"\x1b\[M(.)(.)(.)", re.DOTALL)
_ASK_ALIVE = "\x1b[6n"
"""Where is the cursor? Every terminal answers, and Textual's parser knows the answer, in pieces too."""
_PATIENCE_S = 3.0
"""A terminal that has not answered for so long will not: stop waiting for it."""
_FIRST_PATIENCE_S = 0.5
"""The same for one that has never answered: it may not know the question."""
_SETTLE_S = 0.3
"""How long leaving waits for answers, which would end up on the shell's prompt."""


class InputFilter:
    """Bytes from the terminal -> text for Textual's parser."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = b""

    def feed(self, data: bytes) -> str:
        """The text of ``data``; an unfinished legacy mouse report is held back until it is whole."""
        data = _LEGACY_MOUSE.sub(_modern_mouse, self._held + data)
        cut = data.find(b"\x1b[M")
        self._held = data[cut:] if cut >= 0 else b""
        return self._decoder.decode(data[:cut] if cut >= 0 else data)


def _modern_mouse(match: re.Match[bytes]) -> bytes:
    """The SGR form of a legacy mouse report (three bytes, each plus 32)."""
    button, column, row = (byte[0] - 32 for byte in match.groups())
    if min(button, column - 1, row - 1) < 0:
        return b""
    released = button & 3 == 3 and not button & (32 | 64)
    if released:
        button &= ~3
    return b"\x1b[<%d;%d;%d%c" % (button, column, row, b"m" if released else b"M")


def plain(text: str) -> str:
    """``text`` in ASCII, every other character as question marks of its display width."""
    if text.isascii():
        return text
    return "".join(c if c.isascii() else _PLAIN.get(c) or "?" * max(0, width(c)) for c in text)


_PLAIN = {
    fancy: simple
    for simple, group in {
        "|": "│┃║▏▎▍▌▕▐", "#": "▋▊▉█▓▇▆", "-": "─━╌╴╶┄–—╸╺", "=": "═▒▅▄", "_": "▁▔▀", ".": "▂▃░·",
        "+": "┌┐└┘├┤┬┴┼╭╮╰╯", ">": "▶▸►→", "<": "◀◂◄←", "^": "▲▴↑", "v": "▼▾↓", "~": "…", "*": "•", "x": "×✓",
    }.items()
    for fancy in group
}  # fmt: skip


class TerminalFile:
    """The terminal as a file that never raises; what can't be shown is made plain."""

    def __init__(self, file: IO[str], *, ascii_only: bool = False) -> None:
        self._file = file
        self._ascii = ascii_only
        self.lost = False
        self.written = 0

    def write(self, text: str) -> int:
        """Write ``text``; a terminal that is gone swallows it."""
        if self._ascii:
            text = plain(text)
        if not self.lost:
            try:
                self._file.write(text)
            except (OSError, ValueError):
                self.lost = True
        self.written += len(text)
        return len(text)

    def flush(self) -> None:
        """Hand everything to the terminal."""
        if not self.lost:
            try:
                self._file.flush()
            except (OSError, ValueError):
                self.lost = True

    def fileno(self) -> int:
        """The terminal's descriptor."""
        return self._file.fileno()

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return self._file.isatty()


class RobustDriver(OpenDriver):
    """See the module."""

    ascii_only = False

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        out = sys.__stdout__
        assert out is not None, "the explorer starts only where stdout is a terminal"
        self.terminal = TerminalFile(out, ascii_only=self.ascii_only)
        self.write_to(self.terminal)
        self._input = InputFilter()
        self._asked = self._answered = 0
        self._asked_at = 0.0
        self._answers = True

    @property
    def behind(self) -> int:
        """Frames that the terminal has not yet shown, as far as it tells: 0 means that it keeps up."""
        unanswered = self._asked - self._answered
        patience = _PATIENCE_S if self._answered else _FIRST_PATIENCE_S
        if unanswered > 0 and time.monotonic() - self._asked_at > patience:
            self._answers = self._answered > 0
            self._asked = self._answered
            unanswered = 0
        return max(self.queued, unanswered)

    def frame_done(self) -> None:
        """Called after each frame: ask the terminal to say when it got this far."""
        if self._answers and self.input_tty:
            self._asked += 1
            self._asked_at = time.monotonic()
            self.write(_ASK_ALIVE)

    def mouse_codes(self, on: bool) -> str:
        """Buttons, wheel and drags; not every move, which is a report a cell over the link."""
        return "\x1b[?1000h\x1b[?1002h\x1b[?1006h" if on else "\x1b[?1000l\x1b[?1002l\x1b[?1006l\x1b[?1016l"

    def stop_application_mode(self) -> None:
        """Give the screen back, once the terminal's answers are in."""
        self._answers = False
        until = time.monotonic() + _SETTLE_S
        while self._asked > self._answered > 0 and not self.terminal.lost and time.monotonic() < until:
            time.sleep(0.01)
        super().stop_application_mode()

    def forget_screen(self) -> None:
        """Count on nothing that is on the screen: it was another program's until now."""

    def start_application_mode(self) -> None:
        """Take the screen (at the start, and when brought back to the foreground)."""
        self._answers = True
        self._asked = self._answered
        self.forget_screen()
        super().start_application_mode()  # type: ignore[no-untyped-call]

    def process_message(self, message: Message) -> None:
        """Take the answers to our own question out; the rest is for the app."""
        if isinstance(message, CursorPosition):
            self._answered = min(self._answered + 1, self._asked)
            return
        super().process_message(message)

    def hung_up(self) -> None:
        """The terminal is gone: write nothing more, and leave."""
        self.terminal.lost = True
        super().hung_up()

    def read_terminal(self) -> None:
        """Read the terminal and hand events to the app, until told to end or the terminal is gone."""
        parser = self.new_parser()
        with selectors.DefaultSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if selector.select(0.1):
                    data = os.read(self.fileno, 4096)
                    if not data:
                        self.hung_up()
                        return
                    text = self._input.feed(data)
                    for event in (
                        parser.feed(text) if text else ()
                    ):  # "" would tell the parser that input ended
                        self.process_message(event)
                for event in parser.tick():
                    self.process_message(event)
