"""Whether one rank, host or position is usually last, several in turn, or none enough to matter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from math import sqrt

import numpy as np

from tui.ranks import limits
from tui.ranks.arrivals import Arrivals, Level
from tui.ranks.rank_set import Run
from tui.ranks.waits import Instances, Waits
from tui.report.columns import Bool, Int32, Int64


class Kind(Enum):
    """What is found."""

    PINNED = "pinned"
    ROTATING = "rotating"
    EVEN = "even"
    UNRESOLVED = "unresolved"


class TimeClass(Enum):
    """What the time in collectives is."""

    TRANSFER = "transfer"
    ARRIVAL = "arrival"
    MIXED = "mixed"
    UNRESOLVED = "unresolved"


@dataclass(frozen=True)
class Standing:
    """How often one rank, host or position was last, of the resolved instances that it took part in."""

    name: str
    """What people call it."""
    rank: int | None
    """Position in ``Run.ranks``, of a rank."""
    times_last: int
    instances: int
    expected: float
    """The share that chance gives it."""
    cost_ns: int
    """How much later it came than the next, summed over the times that it was last."""
    caused_ns: int
    """What all others together waited for it alone."""
    pinned: bool

    @property
    def share(self) -> float | None:
        """How often it was last, 0 to 1; None where it took part in nothing that counts."""
        return self.times_last / self.instances if self.instances else None


@dataclass(frozen=True)
class LevelVerdict:
    """The verdict at one level."""

    level: Level
    kind: Kind
    standings: tuple[Standing, ...]
    """Ranks in the order of the run, others by first rank."""
    resolved: int
    """Instances that count."""
    steps: int
    """In how many steps they are; as many as there are of them where one is outside steps."""
    unresolved: int
    """Those whose margin may be chance."""
    cost_ns: int
    window_ns: int

    @property
    def who(self) -> tuple[Standing, ...]:
        """The pinned ones that cost enough to name, larger cost first."""
        if self.kind is not Kind.PINNED:
            return ()
        least = limits.WORTH_NAMING.value * self.window_ns
        found = [s for s in self.standings if s.pinned and s.cost_ns >= least]
        return tuple(sorted(found, key=lambda s: -s.cost_ns))


@dataclass(frozen=True)
class Verdict:
    """Who is late in a run: the level that explains most, and all levels."""

    by_level: dict[Level, LevelVerdict]
    """Those that are known; ranks always."""
    level: Level
    partial: bool
    """Some participants are missing: it is a verdict among those that are there."""

    @property
    def chosen(self) -> LevelVerdict:
        """The verdict at :attr:`level`."""
        return self.by_level[self.level]

    @property
    def kind(self) -> Kind:
        """What is found."""
        return self.chosen.kind

    @property
    def who(self) -> tuple[Standing, ...]:
        """Who is pinned, larger cost first; empty unless somebody is."""
        return self.chosen.who

    @property
    def cost_ns(self) -> int:
        """By how much all last arrivers were late, summed."""
        return self.chosen.cost_ns

    @property
    def window_ns(self) -> int:
        """The time that the cost is compared with."""
        return self.chosen.window_ns


def window_of(run: Run) -> int:
    """The length of the longest rank's window, in ns: no clocks needed."""
    return max((rank.summary.window[1] - rank.summary.window[0] for rank in run.ranks), default=0)


def judge(
    waits: Waits,
    *,
    window_ns: int | None = None,
    chosen: Sequence[Bool] | None = None,
    communicators: Sequence[int] | None = None,
) -> Verdict:
    """Return who is late.

    ``chosen``: by communicator, which instances count (all by default). ``communicators``: those that count.
    """
    run = waits.matched.run
    window = window_of(run) if window_ns is None else window_ns
    which = range(len(waits.instances)) if communicators is None else communicators
    counted = [(at, waits.instances[at].judged & (True if chosen is None else chosen[at])) for at in which]
    by_level: dict[Level, LevelVerdict] = {}
    for level in Level:
        arrivals = waits.arrivals(level)
        tables = [(arrivals[at], waits.instances[at], mask) for at, mask in counted]
        known = [(a, table, mask) for a, table, mask in tables if a is not None]
        if level is Level.RANK or known:
            by_level[level] = _at_level(waits, level, known, window)
    ranks = by_level[Level.RANK]
    pinned = [verdict for verdict in by_level.values() if verdict.kind is Kind.PINNED]
    best = max(pinned, key=lambda verdict: _weight(verdict, ranks), default=ranks)
    partial = any(bool((waits.instances[at].partial & mask).any()) for at, mask in counted)
    return Verdict(by_level, best.level, partial)


def _weight(verdict: LevelVerdict, ranks: LevelVerdict) -> float:
    """What the pinned ones caused; hosts and positions must have caused clearly more than one rank did."""
    caused = sum(s.caused_ns for s in verdict.who)
    wider = verdict is not ranks and ranks.kind is Kind.PINNED
    return caused / limits.WIDER.value if wider else caused


