"""What each real export is told, read against its timeline: no finding that its reader would call absurd."""

from __future__ import annotations

import pytest

from tests.support.real import EXPORTS, needs_real, real_export
from tui.analysis.diagnosis import Kind, diagnose
from tui.analysis.index import Index
from tui.report import open_report

# Export -> (verdict, findings that cost something or limit what can be said, the costliest first).
TOLD = {
    # 244 cudaMemcpy of 1.2 MB from pageable memory; a log written between steps; a sync after every kernel.
    "cloverleaf-2024.5": (
        Kind.FAULTS, ["blocking-copies", "unexplained-idle", "hidden-sync", "no-ranges"],
    ),
    # Parameters offloaded to the host: 51 GB of pinned copies, kernels 2.3 % of the time.
    "ddp-2gpu-2026.2": (Kind.FAULTS, ["exposed-copies"]),
    # Sequence parallelism, two ranks: host late in short gaps, all-to-alls exposed, ranks out of step.
    "ddp-after-2026.2": (
        Kind.FAULTS, ["launch-bound", "unexplained-idle", "straggler", "exposed-all-to-all"],
    ),
    "ddp-before-2026.2": (
        Kind.FAULTS, ["launch-bound", "unexplained-idle", "straggler", "exposed-all-to-all"],
    ),
    # One run of freshly compiled kernels: NVRTC, then a first launch of each.
    "fuser-2024.6-a": (Kind.FAULTS, ["warm-up", "unexplained-idle"]),
    "fuser-2024.6-b": (Kind.FAULTS, ["warm-up", "unexplained-idle"]),
    "fuser-nvtx-2025.1": (Kind.FAULTS, ["unexplained-idle", "warm-up"]),
    # 187 us with two whole graphs.
    "graph-mode-2025.5": (Kind.FAULTS, ["unexplained-idle", "warm-up", "graph-hides-kernels", "no-ranges"]),
    # Busy 94 %; one pause of 71 ms of Python at the start.
    "many-kernels-2023.1": (Kind.FAULTS, ["unexplained-idle", "no-ranges"]),
    "nvtx-only-startend-2022.4": (Kind.NO_WORK, []),
    # One kernel of 1.6 s.
    "opengl-2024.2": (Kind.UNCLEAR, []),
    # A test of pinned copies, 13 GB/s both ways, 91 % of the time.
    "osrt-2026.1": (Kind.FAULTS, ["exposed-copies", "warm-up", "no-ranges"]),
    "osrt-sampling-2021.3": (
        Kind.FAULTS, ["unexplained-idle", "hidden-sync", "blocking-copies", "no-ranges"],
    ),
    # Ranks take turns in MPI; 262 MB by cudaMemcpy either way.
    "saxpy-mpi-all-tables-2022.2": (Kind.FAULTS, ["unexplained-idle", "blocking-copies", "mpi-wait"]),
    "smallest-2021.1": (Kind.FAULTS, ["blocking-copies", "no-ranges"]),
    "trixi-2023.1": (Kind.UNCLEAR, ["no-ranges"]),
}  # fmt: skip


@pytest.mark.parametrize("name", TOLD)
def test_told(name):
    diagnosis = diagnose(Index(open_report(real_export(name), use_store=False)))
    kind, faults = TOLD[name]
    assert diagnosis.verdict.kind is kind
    assert [f.fault for f in diagnosis.findings if not f.minor] == faults
    assert diagnosis.cost_ns <= max(diagnosis.device_ns, 0)


@needs_real
def test_every_export_is_accounted_for():
    assert {p.stem for p in EXPORTS} - set(TOLD) == {"no-kernels-2026"}  # it holds no event at all


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
