"""Names that terminals draw differently wide: separator, pane columns and lanes stay where they are.

The explorer and the commands run once in each size; what they send is then shown by terminals of several
opinions, which must agree on every cell outside those names.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pyte
import pytest

from tests.e2e.terminal import UNKNOWN_TO_PYTE, Terminal, explorer
from tests.support.export import Export
from tests.support.other_widths import CLASSES, OPINIONS, cell, drawn_as
from tui.text.drift import drifts

SIZES = [(120, 24), (160, 48), (80, 24)]
OTHERS = [opinion for opinion in OPINIONS if opinion != "ours"]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each name as a kernel, a range, a call and a thread; the process and the device have one too."""
    export = Export(tmp_path_factory.mktemp("names") / "names.sqlite")
    for number, name in enumerate(CLASSES.values()):
        at = number * 200_000
        export.push_pop("Δ step", at, at + 195_000)
        export.push_pop(name, at + 1, at + 190_000)
        export.launch((at + 2, at + 5_000), (at + 10_000, at + 20_000 + 6_000 * number), name=name)
        export.osrt(name, at + 60_000, at + 60_000 + 4_000 * number)
        export.thread_name(100, number, name)
    export.process(100, CLASSES["tamil"])
    export.device(CLASSES["devanagari"])
    return export.write()


@pytest.fixture(params=SIZES, ids=lambda size: f"{size[0]}x{size[1]}", scope="module")
def sent(
    request: pytest.FixtureRequest, report: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[int, int, list[bytes]]:
    """Columns, lines, and what the explorer has sent up to each of several screens."""
    columns, lines = request.param
    home = tmp_path_factory.mktemp("home")
    env = {f"XDG_{name}_HOME": str(home / name) for name in ("CACHE", "STATE", "CONFIG")}
    states: list[bytes] = []
    with Terminal(explorer(str(report)), columns, lines, env) as terminal:
        terminal.expect("GPU 0")
        for keys in ("", "wwww", "ddd", "j", "j", "3", "\tjjj", "jjjj", "s", "\t4", "5", "/\u0ba8\r", "1"):
            terminal.send(keys)
            terminal.quiet(0.2)
            states.append(bytes(terminal.raw))
        assert terminal.leave() == 0
    return columns, lines, states


def shown(
    monkeypatch: pytest.MonkeyPatch, data: bytes, columns: int, lines: int, opinion: str
) -> pyte.Screen:
    """The screen of a terminal of one opinion."""
    with monkeypatch.context() as patch:
        drawn_as(patch, opinion)
        screen = pyte.Screen(columns, lines)
        screen.set_mode(20)  # the terminal driver has turned line ends into two characters already
        pyte.ByteStream(screen).feed(UNKNOWN_TO_PYTE.sub(b"", data))
        return screen


def outside_names(screen: pyte.Screen) -> Iterator[tuple[int, int]]:
    """Yield (column, line) of the cells of our screen that belong to no name that drifts."""
    for y in range(screen.lines):
        parts = drifts(row_of(screen, y))
        taken = {x for part in parts for x in range(part.column, part.column + part.room)}
        yield from ((x, y) for x in range(screen.columns) if x not in taken)


def row_of(screen: pyte.Screen, line: int) -> str:
    """The characters of a line."""
    return "".join(cell(screen, x, line) for x in range(screen.columns))


def compare(ours: pyte.Screen, other: pyte.Screen) -> int:
    """Fail where screens differ outside of names; return how many cells belong to names."""
    inside = ours.columns * ours.lines
    for x, y in outside_names(ours):
        inside -= 1
        assert cell(other, x, y)[:1] == cell(ours, x, y)[:1], (
            f"column {x} of line {y}:\n{row_of(ours, y)}\n{row_of(other, y)}"
        )
    return inside


@pytest.mark.parametrize("opinion", OTHERS)
def test_the_explorer(
    monkeypatch: pytest.MonkeyPatch, sent: tuple[int, int, list[bytes]], opinion: str
) -> None:
    columns, lines, states = sent
    for data in states:
        ours = shown(monkeypatch, data, columns, lines, "ours")
        other = shown(monkeypatch, data, columns, lines, opinion)
        assert compare(ours, other) > 20
        if columns >= 100:
            edges = [x for x in range(columns) if all(cell(ours, x, y) == "│" for y in range(2, lines - 2))]
            assert edges
            assert all(cell(other, x, y) == "│" for x in edges for y in range(2, lines - 2))


@pytest.mark.parametrize("size", SIZES[::2], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize(
    "arguments", ["view", "view --tab Kernels", "view --colors none", "stats", "gaps", "steps", "info"]
)
def test_commands_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, report: Path, tmp_path: Path, arguments: str, size: tuple[int, int]
) -> None:
    columns, lines = size
    command, *options = arguments.split()
    env = {"XDG_CACHE_HOME": str(tmp_path)}
    with Terminal([sys.executable, "-m", "tui", command, str(report), *options], columns, lines, env) as done:
        assert done.wait() == 0
    for line in bytes(done.raw).splitlines():
        ours = shown(monkeypatch, line, columns, 1, "ours")
        for opinion in OTHERS if columns_matter(line) else ():
            compare(ours, shown(monkeypatch, line, columns, 1, opinion))


def columns_matter(line: bytes) -> bool:
    """Whether a line is one of a frame or table, not a sentence: those just go on below."""
    return b"\x1b" in line or "│" in line.decode() or re.search(rb"\d  +|  +\d", line) is not None


def test_what_is_piped_holds_no_control_sequence(report: Path, capfd: pytest.CaptureFixture[str]) -> None:
    from tui.cli import main

    assert main(["stats", str(report), "--no-cache"]) == 0
    assert main(["view", str(report), "--no-cache"]) == 0
    assert "\x1b" not in capfd.readouterr().out
    assert main(["view", str(report), "-f", "ansi", "--no-cache"]) == 0
    assert set(re.findall(r"\x1b\[[0-9;?]*(.)", capfd.readouterr().out)) == {"m"}
