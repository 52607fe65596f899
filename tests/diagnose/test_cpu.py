"""Findings about CPUs: what the host does in gaps by samples and the scheduler, and what must not be said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fixtures.variants.catalogue import find
from tests.support.export import Export
from tui.analysis.diagnosis import Diagnosis, Finding, diagnose
from tui.analysis.index import Index
from tui.report import open_report

MS = 1_000_000
WORK = "void app::postprocess<float>(float const*)"


def diagnosed(path: Path) -> Diagnosis:
    return diagnose(Index(open_report(path, use_store=False)))


def told(path: Path) -> dict[str, Finding]:
    return {f.fault: f for f in diagnosed(path).findings if f.cost_ns is not None}


class Gaps:
    """Ten gaps of 10 ms, one every 20 ms, that a late launch ends; what the thread does in them is said."""

    def __init__(self, path: Path, **options: Any) -> None:
        self.export = Export(path, **options)
        self.starts = [20 * MS * n + 10 * MS for n in range(10)]
        self.export.launch((0, 5_000), (10_000, 10 * MS))
        for start in self.starts:
            self.export.launch(
                (start + 10 * MS - 9_000, start + 10 * MS - 4_000), (start + 10 * MS, start + 20 * MS)
            )

    def runs(self, share: float = 1.0) -> Gaps:
        """The thread is on a CPU for the first part of each gap, and outside the gaps."""
        last: int | None = None
        if share == 1:
            self.export.on_cpu(None, 250 * MS)
            return self
        for start in self.starts:
            end = start + int(share * 10 * MS)
            self.export.on_cpu(last, end)
            last = start + 10 * MS - 20_000
        self.export.on_cpu(last, None)
        return self

    def samples(self, *names: str, every: int = MS) -> Gaps:
        """Samples in each gap, one every so often, in these functions in turn."""
        for start in self.starts:
            for number, at in enumerate(range(start + every // 2, start + 9 * MS, every)):
                self.export.sample(at, [names[number % len(names)], "main"])
        return self

    def write(self) -> Path:
        return self.export.write()


def test_one_function_holds_the_gpu(tmp_path: Path) -> None:
    finding = told(Gaps(tmp_path / "x.sqlite").runs().samples(WORK).write())["host-function"]
    assert finding.title == "postprocess() runs on the host while the GPU is idle"
    assert finding.cost_ns == 10 * (10 * MS - 9_000)
    assert finding.reasons[0] == f"90 of 90 samples of the launching thread in 10 gaps are in {WORK} of app"
    assert finding.reasons[1].startswith("the thread ran for all of that time")
    assert finding.evidence[-1].text == "9 of 9 samples of the launching thread in the longest are in it"
    assert "--thread 1" in finding.evidence[-1].command


def test_its_cost_is_its_share(tmp_path: Path) -> None:
    """Two of three samples are in it: two thirds of the host code are its."""
    path = Gaps(tmp_path / "x.sqlite").runs().samples(WORK, WORK, "other").write()
    finding = told(path)["host-function"]
    assert finding.cost_ns == pytest.approx(2 / 3 * 10 * (10 * MS - 9_000), rel=0.05)


def test_no_function_without_a_third_of_the_samples(tmp_path: Path) -> None:
    path = Gaps(tmp_path / "x.sqlite").runs().samples("a", "b", "c", "d", "e").write()
    assert list(told(path)) == ["unexplained-idle"]


def test_no_function_of_four_samples(tmp_path: Path) -> None:
    gaps = Gaps(tmp_path / "x.sqlite").runs()
    for start in gaps.starts[:4]:
        gaps.export.sample(start + MS, [WORK])
    assert list(told(gaps.write())) == ["unexplained-idle"]


def test_code_of_the_profiler_is_not_hot(tmp_path: Path) -> None:
    gaps = Gaps(tmp_path / "x.sqlite").runs()
    for start in gaps.starts:
        gaps.export.sample(start + MS, [("flush", "/opt/nsys/libToolsInjection64.so"), "main"])
    assert "host-function" not in told(gaps.write())


def test_a_collector_of_garbage_is_another_fault(tmp_path: Path) -> None:
    path = Gaps(tmp_path / "x.sqlite").runs().samples("gc_collect_main").write()
    assert "host-function" not in told(path)


def test_without_scheduling_data_nobody_knows_that_it_ran(tmp_path: Path) -> None:
    path = Gaps(tmp_path / "x.sqlite").samples(WORK).write()
    assert list(told(path)) == ["unexplained-idle"]


@pytest.mark.parametrize("schema", ["2022", "2026.2"])
def test_a_wait_that_was_not_traced(tmp_path: Path, schema: str) -> None:
    """Off the CPU for nine tenths of each gap, of which 20 us before the launch are not."""
    path = Gaps(tmp_path / "x.sqlite", schema=schema).runs(0.1).samples(WORK).write()
    finding = told(path)["untraced-wait"]
    assert finding.title == "the host waits, off the CPU, for something that was not traced in 10 gaps"
    assert finding.cost_ns == 10 * (9 * MS - 20_000)
    assert finding.confidence.value == "high"
    assert "OS calls were not traced" in finding.reasons[1]
    assert "host-function" not in told(path)


def test_half_on_and_half_off_is_neither(tmp_path: Path) -> None:
    path = Gaps(tmp_path / "x.sqlite").runs(0.5).samples(WORK).write()
    assert list(told(path)) == ["unexplained-idle"]


def test_a_wait_that_was_traced_is_no_host_code(tmp_path: Path) -> None:
    gaps = Gaps(tmp_path / "x.sqlite").runs(0.1)
    for start in gaps.starts:
        gaps.export.osrt("nanosleep", start + 100_000, start + 10 * MS - 30_000)
    assert "untraced-wait" not in told(gaps.write())


def preempted(path: Path, *, back_on: int = 3, after: int = 5_000) -> Path:
    """In each gap another thread has the CPU from the second to the ninth millisecond."""
    gaps = Gaps(path)
    last: int | None = None
    cpu = 3
    for start in gaps.starts:
        gaps.export.on_cpu(last, start + 2 * MS, cpu=cpu)
        cpu = back_on if cpu == 3 else 3
        gaps.export.on_cpu(start + 2 * MS + after, start + 9 * MS - 5_000, tid=9)
        last = start + 9 * MS
    gaps.export.on_cpu(last, None, cpu=cpu)
    return gaps.write()


def test_a_cpu_that_is_taken_away(tmp_path: Path) -> None:
    finding = told(preempted(tmp_path / "x.sqlite"))["cpu-starved"]
    assert finding.title == "the launching thread probably lost its CPU to others 10 times in gaps"
    assert finding.cost_ns == 10 * 7 * MS


def test_another_cpu_or_a_late_successor_is_no_preemption(tmp_path: Path) -> None:
    assert "cpu-starved" not in told(preempted(tmp_path / "x.sqlite", back_on=5))
    assert "cpu-starved" not in told(preempted(tmp_path / "y.sqlite", after=21_000))


def test_many_moves_cost_nothing_that_is_known(tmp_path: Path) -> None:
    gaps = Gaps(tmp_path / "x.sqlite")
    for number in range(42):
        gaps.export.on_cpu(number * 5 * MS, (number + 1) * 5 * MS - 10_000, cpu=number % 2)
    path = gaps.write()
    (checked,) = [f for f in diagnosed(path).checked if f.fault == "cpu-starved"]
    assert checked.cost_ns is None
    assert checked.evidence[0].value == 41
    assert checked.title == "the launching thread changes CPUs 195 times a second"


def test_a_wait_that_looks_at_the_clock_spins(tmp_path: Path) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.launch((0, 5_000), (10_000, 20 * MS))
    export.runtime("cudaStreamSynchronize_v3020", 10_000, 20 * MS)
    for at in range(1, 11):
        export.sample(at * MS, [("0x7ffd10", "[vdso]") if at % 5 else "driver"])
    path = export.write()
    (checked,) = [f for f in diagnosed(path).checked if f.fault == "spinning"]
    assert checked.title == "thread 1 spins while it waits for the device"
    assert checked.evidence[0].text.startswith("8 of 10 samples of thread 1 in calls that wait")
    assert checked.without_cost.startswith("no device time by itself")


def test_sums_stay_when_the_faults_divide_the_idle_time(tmp_path: Path) -> None:
    """A function in the first five gaps, a wait in the others: each has its own, none twice."""
    gaps = Gaps(tmp_path / "x.sqlite")
    last: int | None = None
    for start in gaps.starts[5:]:
        gaps.export.on_cpu(last, start + 100_000)
        last = start + 10 * MS - 20_000
    gaps.export.on_cpu(last, None)
    for start in gaps.starts[:5]:
        for at in range(1, 10):
            gaps.export.sample(start + at * MS, [WORK])
    found = told(gaps.write())
    assert found["host-function"].cost_ns == 5 * (10 * MS - 9_000)
    assert found["untraced-wait"].cost_ns == 5 * (10 * MS - 120_000)
    assert sum(f.cost_ns or 0 for f in found.values()) <= 100 * MS


def test_the_simulator_writes_what_its_threads_did(tmp_path: Path) -> None:
    """Samples in the hot function lie where the variant put it, every quarter of a millisecond of it."""
    path = tmp_path / "x.sqlite"
    truth = find("host-function-00-middle").build(path)
    finding = told(path)["host-function"]
    assert finding.cost_ns == pytest.approx(truth.costs["host-function"], rel=0.02)
