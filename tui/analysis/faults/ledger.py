"""Who is charged with which device time: each instant of a device at most once."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from tui.analysis.faults.finding import Claim, Lost
from tui.intervals import Spans, empty, intersect, subtract, total, union


class Ledger:
    """Takes claims in order of precedence and grants what is real and nobody has yet."""

    def __init__(self, lost: Callable[[int, Lost], Spans]) -> None:
        self._lost = lost
        self._taken: dict[int, Spans] = {}

    def offer(self, claims: Iterable[Claim]) -> list[Claim]:
        """What would be granted of ``claims``: merged, one a device and kind, without empty ones."""
        granted: list[Claim] = []
        fresh: dict[int, Spans] = {}
        for claim in claims:
            wanted = intersect(union(*claim.spans), self._lost(claim.device, claim.lost))
            for taken in (self._taken.get(claim.device), fresh.get(claim.device)):
                if taken is not None:
                    left = subtract(wanted, taken)
                    wanted = Spans(left.start, left.end)
            if len(wanted.start):
                granted.append(Claim(claim.device, claim.lost, wanted))
                fresh[claim.device] = _together(fresh.get(claim.device, empty()), wanted)
        return granted

    def take(self, granted: Iterable[Claim]) -> None:
        """Mark granted claims as taken."""
        for claim in granted:
            self._taken[claim.device] = _together(self._taken.get(claim.device, empty()), claim.spans)

    def unclaimed(self, device: int) -> Spans:
        """Idle time that nobody has been charged with."""
        left = subtract(self._lost(device, Lost.IDLE), self._taken.get(device, empty()))
        return Spans(left.start, left.end)


def cost(claims: Iterable[Claim]) -> int:
    """Nanoseconds in granted claims."""
    return sum(total(*claim.spans) for claim in claims)


def _together(a: Spans, b: Spans) -> Spans:
    return union(np.concatenate((a.start, b.start)), np.concatenate((a.end, b.end)))
