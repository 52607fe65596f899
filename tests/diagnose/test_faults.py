"""Single faults at their edges: what makes them show, and what must not."""

from __future__ import annotations

import re

import numpy as np
import pytest

from fixtures.faults.comm import Straggler
from fixtures.faults.host import HiddenSync
from fixtures.faults.loop import MS, US, Loop
from fixtures.trace import DTOH
from tests.support.export import Export
from tui.analysis.choices import Choices
from tui.analysis.diagnosis import Kind, diagnose
from tui.analysis.faults.case import Case
from tui.analysis.index import Index
from tui.analysis.scope import Scope
from tui.analysis.work_window import work_window
from tui.report import open_report


def opened(path):
    return Index(open_report(path, use_store=False))


def told(path, **options):
    """Fault -> finding, minor ones left out, costliest first."""
    return {f.fault: f for f in diagnose(opened(path), **options).findings if not f.minor}


class Steps:
    """A training loop in a few lines: a kernel keeps the device busy to the end of each step."""

    def __init__(self, path, count=10, step_ms=50):
        self.export = Export(path)
        self.count, self.length = count, step_ms * MS
        self.pid = 100

    def start(self, step):
        return step * self.length

    def kernel(self, launch, start, end, tid=1, name="gemm", **place):
        corr = self.export.runtime("cudaLaunchKernel_v7000", launch, launch + 6 * US, tid=tid)
        return self.export.kernel(start, end, corr=corr, name=name, **place)

    def ranged(self, text, step, low, high, tid=1):
        self.export.push_pop(text, self.start(step) + low, self.start(step) + high, tid=tid)

    def write(self):
        return self.export.write()


# --- input ---


def test_wait_between_the_step_ranges_counts_too(tmp_path):
    """`for batch in loader: with range('train_step')`: the wait is outside the step's range."""
    loop = Steps(tmp_path / "x.sqlite")
    for step in range(loop.count):
        at = loop.start(step)
        loop.export.osrt("pthread_cond_wait", at, at + 20 * MS)
        loop.ranged("train_step", step, 20 * MS, 49 * MS)
        loop.kernel(at + 20 * MS + 50 * US, at + 20 * MS + 60 * US, at + 50 * MS)
    finding = told(loop.write())["input-starvation"]
    assert (
        finding.title == "the GPU waits for input at the start of 9 of 10 steps"
    )  # the first has no step before
    assert finding.cost_ns == pytest.approx(9 * 20 * MS, rel=0.01)
    assert any("pthread_cond_wait" in reason for reason in finding.reasons)


def test_host_code_in_forward_is_not_the_loader(tmp_path):
    """Every step begins with a long piece of Python, but the range says forward."""
    loop = Steps(tmp_path / "x.sqlite")
    for step in range(loop.count):
        at = loop.start(step)
        loop.ranged("train_step", step, 0, 49 * MS)
        loop.ranged("forward", step, 1, 45 * MS)
        loop.kernel(at + 20 * MS, at + 20 * MS + 9 * US, at + 50 * MS)
    assert list(told(loop.write())) == ["unexplained-idle"]


def test_hidden_waits_cost_nothing(tmp_path):
    """The host waits long for every batch, but the device has work queued."""
    loop = Steps(tmp_path / "x.sqlite")
    for step in range(loop.count):
        at = loop.start(step)
        loop.ranged("train_step", step, 0, 49 * MS)
        loop.ranged("data_load", step, 1, 40 * MS)
        loop.export.osrt("pthread_cond_wait", at + 2, at + 39 * MS)
        loop.kernel(at + 41 * MS, at + 49 * MS + 990 * US, at + 99 * MS + 980 * US)
    assert told(loop.write()) == {}


# --- synchronisation ---


def synced(path, thread_of_sync, launches_on_sync_thread):
    loop = Steps(path)
    for step in range(loop.count):
        at = loop.start(step)
        loop.ranged("train_step", step, 0, 49 * MS)
        loop.kernel(at + 10 * US, at + 20 * US, at + 40 * MS)
        tid = thread_of_sync
        if launches_on_sync_thread:
            corr = loop.export.runtime("cudaMemcpyAsync_v3020", at + 30 * US, at + 36 * US, tid=tid)
            loop.export.memcpy(at + 40 * MS + 1000, at + 40 * MS + 2500, corr=corr, bytes=4, kind=DTOH)
        loop.export.runtime("cudaStreamSynchronize_v3020", at + 40 * US, at + 40 * MS + 6 * US, tid=tid)
        loop.kernel(at + 40 * MS + 800 * US, at + 40 * MS + 810 * US, at + 50 * MS)
    return loop.write()


