"""What each real export is told, read against its timeline: no finding that its reader would call absurd."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from tests.support.real import ALL_EXPORTS, REAL, needs_real, real_export
from tui.analysis.diagnosis import Kind, diagnose
from tui.analysis.index import Index
from tui.report import open_report


class Told(NamedTuple):
    """What an export is told: its verdict, its findings that are not minor, and why that is right."""

    kind: Kind
    faults: list[str]
    why: str


# Each was read beside the timeline that `view` draws of it, and beside `gaps` and `steps`.
TOLD = {
    "cloverleaf-2024.5": Told(
        Kind.FAULTS, ["hidden-sync", "blocking-copies", "no-ranges"],
        "1,312 cudaDeviceSynchronize, one after nearly every kernel: the device idles after each until "
        "the next launch, 24 times while a log is written; 244 cudaMemcpy of 1.2 MB are from pageable memory",
    ),
    "cpu-2023.4/all-tables": Told(Kind.NO_WORK, [], "a capture of a CPU program, nearly all tables empty"),
    "cpu-2023.4/cpu-samples": Told(Kind.NO_WORK, [], "30 steps of Python on a machine without a GPU"),
    "ddp-2gpu-2026.2": Told(
        Kind.FAULTS, ["exposed-copies", "fp32-products"],
        "parameters offloaded to the host: 51 GB of pinned copies fill 97 %, kernels 2.3 %; the work of 857 "
        "launches a rank was not recorded, which makes 0.1 % unknown and no idle time; the products are "
        "xmma's of type f32 with ffma, and no tensor core works on them",
    ),
    "ddp-after-2026.2": Told(
        Kind.FAULTS, ["launch-bound", "unexplained-idle", "straggler", "exposed-all-to-all"],
        "sequence parallelism, two ranks: the host is late in 1,673 short gaps, ranks wait for each other in "
        "their all-to-alls, which nothing overlaps",
    ),
    "ddp-before-2026.2": Told(
        Kind.FAULTS, ["launch-bound", "unexplained-idle", "straggler", "exposed-all-to-all"],
        "the same program with more work a launch: the same causes at about half the cost",
    ),
    "fuser-2024.6-a": Told(
        Kind.FAULTS, ["warm-up", "unexplained-idle"],
        "a test that runs each kernel once: 351 ms of 530 lie in NVRTC's CompileProgram, the rest in first "
        "launches and in Python between them",
    ),
    "fuser-2024.6-b": Told(
        Kind.FAULTS, ["warm-up", "unexplained-idle"], "the same test again, another matrix product",
    ),
    "fuser-nvtx-2025.1": Told(
        Kind.FAULTS, ["unexplained-idle", "warm-up"],
        "two gaps of 1.6 and 0.7 s are host code outside any range or call, the others compile kernels",
    ),
    "graph-mode-2025.5": Told(
        Kind.FAULTS, ["unexplained-idle", "warm-up", "graph-hides-kernels", "no-ranges"],
        "187 us in all: a first launch, cuLibraryLoadData, cudaGraphInstantiate; two graphs recorded whole",
    ),
    "many-kernels-2023.1": Told(
        Kind.FAULTS, ["unexplained-idle", "no-ranges"],
        "busy 94 %: one pause of 71 ms of Python at the start, after it one kernel follows the other",
    ),
    "no-kernels-2026": Told(Kind.NO_WORK, [], "CPU samples and scheduling only: no trace was asked for"),
    "nvtx-only-startend-2022.4": Told(Kind.NO_WORK, [], "ranges only: the trace did not name cuda"),
    "opengl-2024.2": Told(
        Kind.UNCLEAR, [], "one kernel of 1.6 s: busy 99.6 %, but five kernels are no steady state to judge",
    ),
    "osrt-2026.1": Told(
        Kind.FAULTS, ["exposed-copies", "warm-up", "no-ranges"],
        "a benchmark of pinned copies, 13 GB/s both ways, 91 % of the time; the first launch takes 8.7 ms",
    ),
    "osrt-sampling-2021.3": Told(
        Kind.FAULTS, ["unexplained-idle", "hidden-sync", "blocking-copies", "no-ranges"],
        "two of the three queries are followed by 2.4 ms of host code and output (putc); a sync after each",
    ),
    "saxpy-mpi-all-tables-2022.2": Told(
        Kind.FAULTS, ["host-function", "blocking-copies", "mpi-wait", "unexplained-idle"],
        "main fills arrays on the host (605 of 968 samples of the longest gap); five ranks take turns on the "
        "device, waiting in MPI meanwhile: 262 MB by cudaMemcpy either way",
    ),
    "smallest-2021.1": Told(
        Kind.FAULTS, ["blocking-copies", "no-ranges"], "three cudaMemcpy around one kernel: there is no more",
    ),
    "trixi-2023.1": Told(Kind.UNCLEAR, ["no-ranges"], "a single kernel of 2.3 us: nothing can be said of it"),
    "ranks-mpi-2023.4/healthy-rank0-utc-times": Told(Kind.NO_WORK, [], "the same as healthy-rank0"),
    **{
        f"ranks-mpi-2023.4/{name}": Told(
            Kind.NO_WORK, [], "MPI ranks without a GPU: who is late shows only where ranks are compared"
        )
        for kind in ("healthy", "straggler")
        for name in (f"{kind}-rank{rank}" for rank in range(4))
    },
}  # fmt: skip


@pytest.mark.parametrize("name", TOLD)
def test_told(name):
    diagnosis, told = diagnose(Index(open_report(real_export(name), use_store=False))), TOLD[name]
    assert diagnosis.verdict.kind is told.kind, told.why
    assert [f.fault for f in diagnosis.findings if not f.minor] == told.faults, told.why
    assert diagnosis.cost_ns <= max(diagnosis.device_ns, 0)


@needs_real
def test_every_export_is_accounted_for():
    assert {str(p.relative_to(REAL).with_suffix("")) for p in ALL_EXPORTS} == set(TOLD)


def test_offload_moves_51_gigabytes():
    diagnosis = diagnose(Index(open_report(real_export("ddp-2gpu-2026.2"), use_store=False)))
    finding = diagnosis.findings[0]
    assert finding.title == "454 copies to and from the device run alone for 95 % of the time"
    assert "50.95 GB in 1.842 s: 27.7 GB/s on average" in finding.reasons


def test_ranks_out_of_step_are_measured_not_guessed():
    diagnosis = diagnose(Index(open_report(real_export("ddp-before-2026.2"), use_store=False)))
    finding = next(f for f in diagnosis.findings if f.fault == "straggler")
    assert finding.title.startswith("the ranks come to their collectives at different times")
    assert finding.reasons == (
        "arrivals were seen: GPU 1 is the last in 38 of 60; the longest wait for the last takes 3.340 ms",
    )


def test_small_copies_before_the_waits_are_seen():
    diagnosis = diagnose(Index(open_report(real_export("ddp-after-2026.2"), use_store=False)))
    reasons = next(f for f in diagnosis.findings if f.fault == "launch-bound").reasons
    assert any("a Python number or list made into a tensor" in reason for reason in reasons)
