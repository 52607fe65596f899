"""`compare`, `baseline` and `check` as a user runs them: exit codes, formats, files."""

from __future__ import annotations

import csv
import json
import os
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.conftest import Run
from tests.support.export import Export
from tests.support.real import needs_real, real_export
from tui.cli import main

NCCL = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"
STEPS = 8


def rank_report(
    path: Path, rank: int, *, work: int = 400, name: str = "gemm_a", steps: int = STEPS, wait: int = 0
) -> Path:
    """A rank whose steps have two kernels of ``work`` us in all, an all-reduce, and 60 us of idle time."""
    path.parent.mkdir(exist_ok=True)
    export = Export(path)
    export.process(1000 + rank, f"rank{rank}")
    at = 0
    for _ in range(steps):
        half = work // 2
        done = at + 10 + work + wait + 100
        marks = [at, done + 50], [at + 1, at + 5]
        for label, (start, end) in zip(("train_step", "forward"), marks, strict=True):
            export.push_pop(label, start * 1000, end * 1000, pid=1000 + rank)
        pieces = [(10, half, name, 7), (10 + half, half, "gemm_b", 7), (10 + work, wait + 100, NCCL, 9)]
        for number, (start, length, kernel, stream) in enumerate(pieces):
            call = ((at + 1 + number) * 1000, (at + 2 + number) * 1000)
            span = ((at + start) * 1000, (at + start + length) * 1000)
            export.launch(call, span, pid=1000 + rank, name=kernel, stream=stream)
        at = done + 60
    return export.write()


def job(folder: Path, *works: int, **more: int) -> list[str]:
    """The reports of the ranks of a run; all end each step when the slowest does."""
    longest = max(works)
    return [
        str(rank_report(folder / f"rank{rank}.sqlite", rank, work=work, wait=longest - work, **more))
        for rank, work in enumerate(works)
    ]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    """Runs a command in this process: (exit code, stdout, stderr)."""

    def called(*words: object) -> tuple[int, str, str]:
        status = main([*map(str, words), "--cache-dir", str(tmp_path / "store"), "--jobs", "1"])
        said = capsys.readouterr()
        return status, said.out, said.err

    return called


# --- compare ---


def test_two_sets(call, tmp_path: Path) -> None:
    before, after = job(tmp_path / "a", 400, 400), job(tmp_path / "b", 400, 500)
    status, out, err = call("compare", "--before", *before, "--after", *after)
    assert status == 0
    assert out.splitlines()[:2] == [
        "slower: step +100.0 us (+17.9 %, 95 % interval +17.9 to +17.9 %): 560.0 us -> 660.0 us",
        "slowest rank (rank 1 in 8 of 8): compute +100.0 us",
    ]
    assert "run-to-run variation was not measured" in err
    folders = call("compare", tmp_path / "a", tmp_path / "b")
    assert folders[:2] == (status, out)


def test_json(call, tmp_path: Path) -> None:
    job(tmp_path / "a", 400, 400), job(tmp_path / "b", 400, 500)
    status, out, _ = call("compare", tmp_path / "a", tmp_path / "b", "-f", "json")
    said = json.loads(out)
    assert status == 0
    assert said["before"] == {
        "reports": 2, "runs": 1, "ranks": 2, "expected_ranks": None, "missing": [], "broken": []
    }  # fmt: skip
    assert said["method"] == {
        "over": "max", "block": 2, "resamples": 2000, "seed": 20240229, "min_effect_pct": 2.0,
        "runs_drawn": False,
    }  # fmt: skip
    step = said["metrics"][0]
    assert {k: step[k] for k in ("metric", "unit", "before", "after", "delta", "delta_pct", "verdict")} == {
        "metric": "step_ns", "unit": "ns", "before": 560_000, "after": 660_000, "delta": 100_000,
        "delta_pct": 17.86, "verdict": "slower",
    }  # fmt: skip
    assert (step["n_before"], step["n_after"], step["hodges_lehmann"], step["dominance"]) == (
        8,
        8,
        100_000,
        1,
    )
    for rows in said["step"].values():
        *parts, total = rows
        assert total["part"] == "step"
        for key in ("before_ns", "after_ns", "delta_ns"):
            assert sum(row[key] for row in parts) == total[key]
    assert said["slowest_rank"]["after"] == {"1": 8}
    gemm = next(k for k in said["kernels"] if k["after_name"] == "gemm_a")
    assert (gemm["status"], gemm["calls_before"], gemm["delta_ns"], gemm["calls_effect_ns"]) == (
        "slower",
        1,
        25_000,
        0,
    )