def test_another_thread_may_launch_what_comes_after_the_wait(tmp_path):
    """As with PyTorch: the main thread reads a value, the autograd thread launches next."""
    finding = told(synced(tmp_path / "x.sqlite", 2, True))["hidden-sync"]
    assert finding.title.startswith("cudaStreamSynchronize drains the GPU 1.0 times a step")
    assert finding.cost_ns == pytest.approx(10 * 808 * US, rel=0.02)
    assert any("`.item()`" in reason for reason in finding.reasons)


def test_a_watchdog_thread_may_wait_all_day(tmp_path):
    assert "hidden-sync" not in told(synced(tmp_path / "x.sqlite", 9, False))


class Rare(HiddenSync):
    """A wait at the end of some steps only, with 30 ms of host code after it."""

    waits = (3, 8)

    def after_optimizer(self, rank, index):
        if index in self.waits:
            self.read_metric(rank, 30 * MS)

    def forward(self, index):
        Loop.forward(self, index)


def test_a_wait_now_and_then_owes_all_that_follows_it(tmp_path):
    Rare(tmp_path / "x.sqlite").run()
    finding = told(tmp_path / "x.sqlite")["hidden-sync"]
    assert finding.cost_ns == pytest.approx(2 * 30 * MS, rel=0.06)
    assert finding.title.startswith("cudaStreamSynchronize drains the GPU 2 times in 10 steps")
    assert any("the host works before it launches again" in reason for reason in finding.reasons)


def test_one_wait_in_all_is_an_event(tmp_path):
    class Once(Rare):
        waits = (3,)

    Once(tmp_path / "x.sqlite").run()
    assert "hidden-sync" not in told(tmp_path / "x.sqlite")


@pytest.mark.parametrize("host_ms", [0.2, 1, 5, 20])
@pytest.mark.parametrize("every", [1, 2])
def test_a_debt_has_no_cliff(tmp_path, host_ms, every):
    """Whatever the host does after the wait, and however long: the device idles for it."""

    class Reads(HiddenSync):
        def forward(self, index):
            Loop.forward(self, index)

        def after_optimizer(self, rank, index):
            if index % every == 0:
                self.read_metric(rank, host_ms * MS)

    truth = Reads(tmp_path / "x.sqlite").run()
    times = 10 / every
    findings = told(tmp_path / "x.sqlite")
    worth = times * host_ms * MS > 0.015 * (truth.window[1] - truth.window[0])
    if worth:
        assert next(iter(findings)) == "hidden-sync"
        # from the drain to the next op: the code, and about 0.2 ms up to the first launch of the next step
        assert findings["hidden-sync"].cost_ns == pytest.approx(times * (host_ms + 0.2) * MS, rel=0.1)
    assert set(findings) <= {"hidden-sync"}


def test_launches_that_wait_for_their_kernels(tmp_path):
    """CUDA_LAUNCH_BLOCKING=1: the host needs 20 us between two kernels of 100 us."""
    export = Export(tmp_path / "x.sqlite")
    at = 0
    for step in range(10):
        begun = at
        for _ in range(40):
            corr = export.runtime("cudaLaunchKernel_v7000", at, at + 112 * US)
            export.kernel(at + 6 * US, at + 106 * US, corr=corr, name="gemm")
            at += 126 * US
        export.push_pop("train_step", begun, at - 2 * US)
        assert step >= 0
    findings = told(export.write())
    assert next(iter(findings)) == "launch-blocking"
    finding = findings["launch-blocking"]
    assert "400 of 400 launches return only after it" in finding.title
    assert finding.cost_ns == pytest.approx(399 * 26 * US, rel=0.01)
    assert set(findings) == {"launch-blocking"}


# --- ranks ---


def test_the_late_rank_is_named_when_it_is_in_the_report(tmp_path):
    class BothRanks(Straggler):
        written = 2

    truth = BothRanks(tmp_path / "x.sqlite").run()
    findings = told(tmp_path / "x.sqlite")
    finding = findings["straggler"]
    assert next(iter(findings)) == "straggler"
    assert finding.title == "GPU 1 comes last to most collectives; the others wait inside them"
    assert finding.confidence.value == "high"
    assert finding.cost_ns == pytest.approx(truth.costs["straggler"], rel=0.1)
    assert {c.device for c in finding.claims if c.spans.start.size > 5} == {0}  # the punctual one waits


