"""When a run is called healthy, what the verdict rests on, and what is only listed as checked."""

from __future__ import annotations

import json

import pytest

from tests.diagnose.test_faults import opened
from tests.diagnose.test_uneven import Host
from tests.support.export import HTOD, Export
from tests.support.printed import Printer
from tui.analysis.choices import Choices
from tui.analysis.diagnosis import Kind, diagnose
from tui.analysis.faults import CATALOGUE
from tui.analysis.scope import Scope
from tui.analysis.work_window import work_window
from tui.cli import main

MS, US = 1_000_000, 1_000


def loop(path, gap=0, steps=20, every=1, comm=0, tables=True):
    """20 ms a step in ten kernels that follow each other after ``gap`` ns in every ``every``-th step."""
    export = Export(path)
    at = 0
    for step in range(steps):
        begun = at
        for number in range(10):
            name = "ncclDevKernel_AllReduce_Sum" if number == 9 and comm else "gemm"
            ns = comm if number == 9 and comm else 2 * MS
            corr = export.runtime(
                "cudaLaunchKernel_v7000", max(0, at - 40 * US), max(0, at - 40 * US) + 5 * US
            )
            export.kernel(at + 6 * US, at + 6 * US + ns, corr=corr, name=name)
            at += ns + (gap if step % every == 0 else 0)
        export.push_pop("train_step", begun, at - 50 * US)
    if tables:
        export.osrt("read", 0, 1)
    return export


def verdict(export, **limits):
    index = opened(export.write())
    return diagnose(index, Choices(Scope(work_window(index)), limits=limits))


# --- healthy ---


def test_a_run_whose_time_is_accounted_for_is_healthy(tmp_path):
    diagnosis = verdict(loop(tmp_path / "x.sqlite"))
    assert diagnosis.verdict.kind is Kind.HEALTHY
    assert diagnosis.verdict.left == ()


def test_idle_time_below_the_blame_floor_is_not_healthy(tmp_path):
    """Ten gaps of 150 us to 2 ms of work: 7 % idle in gaps that are said to be the device's own pace."""
    diagnosis = verdict(loop(tmp_path / "x.sqlite", gap=150 * US), blame_floor_ns=200 * US)
    assert diagnosis.findings == ()
    assert diagnosis.verdict.kind is Kind.UNCLEAR
    assert diagnosis.verdict.text == "nothing in the catalogue explains 6.9 % idle"
    assert len(diagnosis.verdict.left) == 1
    assert diagnosis.verdict.left[0].text == (
        "GPU 0 idle for 29.850 ms in 199 gaps shorter than 200.000 us: its own pace between queued kernels"
    )


def test_the_three_largest_pieces_are_named(tmp_path):
    """Gaps of 150 us in all steps, which no finding may cost: the limits are moved out of reach."""
    export = loop(tmp_path / "x.sqlite", gap=150 * US)
    diagnosis = verdict(export, min_cost_pct=50.0)
    assert diagnosis.verdict.kind is Kind.UNCLEAR
    assert diagnosis.verdict.text == "nothing in the catalogue explains 6.9 % idle"
    assert [e.value for e in diagnosis.verdict.left] == [150 * US] * 3
    assert all("idle for 150.000 us in step" in e.text for e in diagnosis.verdict.left)
    assert all(e.command.startswith("nsystui gaps ") for e in diagnosis.verdict.left)


def test_every_piece_is_printed_by_its_command(tmp_path, capsys, monkeypatch):
    diagnosis = verdict(loop(tmp_path / "x.sqlite", gap=150 * US), min_cost_pct=50.0)
    printer = Printer(monkeypatch, capsys, tmp_path / "cache")
    for piece in diagnosis.verdict.left:
        assert piece.value in printer.numbers(piece.command)


def test_exposed_communication_is_lost_time_too(tmp_path):
    """1.2 ms of collectives after 18 ms of compute: 6.3 %, below the limits that are set here."""
    diagnosis = verdict(loop(tmp_path / "x.sqlite", comm=1_200 * US), exposed_pct=10.0, comm_share_pct=50.0)
    assert [f for f in diagnosis.findings if f.cost_ns] == []
    assert diagnosis.verdict.kind is Kind.UNCLEAR
    assert diagnosis.verdict.text == "nothing in the catalogue explains 6.2 % exposed communication"
    assert "communicates for 1.200 ms and computes nothing" in diagnosis.verdict.left[0].text


