"""What a user waits for, measured through a pseudo-terminal: the first frame, a key, a held-down key."""

from __future__ import annotations

import shutil
import statistics
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.process import Peak
from tests.benchmarks.terminal import Replay, Terminal, explorer, frames, settled

TIMELINE = 98
"""Columns of the timeline at the left of the pane, at 160 columns."""
DATA = b"GPU 0"
"""A device's title: it comes with the first frame that shows data."""


@dataclass
class Opening:
    """Seconds since the command was run."""

    first: float
    """The first frame of any kind."""
    data: float
    """The first frame with data in it."""
    size: int
    """Bytes of that frame."""
    peak: Peak


def empty() -> float:
    """The empty app's first frame."""
    with Terminal([sys.executable, "-m", "tests.benchmarks.empty"]) as terminal:
        chunks = terminal.pump(quiet=0.3, until=lambda seen: b"EMPTY" in seen)
        return next(c.at for c in chunks if b"EMPTY" in c.data) - terminal.begun


def opening(report: Path, cache: Path, *, cold: bool = False, most: float = 600.0) -> Opening:
    """Open the explorer and wait until it has come to rest."""
    if cold:
        shutil.rmtree(cache, ignore_errors=True)
    with Terminal(explorer(report, cache)) as terminal:
        chunks = terminal.pump(quiet=1.0, most=most, until=lambda seen: DATA in seen)
        drawn = frames(chunks)
        seen = next(c.at for c in chunks if DATA in c.data)
        at, size = next((at, size) for at, size in drawn if at >= seen)
    return Opening(drawn[0][0] - terminal.begun, at - terminal.begun, size, terminal.peak)


@dataclass
class Keys:
    """Seconds from a key to the frame that answers it, and the bytes of that frame."""

    pan: list[float]
    zoom: list[float]
    cursor: list[float]
    pan_bytes: list[int]
    cursor_bytes: list[int]
    held_late: float
    """After a pan was held down for a second: from the last key until the screen stood still."""
    held_frames: int
    held_bytes: int
    peak: Peak

    @property
    def full(self) -> int:
        """Bytes of the largest frame that a pan or zoom repainted."""
        return max(self.pan_bytes)

    def median(self) -> float:
        """Of all keys that repaint the timeline."""
        return statistics.median(self.pan + self.zoom)


def keys(report: Path, cache: Path, *, quiet: float = 0.4) -> Keys:
    """Zoom in, pan about, move the cursor, hold a key down."""
    with Terminal(explorer(report, cache)) as terminal:
        replay = Replay()
        for chunk in terminal.pump(quiet=1.0, until=lambda seen: DATA in seen):
            replay.feed(chunk.data)

        def times(pressed: str) -> tuple[list[float], list[int]]:
            took: list[float] = []
            sizes: list[int] = []
            for key in pressed.split():
                at = terminal.press({"right": "\x1b[C", "left": "\x1b[D"}.get(key, key))
                chunks = terminal.pump(quiet=quiet)
                last = settled(replay, chunks, TIMELINE)
                if last is not None:
                    took.append(last - at)
                    sizes.append(sum(size for _, size in frames(chunks)))
            return took, sizes

        zoom, zoom_bytes = times("w w w w")
        pan, pan_bytes = times("d d d a d a l l d d")
        more, more_bytes = times("w w w s w s w w w w")
        near, near_bytes = times("d a d d a l h d")
        cursor, cursor_bytes = times("right right right left right left left right")
        before, at = len(terminal.chunks), 0.0
        for _ in range(30):
            at = terminal.press("a")
            terminal.listen(1 / 30)
        terminal.pump(quiet=quiet)
        drawn = frames(terminal.chunks[before:])
        late = max(0.0, max((when for when, _ in drawn), default=at) - at)
    return Keys(
        pan + near, zoom + more, cursor, pan_bytes + near_bytes + zoom_bytes + more_bytes, cursor_bytes, late,
        len(drawn), sum(size for _, size in drawn), terminal.peak,
    )  # fmt: skip
