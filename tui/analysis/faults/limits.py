"""The thresholds of the diagnosis, each with its reason; ``[diagnose]`` in the config file overrides them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tui.errors import UsageError
from tui.text.times import parse_duration


def limit(default: Any, why: str) -> Any:
    """Return a field for a threshold, with the reason for its default."""
    return field(default=default, metadata={"why": why})


@dataclass(frozen=True)
class FaultLimits:
    """Thresholds. Names that end in ``_ns`` are durations, in ``_pct`` percentages, in ``_share`` 0..1."""

    # --- all faults ---
    min_cost_pct: float = limit(
        1.0, "Below a percent of the device time a change is lost in the spread between two runs."
    )
    blame_floor_ns: int = limit(
        2_000, "Queued kernels follow each other within a microsecond or so: that is the device's own pace."
    )
    healthy_lost_pct: float = limit(
        5.0,
        "Idle time, copies and communication without compute beside them: "
        "where they take a twentieth, a faster step is to be had without touching a kernel.",
    )
    healthy_busy_pct: float = limit(
        90.0, "Where nine tenths of every step are busy, kernels and not the host decide how long it takes."
    )

    # --- waiting for input ---
    input_wait_ns: int = limit(
        1_000_000, "A prefetched batch is handed over well within a millisecond: longer is waiting."
    )
    input_share: float = limit(
        0.02, "A wait of less than a fiftieth of the usual step hides behind queued work in an ordinary run."
    )
    recurring_share: float = limit(
        0.5, "What happens in every other step or more is how the loop runs, not an event in it."
    )

    # --- kernels ---
    plain_products_pct: float = limit(
        20.0,
        "Products that are a fifth of the kernel time take a tenth off a run where they go twice as fast.",
    )

    # --- host and launches ---
    short_kernel_ns: int = limit(
        20_000, "A launch costs the host 5 to 20 us: shorter kernels outrun whoever launches them."
    )
    launch_gap_ns: int = limit(
        500_000, "Between two launches of eager code lie microseconds; half a millisecond is another matter."
    )
    starved_share: float = limit(
        0.5, "When most kernels are launched after the device fell idle, the queue is empty as a rule."
    )
    blocked_share: float = limit(
        0.9, "A launch that outlasts its kernel is an accident of timing; nine of ten are a setting."
    )
    queued_ns: int = limit(
        10_000,
        "From the end of the launch call to the kernel's start an empty queue takes a few microseconds.",
    )
    few_kernels: int = limit(100, "Fewer kernels than this are an anecdote, not a pattern.")
    catch_up_ns: int = limit(
        1_000_000, "After a wait the host launches again within microseconds: a millisecond is other work."
    )
    lead_ns: int = limit(
        50_000, "A kernel that waited this long behind others was launched by a host that is ahead again."
    )
    syncs_for_habit: int = limit(10, "Where no steps are known, ten waits are a habit and three are not.")
    syncs_in_all: int = limit(
        2, "One wait is an event, such as the one before a measurement; two may be a habit."
    )
    pause_ns: int = limit(
        5_000_000,
        "A full garbage collection of a training process takes some 10 to 100 ms; Python between two "
        "launches does not take five.",
    )

    # --- events in the loop ---
    outlier_ratio: float = limit(
        3.0, "Jitter, logging or a pause stretch a step by half; three times the usual step is an event."
    )
    warm_up_ratio: float = limit(
        1.5, "Loading, autotuning and first allocations cost the first steps at least half a step more."
    )
    uneven_share: float = limit(
        0.1, "Clocks and jitter move a step by a few percent; two groups a tenth apart do different things."
    )
    steps_for_pattern: int = limit(
        4, "With fewer steps than four the usual one can't be told apart from the unusual."
    )
    periods: int = limit(
        3, "Two events have one distance, whatever causes them; three at equal distances are a rhythm."
    )
    long_piece_ns: int = limit(
        500_000, "Host work between launches that lasts half a millisecond is worth a name of its own."
    )

    # --- memory ---
    memory_growth_pct: float = limit(
        0.1, "A thousandth of the memory a step fills the GPU within a thousand steps."
    )
    memory_full_pct: float = limit(
        95.0, "Contexts, libraries and fragments take the last percents: beyond this allocations fail."
    )
    equal_allocations: int = limit(
        100, "A size that is asked for a hundred times in one capture is asked for in a loop."
    )
    fault_driven_pct: float = limit(
        5.0, "Less than a twentieth of the time of kernels is not worth moving memory by hand."
    )
    evictions: int = limit(
        10, "A few evictions are how memory settles; ten are a working set that does not fit."
    )

    # --- CPUs ---
    on_cpu_share: float = limit(
        0.7, "A thread that computes still leaves its CPU now and then; seven tenths are one or the other."
    )
    known_share: float = limit(0.5, "What is known of less than half of the time says little of the rest.")
    hot_share: float = limit(
        0.3, "A function with less than a third of the samples is one of several: none of them is the cause."
    )
    hot_samples: int = limit(5, "Of fewer samples than five none need be where the time went.")
    preempted_share: float = limit(
        0.1, "Any thread gives way now and then; a tenth of the time in gaps is a shortage of cores."
    )
    migrations_per_s: float = limit(
        50.0, "A thread that finds its CPU free stays there; fifty moves a second are a crowd."
    )
    spin_share: float = limit(
        0.5, "Where most samples of a wait look at the clock or yield, the wait is an active one."
    )

    # --- copies ---
    big_copy_bytes: int = limit(
        65_536,
        "Up to 64 KB a host-to-device copy is staged and returns at once; nsys's own rule leaves it out.",
    )
    rate_copy_bytes: int = limit(
        1_048_576, "Below a megabyte the start-up time of a copy decides its rate, not the path."
    )
    pcie_usual_gbs: float = limit(
        24.0,
        "What pinned memory gives over PCIe 4.0 x16, the slowest path that a current data-centre GPU has.",
    )
    pcie_slow_share: float = limit(
        0.6,
        "Less than three fifths of what other copies of this capture reach is another path, not a busy one.",
    )
    pcie_slow_gbs: float = limit(
        10.0,
        "Even PCIe 3.0 x16 gives 12 GB/s to pinned memory: below ten the path is narrower than any x16 slot.",
    )
    burst_bytes: int = limit(
        33_554_432, "Metrics and samples are kilobytes; tens of megabytes at once are weights or state."
    )

    # --- communication ---
    last_share: float = limit(
        0.7,
        "With two ranks that take turns each is last half of the time; seven times of ten is one of them.",
    )
    wait_spread: float = limit(
        0.5, "A collective of one size keeps to its time; when it varies by half, somebody came late."
    )
    exposed_pct: float = limit(
        3.0, "The last bucket of every step is exposed in the best of runs: one to two percent of the time."
    )
    comm_share_pct: float = limit(
        1.0, "With less than a percent of the time in collectives the other ranks hardly matter."
    )

    small_message_bytes: int = limit(
        262_144, "Below a quarter of a megabyte latency, and not the link, decides how long a message takes."
    )
    small_messages_a_step: int = limit(
        100, "Some dozens of small messages a step are losses and norms; a hundred are parameters one by one."
    )
    small_message_share: float = limit(
        0.5, "Where large messages take most of the time, larger buckets change little."
    )
    network_speed_share: float = limit(
        0.6, "Headers, acknowledgements and pauses leave a collective two thirds of a link or a little more."
    )
    network_most_share: float = limit(
        0.8, "What is nearly the most that a port ever moves is, for all that is known, its limit."
    )

    input_file_pct: float = limit(
        1.0, "A first read of a file that is not cached costs some milliseconds in any run."
    )

    # --- kernels that change their pace ---
    slowdown: float = limit(
        1.05, "Clocks and caches make the same kernel differ by two or three percent from run to run."
    )
    slow_groups_share: float = limit(
        0.75,
        "A lower clock slows everything; where a quarter of the work keeps its pace, it is the work itself.",
    )
    trend_share: float = limit(
        0.7, "A clock that falls explains nearly all of what the pace varies; chance explains a third of it."
    )
    same_kernels: int = limit(6, "A median of fewer launches than three against three is an accident.")

    # --- GPU metrics ---
    hollow_pct: float = limit(
        50.0,
        "While kernels run, most SMs have a warp in an ordinary run: with half of them empty most don't.",
    )
    bandwidth_pct: float = limit(
        60.0, "Memory gives about nine tenths of its peak at best: from six tenths on it decides the pace."
    )
    class_share: float = limit(
        0.1, "A class of kernels with less than a tenth of kernel time is not what decides a step."
    )
    gemm_share: float = limit(0.2, "With a fifth of kernel time in matrix products their pipe matters.")
    tensor_unused_pct: float = limit(
        10.0, "Products on tensor cores keep that pipe busy for tens of percent, if they are of any size."
    )
    clock_ratio: float = limit(
        0.93, "Boost clocks wander by some percent with the load; seven percent less is held down."
    )
    clock_share: float = limit(
        0.1, "A dip that takes less than a tenth of kernel time costs under a percent."
    )
    link_pct: float = limit(60.0, "Links carry some nine tenths of their peak: six tenths are a full link.")

    # --- the capture ---
    graph_share_pct: float = limit(
        10.0, "With nine tenths of the work recorded kernel by kernel, some whole graphs hide little."
    )
    unexplained_pct: float = limit(
        3.0,
        "When more of the device time is lost for no reason in the catalogue, "
        "the list would hide the main thing.",
    )


def limits_from(table: Mapping[str, Any]) -> FaultLimits:
    """Return the defaults, changed as ``table`` (``[diagnose]`` of the config file) says.

    Durations may be texts with a unit (``"2ms"``). UsageError for an unknown name or an impossible value.
    """
    changed: dict[str, Any] = vars(FaultLimits()).copy()
    for name, value in table.items():
        if name not in changed:
            raise UsageError(f"[diagnose] has no limit {name!r}; `nsystui diagnose --limits` lists them")
        changed[name] = _checked(name, value, changed[name])
    return FaultLimits(**changed)


def _checked(name: str, value: Any, default: int | float) -> int | float:
    if name.endswith("_ns") and isinstance(value, str):
        return parse_duration(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        kind = 'a duration such as "2ms" or nanoseconds' if name.endswith("_ns") else "a number of 0 or more"
        raise UsageError(f"[diagnose] {name} = {value!r} should be {kind}")
    return int(value) if isinstance(default, int) else float(value)