def test_csv_has_numbers(call, tmp_path: Path) -> None:
    job(tmp_path / "a", 400), job(tmp_path / "b", 300)
    _, out, _ = call("compare", tmp_path / "a", tmp_path / "b", "-f", "csv")
    first, *more = out.split("\r\n\r\n")
    rows = list(csv.DictReader(first.splitlines()))
    assert rows[0] == {
        "metric": "step_ns", "unit": "ns", "better": "lower", "before": "560000", "after": "460000",
        "delta": "-100000", "delta_pct": "-17.86", "ci_low_pct": "-17.86", "ci_high_pct": "-17.86",
        "verdict": "faster", "n_before": "8", "n_after": "8",
    }  # fmt: skip
    assert more[0].splitlines()[0] == "Part,Before (ns),After (ns),Delta (ns)"


def test_one_report_against_itself_is_the_same(call, tmp_path: Path) -> None:
    (path,) = job(tmp_path / "a", 400)
    status, out, _ = call("compare", path, path)
    assert status == 0
    assert out.startswith("same: step 0 ns (+0.0 %, 95 % interval +0.0 to +0.0 %): 560.0 us -> 560.0 us\n")


def test_two_steps_of_one_report(call, tmp_path: Path) -> None:
    path = rank_report(tmp_path / "r" / "one.sqlite", 0)
    status, out, _ = call(
        "compare", path, path, "--before-range", "step:2", "--after-range", "step:3", "-f", "json"
    )
    said = json.loads(out)
    assert status == 0 and said["verdict"] == "inconclusive"
    assert {(k["after_name"], k["calls_after"], k["delta_ns"]) for k in said["kernels"]} == {
        ("gemm_a", 1, 0), ("gemm_b", 1, 0), (NCCL, 1, 0)
    }  # fmt: skip
    assert call("compare", path, path, "--before-range", "step:99")[0] == 3


def test_folders_are_runs_where_no_launcher_says(call, tmp_path: Path) -> None:
    for number in range(3):
        job(tmp_path / f"a{number}", 400, 410), job(tmp_path / f"b{number}", 430, 400)
    before, after = ([tmp_path / f"{side}{n}" for n in range(3)] for side in "ab")
    status, out, _ = call("compare", "--before", *before, "--after", *after, "-f", "json")
    said = json.loads(out)
    assert status == 0
    assert (said["before"]["runs"], said["before"]["ranks"], said["method"]["runs_drawn"]) == (3, 6, True)
    assert (said["metrics"][0]["n_before"], said["method"]["min_effect_pct"]) == (24, 1.0)
    files = [Path(folder) / "rank0.sqlite" for folder in before]
    _, out, _ = call("compare", "--before", *files, "--after", *files, "--run-per", "file", "-f", "json")
    assert json.loads(out)["before"]["runs"] == 3


def test_named_kernels(call, tmp_path: Path) -> None:
    job(tmp_path / "a", 400), job(tmp_path / "b", 500)
    words = ("compare", tmp_path / "a", tmp_path / "b", "-f", "json", "--metric", "kernel.gemm_a_ns")
    said = json.loads(call(*words)[1])
    row = next(row for row in said["metrics"] if row["metric"] == "kernel.gemm_a_ns")
    assert (row["before"], row["after"], row["verdict"]) == (200_000, 250_000, "inconclusive")
    status, _, err = call("compare", tmp_path / "a", tmp_path / "b", "--metric", "nothing")
    assert status == 2 and "there is no metric 'nothing'" in err


