"""Notes on work that the export does not show as CUDA work: launches and waits without rows, other APIs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from tui.analysis.index import Index
from tui.analysis.unrecorded import Unrecorded, launches_work, long_waits, unrecorded
from tui.intervals import Coverage
from tui.report.classify import base_api_name
from tui.report.columns import Positions, distinct_values
from tui.report.event_tables.other import gpu_of, is_gpu_work
from tui.report.model import CallClass, Report
from tui.text import safe
from tui.text.numbers import plural
from tui.text.times import show_duration, show_time

_NAMED = 3
"""How many kinds of calls a note names."""


def unseen_notes(index: Index) -> list[str]:
    """What was launched and not recorded, process by process; waits for such work; work of other APIs."""
    return [*_launches(index), *_waits(index), *_other_apis(index.report)]


def _launches(index: Index) -> Iterator[str]:
    found = unrecorded(index)
    for process in distinct_values(found.process).tolist():
        mine = np.flatnonzero(found.process == process)
        what = _calls(index.report, found.call[mine])
        text = f"{len(mine):,} of {_launch_count(index, process):,} launches own no device work ({what}): "
        if (found.device[mine] < 0).all():
            text += "on which device it ran is not known; "
        else:
            text += "the time after them is unknown, not idle; "
        yield f"{_process_words(index.report, process)}: {text}{_remedy(found, mine)}"


def _remedy(found: Unrecorded, mine: Positions) -> str:
    graphs = bool(found.is_graph[mine].any())
    option = "capture with --cuda-graph-trace=node, and see" if graphs else "see"
    return f"{option} whether CUPTI was disabled in the process or a second profiler was attached"


def _calls(report: Report, calls: Positions) -> str:
    """``100 x cudaGraphLaunch``."""
    names = Counter(base_api_name(report.strings[n]) for n in report.calls.name[calls].tolist())
    return ", ".join(f"{count:,} x {safe(name)}" for name, count in names.most_common(_NAMED))


def _launch_count(index: Index, process: int) -> int:
    """How many calls of a process launched kernels or graphs."""
    calls = index.report.calls
    own = np.flatnonzero(
        (calls.call_class == CallClass.LAUNCH) & (index.process_of_thread[calls.thread] == process)
    )
    return int(launches_work(index, own).sum())


def _waits(index: Index) -> Iterator[str]:
    waits, calls = long_waits(index), index.report.calls
    for process in distinct_values(waits.process).tolist():
        mine = np.flatnonzero(waits.process == process)
        over = calls.end[waits.call[mine]] - waits.since[mine]
        longest = int(np.argmax(over))
        call = int(waits.call[mine[longest]])
        name = safe(base_api_name(index.report.strings[int(calls.name[call])]))
        yield (
            f"{_process_words(index.report, process)}: {plural(len(mine), 'wait')} for the device ended long "
            f"after all recorded work, {name} at {show_time(int(calls.start[call]))} by "
            f"{show_duration(int(over[longest]))}: either something ran that was not "
            "recorded, or the host was late to wake up"
        )


def _other_apis(report: Report) -> Iterator[str]:
    for name, table in report.others.items():
        if is_gpu_work(name) and len(table.start):
            ns = Coverage(table.start, table.end).total
            unplaced = bool((gpu_of(report, table) < 0).any())
            place = "; the export does not say on which GPU all of it ran" if unplaced else ""
            yield f"{safe(name)}: {show_duration(ns)} of work of another API: other GPU work{place}"


def _process_words(report: Report, process: int) -> str:
    if process < 0:
        return "a process that is not known"
    one = report.processes[process]
    return f"process {one.pid}" + (f" ({safe(one.name)})" if one.name else "")
