"""The process that is being summarised: what all parts of its summary need to know of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.analysis.grouping import dense
from tui.analysis.index import Index
from tui.analysis.steps import Steps, StepSequence
from tui.intervals import Spans
from tui.ranks.summing.mpi_names import mpi_communicates
from tui.report.columns import Bool, Int32, Int64, Positions


class Names:
    """The names of one rank: each text once, by its position."""

    def __init__(self) -> None:
        self._place: dict[str, int] = {}

    def add(self, text: str | None) -> int:
        """Return the position of ``text``; -1 for none."""
        return -1 if text is None else self._place.setdefault(text, len(self._place))

    def of(self, keys: NDArray[Any], text: Callable[[int], str | None]) -> Int32:
        """Return the position of each key's text, which is asked once a distinct key."""
        groups, values = dense(keys)
        places = np.array([self.add(text(value)) for value in values.tolist()], np.int32)
        return places[groups] if len(places) else np.zeros(0, np.int32)

    def all(self) -> tuple[str, ...]:
        return tuple(self._place)


@dataclass(frozen=True)
class Subject:
    """One process of a report that is a rank."""

    index: Index
    process: int
    """Position in ``Report.processes``."""
    devices: tuple[int, ...]
    """Those that it has ops on, positions in ``Report.devices``."""
    steps: Steps
    names: Names = field(default_factory=Names)

    @cached_property
    def sequence(self) -> StepSequence | None:
        """Its steps; None: it has none."""
        return next((s for s in self.steps.sequences if s.process == self.process and len(s)), None)

    @cached_property
    def bounds(self) -> Spans:
        """Starts and ends of its steps, by start; none where it has none."""
        none = np.zeros(0, np.int64)
        return Spans(none, none) if self.sequence is None else Spans(self.sequence.start, self.sequence.end)

    @cached_property
    def unfinished(self) -> Bool:
        """Which of its steps were never closed."""
        if self.sequence is None:
            return np.zeros(0, bool)
        return self.sequence.unfinished(self.index.report.ranges.unfinished)

    @cached_property
    def ops(self) -> Positions:
        """Its ops, positions in ``Report.ops`` by start."""
        ops = self.index.report.ops
        return np.flatnonzero((ops.process == self.process) & (ops.device >= 0))

    @cached_property
    def mpi(self) -> Positions:
        """The calls of its threads that communicate over MPI, positions in ``Index.mpi_calls`` by start."""
        calls, strings = self.index.mpi_calls, self.index.report.strings
        mine = np.flatnonzero(self.index.process_of_thread[calls.thread] == self.process)
        groups, values = dense(calls.name[mine])
        fits = np.array([n >= 0 and mpi_communicates(strings[n]) for n in values.tolist()], bool)
        mine = mine[fits[groups]] if len(mine) else mine
        return mine[np.argsort(calls.start[mine], kind="stable")]

    @cached_property
    def thread(self) -> int:
        """The thread that its steps are on; without steps the one that is longest in MPI calls; -1 none."""
        if self.sequence is not None:
            return self.sequence.thread
        calls = self.index.mpi_calls
        if not len(self.mpi):
            return -1
        length = calls.end[self.mpi] - calls.start[self.mpi]
        return int(np.argmax(np.bincount(calls.thread[self.mpi], length)))

    def step_of(self, times: Int64) -> Int32:
        """Return the position of the step that each time lies in, of two that overlap the later; -1 none."""
        start, end = self.bounds
        if not len(start):
            return np.full(len(times), -1, np.int32)
        at = np.searchsorted(start, times, "right") - 1
        inside = (at >= 0) & (times < end[np.maximum(at, 0)])
        return np.where(inside, at, -1).astype(np.int32)