def test_exit_codes(run: Run, tmp_path: Path) -> None:
    (good,) = job(tmp_path / "a", 400)
    broken = tmp_path / "broken.sqlite"
    broken.write_bytes(b"SQLite format 3\0" + bytes(50))
    empty = Export(tmp_path / "empty.sqlite")
    empty.runtime("cudaFree", 0, 10)
    assert run("compare", good, good).returncode == 0
    assert run("compare", good, empty.write()).returncode == 3
    assert run("compare", good, broken).returncode == 2
    part = run("compare", "--before", good, "--after", good, broken)
    assert part.returncode == 2 and part.stdout.startswith("same: ")  # the rest is answered
    assert run("compare", "--before", good, "--after", good, broken, "--allow-missing", "1").returncode == 0
    for wrong in ([good], [], [good, good, good], ["--before", good], [good, "--after", good]):
        found = run("compare", *wrong)
        assert found.returncode == 2 and found.stdout == "" and "name two sides" in found.stderr
    assert run("compare", good, good, "--min-effect", "-1").returncode == 2
    assert run("compare", good, good, "-o", good).returncode == 2


def test_names_do_not_act(call, tmp_path: Path) -> None:
    for side in "ab":
        rank_report(tmp_path / side / "r.sqlite", 0, name="=cmd\x1b[31m<b>" if side == "b" else "gemm_a")
    for fmt in ("table", "csv", "json"):
        _, out, _ = call("compare", tmp_path / "a", tmp_path / "b", "-f", fmt)
        assert "\x1b" not in out or fmt == "csv"
        assert ",=cmd" not in out


@needs_real
def test_a_real_straggler(run: Run) -> None:
    sides = [
        [real_export(f"ranks-mpi-2023.4/{name}-rank{rank}") for rank in range(4)]
        for name in ("healthy", "straggler")
    ]
    found = run("compare", "--before", *sides[0], "--after", *sides[1], "--jobs", "1")
    assert found.returncode == 0
    lines = found.stdout.splitlines()
    assert re.match(r"slower: step \+5\.0 ms \(\+20\.7 %, 95 % interval \+\d", lines[0]), lines[0]
    assert (
        "slowest rank (rank 2 in 39 of 39): host code +6.2 ms (backward +3.6 ms, forward +2.9 ms)" in lines[1]
    )
    assert "wait in MPI +6.6 ms" in found.stdout.split(" ** ")[0]


# --- baseline and check ---


@needs_real
def test_a_real_straggler_fails_and_the_reason_says_who(call, tmp_path: Path) -> None:
    healthy, late = (
        [real_export(f"ranks-mpi-2023.4/{name}-rank{rank}") for rank in range(4)]
        for name in ("healthy", "straggler")
    )
    base = tmp_path / "base.json"
    assert call("baseline", *healthy, "-o", base)[0] == 0
    assert call("check", *healthy, "--baseline", base)[0] == 0
    status, out, _ = call("check", *late, "--baseline", base, "--set", "step_ns.mad=1")
    assert status == 1
    row = next(line for line in out.splitlines() if line.startswith(" step_ns"))
    assert row.endswith("FAILED: wait in MPI +6.6 ms; rank 2 pinned: host code +6.2 ms")


def test_a_baseline_holds_its_own_run_and_fails_a_slower_one(run: Run, tmp_path: Path) -> None:
    base = tmp_path / "base.json"
    good, bad = job(tmp_path / "a", 400, 400), job(tmp_path / "b", 400, 500)
    made = run("baseline", *good, "-o", base)
    assert (made.returncode, made.stdout) == (0, "")
    kept = json.loads(base.read_text())
    assert kept["nsystui_baseline"] == 1
    assert kept["runs"][0]["metrics"]["step_ns"] == [560_000, 0, 8]
    assert kept["runs"][0]["slowest"]["compute"] == 400_000
    assert kept["context"]["ranks"] == 2 and kept["context"]["step_name"] == "train_step"
    assert "names" not in kept["runs"][0] and str(tmp_path) not in base.read_text()
    held = run("check", *good, "--baseline", base)
    assert held.returncode == 0 and held.stdout.startswith("ok: ")
    failed = run("check", *bad, "--baseline", base, "-f", "json")
    assert failed.returncode == 1
    said = json.loads(failed.stdout)
    row = next(row for row in said["rows"] if row["metric"] == "step_ns")
    assert (row["value"], row["allowance"], row["limit"], row["measured"], row["worse"], row["verdict"]) == (
        560_000, 11_200, 571_200, 660_000, 100_000, "failed"
    )  # fmt: skip
    assert row["reason"] == "compute +100.0 us; crept 17.9 % worse than pinned (at most 5 %)"
    assert said["failed"] == sum(row["verdict"] == "failed" for row in said["rows"]) > 0


