"""The work window: the part of a capture that figures are about where no other is chosen.

It runs from the earlier of the first device op and the first step to the later of the last op and the last
finished step. What the device waits for before its first op of the first step counts so. Without steps it
is the device work; without device work everything that was recorded.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tui.analysis.index import Index
from tui.analysis.recorded_span import recorded_span
from tui.analysis.scope import EVERYTHING, Window
from tui.errors import NothingThere

if TYPE_CHECKING:
    from tui.analysis.steps import Steps

DEVICE_WORK = "GPU work"
"""The label of a window from the first to the last device op."""


def work_window(index: Index) -> Window:
    """The work window of the index's report. Raises NothingThere for a report without any event."""
    return index.once("work window", lambda: _find(index))


def recorded_window(index: Index) -> Window:
    """The window of all that was recorded. Raises NothingThere for a report without any event."""
    report = index.report
    span = recorded_span(report)
    if span is None:
        raise NothingThere(f"{report.path.name}: no CUDA, NVTX or OS events recorded")
    return Window(*span, label=EVERYTHING)


def _find(index: Index) -> Window:
    report = index.report
    if report.op_span is None:
        return replace(recorded_window(index), label="everything recorded (no GPU work)")
    from tui.analysis.steps import find_steps  # not for the window of everything

    if report.loading:  # steps would only be right by chance
        return Window(*report.op_span, label=DEVICE_WORK)
    return around(index, find_steps(index), *report.op_span)


def around(index: Index, steps: Steps, start: int, end: int) -> Window:
    """The window of device work from ``start`` to ``end`` and of these steps."""
    first, last, most = start, end, 0
    for sequence in steps.sequences:
        finished = ~index.report.ranges.unfinished[sequence.ranges]
        first = min(first, int(sequence.start[0]))
        last = max([last, *sequence.end[finished].tolist()[-1:]])
        most = max(most, len(sequence))
    if (first, last) == (start, end):
        return Window(start, end, label=DEVICE_WORK)
    numbers = "step 1" if most == 1 else f"steps 1-{most}"
    return Window(first, last, label=f"{numbers} + {DEVICE_WORK}")
