"""The explorer in a real terminal: keys go through the line discipline, every cell is emulated."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.app.conftest import training
from tests.e2e.terminal import ROOT, Terminal, explorer

Open = Callable[..., Terminal]


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return training(tmp_path / "train.sqlite")


@pytest.fixture
def open_(report: Path, tmp_path: Path) -> Iterator[Open]:
    """``open_(columns, lines, *options, env={})``: the explorer on the small capture, drawn."""
    made: list[Terminal] = []

    def start(columns: int = 160, lines: int = 48, *options: str, **more: object) -> Terminal:
        env = {f"XDG_{name}_HOME": str(tmp_path / name) for name in ("CACHE", "STATE", "CONFIG")}
        env |= more.pop("env", {})  # type: ignore[arg-type]
        path = str(more.pop("path", report))
        wait = bool(more.pop("wait", True))
        terminal = Terminal(explorer(path, *options), columns, lines, env, **more)  # type: ignore[arg-type]
        made.append(terminal)
        if wait:
            terminal.expect("GPU 0")
            terminal.quiet()
        return terminal

    yield start
    for terminal in made:
        terminal.__exit__(None, None, None)


def restored(terminal: Terminal) -> None:
    """The terminal is as it was: main screen, cursor shown, no mouse reports, no bracketed paste."""
    raw = bytes(terminal.raw)
    for on, off in (
        (b"\x1b[?1049h", b"\x1b[?1049l"),
        (b"\x1b[?25l", b"\x1b[?25h"),
        (b"\x1b[?1000h", b"\x1b[?1000l"),
        (b"\x1b[?1002h", b"\x1b[?1002l"),
        (b"\x1b[?1006h", b"\x1b[?1006l"),
        (b"\x1b[?2004h", b"\x1b[?2004l"),
        (b"\x1b[?1004h", b"\x1b[?1004l"),
    ):
        assert raw.rfind(off) > raw.rfind(on), (on, off)


def test_a_newcomer_finds_out_why_the_gpu_idles(open_: Open) -> None:
    terminal = open_()
    terminal.expect("idle 69.7%")
    terminal.send("}")
    terminal.expect("gap 2 of 7")
    terminal.send("G")
    terminal.expect("longest of 7 listed gaps")
    terminal.send("f")
    terminal.expect("idle 705 us")
    terminal.send("\r")
    terminal.expect("OS call read in data")
    terminal.send("\x1b")
    terminal.until(lambda: "OS call read in data" not in terminal.text, "the details to close")
    terminal.send("?")
    terminal.expect("Next idle gap of the device")
    terminal.send("q")
    terminal.until(lambda: "Next idle gap of the device" not in terminal.text, "the help to close")
    terminal.send("q")
    assert terminal.wait() == 0
    restored(terminal)


@pytest.mark.parametrize(("columns", "lines"), [(160, 48), (80, 24), (20, 5)])
def test_any_size(open_: Open, columns: int, lines: int) -> None:
    terminal = open_(columns, lines, wait=False)
    terminal.until(lambda: "GPU" in terminal.text or lines < 6, "a lane")
    terminal.send("}f\x1b[B\x1b[Bv\x1b[C\t23?qz0")
    terminal.quiet()
    assert terminal.leave() == 0


def test_resizing_while_it_runs(open_: Open) -> None:
    terminal = open_()
    for columns, lines in ((80, 24), (20, 5), (200, 60), (100, 30)):
        terminal.resize(columns, lines)
        terminal.quiet(0.2)
        terminal.send("w}")
        terminal.quiet(0.1)
    terminal.expect("GPU 0")
    terminal.send("q")
    assert terminal.wait() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_restores_the_screen_and_says_so_in_one_line(open_: Open, number: signal.Signals) -> None:
    terminal = open_()
    terminal.signal(number)
    assert terminal.wait() == 128 + number
    restored(terminal)
    assert terminal.afterwards == f"nsystui: ended by {number.name}"


def test_a_lost_terminal_ends_it(open_: Open) -> None:
    terminal = open_()
    terminal.hang_up()
    end = os.waitpid(terminal.pid, 0)[1]
    terminal.status = os.waitstatus_to_exitcode(end)
    assert terminal.status in (0, 129, -signal.SIGHUP)


def test_ctrl_z_gives_the_shell_back_and_fg_returns(report: Path, tmp_path: Path) -> None:
    env = {
        "PS1": "prompt> ",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "XDG_CONFIG_HOME": str(tmp_path / "c"),
    }
    with Terminal(["bash", "--norc", "--noprofile", "-i"], 120, 30, env) as terminal:
        terminal.expect("prompt>")
        terminal.send(" ".join(explorer(str(report))) + "\n")
        terminal.expect("GPU 0")
        terminal.quiet()
        terminal.send("\x1a")
        terminal.expect("Stopped")
        terminal.send("echo he''re\n")
        terminal.expect("here")
        terminal.send("fg\n")
        terminal.until(lambda: "GPU 0" in terminal.text and "Stopped" not in terminal.text, "the screen back")
        terminal.quiet()
        terminal.send("}")
        terminal.expect("gap 2 of 7")
        terminal.send("q")
        terminal.quiet(0.5)
        terminal.send("echo do''ne\n")
        terminal.expect("done")
        terminal.send("exit\n")
        assert terminal.wait() == 0


def test_legacy_mouse_reports_and_noise_do_not_end_it(open_: Open) -> None:
    terminal = open_()
    terminal.send(b"\x1b[M" + bytes([32, 32 + 120, 32 + 4]) + b"\x1b[M" + bytes([35, 32 + 120, 32 + 4]))
    terminal.send(b"\xff\xfe\x80\xc3")
    terminal.quiet(0.3)
    terminal.send("}")
    terminal.expect("gap 2 of 7")
    terminal.send("q")
    assert terminal.wait() == 0


def test_the_mouse_selects_zooms_and_can_be_left_alone(open_: Open) -> None:
    terminal = open_()
    terminal.send(b"\x1b[<0;40;6M\x1b[<32;50;6M\x1b[<32;60;6M\x1b[<0;60;6m")
    terminal.expect("selection")
    terminal.send(b"\x1b[<64;50;6M" * 3)
    terminal.quiet(0.2)
    terminal.send("\x1b")
    terminal.expect("steps 1-3 + GPU work")
    terminal.send("q")
    assert terminal.wait() == 0
    without = open_(160, 48, "--no-mouse")
    assert b"\x1b[?1000h" not in without.raw
    without.send("q")
    assert without.wait() == 0


def test_a_terminal_that_answers_nothing_is_served_too(open_: Open) -> None:
    terminal = open_(100, 30, answers=False)
    terminal.expect("705 us")
    terminal.send("}")
    terminal.expect("gap 2 of 7")
    terminal.send("f]w")
    terminal.quiet(0.7)
    terminal.send("q")
    assert terminal.wait() == 0


def test_a_slow_link_gets_the_newest_frame_not_every_one(open_: Open) -> None:
    terminal = open_(100, 30)
    terminal.send("www")
    terminal.quiet()
    unanswered: list[str] = []
    terminal.screen.answer = unanswered.append  # type: ignore[method-assign]
    before = terminal.raw.count(b"\x1b[6n")
    for _ in range(30):
        terminal.send("d")
        terminal.read(0.03)
    terminal.quiet(0.3)
    assert terminal.raw.count(b"\x1b[6n") - before <= 3
    behind = terminal.lines[3]
    terminal.screen.answer = lambda text: terminal.send(text.encode())  # type: ignore[method-assign]
    for text in unanswered:
        terminal.send(text)
    terminal.quiet(0.3)
    assert terminal.lines[3] != behind
    at_last = terminal.lines
    terminal.send("\x0c")  # ctrl+l: everything anew
    terminal.quiet(0.3)
    assert terminal.lines == at_last
    terminal.send("q")
    assert terminal.wait() == 0


@pytest.mark.parametrize(
    "env",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LC_ALL": "POSIX", "PYTHONIOENCODING": "ascii"},
    ],
)
def test_an_ascii_locale_gets_ascii_and_nothing_else(open_: Open, env: dict[str, str]) -> None:
    terminal = open_(100, 30, env=env)
    terminal.send("}\r")
    terminal.expect("duration")
    assert terminal.leave() == 0
    assert bytes(terminal.raw).isascii()


def test_ascii_on_request(open_: Open) -> None:
    terminal = open_(100, 30, "--ascii")
    terminal.send("?q")
    terminal.quiet()
    terminal.send("q")
    assert terminal.wait() == 0
    assert bytes(terminal.raw).isascii()


@pytest.mark.parametrize(
    ("env", "seen", "unseen"),
    [
        ({"NO_COLOR": "1"}, rb"1|7", rb"3[0-8]|4[0-8]|9[0-7]"),
        ({"TERM": "xterm"}, rb"3[0-7]|9[0-7]", rb"[34]8"),
        ({"TERM": "xterm-256color"}, rb"38;5", rb"[34]8;2"),
        ({"COLORTERM": "truecolor"}, rb"38;2", rb"[34]8;5"),
    ],
)
def test_colours_are_those_that_the_terminal_has(
    open_: Open, env: dict[str, str], seen: bytes, unseen: bytes
) -> None:
    terminal = open_(160, 48, env=env)
    terminal.send("}?")
    terminal.quiet()
    styles = b"\n".join(re.findall(rb"\x1b\[([0-9;]*)m", terminal.raw))
    assert re.search(rb"(^|;)(" + seen + rb")(;|$)", styles, re.MULTILINE)
    assert not re.search(rb"^(0;|1;|4;|7;)*(" + unseen + rb")(;|$)", styles, re.MULTILINE)
    terminal.send("q")
    terminal.quiet(0.3)
    terminal.send("q")
    assert terminal.wait() == 0


def test_a_dumb_terminal_gets_the_overview(report: Path, tmp_path: Path) -> None:
    env = {"TERM": "dumb", "XDG_CACHE_HOME": str(tmp_path)}
    with Terminal(explorer(str(report)), 100, 60, env) as terminal:
        assert terminal.wait() == 0
        assert b"\x1b" not in terminal.raw
        assert "idle" in terminal.text
        assert "gemm[x]" in terminal.text


def test_a_pipe_gets_the_overview_and_stderr_stays_clean(report: Path) -> None:
    done = subprocess.run(explorer(str(report)), capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0
    assert done.stderr == ""
    for part in ("kernel 27.9%", "gemm<float>[x]", "OS call", "705.000 us", "900.000 us"):
        assert part in done.stdout


def test_an_unreadable_report_is_one_line_on_an_untouched_screen(open_: Open, tmp_path: Path) -> None:
    path = tmp_path / "no.sqlite"
    path.write_bytes(b"no database")
    terminal = open_(100, 30, path=path, wait=False)
    assert terminal.wait() == 2
    assert terminal.text.strip().startswith("nsystui: ")
    assert len(terminal.text.strip().splitlines()) <= 2
    assert b"\x1b[?1049h" not in terminal.raw


def test_a_faulty_config_is_one_line(open_: Open, tmp_path: Path) -> None:
    folder = tmp_path / "CONFIG" / "nsystui"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('[keys]\nzoomin = "x"\n')
    terminal = open_(100, 30, wait=False)
    assert terminal.wait() == 2
    assert "did you mean 'zoom-in'" in terminal.text.replace("\n", "")


FAULTY = """
import sys
from tui.browse.view import View
def fail(self, closer):
    raise RuntimeError("broken on purpose")
View.zoom = fail
from tui.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("debug", [False, True])
def test_an_exception_in_a_handler_restores_the_screen_and_names_a_log(
    report: Path, tmp_path: Path, debug: bool
) -> None:
    command = [sys.executable, "-c", FAULTY, str(report), "--no-cache", *(["--debug"] if debug else [])]
    env = {f"XDG_{name}_HOME": str(tmp_path / name) for name in ("CACHE", "STATE", "CONFIG")}
    with Terminal(command, 120, 40, env) as terminal:
        terminal.expect("GPU 0")
        terminal.quiet()
        terminal.send("w")
        assert terminal.wait() == 2
        restored(terminal)
        text = terminal.afterwards.replace("\n", "")
        assert "broken on purpose" in text
        assert ("Traceback" in text) is debug
        logs = list((tmp_path / "STATE" / "nsystui").glob("*.log"))
        assert len(logs) == 1
        assert logs[0].name in text
        assert "broken on purpose" in logs[0].read_text()
