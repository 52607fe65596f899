"""How much of each cell of a rank's lane goes into which state.

Two sources answer alike: the strip of a summary, which is coarse, and the runs of opened columns, which are
exact. Communication is exact in both, as a summary keeps its exposed pieces one by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tui.intervals import Coverage
from tui.ranks.summary import ExposedPieces, State
from tui.report.columns import Int64, UInt8, UInt16

Times = NDArray[np.float64]
"""Shape (cells, len(Shown)): ns of each state in each cell. A cell without data is zero throughout."""


class Shown(IntEnum):
    """What a cell of a rank's lane is drawn as."""

    COMPUTE = 0
    TRANSFER = 1
    """Exposed communication, the last participant in."""
    WAIT = 2
    """Exposed communication, the last participant not in yet."""
    COPIES = 3
    UNSPLIT = 4
    """Exposed communication of which the wait is not known."""
    OTHER = 5
    """Work of other APIs, and what was launched and not recorded."""
    IDLE = 6


_OF_STATE = {
    State.COMPUTE: Shown.COMPUTE, State.EXPOSED: Shown.UNSPLIT, State.COPIES: Shown.COPIES,
    State.OTHER: Shown.OTHER, State.IDLE: Shown.IDLE,
}  # fmt: skip
_REST = [state for state in State if state is not State.EXPOSED]
_SHOWN_REST = np.array([_OF_STATE[state] for state in _REST])
_STATE_REST = np.array(_REST)


class Runs(NamedTuple):
    """Stretches of one state each: int64 ns, disjoint, by start; between them there are no data."""

    start: Int64
    end: Int64
    state: UInt8

    def at(self, time: int) -> int:
        """The position of the run that holds ``time``; -1 for none."""
        found = int(np.searchsorted(self.start, time, "right")) - 1
        return found if found >= 0 and time < self.end[found] else -1


class StateTimes(Protocol):
    """What a rank does, by time in its report's ns."""

    exact: bool

    def over(self, edges: Int64) -> Times:
        """The time of each state between consecutive ``edges``."""
        ...

    @property
    def runs(self) -> Runs:
        """What is drawn as one piece; of a strip as coarse as its bins."""
        ...


@dataclass(frozen=True, eq=False)
class Communication:
    """The exposed communication of a rank by what it was spent on."""

    wait: Coverage
    unsplit: Coverage
    all: Coverage

    @classmethod
    def of(cls, pieces: ExposedPieces, began: Int64, wait: Int64 | None) -> Communication:
        """Split ``pieces`` by the collectives' starts and waits (ns; -1 unknown, None: all unknown)."""
        if wait is None:
            wait = np.full(len(began), -1, np.int64)
        here, start = wait[pieces.collective], pieces.start
        waited = np.clip(began[pieces.collective] + here, start, pieces.end)
        known = here >= 0
        waits = known & (waited > start)
        return cls(
            Coverage.of(start[waits], waited[waits]),
            Coverage.of(start[~known], pieces.end[~known]),
            Coverage.of(start, pieces.end),
        )

    def into(self, times: Times, edges: Int64) -> Int64:
        """Put the time of each kind into its column of ``times``; return their sums."""
        found, wait = self.all.over(edges), self.wait.over(edges)
        unsplit = self.unsplit.over(edges) if len(self.unsplit) else np.zeros(1, np.int64)
        times[:, Shown.WAIT], times[:, Shown.UNSPLIT] = wait, unsplit
        times[:, Shown.TRANSFER] = found - wait - unsplit
        return found


class StripTimes:
    """From a strip of shares over the report's ``span``: see `RankSummary.strip`."""

    exact = False

    def __init__(self, strip: UInt16, span: tuple[int, int], communication: Communication) -> None:
        self._strip = strip
        self._span = span
        self._communication = communication

    @cached_property
    def _before(self) -> NDArray[np.uint32]:
        """Shares before each bin, and in all."""
        before = np.zeros((len(self._strip) + 1, self._strip.shape[1]), np.uint32)
        np.cumsum(self._strip, axis=0, dtype=np.uint32, out=before[1:])
        return before

    def over(self, edges: Int64) -> Times:
        first, bins = self._span[0], len(self._strip)
        length = max(self._span[1] - first, 1)
        place = np.clip((edges - first) * (bins / length), 0, bins)
        whole = np.minimum(place.astype(np.intp), bins - 1)
        rest = (place - whole)[:, None]
        until = self._before[whole] + rest * self._strip[whole]
        shares = (until[1:] - until[:-1]) * (length / bins / 65535)
        times = np.zeros((len(edges) - 1, len(Shown)))
        others = shares[:, _STATE_REST]
        if not len(self._communication.all):
            times[:, _SHOWN_REST], times[:, Shown.UNSPLIT] = others, shares[:, State.EXPOSED]
            return times
        # Communication is exact: the other states share what it leaves of the recorded time.
        rest = others.sum(axis=1)
        left = rest + shares[:, State.EXPOSED] - self._communication.into(times, edges)
        times[:, _SHOWN_REST] = others * (np.maximum(left, 0) / np.maximum(rest, 1e-9))[:, None]
        return times

    @cached_property
    def runs(self) -> Runs:
        first, last = self._span
        bins = len(self._strip)
        edges = first + np.array([(last - first) * at // bins for at in range(bins + 1)], np.int64)
        times = self.over(edges)
        state = np.where(times.sum(axis=1) > 0, times.argmax(axis=1), len(Shown))
        begins = np.flatnonzero(np.diff(state, prepend=-1))
        ends = np.append(begins[1:], bins)
        known = state[begins] < len(Shown)
        begins, ends = begins[known], ends[known]
        return Runs(edges[begins], edges[ends], state[begins].astype(np.uint8))


class RunTimes:
    """From exact runs of the states."""

    exact = True

    def __init__(self, runs: Runs) -> None:
        self.runs = runs
        self._coverages = [
            (shown, Coverage.of(runs.start[chosen], runs.end[chosen]))
            for shown in Shown
            if (chosen := runs.state == shown).any()
        ]

    def over(self, edges: Int64) -> Times:
        times = np.zeros((len(edges) - 1, len(Shown)))
        for shown, coverage in self._coverages:
            times[:, shown] = coverage.over(edges)
        return times
