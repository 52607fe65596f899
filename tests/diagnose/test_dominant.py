"""The one instance that is the sum: findings name it, and say nothing about the others from it."""

from __future__ import annotations

import pytest

from tests.diagnose.test_faults import opened
from tests.support.export import DTOH, HTOD, PAGEABLE, Export
from tui.analysis.choices import Choices
from tui.analysis.diagnosis import diagnose
from tui.analysis.scope import Scope
from tui.analysis.stats import REPORTS
from tui.analysis.work_window import work_window

MS, US = 1_000_000, 1_000
LONG = 17_456 * MS
REDUCE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096>)"


def reductions(path, first=LONG, count=64, long_at=0, name=REDUCE, devices=(0,)):
    """``count`` all-reduces of 14.3 us, one of which takes ``first``, with gemms of 11 ms between them."""
    export = Export(path)
    for device in devices:
        at = 0
        pid = 100 + 100 * device
        for number in range(count):
            ns = first if number == long_at else 14_300
            host = number * 20 * US
            corr = export.runtime("cudaLaunchKernel_v7000", host, host + 6 * US, pid=pid)
            export.kernel(at, at + ns, corr=corr, name=name, pid=pid, device=device)
            corr = export.runtime("cudaLaunchKernel_v7000", host + 10 * US, host + 16 * US, pid=pid)
            export.kernel(at + ns, at + ns + 11 * MS, corr=corr, name="gemm", pid=pid, device=device)
            at += ns + 11 * MS
    return opened(export.write())


def of_fault(diagnosis, fault):
    return next((f for f in diagnosis.findings if f.fault == fault), None)


def test_the_first_all_reduce_waits_for_others(tmp_path):
    diagnosis = diagnose(reductions(tmp_path / "x.sqlite"))
    finding = diagnosis.findings[0]
    assert finding.fault == "straggler"
    assert finding.title == (
        "the first of 64 AllReduce waits 17.456 s for other ranks; the other 63 take 14.300 us (median)"
    )
    assert finding.cost_ns == LONG - 14_300
    assert finding.evidence[0].value == LONG
    assert any("1,220,699 times" in reason for reason in finding.reasons)
    assert of_fault(diagnosis, "exposed-all-reduce") is None
    said = " ".join((finding.title, *finding.reasons, *finding.advice))
    assert "100 %" not in said
    assert "bucket" not in said


@pytest.mark.parametrize("place", [20, 63])
def test_any_other_one_only_seems_to(tmp_path, place):
    finding = diagnose(reductions(tmp_path / "x.sqlite", long_at=place)).findings[0]
    word = "the last" if place == 63 else "one"
    assert finding.title.startswith(f"{word} of 64 AllReduce seems to wait 17.456 s for other ranks")
    assert any("far more data" in text for text in finding.also_possible)


@pytest.mark.parametrize(
    "name", ["all_reduce_one_shot", "cross_device_reduce_1stage", "ncclDevKernel_AllGather_RING"]
)
def test_whatever_it_is_called(tmp_path, name):
    diagnosis = diagnose(reductions(tmp_path / "x.sqlite", name=name))
    assert [f.fault for f in diagnosis.findings if f.cost_ns] == ["straggler"]


def test_each_device_has_its_own(tmp_path):
    """Two ranks wait 17 s each for a third: of all collectives together neither holds more than half."""
    diagnosis = diagnose(reductions(tmp_path / "x.sqlite", devices=(0, 1)))
    finding = diagnosis.findings[0]
    assert finding.fault == "straggler"
    assert finding.cost_ns == 2 * (LONG - 14_300)
    assert finding.title.endswith("; so do 1 of other kinds or devices")


def test_what_is_left_is_judged_without_it(tmp_path):
    """60 collectives of 5 ms between gemms of 11 ms are exposed, and so said; the first one's 17 s is not."""
    export = Export(tmp_path / "x.sqlite")
    at = 0
    for number in range(60):
        for name, ns in ((REDUCE, LONG if number == 0 else 5 * MS), ("gemm", 11 * MS)):
            corr = export.runtime("cudaLaunchKernel_v7000", number * 20 * US, number * 20 * US + 6 * US)
            export.kernel(at, at + ns, corr=corr, name=name)
            at += ns
    index = opened(export.write())
    found = {
        f.fault: f
        for f in diagnose(index, Choices(Scope(work_window(index)), limits={"exposed_pct": 1.0})).findings
    }
    exposed = found["exposed-all-reduce"]
    assert exposed.cost_ns == 59 * 5 * MS
    assert exposed.reasons[0] == "59 collectives last 295.000 ms, 295.000 ms of it alone on their device"
    assert any(
        reason.startswith("left out: the first of 60 AllReduce on GPU 0 takes 17.456 s")
        for reason in exposed.reasons
    )
    assert found["straggler"].cost_ns == LONG - 5 * MS


def test_the_first_and_last_are_reported_apart(tmp_path):
    """The first of 60 takes 30 ms, the others 5: too little to be the sum, and not typical."""
    export = Export(tmp_path / "x.sqlite")
    at = 0
    for number in range(60):
        for name, ns in ((REDUCE, 30 * MS if number == 0 else 5 * MS), ("gemm", 11 * MS)):
            corr = export.runtime("cudaLaunchKernel_v7000", number * 20 * US, number * 20 * US + 6 * US)
            export.kernel(at, at + ns, corr=corr, name=name)
            at += ns
    exposed = of_fault(diagnose(opened(export.write())), "exposed-all-reduce")
    assert (
        "the first and last of each kind and stream are not typical: 2 of them take 35.000 ms in all, "
        "the 58 between 5.000 ms each (median)" in exposed.reasons
    )


