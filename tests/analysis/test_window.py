"""The range parser: every form, every complaint."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.export import Export
from tui.analysis.window import make_scope
from tui.errors import NothingThere, UsageError
from tui.report import Report, open_report

US = 1_000


@pytest.fixture
def report(tmp_path: Path) -> Report:
    export = Export(tmp_path / "r.sqlite")
    for pid in (100, 200):
        for i in range(4):
            at = 1_000 * US * i + pid
            export.push_pop(f"step {i}", at, at + 900 * US, pid=pid)
            export.push_pop("fwd", at + 10, at + 20, pid=pid)
            export.launch((at + 30, at + 40), (at + 100 * US, at + 600 * US), pid=pid, device=pid // 200)
    export.push_pop("odd#2", 5, 6)
    export.push_pop("nothing", 7, 7)
    return open_report(export.write(), use_store=False)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("100/2000", 100, 2000),
        ("0.1ms/1.5ms", 100_000, 1_500_000),
        ("1ms/", 1_000_000, 3_900_200),
        ("/1ms", 5, 1_000_000),
        ("/", 5, 3_900_200),
        ("step:2", 1_000_100, 1_900_100),
        ("step:2..3", 1_000_100, 2_900_100),
        ("step:3..", 2_000_100, 3_900_100),
        ("nvtx:fwd", 110, 120),
        ("nvtx:fwd#2", 210, 220),
        ("nvtx:step 3", 3_000_100, 3_900_100),
        ("nvtx:step#2", 200, 900_200),
        ("nvtx:odd#2", 5, 6),
        ("gap:1", 100, 100_100),
        ("gap:2", 600_100, 1_100_100),
        ("gap:6", 100, 100_200),
        ("gap:7", 600_200, 1_100_200),
    ],
)
def test_forms(report: Report, text: str, start: int, end: int) -> None:
    window = make_scope(report, text).window
    assert (window.start, window.end, window.chosen) == (start, end, True)


def test_gap_numbers_run_through_all_devices(report: Report) -> None:
    # device 0 has one before its first op, three between ops and one up to the end of the last step
    assert make_scope(report, "gap:5").window.label == "gap 5 (GPU 0)"
    assert make_scope(report, "gap:6").window.label == "gap 6 (GPU 1)"


@pytest.mark.parametrize("chosen", [{"devices": [1]}, {"processes": [200]}, {"devices": [0]}])
def test_a_gap_number_means_one_gap_whatever_else_is_chosen(
    report: Report, chosen: dict[str, list[int]]
) -> None:
    assert make_scope(report, "gap:7", **chosen).window.start == 600_200  # type: ignore[arg-type]


def test_process_picks_the_sequence_and_the_ranges(report: Report) -> None:
    assert make_scope(report, "step:1", processes=[200]).window.start == 200
    assert make_scope(report, "nvtx:fwd", processes=[200]).window.start == 210
    note = make_scope(report, "step:1").window.note
    assert note is not None
    assert "process 100" in note


def test_several_ranges_of_a_name_are_said_to_be_several(report: Report) -> None:
    note = make_scope(report, "nvtx:fwd").window.note
    assert note == "'fwd' is the first of 8 ranges; nvtx:fwd#2 is the next"


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("now", UsageError, "no range such as"),
        ("1x/2", UsageError, "'1x' is no time"),
        ("2/1", UsageError, "ends before it starts"),
        ("5s/6s", UsageError, "5/3900200 ns"),
        ("step:0", UsageError, "steps 1 to 4"),
        ("step:0..", UsageError, "steps 1 to 4"),
        ("step:5..", UsageError, "steps 1 to 4"),
        ("step:3..9", UsageError, "steps 1 to 4"),
        ("step:3..2", UsageError, "ends before it starts"),
        ("step:x", UsageError, "no step such as"),
        ("nvtx:none", NothingThere, "no NVTX range is called 'none'"),
        ("nvtx:fwd#9", UsageError, "ranges 1 to 8"),
        ("nvtx:nothing", UsageError, "has no length"),
        ("nvtx:(", UsageError, "no regular expression"),
        ("gap:0", UsageError, "gaps 1 to"),
        ("gap:99", UsageError, "gaps 1 to"),
        ("gap:one", UsageError, "no gap such as"),
    ],
)
def test_complaints(report: Report, text: str, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        make_scope(report, text)


def test_unknown_devices_and_processes_are_met_with_those_there_are(report: Report) -> None:
    with pytest.raises(UsageError, match="no work on device 5, 7 in the report; it has 0, 1"):
        make_scope(report, devices=[0, 5, 7])
    with pytest.raises(UsageError, match="no process 1 in the report; it has 100, 200"):
        make_scope(report, processes=[1])
