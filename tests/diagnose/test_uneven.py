"""Uneven steps: when they are told, what differs, what it costs; and when they are not."""

from __future__ import annotations

import pytest

from tests.diagnose.test_faults import opened
from tests.support.export import Export
from tui.analysis.diagnosis import Kind, diagnose
from tui.analysis.faults import uneven_steps

MS, US = 1_000_000, 1_000


class Host:
    """A loop whose steps are said one by one: their kernels, and a pause of the host before the last one."""

    def __init__(self, path):
        self.export = Export(path)
        self.at = 0
        self.device = 0

    def step(self, kernels, pause=0, label="logging", call="write", grid=100):
        """Run one step: ``kernels`` (name, ns) one after the other, each launched as the one before ends."""
        begun = self.at
        for number, (name, ns) in enumerate(kernels):
            if number == len(kernels) - 1 and pause:
                # The host waits with the launch until the pause is over; the device has run dry.
                self.at = self.device
                self.export.push_pop(label, self.at, self.at + pause)
                self.export.osrt(call, self.at + US, self.at + pause - US)
                self.at += pause
            corr = self.export.runtime("cudaLaunchKernel_v7000", self.at, self.at + 4 * US)
            start = max(self.device, self.at + 5 * US)
            self.export.kernel(start, start + ns, corr=corr, name=name, grid=(grid, 1, 1))
            self.device = start + ns
            self.at = max(self.at + 5 * US, start + ns - 20 * US)
        self.export.push_pop("train_step", begun, self.at - US)

    def diagnosis(self):
        return diagnose(opened(self.export.write()))


def uneven(diagnosis):
    return next((f for f in diagnosis.findings if f.fault == uneven_steps.SLUG), None)


GEMM = [("gemm", 10 * MS), ("relu", 10 * MS)]


def test_even_steps_are_even(tmp_path):
    host = Host(tmp_path / "x.sqlite")
    for _ in range(20):
        host.step(GEMM)
    diagnosis = host.diagnosis()
    assert diagnosis.findings == ()
    assert diagnosis.verdict.kind is Kind.UNCLEAR  # 40 kernels in 20 steps: four steps are enough
    assert uneven(diagnosis) is None


@pytest.mark.parametrize("jitter", [1, 3, 5])
def test_jitter_is_even(tmp_path, jitter):
    """Durations that scatter evenly by some percent to both sides: no group of steps lies apart."""
    host = Host(tmp_path / "x.sqlite")
    for step in range(40):
        off = (step * 7 % 11 - 5) / 5 * jitter / 100
        host.step([(name, int(ns * (1 + off))) for name, ns in GEMM])
    assert uneven(host.diagnosis()) is None