def test_one_process_with_two_gpus_is_not_one_rank(tmp_path):
    loop = Steps(tmp_path / "x.sqlite")
    for step in range(loop.count):
        at = loop.start(step)
        for device in (0, 1):
            loop.kernel(at, at + 10 * US, at + 30 * MS, device=device)
            loop.kernel(at, at + 30 * MS, at + 50 * MS, name="ncclDevKernel_AllReduce_Sum", device=device)
    assert "one-rank" not in told(loop.write())


def test_send_and_receive_alone_leaves_room_for_a_pipeline(seen):
    finding = seen("fault:exposed-all-to-all").found("exposed-all-to-all")
    assert finding.confidence.value == "medium"
    assert any("pipeline" in text for text in finding.also_possible)


# --- copies ---


def test_pinned_copies_beside_kernels_are_no_fault(tmp_path):
    loop = Steps(tmp_path / "x.sqlite")
    for step in range(loop.count):
        at = loop.start(step)
        loop.kernel(at, at + 10 * US, at + 50 * MS)
        corr = loop.export.runtime("cudaMemcpyAsync_v3020", at, at + 5 * US)
        loop.export.memcpy(at + 1 * MS, at + 40 * MS, corr=corr, bytes=10**9, stream=9)
    assert list(told(loop.write())) == ["no-ranges"]


def test_rate_is_judged_by_the_best_of_the_same_direction(tmp_path):
    """Half of the copies at 50 GB/s, half at 20: those are slow here, fast as 20 GB/s may be elsewhere."""
    loop = Steps(tmp_path / "x.sqlite", 20)
    for step in range(loop.count):
        at, took = loop.start(step), 20 * MS if step % 2 else 50 * MS // 1
        corr = loop.export.runtime("cudaMemcpyAsync_v3020", at, at + 5 * US)
        loop.export.memcpy(at + 10 * US, at + took, corr=corr, bytes=10**9)
        loop.kernel(at + 6 * US, at + took, at + 50 * MS)
    finding = told(loop.write())["slow-pcie"]
    assert finding.title.startswith("10 pinned host-to-device copies run at 20.0 GB/s, not at some 50")
    assert finding.cost_ns == pytest.approx(10 * 30 * MS, rel=0.01)


def test_copies_to_the_host_in_every_step_are_no_checkpoint(tmp_path):
    loop = Steps(tmp_path / "x.sqlite")
    for step in range(loop.count):
        at = loop.start(step)
        loop.ranged("train_step", step, 0, 49 * MS)
        loop.kernel(at + 10 * US, at + 20 * US, at + 30 * MS)
        corr = loop.export.runtime("cudaMemcpyAsync_v3020", at + 30 * US, at + 35 * US)
        loop.export.memcpy(at + 30 * MS, at + 50 * MS, corr=corr, bytes=500_000_000, kind=DTOH)
    assert list(told(loop.write())) == ["exposed-copies"]


# --- the profiler, the compiler, the first use ---


def paused(path, overhead):
    loop = Steps(path)
    for step in range(loop.count):
        at = loop.start(step)
        loop.ranged("train_step", step, 0, 49 * MS)
        loop.ranged("forward", step, 1, 48 * MS)
        loop.export.overhead(overhead, at + 5 * US, at + 9 * MS, 100, 1, 3)
        loop.kernel(at + 10 * MS, at + 10 * MS + 8 * US, at + 50 * MS)
    return loop.write()


def test_flushes_on_the_launching_thread_are_the_profilers(tmp_path):
    finding = told(paused(tmp_path / "x.sqlite", "CUPTI Buffer flush"))["profiler-distortion"]
    # Each costs what it takes, the first one too: it is inside the first step.
    assert finding.cost_ns == pytest.approx(10 * 9 * MS, rel=0.01)


def test_the_drivers_compiler_is_not_the_profiler(tmp_path):
    assert "profiler-distortion" not in told(paused(tmp_path / "x.sqlite", "Driver Compiler"))


def test_without_steps_first_launches_that_load_code_are_warm_up(tmp_path):
    export = Export(tmp_path / "x.sqlite")
    at = 0
    for name in ("first", "second", "third"):
        corr = export.runtime("cudaLaunchKernel_v7000", at, at + 20 * MS)
        export.kernel(at + 20 * MS + 5 * US, at + 22 * MS, corr=corr, name=name)
        at += 22 * MS
    finding = told(export.write())["warm-up"]
    assert finding.cost_ns == pytest.approx(2 * 20 * MS, rel=0.01)  # the window begins with the first kernel
    assert "the first launches of 2 kernels" in " ".join(finding.reasons)


