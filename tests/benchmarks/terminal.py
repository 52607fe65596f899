"""A program in a pseudo-terminal that answers as a modern terminal does, every byte with its time."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pyte

from tests.benchmarks.process import ROOT, Peak, Watch

COLUMNS, LINES = 160, 48
_FRAME_END = b"\x1b[?2026l"

_ANSWERS = {
    b"\x1b[5n": b"\x1b[0n",
    b"\x1b[6n": b"\x1b[1;1R",
    b"\x1b[?6n": b"\x1b[?1;1R",
    b"\x1b[?2026$p": b"\x1b[?2026;2$y",
}
_PRIVATE = re.compile(rb"\x1b\[[<>=?][0-9;]*[a-zA-Z]|\x1b\[\?[0-9;]*\$p|\x1b\[[0-9;]*[tn]")
"""What the emulator below does not know and would print."""


class Chunk(NamedTuple):
    """Bytes that came out together, and when."""

    at: float
    data: bytes


class Terminal:
    """Runs ``command`` on 160 x 48 cells. Use as a context manager; what runs is ended at exit."""

    def __init__(self, command: Sequence[str], *, environment: dict[str, str] | None = None) -> None:
        self.chunks: list[Chunk] = []
        self.peak = Peak()
        self._tail = b""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        env = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", **(environment or {})}
        self.begun = time.perf_counter()
        self._child = subprocess.Popen(
            command, cwd=ROOT, stdin=slave, stdout=slave, stderr=slave, env=env,
            start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        self._watch = Watch(self._child.pid)
        os.close(slave)
        self._master = master

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        self.peak = self._watch.stop()
        self._child.terminate()
        try:
            while self._child.poll() is None and self._read(0.1):
                pass
            self._child.wait(5)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        os.close(self._master)

    @property
    def pid(self) -> int:
        return self._child.pid

    def press(self, keys: str) -> float:
        """Send ``keys``; when they went out."""
        at = time.perf_counter()
        os.write(self._master, keys.encode())
        return at

    def pump(
        self, *, quiet: float = 0.25, most: float = 60.0, until: Callable[[bytes], bool] | None = None
    ) -> list[Chunk]:
        """What comes out until nothing has come for ``quiet`` seconds (and ``until`` holds of it all)."""
        found: list[Chunk] = []
        seen = b""
        end = time.perf_counter() + most
        while time.perf_counter() < end:
            before = len(self.chunks)
            if not self._read(quiet):
                if until is None or until(seen):
                    break
                if self._child.poll() is not None:
                    break
                continue
            found += self.chunks[before:]
            if until is not None:
                seen = b"".join(c.data for c in found)
        return found

    def listen(self, seconds: float) -> None:
        """Take in what comes for that long."""
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            self._read(left)

    def _read(self, wait: float) -> bool:
        if not select.select([self._master], [], [], wait)[0]:
            return False
        try:
            data = os.read(self._master, 1 << 16)
        except OSError:
            return False
        self.chunks.append(Chunk(time.perf_counter(), data))
        window = self._tail + data
        for question, answer in _ANSWERS.items():
            for _ in range(window.count(question) - self._tail.count(question)):
                os.write(self._master, answer)
        self._tail = window[-16:]
        return True


class Replay:
    """The screen that chunks of output make, one after the other."""

    def __init__(self) -> None:
        self._screen = pyte.Screen(COLUMNS, LINES)
        self._stream = pyte.ByteStream(self._screen)
        self._held = b""

    def feed(self, data: bytes) -> None:
        data = self._held + data
        cut = data.rfind(b"\x1b")
        whole = cut < 0 or re.match(rb"\x1b(\[[0-9;<>=?$]*[@-~]|[^\[])", data[cut:]) is not None
        self._held = b"" if whole else data[cut:]
        self._stream.feed(_PRIVATE.sub(b"", data if whole else data[:cut]))

    def rows(self, first: int = 0, stop: int = LINES, columns: int = COLUMNS) -> list[str]:
        """Lines of the screen, cut to ``columns``, with what their colours are."""
        return [
            "".join(
                f"{cell.data}{cell.fg}{cell.bg}"
                for cell in (self._screen.buffer[y][x] for x in range(columns))
            )
            for y in range(first, stop)
        ]

    def text(self) -> list[str]:
        return list(self._screen.display)


def settled(replay: Replay, chunks: Sequence[Chunk], columns: int = COLUMNS) -> float | None:
    """When the left ``columns`` of the screen (bars left out) last changed while ``chunks`` came in."""
    before = replay.rows(1, LINES - 1, columns)
    last = None
    for chunk in chunks:
        replay.feed(chunk.data)
        now = replay.rows(1, LINES - 1, columns)
        if now != before:
            last, before = chunk.at, now
    return last


def frames(chunks: Sequence[Chunk]) -> list[tuple[float, int]]:
    """(when it was whole, bytes) of each frame that came out: the terminal is told where one ends."""
    found: list[tuple[float, int]] = []
    size = 0
    for chunk in chunks:
        *whole, rest = chunk.data.split(_FRAME_END)
        for part in whole:
            found.append((chunk.at, size + len(part) + len(_FRAME_END)))
            size = 0
        size += len(rest)
    return found


def explorer(report: Path, cache: Path) -> list[str]:
    """The command line that opens the explorer on a report."""
    return [sys.executable, "-m", "tui", str(report), "--cache-dir", str(cache)]
