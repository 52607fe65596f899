"""One time axis for the ranks of a run: how far each clock is off, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import hypot, inf, sqrt

import numpy as np

from tui.ranks import limits
from tui.ranks.clocks import Clocks
from tui.report.columns import Int64


class Mode(Enum):
    """How ranks are brought to one axis."""

    AUTO = "auto"
    COLLECTIVES = "collectives"
    CLOCK = "clock"
    STEPS = "steps"
    START = "start"
    NONE = "none"


@dataclass(frozen=True)
class DomainClock:
    """The clock of one domain on the axis."""

    offset_ns: int = 0
    """What is added to its times beyond their base."""
    spread_ns: float | None = None
    """Robust spread of the ends of its anchors; None: no anchors."""
    uncertainty_ns: float | None = None
    """How far its offset may be off; None: unknown."""
    drift_ppm: float = 0.0
    """How much faster its clock runs than the axis; taken out of its times."""
    drift_from_ns: int = 0
    """The moment, in the domain's based time, at which the offset holds exactly."""
    anchors: int = 0
    dropped: int = 0
    """Anchors that no offset allows: an end before another's start."""
    violations: int = 0
    """Those of the aligned rows."""
    island: int = 0
    """Domains of one number are related by collectives, directly or through others."""
    measured: bool = False
    """Whether the offset comes from collectives."""
    resolved: bool = True
    """False: the clock was set meanwhile; its arrivals can't be compared."""


@dataclass(frozen=True)
class Alignment:
    """Where the times of each rank are on the axis of a run."""

    mode: Mode
    """The mode that was used; never :attr:`Mode.AUTO`."""
    clocks: Clocks
    domains: tuple[DomainClock, ...]
    """By domain of :attr:`clocks`."""
    rank_offset_ns: tuple[int, ...]
    """By rank: what is added to its recorded times, before its domain's drift is taken out."""
    notes: tuple[str, ...] = ()
    clock_uncertainty_ns: float = limits.CLOCK_PRIOR.value
    """How far clocks that nothing but UTC relates may be off."""
    origin_ns: int = 0
    """UTC of the axis's 0, in the modes that go by clocks."""
    related: bool = True
    """Whether times of several ranks may be compared at all: not where each is as it was recorded."""

    def to_axis(self, rank: int, times: Int64) -> Int64:
        """Bring recorded times of a rank to the axis, in ns."""
        moved: Int64 = times + np.int64(self.rank_offset_ns[rank])
        of = self.domains[self.clocks.domain[rank]]
        if of.drift_ppm and self.mode is Mode.COLLECTIVES:
            since = times + np.int64(self.clocks.base_ns[rank] - of.drift_from_ns)
            moved = moved - np.rint(since * (of.drift_ppm * 1e-6)).astype(np.int64)
        return moved

    def from_axis(self, rank: int, times: Int64) -> Int64:
        """Return the recorded times of a rank at moments of the axis, in ns."""
        recorded: Int64 = times - np.int64(self.rank_offset_ns[rank])
        of = self.domains[self.clocks.domain[rank]]
        if of.drift_ppm and self.mode is Mode.COLLECTIVES:
            since = recorded + np.int64(self.clocks.base_ns[rank] - of.drift_from_ns)
            factor = of.drift_ppm * 1e-6
            recorded = recorded + np.rint(since * (factor / (1 - factor))).astype(np.int64)
        return recorded

    def uncertainty(self, rank: int, other: int) -> float | None:
        """How far times of two ranks may be off against each other, in ns; None: unknown."""
        one, two = self.clocks.domain[rank], self.clocks.domain[other]
        if self.clocks.member[rank] == self.clocks.member[other]:
            return 0.0
        if one == two:
            spread = self.domains[one].spread_ns if self.mode is Mode.COLLECTIVES else None
            return limits.CLOCK_EXACT.value if spread is None else spread
        return self.between(one, two)

    def between(self, one: int, two: int) -> float | None:
        """The same of two domains."""
        if self.mode not in (Mode.COLLECTIVES, Mode.CLOCK):
            return None
        a, b = self.domains[one], self.domains[two]
        if a.uncertainty_ns is None or b.uncertainty_ns is None or not (a.resolved and b.resolved):
            return None
        if a.island != b.island or not (a.measured and b.measured):
            placed = self.clocks.domains[one].placed and self.clocks.domains[two].placed
            if not placed and one != two:
                return None
            return self.clock_uncertainty_ns
        return hypot(a.uncertainty_ns, b.uncertainty_ns)

    def precision(self, rank: int) -> float:
        """How far the offset of a rank's clock is likely off, in ns: the standard error of a median, three
        times. It is less than the uncertainty, which a single collective's ends may be off by."""
        of = self.domains[self.clocks.domain[rank]]
        if of.spread_ns is None or not of.anchors:
            return inf
        error = limits.PRECISE_ERRORS.value * 1.2533 * of.spread_ns / sqrt(of.anchors)
        return max(limits.CLOCK_EXACT.value, error)

    @property
    def uncertainty_ns(self) -> float | None:
        """The largest of any two domains, 0 for one report; None: unknown."""
        count = len(self.domains)
        if count == 1:
            return self.uncertainty(0, len(self.rank_offset_ns) - 1)
        found = [self.between(one, two) for one in range(count) for two in range(one)]
        return None if None in found else max(u for u in found if u is not None)

    @property
    def floor_ns(self) -> int:
        """Margins up to this are no lateness."""
        spreads, several = [], False
        for clock, domain in zip(self.domains, self.clocks.domains, strict=True):
            # Of a clock that was set the spread says nothing about ends.
            if clock.spread_ns is not None and clock.resolved:
                spreads.append(clock.spread_ns)
                several = several or len(domain.ranks) > 1
        if not several:
            return int(limits.MARGIN_UNKNOWN.value)
        return int(max(limits.MARGIN_LEAST.value, limits.MARGIN_SPREADS.value * max(spreads)))


def unaligned(clocks: Clocks) -> Alignment:
    """Return times as they were recorded."""
    return Alignment(
        Mode.NONE,
        clocks,
        tuple(DomainClock() for _ in clocks.domains),
        (0,) * len(clocks.base_ns),
        related=False,
    )
