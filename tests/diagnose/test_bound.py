"""No more is ever charged than there is, whatever the capture looks like: against a brute force."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.export import Export
from tui.analysis.choices import Choices
from tui.analysis.diagnosis import diagnose
from tui.analysis.faults.finding import Lost
from tui.analysis.index import Index
from tui.analysis.scope import Scope
from tui.analysis.work_window import work_window
from tui.report import open_report
from tui.report.model import OpKind

KERNELS = ("gemm", "relu", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "ncclDevKernel_SendRecv")
CALLS = (
    "cudaStreamSynchronize_v3020", "cudaFree_v3020", "cudaMemcpy_v3020", "cudaMalloc_v3020",
    "cudaDeviceSynchronize_v3020", "cuModuleLoadData",
)  # fmt: skip
OS = ("pthread_cond_wait", "read", "write", "fork", "poll")
RANGES = ("step", "data_load", "forward", "compile", "save_checkpoint")

# Small captures have to trip every threshold.
EAGER = {
    "min_cost_pct": 0.0, "blame_floor_ns": 1, "input_wait_ns": 1, "input_share": 0.0, "few_kernels": 1,
    "syncs_for_habit": 1, "pause_ns": 10, "long_piece_ns": 5, "big_copy_bytes": 0, "rate_copy_bytes": 1,
    "burst_bytes": 1, "exposed_pct": 0.0, "same_kernels": 2, "slowdown": 1.0, "unexplained_pct": 0.0,
    "steps_for_pattern": 2, "queued_ns": 5, "lead_ns": 5, "outlier_ratio": 1.2, "warm_up_ratio": 1.1,
    "short_kernel_ns": 50, "starved_share": 0.0, "wait_spread": 0.0, "slow_groups_share": 0.0,
    "syncs_in_all": 1,
}  # fmt: skip


def capture(folder, seed: int, ops: int, steps: int):
    """A random capture: overlapping ops of all kinds, calls of all classes, nested and crossing ranges."""
    rng = random.Random(seed)
    export = Export(folder / f"{seed}.sqlite")
    length = 40 * ops
    devices, processes = rng.choice([(1, (100,)), (2, (100, 200)), (2, (100,))])
    for _ in range(ops):
        pid = rng.choice(processes)
        device = rng.randrange(devices)
        start = rng.randrange(length)
        took = rng.choice((0, 1, 5, 20, 60))
        call = start - rng.randrange(-10, 40)
        kind = rng.random()
        copying = kind > 0.6
        name = (
            rng.choice(("cudaMemcpyAsync_v3020", "cudaMemcpy_v3020")) if copying else "cudaLaunchKernel_v7000"
        )
        corr = export.runtime(name, call, call + rng.randrange(1, 30), pid=pid, tid=rng.choice((1, 2)))
        place = {"device": device, "stream": rng.choice((7, 9)), "pid": pid, "corr": corr}
        if copying:
            memory = rng.choice((0, 1))
            copy = rng.choice((1, 2))
            kinds = {"src": memory} if copy == 1 else {"dst": memory}
            export.memcpy(
                start, start + took, bytes=rng.choice((8, 1000, 10**9)), kind=copy, **kinds, **place
            )
        elif kind > 0.55:
            export.memset(start, start + took, **place)
        elif kind > 0.5:
            export.graph(start, start + took, **place)
        else:
            export.kernel(start, start + took, name=rng.choice(KERNELS), **place)
    for _ in range(ops // 2):
        start = rng.randrange(-20, length)
        pid, tid = rng.choice(processes), rng.choice((1, 2, 3))
        export.runtime(rng.choice(CALLS), start, start + rng.randrange(0, 200), pid=pid, tid=tid)
        export.osrt(rng.choice(OS), start + 3, start + rng.randrange(3, 300), pid=pid, tid=tid)
    for number in range(steps):
        low, high = length * number // steps, length * (number + 1) // steps - rng.randrange(1, 5)
        for pid in processes:
            export.push_pop(f"step {number}", low, high, pid=pid, tid=1)
            export.push_pop(rng.choice(RANGES), low + 1, low + (high - low) // 2, pid=pid, tid=1)
    for _ in range(3):
        start = rng.randrange(length)
        export.overhead(
            "CUPTI Buffer flush", start, start + rng.randrange(0, 100), rng.choice(processes), 1, 3
        )
    return export.write()


def covered(intervals, low: int, high: int) -> np.ndarray:
    """One flag a nanosecond of [low, high)."""
    flags = np.zeros(high - low, bool)
    for start, end in intervals:
        flags[max(start - low, 0) : max(end - low, 0)] = True
    return flags


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10**6), ops=st.integers(1, 40), steps=st.integers(0, 6), eager=st.booleans())
def test_total_never_exceeds_idle_and_serialised_time(tmp_path, seed, ops, steps, eager):
    report = open_report(capture(tmp_path, seed, ops, steps), use_store=False)
    diagnosis = diagnose(
        Index(report), Choices(Scope(work_window(Index(report))), limits=EAGER if eager else {})
    )
    low, high = diagnosis.scope.window.start, diagnosis.scope.window.end
    bound = 0
    for device in report.devices:
        mine = np.flatnonzero(report.ops.device == device.index)
        if not len(mine):
            continue
        rows = [(int(report.ops.start[i]), int(report.ops.end[i]), int(i)) for i in mine]
        names = {i: report.strings[int(report.ops.name[i])] for _, _, i in rows}
        working = [
            (s, e, i)
            for s, e, i in rows
            if report.ops.kind[i] in (OpKind.KERNEL, OpKind.GRAPH) and not names[i].startswith("nccl")
        ]
        busy = covered([(s, e) for s, e, _ in rows], low, high)
        compute = covered([(s, e) for s, e, _ in working], low, high)
        idle, serialised = ~busy, busy & ~compute
        quickest = {
            names[i]: min(e - s for s, e, j in working if names[j] == names[i]) for _, _, i in working
        }
        slowed = sum(e - s - quickest[names[i]] for s, e, i in working)
        bound += int(idle.sum()) + int(serialised.sum()) + slowed
        taken = np.zeros(high - low, int)
        real = {Lost.IDLE: idle, Lost.SERIALISED: serialised, Lost.SLOWED: compute}
        for finding in diagnosis.findings:
            for claim in finding.claims:
                if claim.device != device.index:
                    continue
                for start, end in zip(claim.spans.start.tolist(), claim.spans.end.tolist(), strict=True):
                    assert low <= start < end <= high
                    assert real[claim.lost][start - low : end - low].all(), (finding.fault, claim.lost)
                    taken[start - low : end - low] += 1
        assert taken.max(initial=0) <= 1, "an instant is charged twice"
    assert diagnosis.cost_ns <= bound
    for finding in diagnosis.findings:
        spans = sum(int((c.spans.end - c.spans.start).sum()) for c in finding.claims)
        assert (finding.cost_ns or 0) == spans


def test_overlapping_faults_share_no_time(tmp_path):
    """A synchronous copy inside a step's opening wait: each nanosecond of the gap has one owner."""
    export = Export(tmp_path / "x.sqlite")
    ms = 1_000_000
    for step in range(6):
        at = step * 100 * ms
        export.push_pop("train_step", at, at + 99 * ms)
        export.push_pop("data_load", at + 1, at + 60 * ms)
        export.osrt("pthread_cond_wait", at + 2, at + 40 * ms)
        copy = export.runtime("cudaMemcpy_v3020", at + 40 * ms, at + 52 * ms)
        export.memcpy(at + 45 * ms, at + 51 * ms, corr=copy, bytes=50_000_000, src=0)
        launch = export.runtime("cudaLaunchKernel_v7000", at + 60 * ms, at + 60 * ms + 5_000)
        export.kernel(at + 60 * ms + 10_000, at + 100 * ms, corr=launch, name="gemm")
    diagnosis = diagnose(Index(open_report(export.write(), use_store=False)))
    costs = {f.fault: f.cost_ns for f in diagnosis.findings}
    # 40 ms of waiting and, after the copy, 8 ms of host code in data_load; 12 ms in cudaMemcpy.
    assert costs["input-starvation"] == pytest.approx(6 * 40 * ms + 6 * 8 * ms, rel=0.01)
    assert costs["blocking-copies"] == pytest.approx(6 * 12 * ms, rel=0.01)
    assert diagnosis.cost_ns <= 6 * 60 * ms + 60_000
