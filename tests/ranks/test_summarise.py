"""What a report says of its ranks: worked by hand, exactly, and in real exports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.support.export import Export
from tests.support.real import ALL_EXPORTS, needs_real, real_export
from tui.analysis.blame import BlameClass
from tui.analysis.index import Comm, Index
from tui.ranks.summarise import summarise
from tui.ranks.summary import RankSummary, State
from tui.ranks.summary_file import pack, unpack
from tui.report import Report, open_report
from tui.report.kernels.class_table import KernelClass

Opener = Callable[[Path], Report]
NCCL = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"
GEMM = "ampere_sgemm_128x64_nn"


def summary_of(export: Export, **options: object) -> list[RankSummary]:
    report = open_report(export.write(), use_store=False)
    return list(summarise(Index(report, **options)).ranks)  # type: ignore[arg-type]


def worked(path: Path) -> Export:
    """Step of 100: compute 0-60, all-reduce 50-90, copy 92-95, idle 95-100 and 90-92; then one of 50.

    Thread 1 is in `forward` 0-40 and `backward` 40-98 of step 1, with `inner` in it.
    """
    export = Export(path)
    export.push_pop("step 1", 0, 100)
    export.push_pop("forward", 0, 40)
    export.push_pop("backward", 40, 98)
    export.push_pop("inner", 45, 60)
    export.launch((0, 1), (0, 60), name=GEMM)
    export.launch((41, 42), (50, 90), name=NCCL, stream=9)
    copy = export.runtime("cudaMemcpyAsync_v3020", 91, 92, tid=2)
    export.memcpy(92, 95, corr=copy)
    export.push_pop("step 2", 100, 150)
    export.launch((105, 106), (110, 130), name=GEMM)
    export.launch((125, 126), (130, 160), name=NCCL, stream=9)
    return export


def test_the_addends_of_a_step(tmp_path: Path) -> None:
    (rank,) = summary_of(worked(tmp_path / "r.sqlite"))
    steps = rank.steps
    assert [rank.names[i] for i in steps.label] == ["step 1", "step 2"]
    assert steps.compute is not None
    assert steps.compute.tolist() == [60, 20]
    assert steps.exposed is not None
    assert steps.exposed.tolist() == [30, 20]
    assert steps.hidden is not None
    assert steps.hidden.tolist() == [10, 0]
    assert steps.copies is not None
    assert steps.copies.tolist() == [3, 0]
    assert steps.idle is not None
    assert steps.idle.tolist() == [7, 10]
    assert steps.kernels is not None
    assert steps.kernels.tolist() == [2, 2]
    assert steps.launches is not None
    assert steps.launches.tolist() == [3, 2]
    assert steps.class_ns is not None
    classes = list(KernelClass)
    assert steps.class_ns[:, classes.index(KernelClass.GEMM)].tolist() == [60, 20]
    assert steps.class_ns[:, classes.index(KernelClass.COMMUNICATION)].tolist() == [40, 30]
    assert rank.window == (0, 160)
    assert rank.totals == {
        "compute": 80, "exposed": 60, "copies": 3, "other": 0, "unknown": 0, "idle": 17, "memory_peak": None,
    }  # fmt: skip
    assert (rank.devices[0].useful_ns, rank.devices[0].active_ns) == (80, 143)


def test_collectives_and_the_pieces_that_stick_out(tmp_path: Path) -> None:
    (rank,) = summary_of(worked(tmp_path / "r.sqlite"))
    rows, pieces = rank.collectives, rank.pieces
    assert list(zip(rows.start.tolist(), rows.end.tolist(), strict=True)) == [(50, 90), (130, 160)]
    assert [rank.names[i] for i in rows.name] == [NCCL, NCCL]
    assert rows.step.tolist() == [0, 1]
    lane = rank.lanes[rows.lane[0]]
    assert (lane.host, lane.device, lane.stream) == (False, 0, 9)
    found = zip(pieces.start.tolist(), pieces.end.tolist(), pieces.collective.tolist(), strict=True)
    assert list(found) == [(60, 90, 0), (130, 160, 1)]


def test_phases_count_what_any_thread_launched_in_them(tmp_path: Path) -> None:
    (rank,) = summary_of(worked(tmp_path / "r.sqlite"))
    rows = rank.phases
    found = {
        (step, rank.names[phase]): (host, device)
        for step, phase, host, device in zip(
            rows.step.tolist(), rows.phase, rows.host_ns.tolist(), rows.device_ns.tolist(), strict=True
        )
    }
    assert found == {(0, "forward"): (40, 60), (0, "backward"): (58, 43)}


def test_blame_names_the_phase_of_the_step(tmp_path: Path) -> None:
    (rank,) = summary_of(worked(tmp_path / "r.sqlite"))
    rows = rank.blame
    found = Counter[tuple[int, str]]()
    for step, cause, ns in zip(rows.step.tolist(), rows.cause.tolist(), rows.ns.tolist(), strict=True):
        found[step, BlameClass(cause).name] += ns
    # 90-91 thread 2 had nothing to do yet, 91-92 it launched; 95-105 thread 1 was late, 105-110 it launched.
    assert found == {
        (0, "HOST_CODE"): 6,
        (0, "LAUNCH_LATENCY"): 1,
        (1, "HOST_CODE"): 5,
        (1, "LAUNCH_LATENCY"): 5,
    }


def test_kernels_by_class_and_name(tmp_path: Path) -> None:
    (rank,) = summary_of(worked(tmp_path / "r.sqlite"))
    rows = rank.kernels
    assert [rank.names[i] for i in rows.name] == [GEMM, NCCL]
    assert rows.calls.tolist() == [2, 2]
    assert rows.total.tolist() == [80, 70]
    assert (rows.shortest.tolist(), rows.longest.tolist()) == ([20, 30], [60, 40])
    assert rows.squares.tolist() == [20.0**2 + 60**2, 30.0**2 + 40**2]
    assert [np.flatnonzero(row).tolist() for row in rows.buckets] == [[4, 5], [4, 5]]
    assert (rows.step_calls.tolist(), rows.step_total.tolist()) == ([2, 2], [80, 70])


def test_a_strip_shows_each_state(tmp_path: Path) -> None:
    export = Export(tmp_path / "r.sqlite")
    unit = 2048
    export.push_pop("step 1", 0, 512 * unit)
    export.push_pop("step 2", 512 * unit, 1024 * unit)
    export.kernel(0, 512 * unit, name=GEMM)
    export.kernel(256 * unit, 768 * unit, name=NCCL, stream=9)
    export.memcpy(768 * unit, 768 * unit + unit // 2)
    export.osrt("read", 1024 * unit, 2048 * unit)
    (rank,) = summary_of(export)
    whole = 65535
    rows = [rank.strip[i].tolist() for i in (0, 511, 512, 767, 768, 1023, 1024, 2047)]
    assert rows == [
        [whole, 0, 0, 0, 0],
        [whole, 0, 0, 0, 0],
        [0, whole, 0, 0, 0],
        [0, whole, 0, 0, 0],
        [0, 0, 32767, 0, 32767],
        [0, 0, 0, 0, whole],
        [0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0],
    ]


def test_devices_of_one_rank_count_each_instant_once(tmp_path: Path) -> None:
    """Device 0 computes 0-10, 1 communicates 5-30 and copies 35-40; 0 copies 0-38 meanwhile."""
    export = Export(tmp_path / "r.sqlite")
    export.push_pop("step 1", 0, 50)
    export.push_pop("step 2", 50, 100)
    export.kernel(0, 10, name=GEMM, device=0)
    export.kernel(5, 30, name=NCCL, device=1)
    export.memcpy(35, 40, device=1)
    export.memcpy(0, 38, device=0)
    export.kernel(60, 70, name=GEMM, device=1)
    (rank,) = summary_of(export)
    steps = rank.steps
    assert [d.number for d in rank.devices] == [0, 1]
    parts = {
        n: getattr(steps, n).tolist() for n in ("compute", "exposed", "copies", "other", "unknown", "idle")
    }
    assert parts == {
        "compute": [10, 10],
        "exposed": [20, 0],
        "copies": [10, 0],
        "other": [0, 0],
        "unknown": [0, 0],
        "idle": [10, 40],
    }
    assert np.bincount(rank.blame.step, rank.blame.ns).tolist() == [10, 40]


def test_processes_are_ranks_of_their_own(tmp_path: Path) -> None:
    export = Export(tmp_path / "r.sqlite")
    for pid, device in ((100, 0), (200, 1)):
        export.process(pid, f"python{pid}")
        export.kernel(10 * device, 10 * device + 30, pid=pid, device=device, name=GEMM)
    export.osrt("read", 0, 100, pid=300)
    first, second = summary_of(export)
    assert (first.pid, first.process_name, second.pid) == (100, "python100", 200)
    assert (first.window, second.window) == ((0, 30), (10, 40))


def test_a_rank_without_device_work_waits_in_mpi(tmp_path: Path) -> None:
    export = Export(tmp_path / "r.sqlite")
    for k in range(4):
        export.push_pop(f"step {k}", 100 * k, 100 * k + 90)
        export.push_pop("forward", 100 * k, 100 * k + 40)
        export.push_pop("sync", 100 * k + 40, 100 * k + 90)
        export.mpi("MPI_Allreduce", 100 * k + 50, 100 * k + 70 + k)
        export.mpi("MPI_Comm_rank", 100 * k + 5, 100 * k + 6, table="MPI_OTHER_EVENTS")
        export.mpi("MPI_Recv", 100 * k + 10, 100 * k + 20, tid=2, table="MPI_P2P_EVENTS")
    export.mpi("MPI_Barrier", 92, 95)
    export.rows["MPI_COLLECTIVES_EVENTS"][0] |= {"size": 3_200_000, "commHandle": 0x44000000}
    (rank,) = summary_of(export)
    assert rank.host_only
    assert rank.steps.exposed is not None
    assert rank.steps.exposed.tolist() == [20, 21, 22, 23]
    assert rank.steps.idle is None
    assert rank.steps.class_ns is None
    assert rank.totals["exposed"] == 20 + 21 + 22 + 23 + 3
    assert rank.totals["compute"] is None
    assert [rank.names[i] for i in rank.collectives.name[:3]] == ["MPI_Recv", "MPI_Allreduce", "MPI_Barrier"]
    assert rank.collectives.bytes.tolist()[:3] == [-1, 3_200_000, -1]
    assert rank.collectives.communicator.tolist()[:3] == [-1, 0x44000000, -1]
    assert rank.collectives.step.tolist()[:4] == [0, 0, -1, 1]
    assert [(lane.host, lane.stream) for lane in rank.lanes] == [(True, 1), (True, 2)]
    assert rank.pieces.collective.tolist() == [1, 2, 4, 6, 8]
    rows = rank.phases
    sync = [i for i in range(len(rows)) if rank.names[rows.phase[i]] == "sync"]
    assert rows.mpi_ns[sync].tolist() == [20, 21, 22, 23]
    assert rows.host_ns[sync].tolist() == [50, 50, 50, 50]


def test_warm_up_is_what_is_slow_at_the_start(tmp_path: Path) -> None:
    export = Export(tmp_path / "r.sqlite")
    at = 0
    for k, length in enumerate([900, 300, *[100 + i % 3 for i in range(18)]]):
        export.push_pop(f"step {k}", at, at + length)
        export.kernel(at, at + 50, name=GEMM)
        at += length
    (rank,) = summary_of(export)
    assert rank.warm_up == 2
    assert rank.steady.tolist() == [False, False] + [True] * 18
    assert rank.kernels.step_calls.tolist() == [18]


def test_kernels_have_the_label_of_most_of_their_launches(tmp_path: Path) -> None:
    export = worked(tmp_path / "r.sqlite")
    export.launch((50, 51), (131, 132), name="gelu_a")
    export.launch((107, 108), (133, 134), name="gelu_a")
    export.launch((108, 109), (135, 136), name="gelu_a")
    export.kernel(137, 138, name="gelu_b")  # no launch is recorded
    (rank,) = summary_of(export)
    rows = rank.kernels
    assert rows.label is not None
    labels = {
        rank.names[name]: rank.names[label] if label >= 0 else None
        for name, label in zip(rows.name.tolist(), rows.label.tolist(), strict=True)
    }
    # The first two: one launch in each of two ranges, the first counts.
    assert labels == {GEMM: "forward", NCCL: "backward", "gelu_a": "step", "gelu_b": None}


def test_the_rarest_kernels_are_one_row_a_class(tmp_path: Path) -> None:
    export = Export(tmp_path / "r.sqlite")
    for k in range(600):
        name = f"ampere_sgemm_{k}" if k % 2 else f"vectorized_elementwise_kernel_{k}"
        export.kernel(2000 * k, 2000 * k + 1 + k, name=name)
    (rank,) = summary_of(export)
    rows = rank.kernels
    assert len(rows) == 514
    assert rows.name[-2:].tolist() == [-1, -1]
    assert rows.calls[-2:].tolist() == [44, 44]
    assert int(rows.total.sum()) == 600 * 601 // 2
    assert int(rows.total[-2:].sum()) == 88 * 89 // 2


def test_the_old_rule_of_communication(tmp_path: Path) -> None:
    def export(name: str) -> Export:
        made = Export(tmp_path / name)
        made.push_pop("step 1", 0, 50)
        made.push_pop("step 2", 50, 100)
        made.kernel(0, 10, name="cross_device_reduce_1stage")
        made.kernel(50, 60, name=NCCL)
        return made

    (wide,) = summary_of(export("a.sqlite"))
    (narrow,) = summary_of(export("b.sqlite"), comm=Comm.NCCL)
    assert (len(wide.collectives), len(narrow.collectives)) == (2, 1)


def test_a_report_without_events_has_no_rank(tmp_path: Path) -> None:
    export = Export(tmp_path / "r.sqlite")
    export.empty("CUPTI_ACTIVITY_KIND_KERNEL")
    assert summary_of(export) == []


def check_exact(rank: RankSummary) -> None:
    """What must hold for every rank."""
    steps = rank.steps
    pieces = rank.pieces
    assert (pieces.start < pieces.end).all()
    assert (pieces.end[:-1] <= pieces.start[1:]).all()
    for k in range(len(steps)):
        low, high = int(steps.start[k]), int(steps.end[k])
        if steps.exposed is None:
            assert rank.host_only
            assert not len(pieces)
            continue
        inside = np.minimum(pieces.end, high) - np.maximum(pieces.start, low)
        assert int(np.maximum(inside, 0).sum()) == steps.exposed[k]
    if not rank.host_only:
        names = ("compute", "exposed", "copies", "other", "unknown", "idle")
        addends = [getattr(steps, name) for name in names]
        assert all((part >= 0).all() for part in addends)
        assert (sum(addends) == steps.end - steps.start).all()
        assert sum(rank.totals[name] or 0 for name in names) == rank.window[1] - rank.window[0]
        blamed = np.bincount(rank.blame.step, rank.blame.ns, len(steps)).astype(np.int64)
        assert (blamed == steps.idle).all()
        assert (rank.blame.ns > 0).all()
        assert int(rank.kernels.calls.sum()) == int(rank.kernels.buckets.sum())
    shares = rank.strip.astype(np.int64).sum(axis=1)
    assert shares.max(initial=0) <= 65535


@needs_real
@pytest.mark.parametrize("path", ALL_EXPORTS, ids=lambda p: p.stem)
def test_real_exports_add_up(path: Path, real_reports: Opener) -> None:
    report = real_reports(path)
    for rank in summarise(Index(report)).ranks:
        check_exact(rank)
        states = rank.strip.astype(np.float64).sum(axis=0) / 65535
        assert report.span is not None
        bin_ns = (report.span[1] - report.span[0]) / 2048
        if not rank.host_only:
            for state, names in (
                (State.COMPUTE, ["compute"]),
                (State.EXPOSED, ["exposed"]),
                (State.IDLE, ["idle"]),
            ):
                exact = sum(rank.totals[name] or 0 for name in names)
                # Each of the 2,048 bins is rounded down to 1/65,535 of itself, and its edges to a nanosecond.
                assert exact * 0.999 - 2048 <= states[state] * bin_ns + bin_ns / 16
                assert states[state] * bin_ns <= exact * 1.001 + 2048 + bin_ns / 16


@needs_real
@pytest.mark.parametrize(
    ("name", "step_ns", "mpi_ns"),
    [
        ("healthy-rank0", 23870941.5, 2243565.0),
        ("straggler-rank0", 29208425.0, 8678087.0),
        ("straggler-rank2", 29221915.0, 757803.5),
    ],
)
def test_ranks_of_mpi(name: str, step_ns: float, mpi_ns: float, real_reports: Opener) -> None:
    """Medians as plain SQL gives them: of the ranges of that name, and of the calls inside them."""
    (rank,) = summarise(Index(real_reports(real_export(f"ranks-mpi-2023.4/{name}")))).ranks
    assert rank.host_only
    assert len(rank.steps) == 40
    assert float(np.median(rank.steps.end - rank.steps.start)) == step_ns
    assert rank.steps.exposed is not None
    assert float(np.median(rank.steps.exposed)) == mpi_ns
    assert {rank.names[i] for i in rank.phases.phase} == {
        "data",
        "forward",
        "backward",
        "all_reduce",
        "optimizer",
    }
    assert set(rank.collectives.bytes.tolist()) == {-1, 3_200_000}


def test_tables_of_nothing_but_zeros_keep_their_rows(tmp_path: Path) -> None:
    export = Export(tmp_path / "copies.sqlite")
    for at in (0, 100, 200):
        export.push_pop("step", at, at + 90, pid=100, tid=100)
        export.memcpy(at + 40, at + 50, pid=100)
    made = summarise(Index(open_report(export.write(), use_store=False)), "key")
    back = unpack(pack(made, export.path))
    assert np.shape(back.ranks[0].steps.class_ns) == (3, len(KernelClass))
    assert pack(back, export.path) == pack(made, export.path)
