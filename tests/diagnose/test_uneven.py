"""Uneven steps: when they are told, what differs, what it costs; and when they are not."""

from __future__ import annotations

import numpy as np
import pytest

from tests.diagnose.test_faults import opened
from tests.support.export import DTOH, Export
from tui.analysis.diagnosis import Kind, diagnose
from tui.analysis.faults import uneven_steps

MS, US = 1_000_000, 1_000
GEMM = (("gemm", 10 * MS), ("relu", 10 * MS))


class Host:
    """A loop whose steps are said one by one: their kernels, and what holds the host up before the last."""

    def __init__(self, path):
        self.export = Export(path)
        self.at = 0
        self.device = 0

    def step(self, kernels=GEMM, pause=0, label="logging", call="write", grid=100, named=True):
        """Run ``kernels`` (name, ns) one after the other, each launched 20 us before the one before ends."""
        begun = self.at
        for number, (name, ns) in enumerate(kernels):
            if number == len(kernels) - 1 and pause:
                self.at = self.device  # the device runs dry as the pause begins
                self.export.push_pop(label, self.at, self.at + pause)
                if call:
                    self.export.osrt(call, self.at + US, self.at + pause - US)
                self.at += pause
            corr = self.export.runtime("cudaLaunchKernel_v7000", self.at, self.at + 4 * US)
            start = max(self.device, self.at + 5 * US)
            self.export.kernel(start, start + ns, corr=corr, name=name, grid=(grid, 1, 1))
            self.device = start + ns
            self.at = max(self.at + 5 * US, start + ns - 20 * US)
        if named:
            self.export.push_pop("train_step", begun, self.at - US)

    def diagnosis(self, **options):
        return diagnose(opened(self.export.write()), **options)


def uneven(diagnosis):
    return next((f for f in diagnosis.findings if f.fault == uneven_steps.SLUG), None)


@pytest.fixture
def host(tmp_path):
    return Host(tmp_path / "x.sqlite")


# --- even ---


def test_steps_alike_are_even(host):
    for _ in range(20):
        host.step()
    diagnosis = host.diagnosis()
    assert diagnosis.findings == ()
    assert diagnosis.verdict.kind is Kind.HEALTHY


@pytest.mark.parametrize("jitter", [0.01, 0.03, 0.05])
def test_jitter_is_even(host, jitter):
    """Durations that scatter by some percent to both sides: no group of steps lies apart."""
    for step in range(40):
        off = (step * 7 % 11 - 5) / 5 * jitter
        host.step([(name, int(ns * (1 + off))) for name, ns in GEMM])
    assert uneven(host.diagnosis()) is None


def test_a_wide_bell_is_even(host):
    """A bell with a deviation of 7 %: its halves lie 11 % apart, but most steps are in its middle."""
    deviates = np.random.default_rng(5).normal(1, 0.07, 200)
    for size in deviates.tolist():
        host.step([(name, int(ns * size)) for name, ns in GEMM])
    assert uneven(host.diagnosis()) is None


def test_two_bells_are_not(host):
    """The same scatter, and every other step a quarter longer."""
    deviates = np.random.default_rng(5).normal(1, 0.03, 200)
    for step, size in enumerate(deviates.tolist()):
        host.step([(name, int(ns * size * (1.25 if step % 2 else 1))) for name, ns in GEMM])
    assert uneven(host.diagnosis()).title.startswith("100 of 199 steps take 24.946 ms, the others 19.969 ms")


def test_a_host_that_runs_ahead_makes_no_step_uneven(host):
    """The host's ranges are 20 us long, and every tenth 180 ms: the device takes 20 ms for each step."""
    device = 0
    at = 0
    for step in range(30):
        for name in ("gemm", "relu"):
            corr = host.export.runtime("cudaLaunchKernel_v7000", at, at + 4 * US)
            start = max(device, at + 5 * US)
            host.export.kernel(start, start + 10 * MS, corr=corr, name=name)
            device = start + 10 * MS
            at += 10 * US
        end = at if step % 10 < 9 else device - 15 * MS
        host.export.push_pop("train_step", at - 20 * US, end)
        at = end + US
    diagnosis = host.diagnosis()
    assert diagnosis.steps == 30
    assert uneven(diagnosis) is None