def _at_level(
    waits: Waits, level: Level, tables: Sequence[tuple[Arrivals, Instances, Bool]], window: int
) -> LevelVerdict:
    run = waits.matched.run
    times: dict[str, list[float]] = {}
    if level is Level.RANK:
        times = {f"{at}": [0, 0, 0.0, 0, 0] for at in range(len(run.ranks))}
    resolved = unresolved = total = 0
    steps: set[int] = set()
    for arrivals, table, mask in tables:
        sure = mask & (arrivals.margin_ns > waits.floor_ns) & (arrivals.last >= 0)
        resolved += int(sure.sum())
        steps.update(np.unique(table.step[sure]).tolist())
        unresolved += int((mask & ~sure).sum())
        total += int(arrivals.margin_ns[sure].sum())
        size = len(arrivals.groups)
        last = arrivals.last[sure]
        counts = np.bincount(last, minlength=size)
        cost = _summed(last, arrivals.margin_ns[sure], size)
        caused = _summed(last, arrivals.caused_ns[sure], size)
        took_part = int(sure.sum())
        expected = float((1 / table.participants[sure]).sum()) if level is Level.RANK else took_part / size
        for at, name in enumerate(arrivals.groups):
            entry = times.setdefault(name, [0, 0, 0.0, 0, 0])
            entry[0] += int(counts[at])
            entry[1] += took_part
            entry[2] += expected
            entry[3] += cost[at]
            entry[4] += caused[at]
    seen = len(steps) if -1 not in steps else resolved
    standings = tuple(_standing(run, level, name, entry, seen) for name, entry in times.items())
    least = limits.WORTH_NAMING.value * window
    few = resolved < limits.VERDICT_LEAST.value
    if few or unresolved > limits.MOSTLY_UNRESOLVED.value * (resolved + unresolved):
        kind = Kind.UNRESOLVED
    elif any(s.pinned and s.cost_ns >= least for s in standings):
        kind = Kind.PINNED
    else:
        kind = Kind.ROTATING if total >= least else Kind.EVEN
    return LevelVerdict(level, kind, standings, resolved, seen, unresolved, total, window)


def _standing(run: Run, level: Level, name: str, entry: Sequence[float], steps: int) -> Standing:
    last, instances, expected, cost, caused = entry
    rank = int(name) if level is Level.RANK else None
    chance = expected / instances if instances else 0.0
    return Standing(
        name=run.ranks[rank].name if rank is not None else name,
        rank=rank,
        times_last=int(last),
        instances=int(instances),
        expected=chance,
        cost_ns=int(cost),
        caused_ns=int(caused),
        pinned=bool(instances) and is_pinned(int(last), int(instances), chance, steps),
    )


def is_pinned(times_last: int, instances: int, chance: float, steps: int | None = None) -> bool:
    """Whether one was last more often than chance (a share, 0 to 1) explains; ``steps``: in how many."""
    if instances < limits.VERDICT_LEAST.value:
        return False
    return times_last / instances >= pinned_share(instances, chance, steps)


def pinned_share(instances: int, chance: float, steps: int | None = None) -> float:
    """The share of the instances from which on one that is last so often is pinned.

    Who is late in a step is late in all of its instances: as many steps are what chance is judged by.
    """
    least = max(
        limits.PINNED_SHARE.value, chance + limits.PINNED_SIGMAS.value * _deviation(chance, instances)
    )
    if steps is None or steps >= instances:
        return least
    by_steps = chance + limits.PINNED_STEP_SIGMAS.value * _deviation(chance, max(1, steps))
    return max(least, min(limits.PINNED_CERTAIN.value, by_steps))


def is_often_last(standing: Standing, steps: int) -> bool:
    """Whether chance hardly explains how often one was last in ``steps`` steps, be it pinned or not."""
    if standing.share is None:
        return False
    chances = max(1, min(steps, standing.instances))
    beyond = limits.OFTEN_SIGMAS.value * _deviation(standing.expected, chances)
    return standing.share >= standing.expected + beyond


def _deviation(chance: float, count: int) -> float:
    return sqrt(chance * (1 - chance) / count)


def time_class(table: Instances, mask: Bool) -> TimeClass:
    """What the time of some instances of a communicator is: the collectives themselves, or late arrival."""
    counted = table.judged & mask
    sure = counted & table.resolved
    if not counted.any() or (counted & ~sure).sum() > limits.MOSTLY_UNRESOLVED.value * counted.sum():
        return TimeClass.UNRESOLVED
    share = float(table.wait_sum_ns[counted].sum()) / max(1, int(table.duration_sum_ns[counted].sum()))
    if share < limits.CLASS_TRANSFER.value:
        return TimeClass.TRANSFER
    return TimeClass.ARRIVAL if share > limits.CLASS_ARRIVAL.value else TimeClass.MIXED


def _summed(where: Int32, values: Int64, size: int) -> list[int]:
    """Sums of int64 by group, exactly."""
    sums = np.zeros(size, np.int64)
    np.add.at(sums, where, values)
    found: list[int] = sums.tolist()
    return found
