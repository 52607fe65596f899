"""The wait at the capture's end: it completes what the steps queued and is no cost of theirs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.faults.case import Case
from tui.report.model import CallClass
from tui.text.times import show_duration


@dataclass(frozen=True)
class Drain:
    """A synchronisation after the last step."""

    call: int
    """Position in ``Report.calls``."""
    start: int
    end: int

    @property
    def ns(self) -> int:
        return self.end - self.start


def final_drain(case: Case) -> Drain | None:
    """The longest synchronisation after the last launch of a process that has steps; None: none."""
    calls = case.report.calls
    launches = case.index.launches
    if not case.paces or not len(launches):
        return None
    longest: Drain | None = None
    for pace in case.paces:
        own = case.index.process_of_thread[calls.thread] == pace.process
        issued = launches[own[launches]]
        if not len(issued):
            continue
        after = max(int(calls.start[issued[-1]]), int(pace.end[-1]))
        waits = np.flatnonzero(own & (calls.call_class == CallClass.SYNCHRONISATION) & (calls.start >= after))
        for call in waits[np.argsort(calls.start[waits] - calls.end[waits], kind="stable")[:1]].tolist():
            found = Drain(call, int(calls.start[call]), int(calls.end[call]))
            if longest is None or found.ns > longest.ns:
                longest = found
    return longest


def drain_note(case: Case) -> str | None:
    """What the final drain is, for whoever takes it for a fault; None: there is none."""
    drain = final_drain(case)
    if drain is None:
        return None
    call = case.call_name(int(case.report.calls.name[drain.call]))
    return (
        f"the {call} of {show_duration(drain.ns)} after the last step drains what the steps queued: it is "
        "the end of the measurement, not a cost per step"
    )
