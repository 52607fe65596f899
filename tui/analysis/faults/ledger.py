"""Which fault is charged with which device time: each instant of a device at most once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from tui.analysis.faults.finding import Claim, Lost
from tui.intervals import Spans, empty, intersect, subtract, total, union


class Ledger:
    """Grants claims in order of precedence: only time that was lost and that no earlier claim was granted."""

    def __init__(self, lost: Callable[[int, Lost], Spans]) -> None:
        """``lost``: returns all the time of one kind that a device lost."""
        self._lost = lost
        self._charged: defaultdict[int, Spans] = defaultdict(empty)

    def grantable(self, claims: Iterable[Claim]) -> list[Claim]:
        """Return what would be granted of ``claims``: merged spans, none empty."""
        granted: list[Claim] = []
        charged = self._charged.copy()
        for claim in claims:
            wanted = intersect(union(*claim.spans), self._lost(claim.device, claim.lost))
            left = Spans(*subtract(wanted, charged[claim.device])[:2])
            if len(left.start):
                granted.append(replace(claim, spans=left))
                _charge(charged, granted[-1])
        return granted

    def charge(self, granted: Iterable[Claim]) -> None:
        """Mark the time of granted claims as charged."""
        for claim in granted:
            _charge(self._charged, claim)

    def lost(self, device: int, lost: Lost) -> Spans:
        """Return all the time of one kind that a device lost, charged or not, merged."""
        return self._lost(device, lost)

    def charged(self, device: int) -> Spans:
        """Return the time of all kinds that a device's findings so far are charged with, merged."""
        return self._charged[device]

    def unclaimed(self, device: int) -> Spans:
        """Return the idle time that nothing has been charged with."""
        return Spans(*subtract(self._lost(device, Lost.IDLE), self._charged[device])[:2])


def _charge(charged: defaultdict[int, Spans], claim: Claim) -> None:
    before = charged[claim.device]
    start, end = (np.append(a, b) for a, b in zip(before, claim.spans, strict=True))
    charged[claim.device] = union(start, end)


def cost(claims: Iterable[Claim]) -> int:
    """Return the nanoseconds in claims whose spans are merged."""
    return sum(total(*claim.spans) for claim in claims)