def test_unknown_time_is_not_healthy(tmp_path):
    """The launches of one step in twenty have no kernels: what ran then is not known."""
    export = loop(tmp_path / "x.sqlite")
    at = 400 * MS
    for number in range(10):
        export.runtime("cudaLaunchKernel_v7000", at + number * MS, at + number * MS + 5 * US)
    corr = export.runtime("cudaLaunchKernel_v7000", at + 20 * MS, at + 20 * MS + 5 * US)
    export.kernel(at + 20 * MS + 6 * US, at + 40 * MS, corr=corr, name="gemm")
    diagnosis = verdict(export)
    unknown = sum(row.busy.unknown_ns for row in diagnosis.busy.devices)
    assert unknown > 0
    assert diagnosis.verdict.kind is not Kind.HEALTHY
    assert any(
        "of the window is unknown: launches whose work was not recorded" in text for text in diagnosis.basis
    )


def test_whole_graphs_are_not_healthy(seen):
    assert seen("fault:graph-hides-kernels").diagnosis.verdict.kind is Kind.UNCLEAR


# --- what it rests on ---


def test_steps_say_what_they_exclude(tmp_path):
    basis = verdict(loop(tmp_path / "x.sqlite", steps=8)).basis
    assert basis == ("8 steps of 'train_step': a stall rarer than one in 8 is not excluded",)


def test_few_steps_say_less(tmp_path):
    basis = verdict(loop(tmp_path / "x.sqlite", steps=3)).basis
    assert basis == ("3 steps of 'train_step': too few to tell the usual step from an unusual one",)


def test_what_is_missing_is_said(tmp_path):
    export = Export(tmp_path / "x.sqlite")
    for i in range(200):
        export.kernel(MS * i, MS * i + MS, name="gemm")
    assert verdict(export).basis == (
        "no steps found: 200.000 ms are judged as a whole, and what happens now and then is not told from "
        "what happens in every step",
        "no CUDA calls were recorded: why the device idled is not known",
        "no NVTX ranges were recorded: neither steps nor phases have names",
        "no OS calls were recorded: host code may be waiting in one",
    )


def test_waits_without_records_of_what_for(tmp_path):
    export = loop(tmp_path / "x.sqlite")
    export.runtime("cudaDeviceSynchronize_v3020", 390 * MS, 401 * MS)
    said = "no synchronisation records: which stream or event a call waited for is not known"
    assert said in verdict(export).basis


def test_one_rank_of_several(tmp_path, seen):
    said = "one rank of several was recorded: a wait for another rank looks like a slow transfer"
    assert said in seen("fault:one-rank").diagnosis.basis
    assert said not in seen("healthy-ddp").diagnosis.basis
    assert said not in seen("healthy").diagnosis.basis


def test_warm_up_inside_the_window(seen):
    assert any("warm-up, and inside the window" in text for text in seen("fault:warm-up").diagnosis.basis)


def test_a_chosen_part_is_one(tmp_path):
    index = opened(loop(tmp_path / "x.sqlite").write())
    part = Scope(work_window(index)).within(0, 100 * MS, "0s/100ms")
    assert any(
        t.startswith("0s/100ms only: 25.0 % of the time recorded")
        for t in diagnose(index, Choices(part)).basis
    )


def test_without_devices_there_is_nothing_to_rest_on(tmp_path):
    export = Export(tmp_path / "x.sqlite")
    export.notation("R cudaGetDeviceCount 0-100")
    diagnosis = verdict(export)
    assert (diagnosis.verdict.kind, diagnosis.basis, diagnosis.checked) == (Kind.NO_WORK, (), ())


# --- checked ---


def with_copies(path, alone):
    """Ten asynchronous copies of pageable memory of 10 us beside a kernel; ``alone`` of them beside none."""
    export = loop(path, steps=20)
    for number in range(10):
        at = 405 * MS + number * 50 * US if number < alone else 3 * MS + number * 30 * US
        corr = export.runtime("cudaMemcpyAsync_v3020", at - 20 * US, at - 10 * US)
        export.memcpy(at, at + 10 * US, corr=corr, bytes=1000, kind=HTOD, src=0, dst=2, stream=9)
    corr = export.runtime("cudaLaunchKernel_v7000", 406 * MS, 406 * MS + US)
    export.kernel(406 * MS + 2 * US, 420 * MS, corr=corr, name="gemm")
    return export


def test_copies_beside_compute_are_said_to_be(tmp_path):
    diagnosis = verdict(with_copies(tmp_path / "x.sqlite", 0))
    (checked,) = [f for f in diagnosis.checked if f.fault == "cuda_memcpy_async"]
    assert checked.title == "asynchronous copies of pageable memory, hidden by compute"
    assert checked.reasons == ("the device computed beside each of the 10 from beginning to end",)
    assert checked.cost_ns == 0