def test_recompiled_steps_show_new_kernels(tmp_path):
    loop = Steps(tmp_path / "x.sqlite", 12, 20)
    at = 0
    for step in range(loop.count):
        stall = 100 * MS if step == 6 else 0
        loop.export.push_pop("train_step", at, at + stall + 19 * MS)
        loop.export.push_pop("forward", at + 1, at + stall + 18 * MS)
        name = "fused_1" if step < 6 else "fused_2"
        loop.kernel(at + stall + 10 * US, at + stall + 20 * US, at + stall + 20 * MS, name=name)
        at += stall + 20 * MS
    finding = told(loop.write())["recompilation"]
    assert finding.cost_ns == pytest.approx(100 * MS, rel=0.01)
    assert "1 kernel runs for the first time in them" in finding.reasons


# --- the verdict and the way on ---


def test_too_little_work_is_not_called_healthy(tmp_path):
    export = Export(tmp_path / "x.sqlite")
    export.notation("K 0-1000000 K 1000000-2000000")
    verdict = diagnose(opened(export.write())).verdict
    assert verdict.kind is Kind.UNCLEAR
    assert "2 kernels in 2.000 ms are too little" in verdict.text


def test_ncu_line_skips_to_the_middle_step(seen):
    """Counted by hand from the tables: launches of that name before the sixth of ten steps."""
    case = seen("finetune")
    heavy = case.diagnosis.kernels[0]
    report = case.report
    kernels = np.flatnonzero(report.ops.kind == 0)
    short = report.kernels.short_name
    mine = kernels[[report.strings[int(n)] == heavy.short_name for n in short]]
    launched = sorted(report.calls.start[report.ops.launch[mine]].tolist())
    skip = sum(t < case.truth.steps[5].start_ns for t in launched)
    assert f"--launch-skip {skip} --launch-count 5 " in heavy.ncu
    pattern = re.search(r"'regex:(.*?)'", heavy.ncu)[1]
    assert re.fullmatch(pattern, heavy.short_name)
    assert heavy.count == len(mine) == 240


def test_ncu_line_tells_template_instances_apart(tmp_path):
    loop = Steps(tmp_path / "x.sqlite")
    for step in range(loop.count):
        at = loop.start(step)
        loop.kernel(at, at + 10 * US, at + 40 * MS, name="void k<float, 4>(float*)", short="k")
        loop.kernel(at, at + 40 * MS, at + 50 * MS, name="void k<half, 8>(half*)", short="k")
    heavy = diagnose(opened(loop.write())).kernels[0]
    assert heavy.name == "void k<float, 4>(float*)"
    assert "--kernel-name-base demangled" in heavy.ncu
    pattern = re.search(r"'regex:(.*?)'", heavy.ncu)[1]
    assert re.fullmatch(pattern, "void k<float, 4>(float*)")
    assert not re.fullmatch(pattern, "void k<half, 8>(half*)")
    assert "--launch-skip 5 --launch-count 5" in heavy.ncu


def test_ncu_starts_where_the_capture_did(tmp_path):
    export = Export(tmp_path / "x.sqlite")
    export.notation("R cudaProfilerStart_v4000 0-5; K 10-20")
    assert "--profile-from-start off" in diagnose(opened(export.write())).kernels[0].ncu


def test_the_window_is_the_work_window_unless_one_is_chosen(seen):
    index = Index(seen("resnet").report)
    first = seen("resnet").truth.steps[0].start_ns
    assert Case(index, Choices(Scope(work_window(index)))).window.start == first
    usual = Index(seen("fault:input-starvation").report)
    case = Case(usual, Choices(Scope(work_window(usual))))
    assert case.window.start == seen("fault:input-starvation").truth.steps[0].start_ns
    assert case.edges.start.tolist() == [case.window.start]
    assert case.edges.end.tolist() == [usual.report.op_span[0]]
    assert not len(Case(index, Choices(Scope(work_window(index)))).edges.start), "the first batch came late"
    chosen = Scope(work_window(index)).within(first + 5, first + 100 * MS, "some")
    assert Case(index, Choices(chosen)).window.start == first + 5


