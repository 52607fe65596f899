"""`nsystui view`: one frame as text, ANSI or SVG."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.support.export import Export
from tests.support.real import EXPORTS, needs_real
from tui.cli import main
from tui.text import width

SGR = re.compile(r"\x1b\[[\d;]*m")
EVENTS = (
    "R cudaLaunchKernel_v7000 0-5000 corr=1; K(0,7,10000-400000) corr=1 name=gemm; M(0,9,450000-500000);"
    "R cudaLaunchKernel_v7000 900000-905000 corr=2; K(0,7,910000-1200000) corr=2 name=relu;"
    "N train_step 0-600000; N forward 1000-300000; N train_step 600000-1250000; N load 610000-890000;"
    "O poll 620000-700000"
)


@pytest.fixture
def report(tmp_path: Path) -> str:
    return str(Export(tmp_path / "run.sqlite").notation(EVENTS).write())


def view(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["view", *arguments, "--no-cache"]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (100, 30), (160, 48), (40, 8), (300, 80)])
def test_every_line_fits_the_size(
    capsys: pytest.CaptureFixture[str], report: str, columns: int, lines: int
) -> None:
    out = view(capsys, report, "--size", f"{columns}x{lines}").splitlines()
    assert len(out) == lines
    assert max(map(width, out)) <= columns


def test_text_tells_why_the_device_idles(capsys: pytest.CaptureFixture[str], report: str) -> None:
    assert "idle 410 us · host code in load" in view(capsys, report, "--size", "160x30", "--pane", "none")
    out = view(capsys, report, "--size", "160x30")
    assert "idle 410 us · host code ╌" in out
    assert "kernel 57.1%  copy 4.2%  idle 38.7%" in out
    assert re.search(r"host code +- +load", out)
    assert "gemm" in out
    assert "\x1b" not in out


def test_ansi_is_the_same_text_in_colours(capsys: pytest.CaptureFixture[str], report: str) -> None:
    for depth, mark in (("truecolor", "38;2;"), ("256", "38;5;"), ("16", "\x1b[0;1;97;44m")):
        out = view(capsys, report, "--size", "120x20", "--colors", depth)
        assert mark in out
        lines = SGR.sub("", out).splitlines()
        assert [width(line) for line in lines] == [120] * 20
        assert all(line.endswith("\x1b[0m") for line in out.splitlines())
    none = view(capsys, report, "--size", "120x20", "--format", "ansi", "--colors", "none")
    assert "38;" not in none
    assert SGR.sub("", none).rstrip() != ""


def test_ascii_is_ascii(capsys: pytest.CaptureFixture[str], report: str) -> None:
    assert view(capsys, report, "--size", "120x20", "--ascii").isascii()


def test_a_picture_is_well_formed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    export = Export(tmp_path / 'a & "b" <c>.sqlite')
    export.kernel(0, 2400, name='<script>alert("x")</script> & k<int>', short="x")
    export.kernel(2500, 3000, name="\x1b[31m\x00\ufffe", short="y\x08")
    path = export.write()
    target = tmp_path / "out.svg"
    assert main(["view", str(path), "-o", str(target), "--size", "160x20", "--no-cache"]) == 0
    text = target.read_text("utf-8")
    root = ET.fromstring(text)
    assert root.tag.endswith("svg")
    assert not list(root.iter("{http://www.w3.org/2000/svg}script"))
    shown = " ".join(e.text or "" for e in root.iter("{http://www.w3.org/2000/svg}text"))
    assert '<script>alert("x")</script> & k<int>' in shown
    assert "href" not in text
    assert view(capsys, str(path), "--size", "160x20", "--format", "svg") == text


def test_a_range_is_fitted(capsys: pytest.CaptureFixture[str], report: str) -> None:
    out = view(capsys, report, "--size", "160x20", "--range", "600us/900us")
    assert "window: 600us/900us 300 us" in out
    assert "kernel 0.0%  copy 0.0%  idle 100.0%" in out


def test_lanes_can_be_chosen(capsys: pytest.CaptureFixture[str], report: str) -> None:
    out = view(capsys, report, "--size", "80x14", "--lanes", "copies")
    assert re.findall(r"^ +(?:▾ )?(GPU 0|s7|copies|thread|python)", out, re.M) == ["GPU 0", "copies"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--size", "10x5"], "from 40x8 to 1000x1000"),
        (["--size", "wide"], "is no size such as 160x48"),
        (["--lanes", "nosuch"], "no lane is called like 'nosuch'"),
        (["--range", "5s/6s"], "outside the capture"),
        (["--min-gap", "often"], "is no time such as"),
        (["-f", "png"], "png"),
    ],
)
def test_mistakes_are_told_in_a_line(
    capsys: pytest.CaptureFixture[str], report: str, arguments: list[str], says: str
) -> None:
    assert main(["view", report, "--no-cache", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert says in captured.err


def test_nothing_is_written_over_the_report(capsys: pytest.CaptureFixture[str], report: str) -> None:
    before = Path(report).read_bytes()
    assert main(["view", report, "-o", report, "--no-cache"]) == 2
    assert Path(report).read_bytes() == before


def test_an_empty_report_has_a_frame_that_says_so(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = Export(tmp_path / "x.sqlite").write()
    out = view(capsys, str(path), "--size", "120x12")
    assert "empty capture" in out
    assert "no GPU work recorded" in out
    assert "%" not in out


@needs_real
@pytest.mark.parametrize("path", EXPORTS, ids=lambda path: path.stem)
@pytest.mark.parametrize("look", [["--size", "160x48"], ["--size", "80x24", "--ascii", "--unfold"]])
def test_every_real_export_has_a_frame(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, path: Path, look: list[str]
) -> None:
    assert main(["view", str(path), *look, "--cache-dir", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    columns, rows = map(int, look[1].split("x"))
    assert len(lines) == rows
    assert max(map(width, lines)) <= columns
    assert all(ord(c) >= 32 for line in lines for c in line)
    if "--ascii" in look:
        assert all(line.isascii() for line in lines)
