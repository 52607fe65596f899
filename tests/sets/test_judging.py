"""`ranks`, `pace` and `collectives` as commands, on a small job and on real ranks."""

from __future__ import annotations

import csv
import io
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.sets.conftest import Ask
from tests.sets.jobs import job
from tests.support.real import REAL, needs_real

RANKS = REAL / "ranks-mpi-2023.4"
VERDICT = "pinned: rank 2 (node-b, GPU 0) is last in 7 of 7 all-reduces (100 %, by chance 25 %); "
RANK_KEYS = [
    "run", "rank", "rank_source", "host", "local_rank", "pid", "devices", "gpu", "report", "span_ns", "steps",
    "step_ns", "own_ns", "compute_ns", "exposed_transfer_ns", "exposed_wait_ns", "exposed_unsplit_ns",
    "copies_only_ns", "other_ns", "unknown_ns", "idle_ns", "busy_pct", "times_last", "collectives",
    "last_pct", "caused_ns", "why", "doubtful", "status", "name",
]  # fmt: skip


@pytest.fixture
def four(tmp_path: Path) -> Path:
    """Four ranks of which the third loads its data 200 us longer."""
    job(tmp_path)
    return tmp_path


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_the_verdict_comes_first_then_the_late_rank(four: Path, ask: Ask) -> None:
    said = ask("ranks", ".")
    lines = said.out.splitlines()
    assert (
        " ".join(line.strip() for line in lines[:2])
        == VERDICT + "costs 200.0 us of each 1.0 ms step (20.0 %)"
    )
    assert lines[2] == "why: idle +200.0 us: host code in load"
    start = lines.index(next(line for line in lines if line.startswith(" Rank")))
    assert lines[start : start + 4] == [
        " Rank  Host    Steps      Step       Own      Wait  Transfer   Compute      Idle  Last",
        " ----  ------  -----  --------  --------  --------  --------  --------  --------  ----",
        "    2  node-b      8  1.000 ms  1.000 ms  0.000 ms  0.180 ms  0.400 ms  0.420 ms     7",
        "    0  node-a      8  1.000 ms  0.800 ms  0.200 ms  0.180 ms  0.400 ms  0.220 ms     0",
    ]
    assert said.code == 0
    assert said.err == [
        "nsystui: ranks from: environment (RANK) · aligned by collectives, ± 14.1 us · 4 ranks"
    ]


def test_a_gpu_is_that_of_the_host_where_the_environment_says_which(tmp_path: Path, ask: Ask) -> None:
    job(tmp_path, visible=("4", "5", "6,7", "GPU-8e3f"))
    said = ask("ranks", ".")
    assert said.out.startswith("pinned: rank 2 (node-b, GPU 6) is last")
    found = ask("ranks", ".", "-f", "json").json["ranks"]
    assert [row["devices"] for row in found] == [[4], [5], [6], [0]]


def test_json_of_ranks_has_every_key_and_whole_nanoseconds(four: Path, ask: Ask) -> None:
    found = ask("ranks", ".", "-f", "json").json
    assert list(found) == ["set", "alignment", "window", "efficiency", "straggler", "ranks", "notes"]
    assert found["set"] == {
        "reports": 4, "runs": 1, "ranks": 4, "expected_ranks": 4, "missing": [], "broken": [],
    }  # fmt: skip
    assert found["alignment"] == {"mode": "collectives", "uncertainty_ns": 14_142, "reference": "0"}
    straggler = found["straggler"]
    assert (straggler["verdict"], straggler["level"], straggler["who"]) == ("pinned", "rank", [2])
    assert (straggler["share_pct"], straggler["expected_pct"]) == (100.0, 25.0)
    assert (straggler["cost_ns"], straggler["cost_pct"]) == (7 * 200_000, 20.0)
    (why,) = straggler["why"]
    assert {key: why[key] for key in ("kind", "excess_ns", "class", "call", "phase")} == {
        "kind": "idle", "excess_ns": 200_000, "class": "host code", "call": None, "phase": "load",
    }  # fmt: skip
    assert list(found["ranks"][0]) == RANK_KEYS
    late = found["ranks"][2]
    assert [late[key] for key in RANK_KEYS if key.endswith("_ns")] == [
        8_000_000, 1_000_000, 1_000_000, 400_000, 180_000, 0, 0, 0, 0, 0, 420_000, 7 * 3 * 200_000,
    ]  # fmt: skip
    assert found["efficiency"]["parallel"] == 0.4
    assert found["efficiency"]["own_balance"] == 0.85
    assert found["notes"][0].startswith("pinned: rank 2")


