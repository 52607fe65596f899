"""Any keys in any order, on any size: the explorer never ends by itself.

NSYSTUI_RANDOM_KEYS=N presses N keys a run instead of a few.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from tests.app.conftest import Start, training
from tests.support.export import Export
from tui.app.keys import ACTIONS
from tui.timeline.style_colours import Depth

COUNT = int(os.environ.get("NSYSTUI_RANDOM_KEYS", "60"))
SIZES = ((160, 48), (80, 24), (20, 5), (100, 30), (6, 2), (300, 20))
CALM = {"quit", "suspend", "reload", "export"}
NAMES = {
    ",": "comma",
    ".": "full_stop",
    "/": "slash",
    ":": "colon",
    "?": "question_mark",
    "'": "apostrophe",
} | {
    "[": "left_square_bracket",
    "]": "right_square_bracket",
    "{": "left_curly_bracket",
    "}": "right_curly_bracket",
    "+": "plus",
    "-": "minus",
    "=": "equals_sign",
    "!": "exclamation_mark",
}
KEYS = sorted({NAMES.get(key, key) for action in ACTIONS if action.id not in CALM for key in action.keys})


@pytest.mark.parametrize("seed", range(4))
async def test_random_keys(tmp_path: Path, explore: Start, seed: int) -> None:
    rng = random.Random(seed)
    if seed % 2:
        path = training(tmp_path / "train.sqlite")
    else:
        path = Export(tmp_path / "odd.sqlite").notation(
            'K 0-0 K 5-5 K 100-300 G 350-400 M(0,9,120-500) S(1,7,10-20) R cudaFree 0-90 N(60,0-1000,"a") '
            'N(59,-50-NULL,"open") O poll 0-2000 Y(0,7,0-50)',
            1000,
        )
        path = path.write()
    pressed: list[object] = []
    async with explore(
        path, size=rng.choice(SIZES), depth=rng.choice(list(Depth)), ascii_only=rng.random() < 0.3
    ) as session:
        for _ in range(COUNT):
            if rng.random() < 0.05:
                size = rng.choice(SIZES)
                pressed.append(size)
                await session.pilot.resize_terminal(*size)
            key = rng.choice(["escape", "x", *KEYS])
            pressed.append(key)
            await session.pilot.press(key)
        assert session.app.crash is None, pressed
        assert session.app.is_running, pressed