def test_a_tolerance_so_tight_that_the_same_run_fails(call, tmp_path: Path) -> None:
    base = tmp_path / "base.json"
    job(tmp_path / "a", 400), job(tmp_path / "b", 402)
    call("baseline", tmp_path / "a", "-o", base)
    assert call("check", tmp_path / "b", "--baseline", base)[0] == 0
    tight = ("--set", "step_ns.rel_pct=0", "--set", "step_ns.mad=0")
    status, out, _ = call("check", tmp_path / "b", "--baseline", base, *tight)
    assert status == 1
    row = next(line for line in out.splitlines() if line.lstrip().startswith("step_ns"))
    assert "FAILED: compute +2.0 us" in row
    loose = ("--set", "step_ns.rel_pct=1", "--set", "step_ns.mad=0")
    assert call("check", tmp_path / "b", "--baseline", base, *loose)[0] == 0
    assert call("check", tmp_path / "b", "--baseline", base, "--set", "step_ns.rel=1")[0] == 2


def test_runs_are_added_and_pinned(call, tmp_path: Path) -> None:
    base = tmp_path / "base.json"
    for number, work in enumerate((400, 410, 420)):
        job(tmp_path / str(number), work)
    call("baseline", tmp_path / "0", "-o", base)
    text = json.loads(base.read_text())
    base.write_text(json.dumps({**text, "ours": {"kept": [1]}}))
    for number in (1, 2, 2):  # the last one is there already
        assert call("baseline", tmp_path / str(number), "--add", base)[0] == 0
    kept = json.loads(base.read_text())
    assert [run["metrics"]["step_ns"][0] for run in kept["runs"]] == [560_000, 570_000, 580_000]
    assert kept["pinned"]["step_ns"] == 560_000 and kept["ours"] == {"kept": [1]}
    assert call("baseline", "--add", base, "--pin")[0] == 0
    assert json.loads(base.read_text())["pinned"]["step_ns"] == 570_000
    assert call("baseline", tmp_path / "0", "--add", base, "--keep", "2")[0] == 0
    assert len(json.loads(base.read_text())["runs"]) == 2
    other = tmp_path / "other.json"
    assert call("baseline", "--add", base, "--set", "step_ns.abs=5", "-o", other)[0] == 0
    assert json.loads(other.read_text())["checks"][0]["abs"] == 5
    assert "abs" not in json.loads(base.read_text())["checks"][0]


def test_names_of_reports_only_where_asked(call, tmp_path: Path) -> None:
    job(tmp_path / "a", 400)
    _, out, _ = call("baseline", tmp_path / "a", "--with-names")
    assert json.loads(out)["runs"][0]["names"] == ["rank0.sqlite"]


def test_a_baseline_is_written_whole_or_not_at_all(call, tmp_path: Path) -> None:
    (good,) = job(tmp_path / "a", 400)
    base = tmp_path / "base.json"
    base.write_text("{}")
    broken = tmp_path / "broken.sqlite"
    broken.write_bytes(b"SQLite format 3\0" + bytes(50))
    status, out, err = call("baseline", good, broken, "-o", base)
    assert (status, out, base.read_text()) == (2, "", "{}")
    assert "nothing is written: 1 of 2 reports can't be read" in err
    assert call("baseline", good, "-o", good)[0] == 2  # never over a report
    assert call("baseline", good, "--add", base)[0] == 2
    assert base.read_text() == "{}"
    if os.geteuid():
        folder = tmp_path / "closed"
        folder.mkdir(mode=0o500)
        assert call("baseline", good, "-o", folder / "base.json")[0] == 2


