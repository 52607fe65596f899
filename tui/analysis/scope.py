"""The part of a report that an analysis covers: a window of time, devices, processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tui.analysis.device_names import choices
from tui.analysis.recorded_span import recorded_span
from tui.errors import NothingThere, UsageError
from tui.report.model import Device, Report
from tui.text.times import show_time

DEFAULT_MIN_GAP_NS = 100_000
"""The shortest gap that has a number where no other limit is chosen."""
EVERYTHING = "everything recorded"
"""The window from the first to the last event of any kind, in words."""


@dataclass(frozen=True)
class Window:
    """A stretch of time ``[start, end)``, in nanoseconds."""

    start: int
    end: int
    label: str = "GPU work"
    """Its name: ``GPU work``, ``step 3``, ``1.5s/1.62s``."""
    chosen: bool = False
    """False: the default, the work window."""
    note: str | None = None
    """What was adjusted (clamping), for the user to read."""
    touching: bool = False
    """Whether rows count that end just as it starts, and launches only inside: see `tui.analysis.filters`."""

    @property
    def length(self) -> int:
        return self.end - self.start


@dataclass(frozen=True)
class Scope:
    """The events that count. ``devices`` and ``processes`` are positions in the report; None: all."""

    window: Window
    devices: tuple[int, ...] | None = None
    processes: tuple[int, ...] | None = None

    @property
    def narrowed(self) -> bool:
        """Whether a window, devices or processes were chosen."""
        return self.window.chosen or self.devices is not None or self.processes is not None

    def within(self, start: int, end: int, label: str) -> Scope:
        """The same devices and processes in the window ``[start, end)``."""
        return replace(self, window=Window(start, end, label, chosen=True))


def noted(window: Window, note: str | None) -> Window:
    """``window`` with another ``note`` before its own."""
    notes = [n for n in (note, window.note) if n]
    return replace(window, note="; ".join(notes) or None)


def bounds_text(report: Report) -> str:
    """The capture's bounds, for error messages."""
    span = recorded_span(report)
    assert span is not None
    first, last = span
    return f"the capture runs from {show_time(first)} to {show_time(last)} ({first}/{last} ns)"


def chosen_window(report: Report, start: int | None, end: int | None, label: str) -> Window:
    """The window that a user asked for, clamped to the capture; None: from its start, to its end.

    UsageError where it is empty or outside, with the bounds.
    """
    span = recorded_span(report)
    if span is None:
        raise NothingThere(f"{report.path.name}: no CUDA, NVTX or OS events recorded")
    first, last = span
    low, high = first if start is None else start, last if end is None else end
    if low > high and start is not None and end is not None:
        raise UsageError(f"range {label} ends before it starts; {bounds_text(report)}")
    if low >= last or high <= first:
        raise UsageError(f"range {label} is outside the capture; {bounds_text(report)}")
    if low == high:
        raise UsageError(f"range {label} is empty; {bounds_text(report)}")
    note = None
    if low < first or high > last:
        low, high = max(low, first), min(high, last)
        note = f"range {label} reaches beyond the capture: clamped to {low}/{high} ns"
    return Window(low, high, label, chosen=True, note=note)


def pick_devices(report: Report, numbers: list[int] | None) -> tuple[int, ...] | None:
    """Positions of the devices with these numbers; UsageError lists what there is."""
    if numbers is None:
        return None
    working = devices_with_work(report)
    place = {d.cuda_id: d.index for d in working}
    there = dict(zip(place, choices(report, working), strict=True))
    _check(numbers, there, "no work on device", "it has no device with recorded work")
    return tuple(dict.fromkeys(place[n] for n in numbers))


def pick_processes(report: Report, pids: list[int] | None) -> tuple[int, ...] | None:
    """Positions of the processes with these pids; UsageError lists what there is."""
    if pids is None:
        return None
    there = {pid: str(pid) for pid in sorted({p.pid for p in report.processes})}
    _check(pids, there, "no process", "it names no process")
    return tuple(p.index for p in report.processes if p.pid in set(pids))


def devices_with_work(report: Report) -> list[Device]:
    """The devices that have ops."""
    return [d for d in report.devices if d.ops > 0]


def _check(wanted: list[int], existing: Mapping[int, str], missing: str, nothing: str) -> None:
    """Raise UsageError where a number is ``missing``; ``nothing``: what to say where there are none."""
    if absent := [n for n in wanted if n not in existing]:
        there = f"it has {', '.join(existing[n] for n in sorted(existing))}" if existing else nothing
        raise UsageError(f"{missing} {', '.join(map(str, absent))} in the report; {there}")
