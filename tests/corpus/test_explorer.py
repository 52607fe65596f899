"""Each export in the explorer: it opens, and a fixed walk over all keys ends without an exception."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.keys import _character_to_key

from tests.corpus.conftest import CORPUS, export_named
from tui.app.app import Explorer
from tui.app.keys import ACTIONS
from tui.app.looks import Looks
from tui.app.settings import Config
from tui.browse.loader import Load
from tui.timeline.style_colours import Depth

LEAVING = {"quit", "suspend", "reload", "next-report", "export", "export-choose"}
WALK = (
    *(
        f"{key}"
        for key in (
            "}",
            "f",
            "enter",
            "escape",
            "c",
            "G",
            "{",
            "C",
            "]",
            "f",
            "C",
            "escape",
            "[",
            "u",
            "down",
            ".",
            ".",
            "r",
            "f",
            "U",
            "0",
        )
    ),
    *(
        "1",
        "down",
        "enter",
        "2",
        "o",
        "3",
        "space",
        "escape",
        "4",
        "5",
        "6",
        "7",
        "8",
        "n",
        "z",
        "z",
        "tab",
        "i",
        "down",
        "enter",
        "n",
        "o",
        "escape",
        "3",
        "i",
        "O",
        "escape",
        "I",
        "f",
        "down",
        "right",
        "left",
        "b",
        "enter",
        "u",
        "up",
        "i",
        "escape",
        "f",
    ),
    *(
        "g",
        "5",
        "0",
        "%",
        "enter",
        "/",
        "s",
        "t",
        "enter",
        "n",
        "N",
        "escape",
        "F",
        "down",
        "space",
        "b",
        "t",
        "T",
        "c",
        "c",
        "T",
        "M",
        "v",
        "right",
        "down",
        "escape",
        "L",
        "escape",
    ),
    *(")", "(", "S", "H", "p", "enter", "P", "J", "K", "P", "\\", "o", "enter"),
    *("\\", "backspace", "enter", "<", ">"),
    *(
        "!",
        "escape",
        "?",
        "escape",
        ":",
        "escape",
        "home",
        "end",
        "w",
        "w",
        "w",
        "a",
        "d",
        "s",
        "y",
        "escape",
        "escape",
    ),
)
SIZES = ((160, 48), (100, 30), (80, 24), (40, 10), (20, 5))


USUAL = ("decode-graph",)
"""What is walked in every test run; tests/app/test_real.py presses the main keys on each real export."""


def textual_name(key: str) -> str:
    return _character_to_key(key) if len(key) == 1 else key


def test_the_walk_meets_most_keys() -> None:
    """A new action with keys of its own belongs into the walk."""
    here = [a for a in ACTIONS if a.keys and a.id not in LEAVING and a.context != "ranks"]
    missed = [a.id for a in here if not set(a.keys) & set(WALK)]
    assert len(missed) < len(here) // 3, missed


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "walked" in metafunc.fixturenames:
        every = metafunc.config.getoption("--corpus-all")
        metafunc.parametrize("walked", CORPUS if every else [n for n in CORPUS if n in USUAL])


async def test_a_walk_over_all_keys(walked: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = export_named(walked, home)
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))
    monkeypatch.chdir(home)

    def load(path: Path) -> Load:
        return Load(path, cache_dir=home / "store")

    turn = sum(report.stem.encode())
    depth = list(Depth)[turn % len(Depth)]
    app = Explorer(load(report).start(), [report], Config(), Looks(depth, turn % 3 == 0), load)
    async with app.run_test(size=SIZES[0]) as pilot:
        for _ in range(1000):
            await pilot.pause(0.01)
            if app.browse.capture is not None:
                break
        assert app.browse.capture is not None
        for position, key in enumerate(WALK):
            if position % 12 == 11:
                await pilot.resize_terminal(*SIZES[(turn + position // 12) % len(SIZES)])
            await pilot.press(textual_name(key))
        await pilot.pause()
    assert app.crash is None
    assert app.return_code in (0, None)
