"""Kernels that slow down and kernels with more to do; faults of one process or device among several."""

from __future__ import annotations

import pytest

from fixtures.faults.loop import MS, US
from tests.diagnose.test_faults import opened, told
from tests.support.export import DTOH, PINNED, Export
from tui.analysis.diagnosis import diagnose

# --- the pace of kernels ---


NAMES = ("gemm", "norm", "attention", "gelu")


def paced(path, durations, grid=None, names=NAMES, counts=None):
    """Steps of 40 kernels back to back; ``durations[step]`` is the time of each, us."""
    export = Export(path)
    at = 0
    for step, us in enumerate(durations):
        begun = at
        for kernel in range(counts[step] if counts else 40):
            ns = int(us * US) + (kernel * 7919 + step * 104729) % 601  # jitter of half a percent
            corr = export.runtime("cudaLaunchKernel_v7000", at - 900 * US, at - 894 * US)
            shape = grid(step) if grid else (64, 1, 1)
            export.kernel(at, at + ns, corr=corr, name=names[kernel % len(names)], grid=shape)
            at += ns
        export.push_pop("train_step", begun, at - 2 * US)
    return told(export.write())


@pytest.mark.parametrize(
    "durations",
    [
        [100 + 4 * step for step in range(16)],
        [100] * 6 + [130] * 10,
        [100] * 5 + [110] * 5 + [140] * 6,
        [100] * 12 + [180] * 4,
        [100] * 8 + [100 + 10 * step for step in range(8)],
    ],
)
def test_the_same_kernels_that_slow_down_and_stay_slow_are_throttled(tmp_path, durations):
    finding = paced(tmp_path / "x.sqlite", durations)["throttling"]
    excess = sum(40 * (us - 100) * US for us in durations)
    assert finding.cost_ns == pytest.approx(excess, rel=0.1)


def test_one_gpu_of_two_may_throttle(tmp_path):
    export = Export(tmp_path / "x.sqlite")
    for pid, device in ((100, 0), (200, 1)):
        at = 0
        for step in range(16):
            begun = at
            for kernel in range(40):
                ns = 130 * US if device and step >= 8 else 100 * US
                corr = export.runtime("cudaLaunchKernel_v7000", at - 900 * US, at - 894 * US, pid=pid)
                export.kernel(at, at + ns, corr=corr, name=NAMES[kernel % 4], pid=pid, device=device)
                at += ns
            export.push_pop("train_step", begun, at - 2 * US, pid=pid)
    finding = told(export.write())["throttling"]
    assert finding.title == "the same kernels take 30 % longer at the end than at first on 1 of 2 GPUs"
    assert {claim.device for claim in finding.claims} == {1}
    assert finding.cost_ns == pytest.approx(8 * 40 * 30 * US, rel=0.02)


def grows(step):
    return (64 + 4 * step, 1, 1)


@pytest.mark.parametrize(
    ("durations", "grid"),
    [
        ([100 + 4 * step for step in range(16)], grows),
        ([100 + 40 * (step % 2) for step in range(16)], None),
        ([100 + 40 * (step % 2) for step in range(16)], lambda step: (64 + step % 2, 1, 1)),
        ([100] * 8 + [150] * 8, lambda step: (64 + step // 8, 1, 1)),
        ([100, 160, 120, 90, 170, 130, 110, 150, 95, 140, 165, 120, 155, 105, 175, 130], None),
        ([100, 90, 120, 100, 95, 110, 120, 105, 150, 110, 140, 100, 160, 120, 130, 150], None),
        ([100] * 5 + [150] * 5 + [100] * 6, None),
        ([180 - 5 * step for step in range(16)], None),
    ],
)
def test_work_that_varies_is_not_throttling(tmp_path, durations, grid):
    assert "throttling" not in paced(tmp_path / "x.sqlite", durations, grid)


def test_more_kernels_are_not_slower_kernels(tmp_path):
    counts = [40 + 4 * step for step in range(16)]
    assert "throttling" not in paced(tmp_path / "x.sqlite", [100] * 16, counts=counts)


def test_one_kernel_that_grows_is_not_throttling(tmp_path):
    """As attention over a growing cache: the same grid, more to read; the others keep their pace."""
    export = Export(tmp_path / "x.sqlite")
    at = 0
    for step in range(16):
        begun = at
        for kernel in range(40):
            ns = 100 * US + (step * 20 * US if kernel % 4 == 2 else 0)
            corr = export.runtime("cudaLaunchKernel_v7000", at - 900 * US, at - 894 * US)
            export.kernel(at, at + ns, corr=corr, name=NAMES[kernel % 4])
            at += ns
        export.push_pop("train_step", begun, at - 2 * US)
    assert "throttling" not in told(export.write())


# --- steps and devices of several processes ---


def saving(path, saves):
    """Two processes of 12 steps, a GPU each; in the steps ``saves[pid]`` 100 MB go to the host."""
    export = Export(path)
    for pid, device in ((100, 0), (200, 1)):
        for step in range(12):
            at = step * 50 * MS
            corr = export.runtime("cudaLaunchKernel_v7000", at + 10 * US, at + 16 * US, pid=pid)
            export.kernel(at + 20 * US, at + 30 * MS, corr=corr, pid=pid, device=device)
            if step in saves[pid]:
                corr = export.runtime("cudaMemcpyAsync_v3020", at + 30 * US, at + 36 * US, pid=pid)
                export.memcpy(
                    at + 30 * MS,
                    at + 40 * MS,
                    corr=corr,
                    pid=pid,
                    device=device,
                    bytes=100_000_000,
                    kind=DTOH,
                )
                export.osrt("write", at + 40 * MS, at + 48 * MS, pid=pid)
            export.push_pop("train_step", at, at + 49 * MS, pid=pid)
    return told(export.write())


def test_checkpoints_are_counted_in_the_steps_of_every_process(tmp_path):
    findings = saving(tmp_path / "x.sqlite", {100: (3, 7, 11), 200: (3, 7)})
    assert "in 5 of 24 steps" in findings["checkpoint-stall"].title
    assert "it comes every 4 steps" in findings["checkpoint-stall"].reasons


def test_a_checkpoint_of_another_process_is_not_the_first_ones(tmp_path):
    """Process 200 saves in every second step, process 100 never: in 5 of 24 steps, none of the first's."""
    findings = saving(tmp_path / "x.sqlite", {100: (), 200: (1, 3, 5, 7, 9)})
    assert "in 5 of 24 steps" in findings["checkpoint-stall"].title


def test_a_rule_claims_its_rows_on_their_own_device(tmp_path):
    """A synchronous memset of 5 ms on GPU 1, while GPU 0 runs another one of a stream of its own."""
    export = Export(tmp_path / "x.sqlite")
    for device in (0, 1):
        for step in range(4):
            at = step * 10 * MS
            corr = export.runtime("cudaLaunchKernel_v7000", at, at + 6 * US)
            export.kernel(at + 10 * US, at + 9 * MS, corr=corr, device=device)
    corr = export.runtime("cudaMemset_v3020", 39 * MS, 44 * MS)
    export.memset(39 * MS, 44 * MS, corr=corr, device=1, bytes=10**9, kind=PINNED)
    corr = export.runtime("cudaMemsetAsync_v3020", 39 * MS, 39 * MS + 5 * US)
    export.memset(39 * MS, 44 * MS, corr=corr, device=0, bytes=10**9)
    finding = next(f for f in diagnose(opened(export.write())).findings if f.fault == "cuda_memset_sync")
    assert {claim.device for claim in finding.claims} == {1}
    assert finding.cost_ns == 5 * MS
