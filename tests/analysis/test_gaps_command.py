"""`nsystui gaps`: its JSON, CSV and text."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.export import Export
from tui.cli import main


@pytest.fixture
def late(tmp_path: Path) -> Path:
    """Two devices; on the first one gap of 300 us, explained in three parts, and a short one."""
    export = Export(tmp_path / "late.sqlite")
    export.push_pop("train_step", 0, 3_000_000)
    export.push_pop("data_to_gpu, op_id = 7", 1_050_000, 1_250_000)
    export.kernel(0, 1_000_000, name="void first<int>(int)", short="first")
    export.runtime("cudaStreamSynchronize_v3020", 900_000, 1_100_000)
    export.launch((1_290_000, 1_295_000), (1_300_000, 2_000_000), name="second")
    export.launch((1_990_000, 1_995_000), (2_000_500, 3_000_000))
    export.kernel(0, 3_000_000, device=1, pid=200)
    return export.write()


def run(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    status = main([*map(str, words), "--no-cache"])
    out, err = capsys.readouterr()
    return status, out, err


def document(capsys: pytest.CaptureFixture[str], *words: str | Path) -> dict[str, Any]:
    status, out, err = run(capsys, *words, "--format", "json")
    assert (status, err) == (0, "")
    found: dict[str, Any] = json.loads(out)
    return found


def test_json_has_the_documented_shape(late: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "gaps", late)
    assert found["report"] == str(late)
    assert found["window"]["start_ns"] == 0
    assert found["window"]["end_ns"] == 3_000_000
    assert (found["busy"], found["min_gap_ns"]) == ("all", 100_000)
    assert found["host_blocking_ns"] == 200_000
    assert document(capsys, "gaps", late, "--device", "1")["host_blocking_ns"] == 0, "another process"
    first, second = found["devices"]
    shares = ("window_ns", "busy_ns", "kernel_ns", "copy_only_ns", "idle_ns", "busy_pct")
    assert [first[k] for k in shares] == [3_000_000, 2_699_500, 2_699_500, 0, 300_500, 89.98]
    assert (first["device"], first["processes"], first["span_busy_pct"]) == (0, [100], 89.98)
    assert first["short_gaps"] == {"count": 0, "idle_ns": 0, "blame": []}, "the ten longest are listed"
    assert (first["other_ns"], first["unknown_ns"], first["compute_ns"]) == (0, 0, 2_699_500)
    assert second["gaps"] == []
    gap, tiny = first["gaps"]
    assert (tiny["index"], tiny["duration_ns"], tiny["blame"][0]["class"]) == (2, 500, "queued")
    assert [gap[k] for k in ("index", "start_ns", "end_ns", "duration_ns", "kind")] == [
        1,
        1_000_000,
        1_300_000,
        300_000,
        "interior",
    ]
    assert (gap["before"], gap["after"]) == ("void first<int>(int)", "second")
    assert gap["path"] == ["train_step", "data_to_gpu, op_id = 7"]
    assert [(b["class"], b["call"], b["phase"], b["pid"], b["tid"], b["ns"]) for b in gap["blame"]] == [
        ("host code", None, "data_to_gpu", 100, 1, 150_000),
        ("synchronisation", "cudaStreamSynchronize", "train_step", 100, 1, 50_000),
        ("synchronisation", "cudaStreamSynchronize", "data_to_gpu", 100, 1, 50_000),
        ("host code", None, "train_step", 100, 1, 40_000),
        ("launch latency", "cudaLaunchKernel", "train_step", 100, 1, 10_000),
    ]
    assert sum(b["idle_ns"] for b in first["blame"]) == 300_500
    assert all(b["gaps"] == 1 for b in first["blame"])


def test_midpoint_and_outer_phase(late: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "gaps", late, "--blame", "midpoint", "--phase", "outer")
    (cause,) = found["devices"][0]["gaps"][0]["blame"]
    assert (cause["class"], cause["phase"], cause["ns"], cause["by_midpoint"]) == (
        "host code",
        "train_step",
        300_000,
        True,
    )


def test_a_range_shows_the_share_without_activity(late: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "gaps", late, "--range", "nvtx:data_to_gpu", "--device", "0")
    (device,) = found["devices"]
    assert (device["window_ns"], device["idle_ns"], device["idle_pct"]) == (200_000, 200_000, 100.0)
    assert found["window"]["label"] == "nvtx:data_to_gpu"


def test_gap_k_is_the_listed_gap(late: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "gaps", late, "--range", "gap:1")
    assert (found["window"]["start_ns"], found["window"]["end_ns"]) == (1_000_000, 1_300_000)
    status, _, err = run(capsys, "gaps", late, "--range", "gap:3")
    assert status == 2
    assert "gaps 1 to 2" in err
    found = document(capsys, "gaps", late, "--range", "gap:2")
    assert found["window"]["end_ns"] == 2_000_500


@pytest.fixture
def four(tmp_path: Path) -> Path:
    """Two devices of a process each, with four kernels in four steps: gaps 1 to 5 and 6 to 10.

    The first of each is before its first kernel, the last from its last one to the end of the last step.
    """
    export = Export(tmp_path / "four.sqlite")
    for pid in (100, 200):
        for i in range(4):
            at = 1_000_000 * i + pid
            export.push_pop(f"step {i}", at - 50, at + 990_000, pid=pid)
            export.launch((at + 30, at + 40), (at + 100_000, at + 600_000), pid=pid, device=pid // 200)
    return export.write()


def test_gap_numbers_are_those_of_the_whole_capture(four: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def numbers(*options: str) -> list[int | None]:
        devices = document(capsys, "gaps", four, *options)["devices"]
        return [gap["index"] for device in devices for gap in device["gaps"]]

    assert numbers() == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    assert numbers("--device", "1") == [6, 7, 8, 9, 10]
    assert numbers("--process", "200") == [6, 7, 8, 9, 10]
    assert numbers("--range", "step:3", "--process", "100", "--device", "0") == [3, 4]
    assert numbers("--range", "1.65ms/3.2ms") == [3, 4, 8, 9]  # the first of each begins earlier
    assert numbers("--min-gap", "10us") == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    assert numbers("--min-gap", "600us") == []
    for number in (2, 7):
        gap = document(capsys, "gaps", four, "--range", f"gap:{number}")["devices"][number // 6]["gaps"][0]
        assert (gap["index"], gap["duration_ns"]) == (number, 500_000)


def test_idle_time_before_the_first_step_is_no_numbered_gap(
    four: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    export = Export(four.with_name("early.sqlite"))
    export.runtime("cudaGetDeviceCount", 0, 10)
    export.launch((900_000, 901_000), (1_000_000, 1_100_000))
    early = export.write()
    gaps = document(capsys, "gaps", early, "--range", "/1ms", "--min-gap", "1us")
    assert [(g["index"], g["kind"]) for g in gaps["devices"][0]["gaps"]] == [(None, "leading")]
    _, out, _ = run(capsys, "gaps", early, "--range", "/1ms", "--table", "gaps")
    assert "      0    -  0.000 000 0" in out
    # inside the work window the time before the first op is a gap like any other
    gaps = document(capsys, "gaps", four, "--device", "0")["devices"][0]["gaps"]
    assert (gaps[0]["index"], gaps[0]["kind"], gaps[0]["start_ns"], gaps[0]["end_ns"]) == (
        1, "leading", 50, 100_100,
    )  # fmt: skip
    assert [b["class"] for b in gaps[0]["blame"]] == ["launch latency", "host code"]


def test_what_the_table_of_gaps_leaves_out_or_guesses_is_said(
    four: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = run(capsys, "gaps", four, "--top", "2")
    assert "note: 6 shorter ones of 10 left out" in out
    assert "--blame midpoint" not in out
    _, out, _ = run(capsys, "gaps", four, "--min-gap", "10us", "--busy", "kernels")
    assert "the numbers count gaps between kernels of 10 us and more" in " ".join(out.split())
    export = Export(tmp_path / "unlaunched.sqlite")
    for i in range(3):
        export.kernel(1_000_000 * i, 1_000_000 * i + 400_000)
    export.runtime("cudaMalloc_v3020", 600_000, 800_000)
    unlaunched = export.write()
    _, out, _ = run(capsys, "gaps", unlaunched)
    assert "2 gaps ended with an op whose launch was not recorded" in " ".join(out.split())
    _, out, err = run(capsys, "gaps", unlaunched, "--format", "csv")
    assert [row["Rule"] for row in csv.DictReader(io.StringIO(out))] == ["midpoint", "midpoint"]
    assert "2 gaps ended with an op whose launch was not recorded" in err
    _, out, _ = run(capsys, "gaps", unlaunched, "--blame", "midpoint")
    assert "was not recorded: put down" not in out


def test_rows_that_are_in_no_figure_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export = Export(tmp_path / "lost.sqlite")
    export.kernel(0, 0)
    export.kernel(1_000_000, 1_000_100)
    export.kernel(1_000_200, 1_000_300)
    for step in range(3):
        export.push_pop(f"step {step}", 1_000_000 + step, 1_000_001 + step)
    lost = export.write()
    for command in ("gaps", "steps"):
        status, _, err = run(capsys, command, lost)
        assert (status, "1 rows whose times can't be true" in err) == (0, True)


def test_csv_is_one_table_of_gaps(late: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "gaps", late, "--format", "csv", "--min-gap", "0")
    assert status == 0
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [r["Duration (ns)"] for r in rows] == ["300000", "500"]
    assert [r["Class"] for r in rows] == ["host code", "queued"]
    assert rows[0]["Phase"] == "train_step > data_to_gpu, op_id = 7"


def test_text_says_it_in_words(late: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "gaps", late)
    assert status == 0
    text = " ".join(out.split())
    assert "GPU 0 (NVIDIA" in text or "GPU 0:" in text
    assert "no recorded activity 10.0% of 3.000 ms" in text
    assert "idle 300.500 us: 300.500 us in the 2 longest gaps (1 of 100 us and more): host code 63.2%" in text
    assert "biggest single reason: host code in data_to_gpu, 49.9%" in text
    _, out, _ = run(capsys, "gaps", late, "--min-gap", "200us")
    text = " ".join(out.split())
    assert "idle 300.500 us: 300.000 us in 1 gap of 200 us and more: host code 63.3%" in text
    assert "500 ns (0.2% of it) in 1 shorter gap: queued 100.0%" in text


def test_top_lists_the_longest_first(late: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "gaps", late, "--min-gap", "0", "--top", "1")
    assert [g["duration_ns"] for g in found["devices"][0]["gaps"]] == [300_000]
    assert sum(b["idle_ns"] for b in found["devices"][0]["blame"]) == 300_500


def test_bad_options_are_one_line(late: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, expected in (
        (("--min-gap", "soon"), "'soon' is no time"),
        (("--min-gap=-1us",), "negative"),
        (("--device", "7"), "it has 0, 1"),
        (("--process", "9"), "it has 100, 200"),
        (("--range", "5s/6s"), "0/3000000 ns"),
        (("--top=-1",), "negative"),
    ):
        status, out, err = run(capsys, "gaps", late, *words)
        assert (status, out) == (2, "")
        assert expected in err
        assert err.count("\n") == 1


def test_a_process_without_gpu_work_has_nothing(late: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export = Export(late.with_name("two.sqlite"))
    export.kernel(0, 1_000)
    export.osrt("read", 0, 500, pid=300)
    path = export.write()
    status, out, err = run(capsys, "gaps", path, "--process", "300", "--format", "json")
    assert (status, out) == (3, "")
    assert err == "nsystui: two.sqlite: no GPU work recorded of --process 300\n"


def test_what_the_host_did_outside_the_window_is_said(late: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export = Export(late.with_name("first-batch.sqlite"))
    export.push_pop("step", 0, 9_000_000)
    export.launch((5_000_000, 5_001_000), (5_002_000, 7_000_000))
    path = export.write()
    said = "not in this window: 5.002 ms recorded before it, 2.000 ms after it"
    _, out, _ = run(capsys, "gaps", path)
    assert said in " ".join(out.split())
    assert any(said in note for note in document(capsys, "gaps", path)["notes"])
    found = document(capsys, "gaps", path, "--range", "/")
    assert (found["window"]["label"], found["devices"][0]["idle_ns"]) == ("everything recorded", 7_002_000)
    assert not any("not in this window" in note for note in found["notes"])


def test_without_gpu_work_there_is_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export = Export(tmp_path / "api.sqlite")
    export.runtime("cudaGetDeviceCount", 0, 10)
    status, out, err = run(capsys, "gaps", export.write())
    assert (status, out) == (3, "")
    assert "no GPU work recorded" in err