def test_csv_is_by_rank_with_all_columns(four: Path, ask: Ask) -> None:
    said = ask("ranks", ".", "-f", "csv")
    found = rows(said.out)
    assert [row["Rank"] for row in found] == ["0", "1", "2", "3"]
    assert [row["Own (ns)"] for row in found] == ["800000", "800000", "1000000", "800000"]
    assert found[2]["Why"] == "idle +200.0 us: host code in load"
    assert said.err[0].startswith(f"nsystui: {VERDICT}")


def test_by_host_and_what_no_report_says(four: Path, ask: Ask) -> None:
    found = rows(ask("ranks", ".", "--by", "host", "-f", "csv").out)
    assert [(row["Host"], row["Ranks"], row["Own (ns)"], row["Own max (ns)"]) for row in found] == [
        ("node-a", "2", "800000", "800000"),
        ("node-b", "2", "900000", "1000000"),
    ]
    said = ask("ranks", ".", "--by", "position")
    assert (said.code, said.out) == (3, "")
    assert "no report says the place on its host" in said.err[-1]


def test_clocks_say_how_each_report_was_placed(four: Path, ask: Ask) -> None:
    said = ask("ranks", ".", "--clocks", "-f", "csv")
    found = rows(said.out)
    assert [(row["Report"], row["Domain"], row["Offset (ns)"]) for row in found] == [
        ("rank0.sqlite", "1", "0"), ("rank1.sqlite", "1", "0"), ("rank2.sqlite", "2", "0"),
        ("rank3.sqlite", "2", "0"),
    ]  # fmt: skip
    assert "collectives" in found[0]["Method"]


def test_pace_of_the_steps(four: Path, ask: Ask) -> None:
    said = ask("pace", ".", "-f", "json").json
    assert (said["step_name"], said["warm_up"]) == ("step", [])
    (sequence,) = said["sequences"]
    assert len(sequence["steps"]) == 8
    assert sequence["steps"][3] == {
        "run": None, "step": 4, "name": "step 3", "start_ns": 3_000_000, "ranks": 4, "min_ns": 1_000_000,
        "median_ns": 1_000_000, "max_ns": 1_000_000, "spread_ns": 0, "slowest": None,
        "own_median_ns": 800_000, "own_max_ns": 1_000_000, "own_slowest": 2, "outlier": False,
    }  # fmt: skip
    assert [rank["median_ns"] for rank in sequence["ranks"]] == [1_000_000.0] * 4


def test_every_step_of_every_rank_adds_up(four: Path, ask: Ask) -> None:
    found = rows(ask("pace", ".", "--long", "-f", "csv").out)
    assert len(found) == 4 * 8
    parts = ("Compute", "Exposed transfer", "Exposed wait", "Exposed unsplit", "Copies only", "Other",
             "Unknown", "Idle")  # fmt: skip
    for row in found:
        assert sum(int(row[f"{part} (ns)"]) for part in parts) == int(row["Duration (ns)"])
        assert int(row["Own (ns)"]) == int(row["Duration (ns)"]) - int(row["Exposed wait (ns)"])


def test_pace_by_phase_names_the_one_that_takes_longer(four: Path, ask: Ask) -> None:
    found = ask("pace", ".", "--by", "phase", "-f", "json").json["rows"]
    load = found[0]
    assert (load["phase"], load["slowest"], load["excess_ns"]) == ("load", 2, 200_000)
    assert (load["min_ns"], load["median_ns"], load["max_ns"]) == (99_999, 99_999, 299_999)
    train = found[1]
    assert (train["phase"], train["device_median_ns"], train["device_excess_ns"]) == ("train", 780_000, 0)


@pytest.mark.parametrize(
    ("words", "durations"),
    [
        (("--kernel", "gemm"), {400_000}),
        (("--collective", "all-reduce"), {380_000}),
        (("--nvtx", "load"), {99_999}),
    ],
)
def test_anything_that_repeats_has_a_pace(
    words: tuple[str, ...], durations: set[int], four: Path, ask: Ask
) -> None:
    found = ask("pace", ".", *words, "-f", "json").json["sequences"][0]["steps"]
    assert len(found) == 8
    assert {step["median_ns"] for step in found} == durations


def test_a_column_for_each_rank(four: Path, ask: Ask) -> None:
    found = rows(ask("pace", ".", "--kernel", "AllReduce", "--wide-ranks", "-f", "csv").out)
    assert [found[0][f"Rank {rank} (ns)"] for rank in range(4)] == ["380000", "380000", "180000", "380000"]


