"""What sets are asked that they can't answer, and sets with little in them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.sets.conftest import Ask
from tests.sets.jobs import UTC, job
from tests.support.export import Export

NCCL = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
GATHER = NCCL.replace("AllReduce_Sum_bf16", "AllGather")


def copying(folder: Path, ranks: int = 2) -> Path:
    """Ranks that only copy: 8 steps of 900 ns with a copy of 40 each."""
    folder.mkdir()
    for number in range(ranks):
        export = Export(folder / f"rank{number}.sqlite")
        for step in range(8):
            at = 1_000 * step
            export.push_pop(f"step {step}", at, at + 900, pid=100 + number, tid=100 + number)
            export.memcpy(at + 700, at + 740, pid=100 + number)
        export.write()
    return folder


def stepless(folder: Path) -> Path:
    """Two ranks that do one kernel, and no steps."""
    folder.mkdir()
    for number in range(2):
        export = Export(folder / f"rank{number}.sqlite")
        export.launch((0, 10), (20, 50), pid=100 + number)
        export.write()
    return folder


def test_sides_without_kernels_are_compared(tmp_path: Path, ask: Ask) -> None:
    copies = copying(tmp_path / "copies")
    found = ask("compare", copies, copies, "-f", "json")
    metrics = {row["metric"]: (row["before"], row["after"]) for row in found.json["metrics"]}
    assert found.code == 0
    assert (metrics["copies_only_ns"], metrics["idle_ns"]) == ((40, 40), (860, 860))
    assert not [name for name in metrics if name.startswith("class.")]
    made = json.loads(ask("baseline", copies).out)
    assert made["runs"][0]["metrics"]["copies_only_ns"] == [40, 0, 8]


@pytest.mark.parametrize("command", ["ranks", "collectives", "pace"])
def test_steps_are_asked_for_where_there_are_none(tmp_path: Path, ask: Ask, command: str) -> None:
    said = ask(command, stepless(tmp_path / "set"), "--range", "step:3")
    assert (said.code, said.out, said.err[-1]) == (3, "", "nsystui: step:3: no steps found")


@pytest.mark.parametrize(
    "words", [("ranks", "."), ("collectives", "."), ("pace", "."), ("compare", ".", "."), ("baseline", ".")]
)
def test_a_step_that_no_rank_has(tmp_path: Path, ask: Ask, words: tuple[str, ...]) -> None:
    job(tmp_path)
    said = ask(*words, "--step", "nope")
    assert (said.code, said.out) == (3, "")
    assert said.err[-1] == "nsystui: no steps found; no range is called 'nope'"


def test_an_anchor_that_no_rank_has(tmp_path: Path, ask: Ask) -> None:
    job(tmp_path)
    assert ask("ranks", ".", "--align", "steps", "--anchor-step", "3").code == 0
    said = ask("ranks", ".", "--align", "steps", "--anchor-step", "99")
    assert (said.code, said.err) == (3, ["nsystui: --anchor-step 99: no rank has this step"])


def test_times_without_steps_choose_collectives_only(tmp_path: Path, ask: Ask) -> None:
    said = ask("ranks", stepless(tmp_path / "set"), "--range", "0/30")
    assert (said.code, "nsystui: without steps 0/30 chooses collectives only" in said.err) == (0, True)


def test_no_communication_in_a_range_is_not_none_at_all(tmp_path: Path, ask: Ask) -> None:
    folder = tmp_path / "set"
    folder.mkdir()
    for number in range(2):
        export = Export(folder / f"rank{number}.sqlite")
        export.launch((0, 10), (20, 50), pid=100 + number, name="ncclDevKernel_AllReduce_Sum_f32_RING_LL")
        export.write()
    said = ask("collectives", folder, "--range", "5s/6s")
    assert (said.code, said.err[-1]) == (3, "nsystui: no communication in 5s/6s")


def test_always_last_in_too_few_collectives_is_not_called_chance(tmp_path: Path, ask: Ask) -> None:
    job(tmp_path, (100, 100, 300))
    said = ask("ranks", ".")
    assert " ".join(said.out.split()).startswith(
        "rotating: rank 2 (node-b, GPU 0) is last most often, in 7 of 7 all-reduces (100 %, by chance 33 %), "
        "too few to be sure; waiting for whoever is last costs 200.0 us of each 1.0 ms step (20.0 %)"
    )


def test_steps_that_not_all_ranks_have_are_counted_once(tmp_path: Path, ask: Ask) -> None:
    for steps, number in ((8, 0), (12, 1), (10, 2), (9, 3)):
        job(tmp_path, (100,), steps=steps, numbers=(number,), size=4)
    said = ask("ranks", ".")
    assert "nsystui: 4 of 12 steps are not on every rank" in said.err


def test_a_broken_report_is_missed_once(tmp_path: Path, ask: Ask) -> None:
    paths = job(tmp_path)
    paths[1].write_bytes(b"no export")
    words = ("ranks", ".", "--strict", "--allow-missing")
    assert (ask(*words, "1").code, ask(*words, "0").code) == (0, 2)
    paths[2].unlink()
    assert (ask(*words, "1").code, ask(*words, "2").code) == (2, 0)


def test_the_first_rows_of_several_runs_say_of_which(tmp_path: Path, ask: Ask) -> None:
    for run in (1, 2):
        (tmp_path / f"{run}").mkdir()
        for path in job(tmp_path / f"{run}"):
            with_id(path, run)
    out = ask("pace", "1", "2", "--top", "3").out.splitlines()
    head = next(at for at, line in enumerate(out) if line.startswith(" Run"))
    assert [line.split()[:2] for line in out[head + 2 : head + 5]] == [["1", "1"], ["1", "2"], ["1", "3"]]
    assert "13 more" in " ".join(out)


def test_names_in_notes_are_ascii_where_asked(
    tmp_path: Path, ask: Ask, capsys: pytest.CaptureFixture[str]
) -> None:
    job(tmp_path)
    (tmp_path / "base.json").write_text(ask("baseline", ".").out)
    base = json.loads((tmp_path / "base.json").read_text())
    base["context"]["step_name"] = "a\x1b[31mred"
    (tmp_path / "base.json").write_text(json.dumps(base))
    said = ask("check", ".", "--baseline", "base.json", "--ascii")
    assert said.err == ["nsystui: not the same step: step, in the baseline a\\u241b[31mred"]


def with_id(path: Path, job_id: int) -> None:
    """Say in a report which job it is of."""
    import sqlite3

    with sqlite3.connect(path) as db:
        db.execute(
            "INSERT INTO META_DATA_CAPTURE (name, value) VALUES (?, ?)",
            ("PROCESS_0:ENVIRONMENT_VARIABLE", f'SLURM_JOB_ID="{job_id}"'),
        )
    db.close()


def two_devices(folder: Path, late: int) -> Path:
    """Four ranks of two GPUs, each GPU with its own stream; rank ``late`` computes 100 us longer on both.

    A step of 1 ms: compute 10 to 500 us, an all-reduce to 700 us; on the second GPU 3 us later, to 699 us.
    """
    folder.mkdir()
    for number in range(4):
        export = Export(folder / f"rank{number}.sqlite")
        pid = 100 + number
        for step in range(8):
            at = 1_000_000 * step
            export.push_pop(f"step {step}", at, at + 900_000, pid=pid, tid=pid)
            busy = at + (600_000 if number == late else 500_000)
            for device, shift, end in ((0, 0, 700_000), (1, 3_000, 699_000)):
                for name, low, high, stream in (
                    ("gemm", at + 10_000 + shift, busy + shift, 7 + device),
                    (NCCL, busy + 1_000 + shift, at + end, 20 + device),
                ):
                    corr = export.next_of(pid)
                    call = (low - 5_000 + device, low - 4_000 + device)
                    export.launch(
                        call,
                        (low, high),
                        pid=pid,
                        tid=pid,
                        name=name,
                        stream=stream,
                        device=device,
                        corr=corr,
                    )
        export.write()
    return folder


def test_ranks_of_several_gpus_are_matched_gpu_by_gpu(tmp_path: Path, ask: Ask) -> None:
    said = ask("ranks", two_devices(tmp_path / "set", late=3), "-f", "json")
    straggler = said.json["straggler"]
    assert (straggler["verdict"], straggler["who"], straggler["instances"]) == ("pinned", [3], 14)
    assert [row["status"] for row in said.json["ranks"]] == ["ok"] * 4
    rows = ask("collectives", "set", "-f", "json").json["rows"]
    assert [(row["communicator"], row["matched"], row["transfer_ns"], row["wait_ns"]) for row in rows] == [
        ("stream 20", 8, 99_000, 100_000), ("stream 21", 8, 95_000, 100_000)
    ]  # fmt: skip


def test_an_operation_of_some_makes_no_peers(tmp_path: Path, ask: Ask) -> None:
    """Rank 2 lacks an all-reduce that the others have among themselves; rank 1 gathers beside its copies."""
    folder = tmp_path / "set"
    folder.mkdir()
    for number in range(4):
        export = Export(folder / f"rank{number}.sqlite")
        pid = 100 + number
        for step in range(8):
            at = 1_000_000 * step
            export.push_pop(f"step {step}", at, at + 900_000, pid=pid, tid=pid)
            busy = at + (600_000 if number == 3 else 500_000)
            work = [("gemm", at + 10_000, busy, 7)]
            work += [] if (number, step) == (2, 4) else [(NCCL, busy + 1_000, at + 700_000, 20)]
            work += [(GATHER, at + 720_000, at + 730_000, 33)] if number == 1 else []
            for name, low, high, stream in work:
                call, corr = (low - 5_000, low - 4_000), export.next_of(pid)
                export.launch(call, (low, high), pid=pid, tid=pid, name=name, stream=stream, corr=corr)
            export.memcpy(at + 710_000, at + 750_000, pid=pid)
        export.row("TARGET_INFO_SYSTEM_ENV", globalVid=1, devStateName="x", name="Hostname", value="h")
        export.row(
            "TARGET_INFO_SESSION_START_TIME", utcEpochNs=UTC, utcTime="", localTime="", systemClockNs=77
        )
        export.write()
    assert "why: compute +100.0 us: slower kernels, gemm" in ask("ranks", folder).out.splitlines()


def test_ranks_without_gpu_work_are_named_among_others(tmp_path: Path, ask: Ask) -> None:
    folder = two_devices(tmp_path / "set", late=3)
    export = Export(folder / "rank4.sqlite")
    for step in range(8):
        at = 1_000_000 * step
        export.push_pop(f"step {step}", at, at + 900_000, pid=104, tid=104)
    export.write()
    notes = ask("ranks", folder).err
    assert (
        "nsystui: neither GPU work nor MPI calls recorded on rank 4: wait, transfer and own time are unknown"
    ) in notes
    found = ask("ranks", folder, "-f", "json").json
    (alone,) = [row for row in found["ranks"] if row["rank"] == 4]
    assert alone["step_ns"] == 900_000
    parts = (
        "own_ns",
        "exposed_wait_ns",
        "exposed_transfer_ns",
        "exposed_unsplit_ns",
        "compute_ns",
        "idle_ns",
    )
    assert [alone[key] for key in parts] == [None] * 6


def test_nobody_seen_waiting_costs_nothing_that_is_known(tmp_path: Path, ask: Ask) -> None:
    export = Export(tmp_path / "alone.sqlite")
    for step in range(8):
        at = 1_000_000 * step
        export.push_pop(f"step {step}", at, at + 900_000, pid=104, tid=104)
    export.write()
    found = ask("ranks", tmp_path, "-f", "json").json["straggler"]
    assert (found["verdict"], found["instances"]) == ("unresolved", 0)
    assert (found["cost_ns"], found["cost_pct"]) == (None, None)


@pytest.mark.parametrize("command", ["ranks", "collectives", "pace"])
def test_one_report_without_a_rank_is_one_line(tmp_path: Path, ask: Ask, command: str) -> None:
    export = Export(tmp_path / "only.sqlite")
    export.mark("hello", 5)
    export.write()
    said = ask(command, "only.sqlite")
    assert (said.code, said.out) == (3, "")
    assert said.err == [
        "nsystui: only.sqlite: no process has GPU work, steps or MPI calls; "
        "nsys profile --trace=cuda,nvtx,mpi adds them"
    ]


def test_no_communication_says_what_records_it(tmp_path: Path, ask: Ask) -> None:
    export = Export(tmp_path / "only.sqlite")
    export.kernel(0, 100)
    export.write()
    said = ask("collectives", "only.sqlite")
    assert (said.code, said.err) == (
        3,
        [
            "nsystui: no communication recorded: neither kernels of collectives nor calls of MPI; "
            "nsys profile --trace=cuda,nvtx,mpi records them"
        ],
    )