def test_copies_that_ran_alone_are_said_to_have(tmp_path):
    diagnosis = verdict(with_copies(tmp_path / "x.sqlite", 3))
    (checked,) = [f for f in diagnosis.checked if f.fault == "cuda_memcpy_async"]
    assert checked.title == "asynchronous copies of pageable memory: 3 of 10 ran alone for 30.000 us"
    assert not any("other work" in reason for reason in checked.reasons)


def test_waits_with_an_idle_device_are_said_to_have_one(tmp_path):
    export = loop(tmp_path / "x.sqlite")
    for at in (30 * MS, 80 * MS):  # beside kernels
        export.runtime("cudaStreamSynchronize_v3020", at, at + 100 * US)
    diagnosis = verdict(export)
    (checked,) = [f for f in diagnosis.checked if f.fault == "cuda_api_sync"]
    assert checked.title == "waits for a device, with the device busy all the while"


def test_what_costs_a_percent_is_a_finding(tmp_path):
    """A blocking memset of pinned memory that runs alone for 20 ms of 440: no fault but the rule's own."""
    export = loop(tmp_path / "x.sqlite")
    corr = export.runtime("cudaMemset_v3020", 405 * MS, 426 * MS)
    export.memset(406 * MS, 426 * MS, corr=corr, kind=1)
    corr = export.runtime("cudaLaunchKernel_v7000", 426 * MS, 426 * MS + US)
    export.kernel(426 * MS + 2 * US, 440 * MS, corr=corr, name="gemm")
    diagnosis = verdict(export)
    (finding,) = [f for f in diagnosis.findings if f.fault == "cuda_memset_sync"]
    assert finding.cost_ns == 20 * MS
    assert finding.title == "blocking memsets: it ran alone for 20.000 ms"
    assert not any(f.fault == "cuda_memset_sync" for f in diagnosis.checked)


def test_what_was_looked_for_is_listed(seen):
    diagnosis = seen("fault:gc-pauses").diagnosis
    every = {fault.slug for fault in CATALOGUE}
    found = {f.fault for f in (*diagnosis.findings, *diagnosis.checked)}
    unknown = {slug for n in diagnosis.not_assessable for slug in (n.fault, *n.also)}
    assert set(diagnosis.not_found) == every - found - unknown
    assert "hidden-sync" in diagnosis.not_found


# --- figures ---


def test_busy_adds_up_to_the_window(seen, capsys, tmp_path):
    case = seen("ddp")
    assert main(["diagnose", str(case.path), "-f", "json", "--cache-dir", str(tmp_path)]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [row["device"] for row in document["busy"]] == [0, 1]
    for row, device in zip(document["busy"], case.truth.devices, strict=True):
        parts = ("compute", "exposed_comm", "copy_only", "other", "unknown", "idle")
        assert sum(row[f"{part}_ns"] for part in parts) == row["window_ns"]
        assert row["exposed_comm_ns"] == device.exposed_comm_ns
        assert row["hidden_comm_ns"] == device.comm_ns - device.exposed_comm_ns > 0
        assert row["copy_only_ns"] == device.copy_only_ns
    assert document["basis"]
    assert document["verdict"]["left"] == []


def test_a_sentence_is_never_cut(seen, capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    case = seen("fault:hidden-sync")
    assert main(["diagnose", str(case.path), "--cache-dir", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    words = " ".join(out.split())
    head = out.partition("\n\n")[0]
    assert "busy" in head
    for finding in case.diagnosis.findings:
        assert finding.title[1:] in words
    for text in case.diagnosis.basis:
        assert text in words


@pytest.mark.parametrize(
    "name", ["finetune", "healthy", "fault:exposed-all-reduce", "fault:graph-hides-kernels"]
)
def test_every_verdict_rests_on_something(seen, name):
    assert seen(name).diagnosis.basis


def test_idle_time_in_waits_says_whose_it_is(tmp_path):
    """Every step idles for 2 ms; one wait ends 30 us after the first kernel, inside the first such gap."""
    host = Host(tmp_path / "x.sqlite")
    for _ in range(20):
        host.step(pause=2 * MS)
    host.export.runtime("cudaStreamSynchronize_v3020", 9 * MS, 10 * MS + 35 * US, tid=2)
    diagnosis = verdict(host.export)
    assert [f.fault for f in diagnosis.findings] == ["unexplained-idle"]
    (checked,) = [f for f in diagnosis.checked if f.fault == "cuda_api_sync"]
    assert checked.title == (
        "waits for a device: in 1 of 1 the device was idle, for 30.000 us in all, 30.000 us of it charged to "
        "the findings"
    )