def test_a_slow_beginning_is_warm_up(host):
    for step in range(20):
        host.step([(name, ns * (3 if step < 3 else 1)) for name, ns in GEMM])
    assert uneven(host.diagnosis()) is None


def test_a_quick_step_makes_the_others_no_slow_ones(host):
    """The last batch of an epoch is half as large."""
    for step in range(20):
        host.step([(name, ns // (2 if step in (9, 19) else 1)) for name, ns in GEMM])
    assert uneven(host.diagnosis()) is None


def test_three_steps_say_nothing(host):
    for step in range(4):
        host.step([(name, ns * (3 if step == 2 else 1)) for name, ns in GEMM])
    assert uneven(host.diagnosis()) is None


def test_a_difference_that_another_finding_explains_is_that_ones(seen):
    for name in ("checkpoint-stall", "recompilation", "gc-pauses", "worker-respawn", "warm-up", "straggler"):
        assert uneven(seen(f"fault:{name}").diagnosis) is None, name


# --- uneven by idle time ---


def test_idle_time_of_some_steps_is_its_cost(host):
    """Steps 5, 7 and 15 write for 8 ms while the device waits: 24 ms, and three launches of 5 us."""
    for step in range(20):
        host.step(pause=8 * MS if step in (4, 6, 14) else 0)
    diagnosis = host.diagnosis()
    finding = uneven(diagnosis)
    assert [f.fault for f in diagnosis.findings] == ["uneven-steps"]
    assert finding.cost_ns == 3 * (8 * MS + 5 * US)
    assert finding.title == "3 of 19 steps take 28.005 ms, the others 20.000 ms: the GPU idles longer in them"
    assert finding.reasons[0].startswith(
        "over 99 % of the difference: idle, OS call (write) under 'logging': 7.998 ms"
    )
    assert [e.text.partition(" takes")[0] for e in finding.evidence] == ["step 5", "step 7", "step 15"]
    assert [e.value for e in finding.evidence] == [28 * MS + 5 * US] * 3
    assert diagnosis.verdict.kind is Kind.FAULTS


def test_one_slow_step_in_many(host):
    for step in range(40):
        host.step(pause=30 * MS if step == 20 else 0, call="nanosleep")
    (finding,) = host.diagnosis().findings
    assert (
        finding.title == "1 of 39 steps takes 50.005 ms, the others 20.000 ms: the GPU idles longer in them"
    )
    assert finding.cost_ns == 30 * MS + 5 * US


def test_no_time_is_charged_twice(host):
    """Every step idles 2 ms by a habit of the host, some 8 ms: only the surplus is of the uneven steps."""
    for step in range(20):
        host.step(pause=8 * MS if step in (4, 6, 13, 18) else 2 * MS)
    diagnosis = host.diagnosis()
    idle = sum(row.busy.idle_ns for row in diagnosis.busy.devices)
    assert diagnosis.cost_ns <= idle
    finding = uneven(diagnosis)
    assert finding.cost_ns == 4 * 6 * MS
    others = [f for f in diagnosis.findings if f is not finding]
    assert sum(f.cost_ns for f in others) == 20 * (2 * MS + 5 * US)


def test_what_is_left_is_told_too(host):
    """Every step idles for 500 us, ten of 40 for 2.5 ms more: the 2.4 % alone would be passed over."""
    longer = (3, 4, 9, 13, 14, 20, 27, 30, 33, 38)
    for step in range(40):
        host.step(pause=500 * US + (2 * MS + 500 * US if step in longer else 0))
    found = {f.fault: f.cost_ns for f in host.diagnosis().findings}
    assert found == {"uneven-steps": 10 * 2_500 * US, "unexplained-idle": 40 * 505 * US}


def test_less_than_a_percent_is_not_told(host):
    for step in range(40):
        host.step(pause=3 * MS if step == 20 else 0)
    assert uneven(host.diagnosis()) is None


# --- uneven by work ---


def test_other_shapes_cost_nothing(host):
    """Every fourth batch is twice as large: its gemm has twice the blocks and takes 20 ms."""
    for step in range(20):
        large = 2 if step % 4 == 3 else 1
        host.step([("gemm", 10 * MS * large), ("relu", 10 * MS)], grid=100 * large)
    diagnosis = host.diagnosis()
    finding = uneven(diagnosis)
    assert (finding.cost_ns, finding.cost_pct, finding.claims) == (None, None, ())
    assert finding.title == "5 of 19 steps take 30.000 ms, the others 20.000 ms: their work differs"
    assert finding.without_cost == "no idle time that could be saved: the work of the steps differs"
    assert finding.reasons[0] == (
        "100 % of the difference: kernel time, 30.000 ms against 20.000 ms a step, launched as often; most "
        "of it gemm: 20.000 ms against 10.000 ms a step, in other shapes (200 blocks a launch against 100)"
    )
    assert diagnosis.cost_ns == 0
    assert diagnosis.verdict.kind is Kind.UNCLEAR
    assert diagnosis.verdict.text == f"the steps are uneven: {finding.title}"


def test_more_launches_cost_nothing(host):
    for step in range(20):
        host.step(GEMM * (2 if step % 5 == 3 else 1))
    finding = uneven(host.diagnosis())
    assert finding.cost_ns is None
    assert "launched 4.0 times against 2.0" in finding.reasons[0]


def test_what_explains_most_comes_first(host):
    """Slow steps have 10 ms more of gemm and 4 ms more of idle time, which alone has a cost."""
    for step in range(20):
        slow = step in (3, 5, 11, 12, 17)
        kernels = [("gemm", (20 if slow else 10) * MS), ("relu", 10 * MS)]
        host.step(kernels, pause=4 * MS if slow else 0, grid=200 if slow else 100)
    finding = uneven(host.diagnosis())
    shares = [reason.partition(" of the difference")[0] for reason in finding.reasons[:2]]
    assert shares == ["71 %", "29 %"]
    assert finding.title.endswith("their work differs, and the GPU idles longer in them")
    assert finding.cost_ns == 5 * (4 * MS + 5 * US)


def test_copies_that_some_steps_make_are_a_fault_of_copies(host):
    """Every fourth step copies 4 ms of results to the host, and computes nothing meanwhile."""
    for step in range(20):
        if step % 4 == 3:
            corr = host.export.runtime("cudaMemcpyAsync_v3020", host.at, host.at + 2 * US)
            host.export.memcpy(host.device, host.device + 4 * MS, corr=corr, bytes=MS, kind=DTOH)
            host.device += 4 * MS
            host.at += 3 * US
        host.step()
    (finding,) = host.diagnosis().findings
    assert (finding.fault, finding.cost_ns) == ("exposed-copies", 5 * 4 * MS)


# --- processes and devices ---


def test_steps_are_compared_on_their_own_device(tmp_path):
    """Two processes with a device each; only the second one's steps are uneven."""
    export = Export(tmp_path / "x.sqlite")
    for pid, device in ((100, 0), (200, 1)):
        at = 0
        for step in range(12):
            ns = 30 * MS if device and step % 3 == 2 else 20 * MS
            corr = export.runtime("cudaLaunchKernel_v7000", at, at + 4 * US, pid=pid)
            export.kernel(at + 5 * US, at + ns, corr=corr, name="gemm", pid=pid, device=device)
            export.push_pop("train_step", at, at + ns - 10 * US, pid=pid)
            at += ns
    finding = uneven(diagnose(opened(export.write())))
    assert finding.title == "4 of 11 steps take 30.000 ms on GPU 1, the others 20.000 ms: their work differs"
    assert {e.device for e in finding.evidence} == {1}


@pytest.mark.parametrize("share", [0.05, 0.5])
def test_the_limit_decides(host, share):
    from tui.analysis.choices import Choices
    from tui.analysis.scope import Scope
    from tui.analysis.work_window import work_window

    for step in range(20):
        host.step([(name, ns * (13 if step % 4 == 3 else 10) // 10) for name, ns in GEMM])
    index = opened(host.export.write())
    choices = Choices(Scope(work_window(index)), limits={"uneven_share": share})
    assert (uneven(diagnose(index, choices)) is not None) == (share < 0.3)
