"""How many colours: one rule for the explorer and for `view`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.e2e.terminal import Terminal
from tui.commands.shared.terminal import colour_depth


@pytest.mark.parametrize(
    ("asked", "environ", "depth"),
    [
        ("16", {"NO_COLOR": "1", "COLORTERM": "truecolor"}, "16"),
        ("none", {"COLORTERM": "truecolor"}, "none"),
        ("auto", {"NO_COLOR": "1", "COLORTERM": "truecolor", "TERM": "xterm-256color"}, "none"),
        (None, {"NO_COLOR": "", "COLORTERM": "truecolor", "TERM": "xterm"}, "truecolor"),
        (None, {"COLORTERM": " 24BIT ", "TERM": "xterm"}, "truecolor"),
        (None, {"COLORTERM": "yes", "TERM": "screen-256color"}, "256"),
        (None, {"TERM": "xterm-kitty"}, "256"),
        (None, {"TERM": "xterm"}, "16"),
        (None, {"TERM": "linux"}, "16"),
        (None, {"TERM": "vt100"}, "none"),
        (None, {"TERM": "dumb"}, "none"),
        (None, {}, "truecolor"),
    ],
)
def test_the_rule(asked: str | None, environ: dict[str, str], depth: str) -> None:
    assert colour_depth(asked, environ) == depth


@pytest.mark.parametrize(
    ("environ", "seen", "unseen"),
    [
        ({"COLORTERM": "TrueColor"}, b"38;2;", b"38;5;"),
        ({"TERM": "xterm-256color"}, b"38;5;", b"38;2;"),
        ({"TERM": "xterm"}, b"\x1b[0;1;97;44m", b"38;"),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, b"38;5;", b"38;2;"),
        ({"NO_COLOR": "1"}, b"GPU 0", b"\x1b"),
        ({"TERM": "dumb"}, b"GPU 0", b"\x1b"),
        ({"TERM": "vt100"}, b"GPU 0", b"\x1b["),
    ],
)
def test_view_on_a_terminal(
    small: Path, environment: dict[str, str], environ: dict[str, str], seen: bytes, unseen: bytes
) -> None:
    command = [sys.executable, "-m", "tui", "view", str(small), "--no-cache"]
    with Terminal(
        command, 120, 30, {**environment, "COLORTERM": "", "TERM": "xterm-256color"} | environ
    ) as view:
        assert view.wait() == 0
        assert seen in view.raw
        assert unseen not in view.raw


@pytest.mark.parametrize(
    ("environ", "options", "seen"),
    [
        ({"NO_COLOR": "1"}, ["--colors", "256"], True),
        ({"NO_COLOR": ""}, [], True),
        ({"NO_COLOR": "1"}, [], False),
        ({}, ["--colors", "none"], False),
    ],
)
def test_the_explorer_shows_colours_that_were_asked_for(
    small: Path, environment: dict[str, str], environ: dict[str, str], options: list[str], seen: bool
) -> None:
    command = [sys.executable, "-m", "tui", str(small), "--no-cache", *options]
    with Terminal(
        command, 120, 30, environment | {"TERM": "xterm-256color", "COLORTERM": ""} | environ
    ) as terminal:
        terminal.expect("GPU 0")
        terminal.quiet()
        assert terminal.leave() == 0
        assert (b"38;5;" in terminal.raw) == seen