def test_collectives_by_kind_one_by_one_and_by_participant(four: Path, ask: Ask) -> None:
    found = ask("collectives", ".", "-f", "json").json
    (communicator,) = found["communicators"]
    assert communicator["ranks"] == ["0", "1", "2", "3"]
    assert (communicator["match"], communicator["instances"], communicator["unmatched"]) == ("order", 8, {})
    (row,) = found["rows"]
    expected: dict[str, Any] = {
        "operation": "AllReduce", "dtype": "bf16", "algorithm": "RING LL", "bytes": None, "ranks": 4,
        "instances": 8, "matched": 8, "transfer_ns": 180_000, "wait_ns": 200_000, "duration_ns": 380_000,
        "algbw_gbps": None, "busbw_gbps": None, "exposed_ns": 8 * (3 * 380_000 + 180_000), "class": "mixed",
        "pinned": [2], "cost_ns": 7 * 200_000,
    }  # fmt: skip
    assert {key: row[key] for key in expected} == expected
    instances = ask("collectives", ".", "--instances", "-f", "json").json["rows"]
    assert len(instances) == 8
    assert {
        (i["last"], i["margin_ns"], i["wait_sum_ns"], i["wait_max_ns"], i["resolved"]) for i in instances
    } == {(2, 200_000, 600_000, 200_000, True)}
    taking_part = ask("collectives", ".", "--long", "-f", "json").json["rows"]
    assert len(taking_part) == 32
    assert [(p["rank"], p["wait_ns"], p["last"]) for p in taking_part[:4]] == [
        (0, 200_000, False), (1, 200_000, False), (2, 0, True), (3, 200_000, False),
    ]  # fmt: skip


def test_a_range_of_steps(four: Path, ask: Ask) -> None:
    found = ask("ranks", ".", "--range", "step:3..7", "-f", "json").json
    assert (found["window"]["first_step"], found["window"]["last_step"]) == (3, 7)
    assert found["straggler"]["instances"] == 5
    assert {row["steps"] for row in found["ranks"]} == {5}
    said = ask("pace", ".", "--range", "step:9")
    assert (said.code, said.out) == (3, "")
    assert ask("ranks", ".", "--range", "nvtx:step").code == 2


def test_ranks_without_a_report_are_rows_and_missing(tmp_path: Path, ask: Ask) -> None:
    job(tmp_path, (100, 100, 300), size=5, numbers=(0, 2, 4))
    said = ask("ranks", ".")
    assert said.out.count("no report") == 2
    assert any("3 of 5 ranks" in line for line in said.err)
    found = ask("ranks", ".", "-f", "json").json
    assert found["set"]["missing"] == [1, 3]
    absent = [row for row in found["ranks"] if row["status"] == "no report"]
    assert [row["rank"] for row in absent] == [1, 3]
    assert {absent[0][key] for key in RANK_KEYS if key.endswith("_ns")} == {None}
    assert found["straggler"]["partial"] is True


def test_a_broken_member_is_told_first_and_exits_with_2(four: Path, ask: Ask) -> None:
    (four / "rank9.sqlite").write_bytes(b"no export")
    for command in ("ranks", "pace", "collectives"):
        said = ask(command, ".")
        assert said.code == 2
        assert "4 of 5 reports" in said.err[0]
        assert said.out
        assert ask(command, ".", "--allow-missing", "1").code == 0
    found = ask("ranks", ".", "-f", "json").json
    assert [Path(entry["report"]).name for entry in found["set"]["broken"]] == ["rank9.sqlite"]


def test_some_ranks_of_one_host(four: Path, ask: Ask) -> None:
    found = ask("ranks", ".", "--host", "node-b", "-f", "json").json
    assert [row["rank"] for row in found["ranks"]] == [2, 3]
    assert [row["times_last"] for row in found["ranks"]] == [7, 0]
    found = ask("ranks", ".", "--ranks", "0-1", "-f", "json").json
    assert [row["rank"] for row in found["ranks"]] == [0, 1]
    assert {row["exposed_wait_ns"] for row in found["ranks"]} == {
        0
    }  # of each other: the late one is not here


@pytest.mark.parametrize(
    "words",
    [
        ("pace", ".", "--long", "--wide-ranks"),
        ("pace", ".", "--kernel", "x", "--nvtx", "y"),
        ("pace", ".", "--kernel", "x", "--range", "step:1"),
        ("pace", ".", "--kernel", "("),
        ("ranks", ".", "--by", "host", "--clocks"),
        ("collectives", ".", "--long", "--instances"),
        ("ranks",),
    ],
)
def test_what_cannot_be_asked_is_one_line(words: tuple[str, ...], four: Path, ask: Ask) -> None:
    said = ask(*words)
    assert (said.code, said.out) == (2, "")
    assert len(said.err) == 1


@pytest.mark.parametrize(
    "words", [("--kernel", "nothing"), ("--collective", "gather"), ("--nvtx", "nothing")]
)
def test_what_repeats_nowhere_is_nothing_there(words: tuple[str, ...], four: Path, ask: Ask) -> None:
    said = ask("pace", ".", *words)
    assert (said.code, said.out) == (3, "")


