"""The sentence at the top of a diagnosis: faults, a healthy run, or nothing to judge."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from tui.analysis.busy import joint
from tui.analysis.faults.case import Case
from tui.text.numbers import percent, plural
from tui.text.times import show_duration


class Kind(Enum):
    FAULTS = "faults"
    """Something costs device time."""
    HEALTHY = "healthy"
    """Nothing does, and the device is busy: look inside the kernels."""
    UNCLEAR = "unclear"
    """Nothing was found, but the device is not busy enough to call it healthy."""
    NO_WORK = "no GPU work"


@dataclass(frozen=True)
class BusyShare:
    """How busy the devices were, in percent."""

    window_pct: float | None
    """Of the window, all devices together."""
    least_step_pct: float | None
    """In the least busy finished step but the first, before which the device is idle; None without steps."""


def busy_share(case: Case) -> BusyShare:
    """How busy the scope's devices were over the window and from step to step."""
    busy = [case.index.coverage(d.index, case.scope.processes) for d in case.devices]
    window = case.window
    whole = percent(sum(b.length(window.start, window.end) for b in busy), case.device_ns)
    least: list[float] = []
    for pace in case.paces:
        own = [b for d in case.devices if len(b := case.index.coverage(d.index, (pace.process,)))]
        later = pace.cycle > 0
        later[0] = len(pace) == 1
        if own and later.any():
            ran = joint(own).between(pace.opening[later], pace.end[later])
            least.append(float((100 * ran / pace.cycle[later]).min()))
    return BusyShare(whole, min(least, default=None))


@dataclass(frozen=True)
class Verdict:
    """The kind of a diagnosis and its sentence."""

    kind: Kind
    text: str


def judge(case: Case, titles: list[str], explained_pct: float | None, busy: BusyShare) -> Verdict:
    """The verdict, given the titles of the findings that cost something, the costliest first."""
    if not case.devices:
        return Verdict(Kind.NO_WORK, "no GPU work was recorded: there is nothing to diagnose")
    if titles:
        others = f", and {plural(len(titles) - 1, 'other finding')}" if len(titles) > 1 else ""
        part = f" (all together at most {explained_pct:.1f} % of the device time)" if explained_pct else ""
        return Verdict(Kind.FAULTS, f"{titles[0]}{others}{part}")
    if case.step_count < case.limits.steps_for_pattern and len(case.kernels) < case.limits.few_kernels:
        return Verdict(
            Kind.UNCLEAR,
            "nothing in the catalogue costs a percent of the time, but "
            f"{plural(len(case.kernels), 'kernel')} in {show_duration(case.window.length)} are too little to "
            "call a run healthy",
        )
    least = busy.least_step_pct if busy.least_step_pct is not None else busy.window_pct
    where = "in every step" if busy.least_step_pct is not None else "of the window"
    assert least is not None
    if least >= case.limits.healthy_busy_pct:
        return Verdict(
            Kind.HEALTHY,
            f"healthy: the GPU is busy {least:.1f} % "
            f"{'or more ' if busy.least_step_pct is not None else ''}{where}, and nothing in the catalogue "
            "costs a percent; what is left is inside the kernels",
        )
    return Verdict(
        Kind.UNCLEAR,
        f"nothing in the catalogue costs a percent of the time, but the GPU is busy only {least:.1f} % "
        f"{where}",
    )