def test_limits_decide(seen):
    index = Index(seen("finetune").report)
    strict = diagnose(index, Choices(Scope(work_window(index)), limits={"min_cost_pct": 50.0}))
    assert [f for f in strict.findings if not f.minor] == []
    assert strict.verdict.kind is Kind.UNCLEAR
    assert "busy only 6" in strict.verdict.text


# --- saving, pausing, being late ---


def saved(path, bytes_, every=4, write=True):
    """In every fourth step copies to the host; 20 ms later the next kernel, a file is written meanwhile."""
    loop = Steps(path, count=13)
    for step in range(loop.count):
        at = loop.start(step)
        loop.ranged("train_step", step, 0, 49 * MS)
        loop.kernel(at + 10 * US, at + 20 * US, at + 30 * MS)
        if step % every != every - 1:
            loop.kernel(at + 30 * US, at + 30 * MS, at + 50 * MS, name="adam")
            continue
        corr = loop.export.runtime("cudaMemcpyAsync_v3020", at + 30 * MS, at + 35 * MS)
        loop.export.memcpy(at + 30 * MS, at + 35 * MS, corr=corr, bytes=bytes_, kind=DTOH)
        loop.export.osrt("write" if write else "nanosleep", at + 35 * MS, at + 49 * MS)
    return loop.write()


def test_a_small_checkpoint_is_told_by_the_file_that_is_written(tmp_path):
    """3 x (5 ms of copies + 14 ms of writes): the 1 ms to the next step is not its doing."""
    finding = told(saved(tmp_path / "x.sqlite", 5_000_000))["checkpoint-stall"]
    assert finding.cost_ns == 3 * 19 * MS


@pytest.mark.parametrize(
    ("bytes_", "every", "write"), [(4, 4, True), (5_000_000, 1, True), (5_000_000, 4, False)]
)
def test_what_is_no_checkpoint(tmp_path, bytes_, every, write):
    """A number that is logged; results of every step; copies without a file."""
    assert "checkpoint-stall" not in told(saved(tmp_path / "x.sqlite", bytes_, every, write))


def stopped(path, steps):
    """24 steps of 10 ms; in these the host stops for 9 ms, and the device idles in the last 4 of them."""
    loop = Steps(path, count=24, step_ms=10)
    for step in range(loop.count):
        at = loop.start(step)
        loop.ranged("train_step", step, 0, 10 * MS - 10 * US)
        hit = step in steps
        loop.kernel(at + 10 * US, at + 20 * US, at + (5 if hit else 9) * MS)
        launch = at + 9 * MS if hit else at + 30 * US
        loop.kernel(launch, at + 9 * MS + 8 * US, at + 10 * MS + 10 * US, name="adam")
    return loop.write()


def test_a_pause_counts_from_call_to_call_not_from_where_the_device_ran_out(tmp_path):
    finding = told(stopped(tmp_path / "x.sqlite", (4, 7, 15)))["gc-pauses"]
    assert finding.cost_ns == pytest.approx(3 * 4 * MS, rel=0.01)


def test_what_keeps_its_distance_is_no_garbage_collection(tmp_path):
    assert "gc-pauses" in told(stopped(tmp_path / "x.sqlite", (2, 5, 7, 13, 14)))
    assert "gc-pauses" not in told(stopped(tmp_path / "y.sqlite", (2, 6, 10, 14, 18)))


def test_collectives_that_follow_each_other_are_late_together(tmp_path):
    """GPU 1 comes 90 us late to the first of two; the second would have run beside compute otherwise.

    On GPU 0 compute ends at 100 us; 40 us of the first and all 19 us of the second are exposed.
    """
    export = Export(tmp_path / "x.sqlite")
    for pid, computes, first in ((100, 100, 40), (200, 150, 130)):
        gpu = pid // 100 - 1
        export.device(id=gpu)
        export.device_map(pid, 0, gpu)
        second = 141 if gpu == 0 else 150
        for stream, low, high, name in (
            (7, 0, computes, "gemm"),
            (20, first, 140, "ncclDevKernel_AllReduce_Sum"),
            (20, second, 160, "ncclDevKernel_AllReduce_Sum"),
        ):
            corr = export.runtime("cudaLaunchKernel_v7000", max(0, low - 3) * US, low * US, pid=pid)
            place = {"stream": stream, "pid": pid, "corr": corr, "name": name}
            export.kernel(low * US, high * US, **place)
    assert told(export.write())["straggler"].cost_ns == (40 + 19) * US
