"""Long pieces of host code in gaps, with what the scheduler knows of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.blame import BlameClass
from tui.analysis.cpu.scheduling import scheduling
from tui.analysis.faults.case import Case
from tui.analysis.faults.data_ranges import in_data_range
from tui.analysis.faults.draining import debts
from tui.analysis.faults.periodic_stall import periodic
from tui.analysis.faults.pieces import Pieces
from tui.report.columns import NULL, Bool, Int64


@dataclass(frozen=True)
class HostCode:
    """Pieces of host code whose threads have scheduling data, in gaps that have much of it."""

    pieces: Pieces
    ran: Int64
    """How long the thread of each piece was on a CPU."""
    off_share: np.ndarray
    """Per piece, of all the host code in its gap: the share during which the thread did not run."""
    known_share: float
    """How much of the host code in question has scheduling data."""
    whole_ns: int
    """How much there is, known or not."""

    def where(self, chosen: Bool) -> HostCode:
        """Some of the pieces."""
        rows = self.pieces.where(chosen), self.ran[chosen], self.off_share[chosen]
        return HostCode(*rows, self.known_share, self.whole_ns)

    def matters(self, case: Case) -> bool:
        """Whether there is so much of it that a finding about it could cost something."""
        return 100 * self.whole_ns >= case.limits.min_cost_pct * case.device_ns


def host_code(case: Case) -> HostCode:
    """Return the host code that no fault with signs of its own is about.

    Left out are the debts of waits for the device, waits for input, and what comes at every n-th step.
    """
    return case.once("host code", lambda: _find(case))


def _find(case: Case) -> HostCode:
    pieces = case.pieces
    code = (pieces.cause == BlameClass.HOST_CODE) & (pieces.thread >= 0)
    code &= case.once("debts", lambda: debts(case, pieces)) < 0
    code &= ~in_data_range(case, pieces) & ~periodic(case)
    found = pieces.where(code)
    _, gap = np.unique(found.gap, return_inverse=True)
    long = _sums(gap, found.ns)[gap] >= case.limits.long_piece_ns
    found, gap = found.where(long), gap[long]
    ran = scheduling(case.index).on_cpu(found.start, found.end, found.thread)
    known = ran != NULL
    whole = int(found.ns.sum())
    share = int(found.ns[known].sum()) / whole if whole else 0.0
    found, ran, gap = found.where(known), ran[known], gap[known]
    off = _sums(gap, found.ns - ran)[gap] / np.maximum(_sums(gap, found.ns)[gap], 1)
    return HostCode(found, ran, off, share, whole)


def _sums(group: np.ndarray, values: Int64) -> Int64:
    found = np.zeros(int(group.max(initial=-1)) + 1, np.int64)
    np.add.at(found, group, values)
    return found
