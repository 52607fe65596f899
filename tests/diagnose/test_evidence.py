"""Every figure can be had again: its command, run as it stands, prints the figure."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess

import pytest

from fixtures import registry
from tests.support.printed import Printer, figures, shows
from tests.support.real import ALL_EXPORTS, needs_real
from tui.report import open_report
from tui.text.shell import quoted

NAMES = list(registry.scenarios())


@pytest.fixture
def printer(monkeypatch, capsys, tmp_path):
    return Printer(monkeypatch, capsys, tmp_path)


def findings(printer, path, options=""):
    """The findings that the command prints of a report, given some options."""
    return json.loads(printer.printed(f"nsystui diagnose {quoted(str(path))} {options}", "json"))["findings"]


def check(printer, found) -> None:
    """Every value exactly in the JSON, and every figure of the sentence in the text, of its command."""
    for finding in found:
        assert finding["evidence"], finding["fault"]
        for evidence in finding["evidence"]:
            command, value = evidence["command"], evidence["value"]
            if value is not None:
                assert evidence["unit"]
                assert value in printer.numbers(command), evidence
            for figure in figures(evidence["text"]):
                assert shows(printer.text(command), figure), (figure, evidence)


@pytest.mark.parametrize("name", NAMES)
def test_commands_print_the_figures(name, seen, printer):
    check(printer, findings(printer, seen(name).path))


@needs_real
@pytest.mark.parametrize("path", ALL_EXPORTS, ids=lambda p: p.stem)
def test_commands_print_the_figures_of_real_exports(path, printer, tmp_path):
    if not len(open_report(path, cache_dir=tmp_path).ops):
        pytest.skip("it holds no GPU work")
    check(printer, findings(printer, path))


# With each option that changes a figure: the command has it, too.
CHOSEN = [
    ("finetune", "--range step:3..8"),
    ("finetune", "--range 1.5s/3s --step train_step"),
    ("ddp", "--process 7100"),
    ("ddp", "--device 1"),
    ("ddp", "--process 7000 --device 0 --range step:2..7 --comm nccl --step train_step"),
    ("fault:exposed-all-reduce", "--process 7100"),
    ("fault:exposed-all-to-all", "--device 1 --comm nccl"),
    ("fault:recompilation", "--range step:3.. --step '^train_step'"),
    ("fault:warm-up", "--range step:1..6"),
    ("fault:profiler-distortion", "--range step:2..5"),
    ("fault:checkpoint-stall", "--range step:2.. --device 0"),
    ("decode-graph", "--range step:5..9"),
]


@pytest.mark.parametrize(("name", "options"), CHOSEN)
def test_commands_carry_the_options(name, options, seen, printer):
    found = findings(printer, seen(name).path, options)
    assert found
    check(printer, found)


@pytest.mark.parametrize("name", ["fault:recompilation", "fault:warm-up"])
def test_commands_of_guessed_steps(name, seen, printer, tmp_path):
    """Without ranges the steps are guessed, and no step has a number that another command knows."""
    path = tmp_path / "unnamed.sqlite"
    shutil.copy(seen(name).path, path)
    with sqlite3.connect(path) as rows:
        rows.execute("DELETE FROM NVTX_EVENTS")
    found = findings(printer, path, "--guess")
    texts = [evidence["text"] for finding in found for evidence in finding["evidence"]]
    assert any(text.startswith("step ") for text in texts)
    check(printer, found)


def test_stretch_without_compute_is_shown_as_one(seen, printer):
    """A stretch in which only a collective runs is busy: its length stands beside "without compute"."""
    evidence = seen("ddp").found("exposed-all-reduce").evidence[1]
    assert evidence.text == "GPU 0 computes nothing for 4.153 ms while AllReduce runs"
    assert evidence.command.endswith("--range 2308312448/2312464948 --device 0 --busy compute")
    assert "without compute 4.153 ms" in printer.text(evidence.command)


def test_step_of_one_of_two_processes(seen):
    """Where two processes have steps, a number alone would mean the first one's step."""
    evidence = seen("ddp").found("exposed-all-reduce").evidence[-1]
    assert evidence.text == "step 7 has 4.208 ms of exposed communication"
    assert evidence.command.endswith(f"--range {evidence.start_ns}/{evidence.end_ns}")


@pytest.mark.parametrize("name", NAMES)
def test_places_lie_on_the_timeline(name, seen):
    case = seen(name)
    first, last = case.report.span
    for finding in case.diagnosis.findings:
        for evidence in finding.evidence:
            assert first <= evidence.start_ns <= evidence.end_ns <= last


HOSTILE = [
    "a b",
    "it's",
    "$(touch x)",
    "-rf",
    "a\nb",
    "\x1b[31mred",
    "tab\there",
    "a`b`",
    "\\",
    "é 東京",
    "*",
]


def run_by_bash(command: str) -> list[str]:
    """The words that bash makes of a command line that begins with ``nsystui``."""
    script = f"nsystui() {{ printf '%s\\0' \"$@\"; }}; {command}"
    words = subprocess.run(["bash", "-c", script], capture_output=True, check=True).stdout
    return [word.decode() for word in words.split(b"\0")[:-1]]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_are_single_words(text):
    assert run_by_bash(f"nsystui {quoted(text)}") == [text]


@pytest.mark.parametrize("name", ["it's $(touch x).sqlite", "two\nlines \x1b[31m.sqlite", "-f.sqlite"])
def test_commands_of_hostile_paths(name, seen, tmp_path, monkeypatch, capsys):
    """What is copied from the screen opens the same report, whatever it is called."""
    from tui.cli import main

    shutil.copy(seen("ddp").path, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    assert main(["diagnose", f"./{name}", "--no-cache"]) == 0
    printed = capsys.readouterr().out
    commands = [line.strip() for line in printed.splitlines() if line.lstrip().startswith("nsystui ")]
    assert len(commands) >= 5
    for command in commands:
        words = run_by_bash(command)
        assert words[1] in (name, f"./{name}")
        assert main([*words, "--no-cache", "-f", "json"]) == 0
        assert json.loads(capsys.readouterr().out)
    assert not (tmp_path / "x").exists()
