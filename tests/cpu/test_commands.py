"""The commands samples and threads as they are run: formats, failures, and names that nobody can trust."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.export import Export

NASTY = "[red]a;b\x1b[31m\nc=1"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    export = Export(tmp_path / "capture.sqlite")
    export.launch((0, 10), (20, 1_000))
    export.on_cpu(0, 600)
    export.push_pop("forward", 0, 500)
    export.thread_name(100, 1, NASTY)
    for at in (100, 200, 300):
        export.sample(at, ["=gemm()", NASTY, "main"])
    export.sample(700, ["idle"])
    return export.write()


def run(*arguments: str, code: int = 0) -> tuple[str, str]:
    command = [sys.executable, "-m", "tui", *arguments, "--no-cache"]
    done = subprocess.run(command, capture_output=True, check=False, cwd=Path(__file__).parents[2])
    assert done.returncode == code, done.stderr
    return done.stdout.decode(), done.stderr.decode()


def test_samples_as_a_table(path: Path) -> None:
    text, told = run("samples", str(path), "--range", "/", "--ascii")
    assert [line.split() for line in text.splitlines() if "app" in line] == [
        ["=gemm()", "app", "3", "450", "ns", "75.0", "1", "program"],
        ["idle", "app", "1", "150", "ns", "25.0", "1", "program"],
    ]
    assert "4 samples of 1 thread, 600 ns on a CPU: 0.0% in functions without a name" in " ".join(
        text.split()
    )
    assert told == ""


def test_samples_outside_the_window_are_counted(tmp_path: Path) -> None:
    export = Export(tmp_path / "capture.sqlite")
    export.launch((100, 110), (120, 1_000))
    for at in (10, 20, 300, 400, 1_500):  # the first two before anything else was recorded
        export.sample(at, ["work"])
    text, _ = run("samples", str(export.write()), "--range", "/", "-f", "json")
    coverage = json.loads(text)["coverage"]
    assert (coverage["samples"], coverage["outside"]) == (2, 3)
    text, _ = run("samples", str(tmp_path / "capture.sqlite"), "--range", "/", "--ascii")
    assert "; 3 more outside this window" in " ".join(text.split())


def test_no_thread_says_what_a_capture_adds(tmp_path: Path) -> None:
    export = Export(tmp_path / "capture.sqlite")
    export.kernel(0, 100)
    _, told = run("threads", str(export.write()), code=3)
    assert told == (
        "nsystui: capture.sqlite: no thread did anything in GPU work; scheduling: not captured; "
        "nsys profile --cpuctxsw=process-tree adds it\n"
    )


def test_samples_as_csv_tsv_and_json(path: Path) -> None:
    text, told = run("samples", str(path), "--range", "/", "-f", "csv")
    assert list(csv.reader(io.StringIO(text))) == [
        ["Name", "Module", "Samples", "On CPU (ns)", "Share (%)", "Threads", "Class"],
        ["'=gemm()", "app", "3", "450", "75.0", "1", "program"],
        ["idle", "app", "1", "150", "25.0", "1", "program"],
    ]
    assert told.startswith("nsystui: samples: 4 samples of 1 thread, 600 ns on a CPU")
    text, _ = run("samples", str(path), "--range", "/", "-f", "tsv", "--raw", "--top", "1")
    assert text.splitlines()[1:] == ["=gemm()\tapp\t3\t450\t75.0\t1\tprogram"]
    text, _ = run("samples", str(path), "--range", "/", "-f", "json", "--per", "phase")
    found = json.loads(text)
    assert (found["by"], found["per"], found["window"]["label"]) == ("leaf", "phase", "everything recorded")
    assert [(row["phase"], row["name"], row["pct"]) for row in found["rows"]] == [
        ("forward", "=gemm()", 100.0),
        (None, "idle", 100.0),
    ]


def test_folded_stacks_are_lines_that_end_in_a_count(path: Path, tmp_path: Path) -> None:
    text, _ = run("samples", str(path), "--range", "/", "--folded")
    assert text == "main;[red]a:b␛[31m␊c=1;=gemm() 3\nidle 1\n"
    run("samples", str(path), "--range", "/", "--folded", "--per", "phase", "-o", str(tmp_path / "out"))
    assert (tmp_path / "out").read_text() == "forward;main;[red]a:b␛[31m␊c=1;=gemm() 3\n-;idle 1\n"


def test_threads_as_a_table_and_as_csv(path: Path) -> None:
    text, _ = run("threads", str(path), "--range", "/", "--wide")
    row = next(line for line in text.splitlines() if "=gemm" in line)
    assert "[red]a;b␛[31m␊c=1" in row
    assert "\x1b" not in text
    text, _ = run("threads", str(path), "--range", "/", "-f", "csv")
    header, values = csv.reader(io.StringIO(text))
    assert dict(zip(header, values, strict=True)) == {
        "PID": "100",
        "TID": "1",
        "Name": NASTY,
        "On CPU (ns)": "600",
        "Off CPU (ns)": "400",
        "On CPU (%)": "60.0",
        "Switches": "0",
        "Migrations": "0",
        "Samples": "4",
        "Hot function": "'=gemm()",
        "CUDA calls (ns)": "10",
        "Probably preempted (ns)": "0",
        "OS calls (ns)": "",
    }


NO_DATA = {
    ("samples",): "CPU samples: not captured; nsys profile --sample=process-tree adds it",
    ("samples", "--callers", "os"): "OS backtraces: not captured; nsys profile --trace=osrt adds it",
    ("samples", "--callers", "cuda"): (
        "CUDA backtraces: not captured; nsys profile --trace=cuda --cudabacktrace=all adds it"
    ),
}


@pytest.mark.parametrize("arguments", NO_DATA)
def test_what_is_not_there_is_said_with_what_adds_it(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    export = Export(tmp_path / "capture.sqlite")
    export.launch((0, 10), (20, 1_000))
    text, told = run(arguments[0], str(export.write()), *arguments[1:], code=3)
    assert (text, told) == ("", f"nsystui: capture.sqlite: {NO_DATA[arguments]}\n")


def test_a_table_without_rows_was_captured(tmp_path: Path) -> None:
    export = Export(tmp_path / "capture.sqlite")
    export.launch((0, 10), (20, 1_000))
    export.empty("COMPOSITE_EVENTS", "SAMPLING_CALLCHAINS")
    _, told = run("samples", str(export.write()), code=3)
    assert told == "nsystui: capture.sqlite: CPU samples: captured, no rows\n"


REFUSED = {
    ("--folded", "--by", "leaf"): "--folded is a format of its own: it goes without --format and --by",
    ("--callers", "os", "--per", "gap"): "--callers is a table of its own: it goes without --per",
    ("--thread", "9"): "no samples of thread 9; there are those of 1",
    ("--top", "-1"): "--top -1 is negative",
    ("--range", "5s/6s"): "range 5s/6s is outside the capture",
}


@pytest.mark.parametrize("options", REFUSED)
def test_what_cannot_be_asked_for(path: Path, options: tuple[str, ...]) -> None:
    text, told = run("samples", str(path), *options, code=2)
    assert text == ""
    assert told.startswith(f"nsystui: {REFUSED[options]}")


NOTHING = {
    ("--python",): "no Python frames in the samples",
    ("--range", "800/900"): "no CPU samples in 800/900",
    ("--per", "step", "--range", "/"): "no steps found",
}


@pytest.mark.parametrize("options", NOTHING)
def test_what_the_samples_do_not_hold(path: Path, options: tuple[str, ...]) -> None:
    _, told = run("samples", str(path), *options, code=3)
    assert told.startswith(f"nsystui: capture.sqlite: {NOTHING[options]}")


def test_info_says_what_cpu_tables_give(path: Path) -> None:
    text, _ = run("info", str(path), "-f", "json")
    found = {row["data"]: (row["rows"], row["gives"]) for row in json.loads(text)["cpu"]}
    assert found == {
        "scheduling": (2, "how long threads ran: threads, gaps --cpu"),
        "CPU samples": (4, "which functions ran: samples"),
        "sampled stacks": (10, "how they came to run: samples --by stack"),
        "OS backtraces": (None, "not captured; nsys profile --trace=osrt adds it"),
        "CUDA backtraces": (None, "not captured; nsys profile --trace=cuda --cudabacktrace=all adds it"),
    }
    text, _ = run("info", str(path))
    told = [
        line for line in text.splitlines() if "not captured; nsys profile" in line and "backtraces" in line
    ]
    assert [line.split()[:2] for line in told] == [["OS", "backtraces"], ["CUDA", "backtraces"]]


def test_opening_and_other_commands_read_none_of_it(path: Path, tmp_path: Path) -> None:
    """What is kept of samples comes into being with the first question about them."""
    kept = tmp_path / "store"
    for command, expected in (
        ("info", []),
        ("gaps", []),
        ("samples", ["extra-composite", "stacks-sampling"]),
    ):
        arguments = [sys.executable, "-m", "tui", command, str(path), "--cache-dir", str(kept)]
        subprocess.run(arguments, capture_output=True, check=True, cwd=Path(__file__).parents[2])
        found = [name for name in expected if list(kept.glob(f"*{name}*"))]
        assert found == expected
        assert len([*kept.glob("*extra-*"), *kept.glob("*stacks-*")]) == len(expected)
