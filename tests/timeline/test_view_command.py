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
    assert "idle 410 us · host code " in out
    assert (
        "steps 1-2 + GPU work 1.25 ms   kernel 54.4%  copy 4.0%  idle 41.6%" in out
    )  # 680, 50, 520 of 1250 us
    assert re.search(r"host code +load +- +0", out)
    blame = view(capsys, report, "--size", "160x30", "--tab", "blame")
    assert re.search(r"host code +- +load +200 us  38\.5", blame)
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
    export.kernel(0, 24_000, name='<script>alert("x")</script> & k<int>', short="x")
    export.kernel(25_000, 30_000, name="\x1b[31m\x00\ufffe", short="y\x08")
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
        (["--tab", "nosuch"], "no tab 'nosuch'; there are Overview, Blame, Kernels"),
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


def test_a_process_has_the_lanes_and_the_share_of_its_own_work(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Two processes share the device: 100 works for 2 of 10 ms, 200 for the other 8."""
    path = (
        Export(tmp_path / "x.sqlite")
        .notation("K(0,7,0-2000000) pid=100 name=mine; K(0,7,2000000-10000000) pid=200 name=other")
        .write()
    )
    out = view(capsys, str(path), "--process", "100", "--size", "160x14", "--colors", "none")
    assert "kernel 20.0%  copy 0.0%  idle 80.0%" in out
    device, stream = (line[:99] for line in out.splitlines() if re.match(r" +▾? *(GPU 0|s7) ", line))
    # 120 us a cell: 16 whole ones and two thirds; on the stream's the name stands in the first four.
    assert (device.count("█"), stream.count("█")) == (16, 12)
    assert "other" not in out


def test_kernels_have_the_shares_of_the_stats_command(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Two kernels of one base name: each has its own row and share, as in cuda_gpu_kern_sum."""
    path = (
        Export(tmp_path / "x.sqlite")
        .notation('K(0,7,0-900) name="par<a>" short=par; K(0,7,1000-1100) name="par<b>" short=par')
        .write()
    )
    out = view(capsys, str(path), "--tab", "Kernels", "--size", "160x14")
    rows = re.findall(r"(par<[ab]>) +(\d00 ns) +(\d\d\.\d)", out)
    assert rows == [("par<a>", "900 ns", "90.0"), ("par<b>", "100 ns", "10.0")]


def test_lanes_below_the_last_line_are_counted(capsys: pytest.CaptureFixture[str], report: str) -> None:
    """Seven lanes; under a ruler there is room for six of nine lines, and then for four of seven."""
    assert main(["view", report, "--no-cache", "--size", "80x10"]) == 0
    assert capsys.readouterr().err == ""
    for size, count in (("80x9", "1 more line"), ("80x8", "2 more lines")):
        assert main(["view", report, "--no-cache", "--size", size]) == 0
        told = capsys.readouterr().err
        assert told == f"nsystui: {count} of lanes below; a taller --size shows them\n"


def test_the_legend_takes_the_last_line(capsys: pytest.CaptureFixture[str], report: str) -> None:
    out = view(capsys, report, "--size", "130x20", "--legend").splitlines()
    assert len(out) == 20
    assert out[-1].split() == [
        "▃█", "busy", "share", "╌╌", "idle", "▓▓", "gemm,", "convolution",
        "░░", "memory-like", "▒▒", "HtoD", "──", "NVTX", "range", "━━", "launch", "┅┅", "OS", "call",
    ]  # fmt: skip


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


def test_a_pane_over_the_whole_screen_is_of_the_chosen_range(
    capsys: pytest.CaptureFixture[str], report: str
) -> None:
    out = view(capsys, report, "--size", "80x24", "--tab", "kernels", "--range", "step:2")
    # From 600 us to 1250 us: relu for 290 us.
    assert "step 2 (train_step) 650 us   kernel 44.6%  copy 0.0%  idle 55.4%" in out.splitlines()[0]
    assert "relu" in out
    assert "gemm" not in out
