"""A real pseudo-terminal with an emulator at its other end: what a user would see and press."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

import pyte

ROOT = Path(__file__).parents[2]
UNKNOWN_TO_PYTE = re.compile(rb"\x1b\[[<>=][0-9;]*u|\x1b\[\?[0-9;]*\$p|\x1b\]52;[^\x07]*\x07")
PATIENCE_S = 60.0


class _Screen(pyte.Screen):
    """Answers the questions that a terminal answers."""

    answer: Callable[[str], None] = staticmethod(lambda text: None)

    def write_process_input(self, data: str) -> None:
        self.answer(data)


class Terminal:
    """Runs a command in a pseudo-terminal of ``columns`` x ``lines``.

    ``answers``: whether it answers questions, as terminals do. Everything written is kept in ``raw``.
    """

    def __init__(
        self,
        command: Sequence[str],
        columns: int = 160,
        lines: int = 48,
        env: Mapping[str, str] | None = None,
        *,
        answers: bool = True,
    ) -> None:
        self.raw = bytearray()
        self.screen = _Screen(columns, lines)
        self._stream = pyte.ByteStream(self.screen)
        self._held = b""
        self.status: int | None = None
        others = ("TEXTUAL", "COLOR", "NO_COLOR", "COLUMNS", "LINES")
        environ = {k: v for k, v in os.environ.items() if not k.startswith(others)}
        environ |= {"TERM": "xterm-256color", "PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8"} | dict(env or {})
        self.pid, self._master = pty.fork()
        if self.pid == 0:  # pragma: no cover - the child
            try:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
                os.execvpe(command[0], list(command), environ)
            finally:  # a child that is no other program must not go on as a second test run
                os._exit(127)
        if answers:
            self.screen.answer = lambda text: self.send(text.encode())  # type: ignore[method-assign]

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.status is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        with contextlib.suppress(OSError):
            os.close(self._master)

    def send(self, keys: bytes | str) -> None:
        """Press keys."""
        os.write(self._master, keys.encode() if isinstance(keys, str) else keys)

    def signal(self, number: int) -> None:
        """Send a signal to the process."""
        os.kill(self.pid, number)

    def resize(self, columns: int, lines: int) -> None:
        """Another size."""
        self.screen.resize(lines, columns)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def hang_up(self) -> None:
        """The link is gone."""
        os.close(self._master)

    def read(self, patience: float) -> bool:
        """Take in what comes within ``patience`` seconds; False if nothing did or the process ended."""
        if not select.select([self._master], [], [], patience)[0]:
            return False
        try:
            data = os.read(self._master, 65536)
        except OSError:
            return False
        self.raw += data
        data = self._held + data
        cut = data.rfind(b"\x1b", max(0, len(data) - 64))
        self._held = data[cut:] if cut >= 0 else b""
        self._stream.feed(UNKNOWN_TO_PYTE.sub(b"", data[:cut] if cut >= 0 else data))
        if self._held and _complete(self._held):
            self._stream.feed(UNKNOWN_TO_PYTE.sub(b"", self._held))
            self._held = b""
        return bool(data)

    @property
    def lines(self) -> list[str]:
        """The screen."""
        return [line.rstrip() for line in self.screen.display]

    @property
    def text(self) -> str:
        """The screen in one text."""
        return "\n".join(self.lines)

    @property
    def afterwards(self) -> str:
        """What was written since the screen was given back."""
        text = bytes(self.raw).rpartition(b"\x1b[?1049l")[2].decode("utf-8", "replace")
        return re.sub(r"\x1b\[[0-9;?<>]*[a-zA-Z]", "", text).replace("\r\n", "\n").strip()

    def until(self, true: Callable[[], bool], what: str) -> None:
        """Wait until something holds; fails with the screen."""
        end = time.monotonic() + PATIENCE_S
        while not true():
            if time.monotonic() > end:
                raise AssertionError(f"waited in vain for {what}; the screen:\n{self.text}")
            self.read(0.05)

    def expect(self, text: str) -> None:
        """Wait until the screen shows ``text``."""
        self.until(lambda: text in self.text, repr(text))

    def quiet(self, seconds: float = 0.15) -> None:
        """Take everything in until nothing comes for a while."""
        while self.read(seconds):
            pass

    def wait(self) -> int:
        """The exit code, once the process has ended."""
        end = time.monotonic() + PATIENCE_S
        while not self.ended():
            self.read(0.02)
            if time.monotonic() > end:
                raise AssertionError(f"did not end; the screen:\n{self.text}")
        assert self.status is not None
        return self.status

    def ended(self) -> bool:
        """Whether the process has ended."""
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.quiet(0.05)
                self.status = os.waitstatus_to_exitcode(status)
        return self.status is not None

    def leave(self) -> int:
        """Quit the explorer from whatever is open in it; the exit code.

        Escape closes, q quits. Read in one piece they are another key, which happens where the machine is
        busy: so they are sent apart, and again until the process has ended.
        """
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            for key in ("\x1b", "q"):
                if self.ended():
                    return self.wait()
                self.send(key)
                self.quiet(0.5)
        return self.wait()


def _complete(sequence: bytes) -> bool:
    """Whether an escape sequence at the end of what was read is whole."""
    return (
        re.fullmatch(rb"\x1b(\[[0-9;?<>=$]*[@-~]|[()][A-Z0-9]|[78=>cDEHMNOZ]).*", sequence, re.DOTALL)
        is not None
    )


def explorer(*arguments: str) -> list[str]:
    """The command line of the explorer."""
    return [sys.executable, "-m", "tui", *arguments, "--no-cache"]