def test_limits_are_listed_without_a_report(ask: Ask) -> None:
    for command in ("ranks", "pace", "collectives"):
        said = ask(command, "--limits")
        assert said.code == 0
        assert "pinned_share = 0.25 share" in said.out
        assert "why_step = 0.002 share" in said.out


def test_an_output_that_is_a_report_is_refused(four: Path, ask: Ask) -> None:
    before = (four / "rank1.sqlite").read_bytes()
    assert ask("ranks", ".", "-o", "rank1.sqlite").code == 2
    assert (four / "rank1.sqlite").read_bytes() == before


def test_without_a_terminal_several_reports_are_their_ranks(
    four: Path, process: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    done = process("rank0.sqlite", "rank1.sqlite", "rank2.sqlite", "rank3.sqlite", "--ascii")
    assert done.returncode == 0
    assert done.stdout.startswith("pinned: rank 2 (node-b, GPU 0)")
    assert done.stdout.isascii()
    assert done.stderr.isascii()
    assert process(".").stdout == done.stdout
    assert process("rank0.sqlite").stdout.startswith("rank0.sqlite ")


def test_diagnose_looks_over_the_ranks(four: Path, ask: Ask) -> None:
    said = ask("diagnose", ".")
    lines = said.out.splitlines()
    assert lines[0] == " ** Over the ranks (over-ranks)"
    assert lines[2].startswith(" pinned: rank 2 (node-b, GPU 0) is last in 7 of 7 all-reduces")
    assert "  nsystui pace . --by phase" in lines
    assert "one rank of a job" not in said.out
    found = ask("diagnose", ".", "-f", "json").json
    (run,) = found["over_ranks"]["runs"]
    assert run["straggler"]["who"] == [2]
    assert "one-rank" not in {f["fault"] for report in found["reports"] for f in report["findings"]}
    alone = ask("diagnose", "rank0.sqlite", "-f", "json").json
    assert "one-rank" in {finding["fault"] for finding in alone["findings"]}
    assert "over_ranks" not in alone
    assert ask("diagnose", ".", "--fail-on", "100").code == 0
    failed = ask("diagnose", ".", "--fail-on", "60")
    assert failed.code == 0
    assert ask("diagnose", ".", "--fail-on", "20").code == 1


@needs_real
def test_the_real_straggler_is_rank_2_in_forward_and_backward(ask: Ask) -> None:
    reports = [RANKS / f"straggler-rank{rank}.sqlite" for rank in range(4)]
    said = ask("ranks", *reports)
    assert said.code == 0
    text = " ".join(said.out.split())
    assert text.startswith(
        "pinned: rank 2 (node1) is last in 39 of 39 all-reduces (100 %, by chance 25 %); costs 7.9 ms"
    )
    found = ask("ranks", *reports, "-f", "json").json
    own = {row["rank"]: row["own_ns"] for row in found["ranks"]}
    wait = {row["rank"]: row["exposed_wait_ns"] for row in found["ranks"]}
    assert max(own, key=lambda rank: own[rank]) == 2
    for rank in (0, 1, 3):
        assert own[2] - own[rank] == pytest.approx(7_900_000, abs=150_000)
        assert wait[rank] == pytest.approx(7_900_000, abs=150_000)
    assert wait[2] == 0
    (why,) = found["straggler"]["why"]
    assert why["kind"] == "host"
    assert [part["phase"] for part in why["parts"]] == ["backward", "forward"]
    assert why["excess_ns"] == pytest.approx(8_000_000, abs=200_000)
    # Device figures of ranks without GPU work are unknown, not zero.
    assert {found["ranks"][0][key] for key in ("compute_ns", "copies_only_ns", "idle_ns", "busy_pct")} == {
        None
    }


@needs_real
def test_the_real_healthy_ranks_have_no_straggler(ask: Ask) -> None:
    reports = [RANKS / f"healthy-rank{rank}.sqlite" for rank in range(4)]
    found = ask("ranks", *reports, "-f", "json").json
    assert found["straggler"]["verdict"] in ("rotating", "even")
    assert found["straggler"]["who"] == []
    steps = ask("pace", *reports, "-f", "json").json["sequences"][0]["steps"]
    assert len(steps) == 40
    normal = ask("ranks", RANKS / "healthy-rank0-utc-times.sqlite", *reports[1:], "-f", "json").json
    assert normal["straggler"]["verdict"] == found["straggler"]["verdict"]


@needs_real
def test_two_real_ranks_in_one_file(ask: Ask) -> None:
    said = ask("ranks", REAL / "ddp-before-2026.2.sqlite", "-f", "json")
    assert said.code == 0
    found = said.json
    assert [row["pid"] for row in found["ranks"]] == [144, 145]
    assert found["straggler"]["verdict"] == "unresolved"
    assert {row["exposed_wait_ns"] for row in found["ranks"]} == {None}
    assert all(row["exposed_unsplit_ns"] for row in found["ranks"])
