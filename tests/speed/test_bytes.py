"""What goes to the terminal: bytes of a whole frame and of a cursor move, in a real pseudo-terminal."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.benchmarks.screen import DATA
from tests.benchmarks.terminal import Chunk, Terminal, explorer, frames
from tui.browse.capture import open_capture

FULL = 64 * 1024
CURSOR = 4 * 1024


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the harness reads Linux's /proc")
def test_bytes(small: Path, tmp_path: Path) -> None:
    open_capture(small, cache_dir=tmp_path).keep_lanes()
    with Terminal(explorer(small, tmp_path)) as terminal:
        opening = terminal.pump(quiet=0.5, until=lambda seen: DATA in seen and len(frames(_one(seen))) > 0)
        assert max(size for _, size in frames(opening)) <= FULL

        def after(key: str) -> int:
            """Bytes of the frames that answer a key."""
            terminal.press(key)
            chunks = terminal.pump(quiet=0.3, most=20, until=lambda seen: len(frames(_one(seen))) > 0)
            return sum(size for _, size in frames(chunks))

        zooms = [after("w") for _ in range(8)]
        pans = [after("d") for _ in range(3)]
        cursor = [after("\x1b[C") for _ in range(4)]
    assert max(zooms + pans) <= FULL
    assert max(cursor) <= CURSOR


def _one(data: bytes) -> list[Chunk]:
    return [Chunk(time.perf_counter(), data)]
