"""Idle time cut into pieces, each with its device, its cause and its step."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from tui.analysis.blame import BlameClass, find_blame
from tui.analysis.faults.finding import Claim, Lost
from tui.analysis.faults.pace import Pace
from tui.analysis.gaps import DeviceGaps, find_gaps
from tui.analysis.index import Index
from tui.analysis.scope import Scope
from tui.report.columns import Bool, Int32, Int64, UInt8

LOADING = (BlameClass.JIT_COMPILATION, BlameClass.MODULE_LOAD)
HOST_WORK = (BlameClass.HOST_CODE, BlameClass.OTHER_CUDA_CALL, BlameClass.OS_CALL, BlameClass.GIL, *LOADING)
LAUNCHING = (BlameClass.LAUNCH, BlameClass.LAUNCH_LATENCY)


@dataclass(frozen=True)
class Pieces:
    """Parts of gaps of all devices in scope, by device and time; arrays of one length."""

    device: Int32
    start: Int64
    end: Int64
    cause: UInt8
    """:class:`BlameClass`."""
    call: Int32
    """Name of the CUDA, MPI or OS call, a position in ``Report.strings``; -1 none."""
    range: Int64
    """The innermost NVTX range, a position in ``Report.ranges``; -1 none."""
    thread: Int32
    """The thread that is responsible; -1 unknown."""
    gap: Int64
    """Number of the gap, through all devices: pieces of one gap are neighbours."""
    gap_start: Int64
    gap_end: Int64
    opened_by: UInt8
    """Cause of the first piece of the same gap."""
    step: Int64
    """Position in the pace of the piece's process; between steps the next one; -1 none."""
    pace: Int64
    """Position in the case's paces; -1 none."""
    in_opening: Bool
    """Before the step's first kernel is launched: between steps, or at the step's start."""

    def __len__(self) -> int:
        return len(self.start)

    @property
    def ns(self) -> Int64:
        return self.end - self.start

    @property
    def step_count(self) -> int:
        """The number of steps, of all processes, that they belong to."""
        return len(np.unique(np.stack((self.pace, self.step)), axis=1).T)

    def where(self, chosen: Bool) -> Pieces:
        """Return only the ``chosen`` pieces."""
        return Pieces(**{f.name: getattr(self, f.name)[chosen] for f in fields(self)})

    def caused_by(self, *causes: BlameClass) -> Bool:
        """Return which pieces have one of these causes."""
        return np.isin(self.cause, causes)

    def in_ranges(self, chosen: Bool) -> Bool:
        """Return which pieces lie in one of the ``chosen`` ranges (one flag a range of the report)."""
        inside: Bool = np.append(chosen, False)[self.range]  # the last flag is for -1, no range
        return inside

    def in_steps(self, chosen: list[Bool]) -> Bool:
        """Return which pieces belong to the ``chosen`` steps (for each pace, one flag a step)."""
        inside = np.zeros(len(self), bool)
        for number, steps in enumerate(chosen):
            mine = (self.pace == number) & (self.step >= 0)
            inside[mine] = steps[self.step[mine]]
        return inside

    def claims(self) -> tuple[Claim, ...]:
        """Return the time of these pieces as idle time of their devices."""
        return tuple(Claim.by_device(self.device, Lost.IDLE, self.start, self.end))


def find_pieces(index: Index, scope: Scope, paces: list[Pace], floor_ns: int) -> Pieces:
    """Return the pieces of every gap of at least ``floor_ns``."""
    parts: list[Pieces] = []
    number = 0
    for gaps in find_gaps(index, scope, floor_ns):
        parts.append(_of_device(index, gaps, paces, number))
        number += len(gaps)
    columns: dict[str, Any] = {
        f.name: np.concatenate([getattr(p, f.name) for p in parts]) if parts else np.zeros(0, np.int64)
        for f in fields(Pieces)
    }
    return Pieces(**columns)


def _of_device(index: Index, gaps: DeviceGaps, paces: list[Pace], number: int) -> Pieces:
    blame = find_blame(index, gaps)
    first = np.searchsorted(blame.gap, np.arange(len(gaps)), "left")
    pace, step, opening = _placed(index, blame.start, blame.thread, paces)
    return Pieces(
        device=np.full(len(blame), gaps.device.index, np.int32),
        start=blame.start,
        end=blame.end,
        cause=blame.cause,
        call=blame.call,
        range=blame.range,
        thread=blame.thread,
        gap=blame.gap + number,
        gap_start=gaps.start[blame.gap],
        gap_end=gaps.end[blame.gap],
        opened_by=blame.cause[first][blame.gap],
        step=step,
        pace=pace,
        in_opening=opening,
    )


def _placed(index: Index, times: Int64, threads: Int32, paces: list[Pace]) -> tuple[Int64, Int64, Bool]:
    """Return (pace, step, whether before the step's first launch) of each time on its thread."""
    pace = np.full(len(times), -1, np.int64)
    step = np.full(len(times), -1, np.int64)
    opening = np.zeros(len(times), bool)
    process = index.process_of_thread[threads]
    for number, one in enumerate(paces):
        mine = np.flatnonzero((process == one.process) | (len(paces) == 1))
        place = one.of_times(times[mine])
        inside = (place >= 0) & (place < len(one))
        mine, place = mine[inside], place[inside]
        pace[mine], step[mine] = number, place
        opening[mine] = times[mine] < one.first_work[place]
    return pace, step, opening
