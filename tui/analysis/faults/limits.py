"""Every threshold of the diagnosis, each with its reason; the ``[diagnose]`` table overrides them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from tui.analysis.units import parse_duration
from tui.errors import UsageError


def limit(default: Any, why: str) -> Any:
    """A threshold of value ``default`` and the sentence that defends it."""
    return field(default=default, metadata={"why": why})


@dataclass(frozen=True)
class Limits:
    """Thresholds. Names that end in ``_ns`` are durations, in ``_pct`` percentages, in ``_share`` 0..1."""

    # --- all faults ---
    min_cost_pct: float = limit(
        2.0, "Below two percent of the device time a change is not told from the spread between two runs."
    )
    blame_floor_ns: int = limit(
        2_000,
        "Queued kernels follow each other within a microsecond or so: that is the device's own pace.",
    )
    healthy_busy_pct: float = limit(
        90.0, "Where nine tenths of every step are busy, kernels and not the host decide how long it takes."
    )

    # --- waiting for input ---
    input_wait_ns: int = limit(
        1_000_000,
        "A prefetched batch is handed over well within a millisecond: longer is waiting.",
    )
    input_share: float = limit(
        0.02, "A wait of less than a fiftieth of the usual step hides behind queued work in an ordinary run."
    )
    recurring_share: float = limit(
        0.5, "What happens in every other step or more is how the loop runs, not an event in it."
    )

    # --- host and launches ---
    short_kernel_ns: int = limit(
        20_000,
        "A launch costs the host 5 to 20 us: shorter kernels outrun whoever launches them.",
    )
    launch_gap_ns: int = limit(
        500_000, "Between two launches of eager code lie microseconds; half a millisecond is another matter."
    )
    starved_share: float = limit(
        0.5, "When most kernels are launched after the device fell idle, the queue is empty as a rule."
    )
    few_kernels: int = limit(100, "Fewer kernels than this are an anecdote, not a pattern.")
    catch_up_ns: int = limit(
        1_000_000,
        "After a wait the host launches again within microseconds: a millisecond is other work.",
    )
    syncs_per_step: float = limit(
        0.5, "One synchronisation every second step is a habit of the loop; fewer are events such as logging."
    )
    pause_ns: int = limit(
        5_000_000,
        "A full garbage collection of a training process takes some 10 to 100 ms; Python between "
        "two launches does not take five.",
    )


def limits_from(table: Mapping[str, Any]) -> Limits:
    """The defaults with the values of ``table`` (config file, ``[diagnose]``) put in.

    Durations may be texts with a unit (``"2ms"``). UsageError names what can't be meant.
    """
    known = {f.name for f in fields(Limits)}
    changed: dict[str, Any] = {}
    for name, value in table.items():
        if name not in known:
            raise UsageError(f"[diagnose] has no limit {name!r}; `nsystui diagnose --limits` lists them")
        changed[name] = _checked(name, value, getattr(Limits(), name))
    return replace(Limits(), **changed)


def _checked(name: str, value: Any, default: int | float) -> int | float:
    if name.endswith("_ns") and isinstance(value, str):
        return parse_duration(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        kind = 'a duration such as "2ms" or nanoseconds' if name.endswith("_ns") else "a number of 0 or more"
        raise UsageError(f"[diagnose] {name} = {value!r} should be {kind}")
    return int(value) if isinstance(default, int) else float(value)
