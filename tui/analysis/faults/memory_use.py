"""Memory that grows with the steps, that fills the GPU, or that is allocated again and again."""

from __future__ import annotations

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Confidence, Evidence, Findings, Found
from tui.analysis.memory.lifetimes import USAGE_KINDS, Lifetimes, lifetimes
from tui.analysis.memory.tables import device_words, size_words
from tui.analysis.memory.usage import DeviceUsage, Usage, device_usages, usages
from tui.report.columns import NULL, Bool, Int64
from tui.text.numbers import plural

_NO_COST = "it costs nothing until memory runs out"
_SETTLES = "--cuda-memory-usage=true", "--cudabacktrace=memory"


def _devices(case: Case) -> list[DeviceUsage]:
    if not len(lifetimes(case.index)):
        return []
    return [usage for usage in device_usages(case.index, case.scope) if usage.place.device >= 0]


def _growing(case: Case) -> Findings:
    for usage in _devices(case):
        if usage.growth is None or not usage.capacity:
            continue
        growth = round(usage.growth)
        slowest = min(usage.growth, usage.late_growth or 0.0)
        if 100 * slowest <= case.limits.memory_growth_pct * usage.capacity:
            continue
        window, command = case.window, case.commands.memory()
        name = case.device_name(usage.place.device)
        left = (usage.capacity - usage.end) // growth
        yield Found(
            title=f"memory on {name} grows by {size_words(growth)} a step"
            + (f": full in {plural(left, 'more step')}" if left >= 0 else ""),
            evidence=(
                Evidence(
                    f"{name} has {growth:,} B more in use at each step", growth, "B", command,
                    window.start, window.end, usage.place.device,
                ),
                _at_peak(case, usage),
            ),
            confidence=Confidence.MEDIUM,
            reasons=("half of all pairs of steps grow at least so fast: no single step makes it",
                "it goes on in the later half of the steps",),
            confirm=case.commands.capture("cuda,nvtx", *_SETTLES, output="memory")
            + "  (the callers of what is alive at the end)",
            without_cost=_NO_COST,
        )  # fmt: skip


def _at_peak(case: Case, usage: DeviceUsage) -> Evidence:
    command = case.commands.memory()
    return Evidence(
        device_words(usage), usage.peak.value, "B", command, usage.peak.at, usage.peak.at, usage.place.device
    )


def _full(case: Case) -> Findings:
    for usage in _devices(case):
        if usage.pct is None or usage.pct < case.limits.memory_full_pct:
            continue
        yield Found(
            title=f"memory on {case.device_name(usage.place.device)} is {usage.pct:.0f} % full at its peak",
            evidence=(_at_peak(case, usage),),
            confidence=Confidence.HIGH,
            reasons=("what was allocated and not released, beside what the GPU has",),
            confirm="run with a smaller batch, and see whether retries and fragmentation go away: "
            "torch.cuda.memory_stats() reports num_alloc_retries",
            without_cost="what it costs shows as allocations and frees in the middle of steps, if at all",
        )


def _repeated(case: Case) -> Findings:
    found = lifetimes(case.index)
    if not len(found):
        return
    for usage in usages(case.index, case.scope):
        if usage.group.kind not in USAGE_KINDS and usage.group.kind != NULL:
            continue
        mine = _released_in_window(case, found, usage)
        size, count = np.unique(found.size[mine], return_counts=True)
        again = int(count.max()) if len(count) else 0
        steps, hit = _steps_hit(case, usage.group.process, found.start[mine])
        often = steps and hit >= case.limits.recurring_share * steps
        if not (often and steps >= case.limits.steps_for_pattern) and again < case.limits.equal_allocations:
            continue
        where = f" in {hit} of {plural(steps, 'step')}" if steps else ""
        window = case.window
        yield Found(
            title=f"memory is allocated and released{where}: "
            f"{again:,} times {size_words(int(size[int(np.argmax(count))]))}",
            evidence=(
                Evidence(
                    f"process {usage.pid} allocates {usage.allocations:,} times in the window",
                    usage.allocations, "count", case.commands.memory(), window.start, window.end,
                ),
            ),
            confidence=Confidence.MEDIUM,
            reasons=("equal sizes come back: what is released is asked for again",),
            confirm=case.commands.capture("cuda,nvtx", *_SETTLES, output="memory"),
            minor=True,
            under=("allocator-churn",),
        )  # fmt: skip
        return


def _released_in_window(case: Case, found: Lifetimes, usage: Usage) -> Bool:
    """Which allocations of a group begin and end in the window."""
    group = found.groups.index(usage.group)
    window = case.window
    inside: Bool = (found.start >= window.start) & (found.end <= window.end)
    inside &= found.group == group
    return inside


def _steps_hit(case: Case, global_pid: int, times: Int64) -> tuple[int, int]:
    """(steps of a process, how many of them any of ``times`` lies in)."""
    for pace in case.paces:
        if case.report.processes[pace.process].global_pid == global_pid:
            step = np.searchsorted(pace.start, times, "right") - 1
            end = pace.start + pace.duration
            inside = (step >= 0) & (times < end[np.maximum(step, 0)])
            return len(pace), len(np.unique(step[inside]))
    return 0, 0


GROWTH_FAULT = Fault(
    "memory-growth",
    "memory that grows with every step",
    _growing,
    "The bytes in use when steps begin grow by more than a thousandth of the GPU's memory a step, by the "
    "median of all slopes.",
    (
        "Look at what is alive at the end and who allocated it: `nsystui memory REPORT --at peak`.",
        "Tensors that keep their graph (losses that are summed up without `.item()` or `.detach()`) and "
        "caches without a bound are the usual reasons.",
    ),
    also_possible=("a cache that has not reached its size yet", "sequences that grow from step to step"),
    limits=("memory_growth_pct",),
)
FULL_FAULT = Fault(
    "memory-full",
    "GPU memory that is nearly full",
    _full,
    "What is in use at the peak is 95 % of the GPU's memory or more.",
    (
        "A smaller batch, activation checkpointing, or sharded optimizer state leaves head-room.",
        "`PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True` loses less to fragments.",
    ),
    also_possible=("an allocator that takes all memory at the start, as JAX and vLLM do",),
    limits=("memory_full_pct",),
)
REPEATED_FAULT = Fault(
    "repeated-allocations",
    "memory that is allocated and released again and again",
    _repeated,
    "Device memory is allocated and released inside most steps, or a hundred times in one size.",
    (
        "Use a pool: `cudaMallocAsync` with a release threshold, RMM, or the framework's caching allocator.",
        "Allocate buffers of fixed size once, before the loop.",
    ),
    limits=("equal_allocations", "recurring_share", "steps_for_pattern"),
)
