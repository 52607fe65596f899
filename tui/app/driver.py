"""Make Textual's Linux driver survive what real terminals send and do.

- Bytes that are no UTF-8 (legacy mouse reports above column 95, line noise) don't end the input thread;
  legacy mouse reports work like modern ones.
- A terminal that has gone (closed window, dropped link) ends the app quietly and never blocks it.
- A character that the locale can't show is replaced by a plain one of the same width.
- The screen goes to stdout, so that `2>file` keeps its meaning.
- After each frame the driver asks the terminal for a sign of life; :attr:`RobustDriver.behind` counts the
  frames without an answer, so that a slow link gets the newest frame, not every one in between.
"""

from __future__ import annotations

import codecs
import os
import re
import selectors
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import IO, TYPE_CHECKING, Any

from textual.events import CursorPosition
from textual.message import Message

from tui.app.textual_private import OpenDriver
from tui.text import width

if TYPE_CHECKING:
    from textual.app import App

_LEGACY_MOUSE = re.compile(rb"\x1b\[M(.)(.)(.)", re.DOTALL)
_ASK_ALIVE = "\x1b[6n"
"""Asks where the cursor is: every terminal answers, and Textual's parser reads the answer, in pieces too."""
_PATIENCE_S = 3.0
"""How long to wait for a terminal that has answered before."""
_FIRST_PATIENCE_S = 0.5
"""How long to wait for one that has never answered: it may not know the question."""
_SETTLE_S = 0.3
"""How long to wait for answers on leaving: they would end up on the shell's prompt."""


class InputFilter:
    """Turns bytes from the terminal into text for Textual's parser."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._unfinished = b""

    def feed(self, data: bytes) -> str:
        """Return the text of ``data``; an unfinished legacy mouse report waits until it is whole."""
        data = _LEGACY_MOUSE.sub(_modern_mouse, self._unfinished + data)
        text, start, rest = data.partition(b"\x1b[M")
        self._unfinished = start + rest
        return self._decoder.decode(text)


def _modern_mouse(match: re.Match[bytes]) -> bytes:
    """Return the SGR form of a legacy mouse report (three bytes, each plus 32)."""
    button, column, row = (byte[0] - 32 for byte in match.groups())
    if min(button, column - 1, row - 1) < 0:
        return b""
    released = button & 3 == 3 and not button & (32 | 64)
    if released:
        button &= ~3
    return b"\x1b[<%d;%d;%d%c" % (button, column, row, b"m" if released else b"M")


def plain(text: str) -> str:
    """Return ``text`` in ASCII, other characters replaced by look-alikes or question marks of their width."""
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
    """The terminal as a file that never raises; ``lost`` once the terminal has gone."""

    def __init__(self, file: IO[str], *, ascii_only: bool = False) -> None:
        self._file = file
        self._ascii = ascii_only
        self.lost = False

    def write(self, text: str) -> None:
        """Write ``text``, in ASCII where the terminal shows nothing else."""
        self._try(partial(self._file.write, plain(text) if self._ascii else text))

    def flush(self) -> None:
        """Send everything to the terminal."""
        self._try(self._file.flush)

    def _try(self, send: Callable[[], object]) -> None:
        if not self.lost:
            try:
                send()
            except (OSError, ValueError):
                self.lost = True


class RobustDriver(OpenDriver):
    """A driver for the terminals that the module describes."""

    ascii_only = False
    # Buttons, wheel and drags: every move would be one report per cell over the link.
    mouse_on = "\x1b[?1000h\x1b[?1002h\x1b[?1006h"
    mouse_off = "\x1b[?1000l\x1b[?1002l\x1b[?1006l\x1b[?1016l"

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
        """How many frames the terminal has not shown yet, by its answers: 0 when it keeps up."""
        unanswered = self._asked - self._answered
        patience = _PATIENCE_S if self._answered else _FIRST_PATIENCE_S
        if unanswered > 0 and time.monotonic() - self._asked_at > patience:
            self._answers = self._answered > 0
            self._asked = self._answered
            unanswered = 0
        return max(self.queued, unanswered)

    def frame_done(self) -> None:
        """Ask the terminal, after each frame, to answer when it has come this far."""
        if self._answers and self.input_tty:
            self._asked += 1
            self._asked_at = time.monotonic()
            self.write(_ASK_ALIVE)

    def stop_application_mode(self) -> None:
        """Give the screen back once the terminal has answered."""
        self._answers = False
        until = time.monotonic() + _SETTLE_S
        while self._asked > self._answered > 0 and not self.terminal.lost and time.monotonic() < until:
            time.sleep(0.01)
        super().stop_application_mode()

    def forget_screen(self) -> None:
        """Hook: assume nothing about the screen, which another program used until now."""

    def start_application_mode(self) -> None:
        """Take the screen, at the start and when brought back to the foreground."""
        self._answers = True
        self._asked = self._answered
        self.forget_screen()
        super().start_application_mode()  # type: ignore[no-untyped-call]

    def process_message(self, message: Message) -> None:
        """Count the answers to our own question; pass everything else to the app."""
        if isinstance(message, CursorPosition):
            self._answered = min(self._answered + 1, self._asked)
        else:
            super().process_message(message)

    def hung_up(self) -> None:
        """Write nothing more, and leave: the terminal has gone."""
        self.terminal.lost = True
        super().hung_up()

    def read_terminal(self) -> None:
        """Pass the terminal's events to the app until the driver ends or the terminal has gone."""
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
                    # An empty text would mean the end of the input to the parser.
                    for event in parser.feed(text) if text else ():
                        self.process_message(event)
                for event in parser.tick():
                    self.process_message(event)