def test_exit_codes_of_check(run: Run, tmp_path: Path) -> None:
    base = tmp_path / "base.json"
    good = job(tmp_path / "a", 400, 400)
    few = job(tmp_path / "few", 400, 400, steps=4)
    broken = tmp_path / "broken.sqlite"
    broken.write_bytes(b"SQLite format 3\0" + bytes(50))
    assert run("baseline", *good, "-o", base).returncode == 0
    found = run("check", *good, broken, "--baseline", base)
    assert found.returncode == 2 and "unreadable" in found.stdout
    allowed = run("check", *good, broken, "--baseline", base, "--allow-missing", "1")
    assert allowed.returncode == 1  # the check of `unreadable` itself
    skipped = ("--allow-missing", "1", "--set", "unreadable.abs=1")
    assert run("check", *good, broken, "--baseline", base, *skipped).returncode == 0
    lenient = run("check", *few, "--baseline", base)
    assert lenient.returncode == 0 and "inconclusive: 4 steps, 5 are needed" in lenient.stdout
    assert run("check", *few, "--baseline", base, "--strict").returncode == 1
    fewer = run("check", good[0], "--baseline", base)
    assert fewer.returncode == 1 and re.search(r"ranks +2 .* FAILED", fewer.stdout)
    assert run("check", *good, "--baseline", tmp_path / "none.json").returncode == 2
    base.write_text('{"nsystui_baseline": 2}')
    newer = run("check", *good, "--baseline", base)
    assert newer.returncode == 2 and newer.stdout == "" and "newer nsystui" in newer.stderr
    base.write_text('{"nsystui_baseline": 1, "checks": [{"metric": "memory_peak_bytes"}]}')
    assert run("check", *good, "--baseline", base).returncode == 3
    assert run("check", *good).returncode == 2


def test_junit_is_xml_whatever_names_hold(call, tmp_path: Path) -> None:
    base = tmp_path / "base.json"
    job(tmp_path / "a", 400), job(tmp_path / "b", 500)
    call("baseline", tmp_path / "a", "-o", base)
    text = json.loads(base.read_text())
    text["checks"].append({"metric": 'kernel.a<b>&"\x1b\ufffe_ns', "missing": "skip"})
    base.write_text(json.dumps(text))
    status, out, _ = call("check", tmp_path / "b", "--baseline", base, "-f", "junit")
    assert status == 1
    suite = ElementTree.fromstring(out)
    cases = {case.get("name"): case for case in suite}
    assert suite.get("tests") == str(len(cases)) == str(len(text["checks"]))
    failure = cases["step_ns"].find("failure")
    assert failure is not None and failure.get("message", "").startswith("compute +100.0 us")
    (skipped,) = [case for case in suite if case.find("skipped") is not None]
    assert (skipped.get("name") or "").startswith('kernel.a<b>&"')
    call("check", tmp_path / "b", "--baseline", base, "-o", tmp_path / "check.xml")
    assert (tmp_path / "check.xml").read_text() == out
    assert suite.get("failures") == str(sum(case.find("failure") is not None for case in suite))


def test_csv_of_a_check(call, tmp_path: Path) -> None:
    base = tmp_path / "base.json"
    job(tmp_path / "a", 400)
    call("baseline", tmp_path / "a", "-o", base)
    _, out, _ = call("check", tmp_path / "a", "--baseline", base, "-f", "csv")
    rows = list(csv.DictReader(out.splitlines()))
    assert list(rows[0]) == [
        "metric", "unit", "value", "noise", "allowance", "limit", "measured", "worse", "worse_pct",
        "verdict", "reason",
    ]  # fmt: skip
    assert rows[0]["metric"] == "step_ns" and rows[0]["limit"] == "571200" and rows[0]["verdict"] == "ok"


@pytest.mark.parametrize("command", ["compare", "baseline", "check"])
def test_limits_are_listed(call, command: str) -> None:
    status, out, _ = call(command, "--limits")
    assert status == 0 and "min_effect_one_run = 0.02 share" in out
