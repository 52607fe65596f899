"""No name in a report acts on the terminal: not in a table, not as CSV, not in the explorer.

That :func:`tui.text.safe` leaves nothing to act on is in tests/text; here a real terminal is at the end.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.e2e.terminal import Terminal
from tests.fuzz.nasty import TEXTS
from tests.support.export import Export

MINE = re.compile(rb"\x1b\[[0-9;]*m|\x1b\[([0-9]+G|K|\?7[lh])|\r+\n")
"""What a command itself may send: colours, columns behind names, line ends (of CSV two)."""
PAYLOADS = (
    b"\x1b[31mred",
    b"\x1b]0;title",
    b"\x1b]52;c;aGk=",
    b"\x9b31m",
    "\u202e".encode(),
    "\u2066".encode(),
    b"nul\x00",
)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """Each nasty name as a kernel, a range, a call, a thread, a process, a function and a module."""
    export = Export(tmp_path / "hostile.sqlite")
    for number, text in enumerate(t for t in TEXTS if len(t) < 20_000):
        at = number * 200_000
        export.push_pop(text, at, at + 190_000)
        export.launch((at + 1, at + 5), (at + 10_000, at + 20_000), name=text, api=text)
        export.osrt(text, at, at + 9_000, callchainId=number + 1)
        export.chain("OSRT", number + 1, [(text, text)])
        export.sample(at + 10, [(text, text), text], tid=number)
        export.thread_name(100, number, text)
    export.process(100, TEXTS[13].decode())
    export.device(TEXTS[14].decode())
    return export.write()


def env(tmp_path: Path) -> dict[str, str]:
    return {f"XDG_{name}_HOME": str(tmp_path / name) for name in ("CACHE", "STATE", "CONFIG")}


@pytest.mark.parametrize(
    "arguments",
    [
        "info",
        "stats",
        "stats -f csv",
        "stats -f tsv --raw",
        "gaps",
        "gaps --cpu",
        "steps",
        "samples --per phase --top 0",
        "samples --folded",
        "samples --callers os -f csv",
        "threads",
        "classes --names",
        "export",
        "export -f json",
        "analyze",
        "view",
    ],
)
def test_commands_send_no_control_of_a_name(hostile: Path, tmp_path: Path, arguments: str) -> None:
    command, *options = arguments.split()
    with Terminal(
        [sys.executable, "-m", "tui", command, str(hostile), *options], 160, 48, env(tmp_path)
    ) as terminal:
        assert terminal.wait() in (0, 3)
    rest = MINE.sub(b"", bytes(terminal.raw)).replace(b"\t", b"")
    assert len(rest) > 20
    assert not re.search(rb"[\x00-\x1f\x7f]", rest), re.search(rb".{0,30}[\x00-\x1f\x7f].{0,30}", rest)
    assert not any(payload in terminal.raw for payload in PAYLOADS)
    assert not re.search("[\x80-\x9f\u202a-\u202e\u2066-\u2069]", rest.decode())


def test_the_explorer_sends_no_control_of_a_name(hostile: Path, tmp_path: Path) -> None:
    with Terminal([sys.executable, "-m", "tui", str(hostile)], 160, 48, env(tmp_path)) as terminal:
        terminal.expect("GPU 0")
        terminal.quiet()
        for keys in (
            "F",
            "}",
            "3",
            "\t",
            "jjjj",
            " ",
            "\x1b",
            "5",
            "6",
            "7",
            "\x1b",
            "/red",
            "\r",
            "n",
            "\r",
            "\x1b",
            "!",
            "\x1b",
        ):
            terminal.send(keys)
            terminal.quiet(0.1)
        assert terminal.leave() == 0
    assert not any(payload in terminal.raw for payload in PAYLOADS)