def test_twenty_times_is_the_limit(tmp_path):
    """Half of the sum and twenty times the median: both must be exceeded."""
    index = reductions(tmp_path / "x.sqlite", first=63 * 14_300, count=64)  # as much as the others together
    assert of_fault(diagnose(index), "straggler") is None
    index = reductions(tmp_path / "y.sqlite", first=20 * 14_300, count=4)  # most of it, exactly 20 times
    assert of_fault(diagnose(index), "straggler") is None


# --- copies ---


def copied(path, longest, kind=HTOD, call="cudaMemcpy_v3020", memory=PAGEABLE):
    export = Export(path)
    at = 0
    for number in range(50):
        ns = longest if number == 10 else 100 * US
        corr = export.runtime(call, at, at + ns + 5 * US)
        export.memcpy(
            at + 2 * US, at + 2 * US + ns, corr=corr, bytes=ns * 10, kind=kind, src=memory, dst=memory
        )
        corr = export.runtime("cudaLaunchKernel_v7000", at + ns + 5 * US, at + ns + 9 * US)
        export.kernel(at + ns + 10 * US, at + ns + MS, corr=corr, name="gemm")
        at += ns + MS + 5 * US
    return opened(export.write())


def test_one_copy_is_most_of_the_copies(tmp_path):
    finding = of_fault(diagnose(copied(tmp_path / "x.sqlite", 200 * MS)), "blocking-copies")
    assert finding.title == (
        "one of 50 synchronous host-to-device copies takes 200.000 ms; the other 49 take 100.000 us (median)"
    )
    assert any(
        reason == "one copy is 98 % of that time: 2,000.00 MB in 200.000 ms, one of 50; "
        "the other 49 take 100.000 us (median), 4.900 ms in all"
        for reason in finding.reasons
    )


def test_copies_alike_are_counted(tmp_path):
    finding = of_fault(diagnose(copied(tmp_path / "x.sqlite", 100 * US)), "blocking-copies")
    assert finding.title == "50 synchronous host-to-device copies (cudaMemcpy) stop the launching thread"


def test_one_copy_to_the_host_is_most_of_the_exposed_time(tmp_path):
    index = copied(tmp_path / "x.sqlite", 200 * MS, DTOH, "cudaMemcpyAsync_v3020", memory=1)
    finding = of_fault(diagnose(index), "exposed-copies")
    assert finding.title.startswith("one of 50 copies to and from the device takes 200.000 ms;")


# --- kernels and sums ---


def kernels(path):
    """A kernel of 1.6 s, and 49 of its name of 10 us; 50 of another name that are all alike."""
    export = Export(path)
    at = 0
    for number in range(50):
        for name, ns in (("warm", 1_600 * MS if number == 0 else 10 * US), ("even", 2 * MS)):
            corr = export.runtime("cudaLaunchKernel_v7000", at, at + 5 * US)
            export.kernel(at + 6 * US, at + 6 * US + ns, corr=corr, name=name)
            at += 6 * US + ns
    export.push_pop("all", 0, at)
    return opened(export.write())


def test_the_largest_kernel_says_so(tmp_path):
    first, second = diagnose(kernels(tmp_path / "x.sqlite")).kernels
    assert first.name == "warm"
    assert first.remark == (
        "the first of 50 launches, at 0.000 006 000 s, takes 1.600 s (100.0%); "
        "the other 49 take 10.000 us (median), 490.000 us in all"
    )
    assert second.remark == ""


SUMS = ("cuda_gpu_kern_sum", "cuda_gpu_kern_gb_sum", "cuda_gpu_sum", "cuda_api_gpu_sum", "nvtx_kern_sum")


@pytest.mark.parametrize("name", SUMS)
def test_sums_say_so(tmp_path, name):
    index = kernels(tmp_path / "x.sqlite")
    note = REPORTS[name].compute(index, Choices(Scope(work_window(index)))).note
    assert note.endswith(
        "one instance is most of a sum: warm: the first of 50, at 0.000 006 000 s, takes 1.600 s (100.0%); "
        "the other 49 take 10.000 us (median), 490.000 us in all"
    )


@pytest.mark.parametrize(
    ("report", "said", "called"),
    [
        ("cuda_api_sum", "R cudaFree_v3020 {}-{}", "cudaFree: "),
        ("osrt_sum", "O poll {}-{}", "poll: "),
        ("nvtx_sum", "N load {}-{}", ":load: "),
        ("nvtx_pushpop_sum", "N load {}-{}", ":load: "),
        ("cuda_gpu_mem_time_sum", "M(0,9,{}-{})", "[CUDA memcpy Host-to-Device]: "),
    ],
)
def test_sums_of_every_kind_say_so(tmp_path, report, said, called):
    """Nineteen of 10 ns, then the last, of 5000."""
    export = Export(tmp_path / "x.sqlite")
    export.notation("K 0-90000")
    export.notation(
        ";".join(said.format(100 * i, 100 * i + 10) for i in range(19)) + ";" + said.format(3000, 8000)
    )
    index = opened(export.write())
    note = REPORTS[report].compute(index, Choices(Scope(work_window(index)))).note
    assert note == (
        f"one instance is most of a sum: {called}the last of 20, at 0.000 003 000 s, takes 5.000 us (96.3%); "
        "the other 19 take 10 ns (median), 190 ns in all"
    )


def test_a_name_in_a_note_can_not_reach_the_terminal(tmp_path):
    export = Export(tmp_path / "x.sqlite")
    for i in range(5):
        export.kernel(100 * i, 100 * i + (10 if i else 90), name="\x1b[31mred")
    export.kernel(1000, 9000, name="\x1b[31mred")
    index = opened(export.write())
    note = REPORTS["cuda_gpu_kern_sum"].compute(index, Choices(Scope(work_window(index)))).note
    assert "\x1b" not in note
