"""Messages of the profiler: which figures they make doubtful, and where that is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.export import Export
from tui.analysis.diagnostics import affected
from tui.cli import main
from tui.report import open_report
from tui.report.data import Diagnostic

LOST = "Not all CUDA events might have been collected."


@pytest.fixture
def export(tmp_path: Path) -> Export:
    made = Export(tmp_path / "x.sqlite")
    for number in range(4):
        made.launch((1000 * number, 1000 * number + 5), (1000 * number + 10, 1000 * number + 500))
    for number in range(4):
        made.push_pop("step", 1000 * number, 1000 * number + 900)
    made.osrt("read", 700, 900)
    return made


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[str, str]:
    assert main([*words, "--no-cache"]) == 0
    return capsys.readouterr()


@pytest.mark.parametrize(
    ("text", "sources"),
    [
        (LOST, {"CUDA"}),
        ("Not all NVTX events might have been collected.", {"NVTX"}),
        ("CUPTI buffer overflow: 120 activity records were dropped.", {"CUDA"}),
        ("GPU metrics sampling: missing data was detected.", {"GPU metrics"}),
        ("Scheduling information is absent.", {"scheduling"}),
        (
            "CPU IP/backtrace sampling not supported, disabling. perf_event_paranoid level is 4.",
            {"CPU samples", "scheduling"},
        ),
        ("Event buffer overflow.", {"CUDA", "NVTX", "OS calls", "scheduling", "CPU samples", "GPU metrics",
                                    "network metrics", "MPI", "graphics"}),
        ("Number of CUDA events collected: 4,711.", set()),
        ("Process 42 was launched by the profiler.", set()),
    ],
)  # fmt: skip
def test_what_a_message_makes_doubtful(text: str, sources: set[str]) -> None:
    message = Diagnostic("warning", "analysis", text, None, None)
    assert {source.value for source in affected(message)} == sources


def test_information_bends_nothing() -> None:
    assert affected(Diagnostic("info", "analysis", LOST, None, None)) == frozenset()


def test_notes_come_first_what_bends_comes_before_the_rest(
    export: Export, capsys: pytest.CaptureFixture[str]
) -> None:
    export.diagnostic("Daemon started.", severity=1)
    export.diagnostic("An OpenGL context was not closed.", severity=2, time=50)
    export.diagnostic(LOST, severity=2, time=77, clock=2, pid=100)
    export.diagnostic("Event\n  buffer\x1b[31m overflow.", severity=3, time=88)
    path = str(export.write())
    found = json.loads(run(capsys, "info", path, "-f", "json")[0])
    assert found["notes"][:3] == [
        "the profiler's error (bends all figures): Event buffer␛[31m overflow.",
        "the profiler's warning (bends CUDA): " + LOST,
        "the profiler's warning: An OpenGL context was not closed.",
    ]
    assert [(m["severity"], m["time_ns"], m["pid"]) for m in found["diagnostics"]] == [
        ("error", 88, 100),
        ("warning", 50, 100),
        ("warning", None, 100),
        ("info", 0, 100),
    ]
    text = run(capsys, "info", path)[0]
    assert "bends CUDA" in text
    assert "\x1b[31m" not in text


MARK = f"may be incomplete: the profiler said '{LOST}'"


@pytest.mark.parametrize(
    ("words", "marked"),
    [
        (("stats", "-r", "cuda_gpu_kern_sum"), True),
        (("stats", "-r", "nvtx_gpu_proj_sum"), True),
        (("stats", "-r", "nvtx_sum"), False),
        (("stats", "-r", "osrt_sum"), False),
        (("classes",), True),
        (("steps",), True),
        (("gaps", "--min-gap", "0"), True),
        (("threads",), True),
    ],
)
def test_tables_of_the_source_are_marked(
    words: tuple[str, ...], marked: bool, export: Export, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(export.write())
    command, *options = words
    assert MARK not in run(capsys, command, path, *options, "-f", "json")[0]
    export.diagnostic(LOST)
    export.diagnostic(LOST)
    path = str(export.write())
    assert (MARK in run(capsys, command, path, *options, "-f", "json")[0]) is marked
    out, err = run(capsys, command, path, *options, "-f", "csv")
    assert MARK not in out
    assert (MARK in err) is marked


def test_figures_are_the_same(export: Export, capsys: pytest.CaptureFixture[str]) -> None:
    before = run(capsys, "stats", str(export.write()), "-r", "cuda_gpu_sum", "-f", "csv")[0]
    export.diagnostic(LOST)
    assert run(capsys, "stats", str(export.write()), "-r", "cuda_gpu_sum", "-f", "csv")[0] == before


def test_messages_outlive_the_store(export: Export, store_dir: Path) -> None:
    export.diagnostic(LOST, severity=3, time=9)
    path = export.write()
    cold = open_report(path, cache_dir=store_dir).diagnostics
    assert open_report(path, cache_dir=store_dir).diagnostics == cold
    assert cold == (Diagnostic("error", "analysis", LOST, 9, 100),)


def test_damaged_messages(export: Export) -> None:
    """A message without a text is none; what is no number is unknown."""
    columns = "timestamp", "timestampType", "source", "severity", "text", "globalPid"
    for values in (
        (0, 0, 7, 9, "kept", 100 << 24),
        ("x", 1, "y", None, "odd", None),
        (1, 1, 1, 3, b"", 4),
        (1, 1, 1, 3, "  ", 4),
        (1, 1, 1, 3, None, 4),
    ):
        export.row("DIAGNOSTIC_EVENT", **dict(zip(columns, values, strict=True)))
    found = open_report(export.write(), use_store=False).diagnostics
    assert sorted(found, key=lambda m: m.text) == [
        Diagnostic("unknown", "unknown", "kept", None, 100),
        Diagnostic("unknown", "unknown", "odd", None, None),
    ]


def test_a_finding_names_what_was_lost(export: Export, capsys: pytest.CaptureFixture[str]) -> None:
    def faults() -> dict[str, str]:
        document = json.loads(run(capsys, "diagnose", str(export.write()), "-f", "json")[0])
        return {finding["fault"]: finding["title"] for finding in document["findings"]}

    assert "thin-capture" not in faults()
    export.diagnostic("Scheduling information is absent.")
    assert "thin-capture" not in faults()
    export.diagnostic(LOST)
    assert faults()["thin-capture"] == "the profiler lost data: CUDA, scheduling"


SECRET = "AWS_SECRET_ACCESS_KEY=hunter2"


def test_output_of_the_program_on_request_alone(export: Export, capsys: pytest.CaptureFixture[str]) -> None:
    export.row("ProcessStreams", globalPid=100 << 24, filenameId="stdout", contentId=f"a\n{SECRET}\n\x1b[2J")
    path = str(export.write())
    for words in (
        ("info",),
        ("info", "--all"),
        ("info", "-f", "json"),
        ("diagnose",),
        ("gaps",),
        ("export",),
    ):
        command, *options = words
        out, err = run(capsys, command, path, *options)
        assert SECRET not in out + err
    out, _ = run(capsys, "info", path, "--streams")
    assert SECRET in out
    assert "\x1b[2J" not in out
    rows = json.loads(run(capsys, "info", path, "--streams", "-f", "json")[0])["streams"]
    assert [(row["pid"], row["file"], row["line"]) for row in rows] == [
        (100, "stdout", 1),
        (100, "stdout", 2),
        (100, "stdout", 3),
    ]


def test_no_output_of_the_program(export: Export, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(export.write()), "--streams", "--no-cache"]) == 3
    assert capsys.readouterr().err == (
        "nsystui: x.sqlite: output of the program: not captured; nsys profile --show-output=true adds it\n"
    )
