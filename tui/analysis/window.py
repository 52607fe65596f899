"""Choosing a window in the words of the command line.

1.5s/1.62s   200ms/   /3s   a stretch of time; bare numbers are nanoseconds, an open side is the capture's
/                           all that was recorded, on the host too
step:3   step:3..5   step:3..   steps by number, from 1; without an end: to the last
nvtx:NAME   nvtx:NAME#2     the first (second) range of that name
gap:4                       a gap by the number that `gaps` gives it, whatever part of the report is chosen
"""

from __future__ import annotations

from collections.abc import Callable

from tui.analysis.device_names import chosen_note
from tui.analysis.index import Busy, Index
from tui.analysis.scope import (
    DEFAULT_MIN_GAP_NS,
    EVERYTHING,
    Scope,
    Window,
    chosen_window,
    noted,
    pick_devices,
    pick_processes,
)
from tui.analysis.work_window import work_window
from tui.errors import UsageError
from tui.report.model import Report
from tui.text.times import parse_time


def make_scope(
    report: Report,
    text: str | None = None,
    *,
    devices: list[int] | None = None,
    processes: list[int] | None = None,
    step: str | None = None,
    index: Index | None = None,
    min_gap_ns: int = DEFAULT_MIN_GAP_NS,
    busy: Busy = Busy.ALL,
    default: Callable[[Index], Window] = work_window,
) -> Scope:
    """Return the scope that the options of a command mean, ``text`` being its ``--range``.

    ``default`` gives the window where there is no ``text``: other windows need no steps.
    ``min_gap_ns`` and ``busy`` matter to ``gap:K`` only. UsageError: a wrong option, with what there
    is; NothingThere: the report holds no step, range or gap of the kind.
    """
    index = index or Index(report, step=step)
    owners = pick_devices(report, devices), pick_processes(report, processes)
    note = chosen_note(report, owners[0])
    if text is None:
        return Scope(noted(default(index), note), *owners)
    text = text.strip()
    kind, colon, rest = text.partition(":")
    if not colon or kind not in ("step", "nvtx", "gap"):
        return Scope(noted(_time_window(report, text), note), *owners)
    # Most commands name no such window: steps and gaps are imported for those that do.
    from tui.analysis.named_windows import gap_window, range_window, step_window

    if kind == "step":
        window = step_window(index, owners[1], rest, step)
    elif kind == "nvtx":
        window = range_window(index, owners[1], rest)
    else:
        window = gap_window(index, rest, min_gap_ns, busy)
    return Scope(noted(window, note), *owners)


def _time_window(report: Report, text: str) -> Window:
    start, slash, end = text.partition("/")
    if not slash:
        raise UsageError(
            f"{text!r} is no range such as 1.5s/1.62s, 200ms/, step:3, step:3..5, nvtx:NAME#2 or gap:1"
        )
    return chosen_window(
        report,
        parse_time(start) if start.strip() else None,
        parse_time(end) if end.strip() else None,
        text if text != "/" else EVERYTHING,
    )
