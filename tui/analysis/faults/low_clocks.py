"""The GPU's clock is held down while kernels run: by power, by heat, or for a reason that is not recorded."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import share
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Claim, Confidence, Evidence, Findings, Found, Lost
from tui.analysis.index import Busy
from tui.analysis.metrics.average import FEW, LEAST_COVERAGE
from tui.analysis.metrics.capture import may_have_metrics, metrics_of
from tui.intervals import Spans, intersect
from tui.report.model import Device

SLUG = "low-clocks"
HOT = 83.0
"""°C from which on current GPUs slow down."""
NEAR = 0.97
"""Power this near to the capture's maximum is at its cap."""
_REASONS = {
    "power": ("held down by power", "power is within 3 % of its maximum while the clock is low"),
    "thermal": ("held down by heat", f"the GPU has {HOT:.0f} °C or more while the clock is low"),
    "": (
        "for a reason that was not recorded",
        "neither power at its maximum nor heat was recorded beside it",
    ),
}


class _Low(NamedTuple):
    """A device whose clock is low for a part of its kernel time."""

    device: Device
    ratio: float
    """The mean clock there, against the greatest of the capture."""
    low_ns: int
    kernel_ns: int
    mean: float
    """While kernels run, Hz."""
    reason: str
    claim: Claim


def _examine(case: Case) -> Findings:
    if not may_have_metrics(case.report):
        return
    found = [low for device in case.devices if (low := _low(case, device)) is not None]
    if not case.once(SLUG, lambda: bool(found)):
        return
    most = max(found, key=lambda low: (1 - low.ratio) * low.low_ns)
    words, why = _REASONS[most.reason]
    window = case.window
    evidence = []
    for low in found:
        mean = round(low.mean, 3)
        text = f"{case.device_name(low.device.index)}: {mean / 1e6:,.1f} MHz on average while kernels run"
        command = case.commands.metrics(low.device.index, "clock_gpc")
        evidence.append(Evidence(text, mean, "Hz", command, window.start, window.end, low.device.index))
    yield Found(
        title=f"clocks are {100 * (1 - most.ratio):.0f} % below their maximum for "
        f"{share(most.low_ns, most.kernel_ns)} of kernel time: {words}",
        evidence=tuple(evidence),
        confidence=Confidence.HIGH if most.reason else Confidence.MEDIUM,
        reasons=(
            why,
            "kernels that wait for memory lose less than the clock does: the cost is the most it can be",
        ),
        confirm="`nvidia-smi -q -d PERFORMANCE` names the reason while the program runs",
        claims=tuple(low.claim for low in found),
    )


def _low(case: Case, device: Device) -> _Low | None:
    """How low a device's clock is while kernels run; None where it is not, or too little is known."""
    quantity = metrics_of(case.index).quantity(device.index, "clock_gpc")
    if quantity is None or not len(quantity):
        return None
    window = case.window
    kernels = case.index.coverage(device.index, None, Busy.KERNELS)
    pieces = kernels.cut(window.start, window.end)
    mean = quantity.average(Spans(pieces.start, pieces.end)).sure
    first, last = (int(edge) for edge in quantity.samples_in(window.start, window.end))
    begin, end = quantity.axis.begin[first:last], quantity.axis.end[first:last]
    greatest = quantity.extremes[1]
    if mean is None or greatest <= 0:
        return None
    clock = quantity.values(first, last)
    low = np.flatnonzero(clock < case.limits.clock_ratio * greatest)
    if len(low) < FEW:
        return None
    busy = Spans(pieces.start, pieces.end)
    inside = intersect((begin[low], end[low]), busy)
    low_ns, kernel_ns = int((inside.end - inside.start).sum()), int((pieces.end - pieces.start).sum())
    if low_ns < case.limits.clock_share * kernel_ns or not low_ns:
        return None
    at = np.minimum(np.searchsorted(end[low], inside.start, "right"), len(low) - 1)
    factor = clock[low][at] / greatest
    length = inside.end - inside.start
    lost = np.rint(length * (1 - factor)).astype(np.int64)
    ratio = float((factor * length).sum() / low_ns)
    claim = Claim(device.index, Lost.SLOWED, Spans(inside.end - lost, inside.end))
    return _Low(device, ratio, low_ns, kernel_ns, mean, _reason(case, device, inside), claim)


def _reason(case: Case, device: Device, low: Spans) -> str:
    """Why the clock is low in these stretches; empty: it can't be told."""
    metrics = metrics_of(case.index)
    for key, name in (("power", "power"), ("temperature", "thermal")):
        quantity = metrics.quantity(device.index, key)
        if quantity is None or not len(quantity):
            continue
        value = quantity.average(low).known
        least = NEAR * quantity.extremes[1] if key == "power" else HOT
        if value is not None and value >= least:
            return name
    return ""


FAULT = Fault(
    SLUG,
    "the clock is held down while kernels run",
    _examine,
    f"The GPC clock is under its maximum of the capture for a part of kernel time (GPU metrics; power and "
    f"temperature of NVML's plugin tell why). Samples cover {100 * LEAST_COVERAGE:.0f} % of it at least.",
    advice=(
        "Power: raise the cap (`nvidia-smi -pl`) where the rack allows it, or lock a clock that all hold.",
        "Heat: check fans, airflow and the inlet temperature; spread the load.",
        "Compare runs at locked clocks only (`nvidia-smi -lgc`).",
    ),
    also_possible=("application clocks were set lower on purpose",),
    limits=("clock_ratio", "clock_share"),
)
