"""What each rank waited in collectives, and how long the collectives themselves took.

No clock is needed: participants end together, so the one that took least was last in. Its time is the
transfer, what another took longer is what that one waited. Clocks, where they are good, confirm it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tui.ranks import limits
from tui.ranks.alignment import Alignment, Mode
from tui.ranks.arrivals import NEVER, Arrivals, Level, find_arrivals, took
from tui.ranks.match import Communicator, Matched
from tui.ranks.messages import Messages, find_messages
from tui.ranks.rooted import Rooted, find_rooted
from tui.report.columns import Bool, Int32, Int64


@dataclass(frozen=True)
class Instances:
    """The instances of one communicator, in order. -1: unknown, as of operations that don't measure waits."""

    name: Int32
    """Position in ``Matched.names``."""
    measured: Bool
    """Whether durations tell who waited: N x N operations that at least two ranks are seen in."""
    participants: Int32
    start_ns: Int64
    """When the first was in, on the axis."""
    end_ns: Int64
    """When the last was out, on the axis."""
    transfer_ns: Int64
    last: Int32
    """Position in ``Run.ranks`` of the last arriver."""
    margin_ns: Int64
    """How much later the last was than the next to last."""
    wait_sum_ns: Int64
    wait_max_ns: Int64
    duration_sum_ns: Int64
    bytes: Int64
    """Payload of one rank."""
    step: Int32
    """Number of the step, of the first participant that has one; -1 outside steps."""
    resolved: Bool
    """Whether the margin is more than chance."""
    first: Bool
    """The communicator's first: start-up, in no verdict."""
    partial: Bool
    """Not all participants are seen: transfers are upper bounds, the true last may be missing."""
    disagree: Bool
    """The clocks say that the last one came before others: in no verdict."""

    def __len__(self) -> int:
        return len(self.name)

    @property
    def judged(self) -> Bool:
        """Which count in verdicts, resolved or not."""
        return self.measured & ~self.first & ~self.disagree


class RankWaits(NamedTuple):
    """By row of a rank's collectives."""

    wait_ns: Int64
    """How much of the row is waiting, from its start; -1 unknown."""
    instance: Int64
    communicator: Int32
    resolved: Bool


@dataclass(frozen=True)
class Waits:
    """Waits of a run. Rows of ranks are worked out when they are asked for: all at once would not fit."""

    matched: Matched
    alignment: Alignment
    instances: tuple[Instances, ...]
    """By communicator."""
    floor_ns: int
    disagreeing: tuple[int, ...]
    """By rank: operations whose wait by duration is not that by clocks."""
    rooted: tuple[Rooted | None, ...]
    """By communicator: what participants of operations with a root wait for, where clocks tell."""
    messages: dict[int, Messages]
    """By rank: what sends and receives waited for their partners, where clocks tell."""

    def of_rank(self, rank: int) -> RankWaits:
        """Return the waits of a rank (position in ``Run.ranks``) by row of its collectives."""
        communicator, instance = self.matched.of_rank(rank)
        rows = self.matched.run.ranks[rank].summary.collectives
        wait = np.full(len(rows), -1, np.int64)
        resolved = np.zeros(len(rows), bool)
        for at, participant in self.matched.parts(rank):
            table = self.instances[at]
            mine = took(self.matched, participant)
            known = table.measured[mine.instance]
            until = np.full(len(table), -1, np.int64)
            at_instance = mine.instance[known]
            until[at_instance] = mine.end[known] - table.transfer_ns[at_instance]
            here = np.flatnonzero(communicator == at)
            here = here[table.measured[instance[here]]]
            # Several rows of one operation wait until the same moment.
            row_wait = until[instance[here]] - rows.start[here]
            wait[here] = np.clip(row_wait, 0, rows.end[here] - rows.start[here])
            resolved[here] = table.resolved[instance[here]]
            if (rooted := self.rooted[at]) is not None:
                here = np.flatnonzero(communicator == at)
                start = self.alignment.to_axis(rank, rows.start[here])
                end = self.alignment.to_axis(rank, rows.end[here])
                waited = rooted.waits(rank, instance[here], start, end)
                sure = waited >= self._uncertain(rank, at)
                wait[here[sure]], resolved[here[sure]] = waited[sure], True
        if (messages := self.messages.get(rank)) is not None:
            wait[messages.rows], resolved[messages.rows] = messages.wait_ns, True
        return RankWaits(wait, instance, communicator, resolved)

    def _uncertain(self, rank: int, communicator: int) -> float:
        """What a wait by clocks must reach to be one, in ns."""
        found = _uncertainties(self.alignment, self.matched.communicators[communicator].ranks)
        return np.inf if found is None else max(1.0, found[rank])

    def arrivals(self, level: Level) -> list[Arrivals | None]:
        """By communicator: who of the ranks, hosts or positions was last; None where that isn't known."""
        return [found[level] for found in self._arrivals]

    @cached_property
    def _arrivals(self) -> list[dict[Level, Arrivals | None]]:
        return [find_arrivals(self.matched, communicator) for communicator in self.matched.communicators]


def find_waits(matched: Matched, alignment: Alignment) -> Waits:
    """Work out transfers, waits and last arrivers of all instances."""
    floor = alignment.floor_ns
    instances = []
    disagreeing = [0] * len(matched.run.ranks)
    for at, communicator in enumerate(matched.communicators):
        table, last_in = _instances(matched, at, alignment, floor)
        _check(table, last_in, matched, communicator, alignment, disagreeing)
        instances.append(table)
    rooted = [find_rooted(matched, communicator, alignment) for communicator in matched.communicators]
    messages = find_messages(matched, alignment)
    return Waits(matched, alignment, tuple(instances), floor, tuple(disagreeing), tuple(rooted), messages)


def _instances(matched: Matched, at: int, alignment: Alignment, floor: int) -> tuple[Instances, Int64]:
    """The instances, and when the last participant was in each, on the axis."""
    communicator = matched.communicators[at]
    size = len(communicator)
    start, end, last_in = np.full(size, NEVER), np.full(size, -NEVER), np.full(size, -NEVER)
    best, second, longest = np.full(size, NEVER), np.full(size, NEVER), np.zeros(size, np.int64)
    total, payload = np.zeros(size, np.int64), np.full(size, -1, np.int64)
    last, step, there = np.full(size, -1, np.int32), np.full(size, -1, np.int32), np.zeros(size, np.int32)
    for participant in communicator.participants:
        mine = took(matched, participant)
        rows, duration = mine.instance, mine.end - mine.start
        arrival = alignment.to_axis(participant.rank, mine.start)
        start[rows], last_in[rows] = np.minimum(start[rows], arrival), np.maximum(last_in[rows], arrival)
        end[rows] = np.maximum(end[rows], alignment.to_axis(participant.rank, mine.end))
        sooner = duration < best[rows]
        second[rows] = np.where(sooner, best[rows], np.minimum(second[rows], duration))
        best[rows] = np.where(sooner, duration, best[rows])
        last[rows[sooner]] = participant.rank
        longest[rows] = np.maximum(longest[rows], duration)
        total[rows] += duration
        payload[rows] = np.maximum(payload[rows], mine.bytes)
        there[rows] += 1
        numbers = matched.run.ranks[participant.rank].summary.steps.number
        if len(numbers):
            number = np.where(mine.step >= 0, numbers[np.clip(mine.step, 0, None)], -1)
            step[rows] = np.where(step[rows] < 0, number, step[rows])
    measured = matched.measured(at) & (there > 1)
    margin = np.where(measured, second - np.minimum(best, second), -1)
    expected = communicator.expected or len(communicator.participants)
    table = Instances(
        name=communicator.name,
        measured=measured,
        participants=there,
        start_ns=start,
        end_ns=end,
        transfer_ns=np.where(measured, best, -1),
        last=np.where(measured, last, np.int32(-1)).astype(np.int32),
        margin_ns=margin,
        wait_sum_ns=np.where(measured, total - there * np.where(measured, best, 0), -1),
        wait_max_ns=np.where(measured, longest - np.where(measured, best, 0), -1),
        duration_sum_ns=total,
        bytes=payload,
        step=step,
        resolved=measured & (margin > floor),
        first=np.arange(size) == 0,
        partial=there < expected,
        disagree=np.zeros(size, bool),
    )
    return table, last_in


def _check(
    table: Instances,
    last_in: Int64,
    matched: Matched,
    communicator: Communicator,
    alignment: Alignment,
    disagreeing: list[int],
) -> None:
    """Compare waits by duration with those by clocks, where these are good enough to tell."""
    if alignment.mode not in (Mode.COLLECTIVES, Mode.CLOCK) or not table.measured.any():
        return
    uncertain = _uncertainties(alignment, communicator.ranks)
    if uncertain is None or min(uncertain.values()) > limits.NEAREST_CLOCK.value:
        return  # Such clocks confirm nothing and deny nothing.
    precise = {rank: alignment.precision(rank) for rank in communicator.ranks}
    if len({alignment.clocks.member[rank] for rank in communicator.ranks}) == 1:
        precise = dict.fromkeys(precise, 0.0)  # One report: one clock.
    for participant in communicator.participants:
        mine = took(matched, participant)
        rows = mine.instance
        by_clock = last_in[rows] - alignment.to_axis(participant.rank, mine.start)
        by_duration = mine.end - mine.start - table.transfer_ns[rows]
        of_clock = limits.DISAGREE_CLOCK.value * uncertain[participant.rank]
        slack = of_clock + limits.DISAGREE_TRANSFER.value * table.transfer_ns[rows]
        off = table.measured[rows] & (np.abs(by_duration - by_clock) > slack)
        disagreeing[participant.rank] += int(off.sum())
        is_last = table.last[rows] == participant.rank
        table.disagree[rows] |= off & is_last
        # Another came later, by clocks that are better than durations: who was last isn't sure.
        table.resolved[rows] &= ~(is_last & (by_clock > precise[participant.rank]))


def _uncertainties(alignment: Alignment, ranks: Sequence[int]) -> dict[int, float] | None:
    """By rank: how far its clock may be off against any other of the communicator; None where unknown."""
    domains = sorted({alignment.clocks.domain[rank] for rank in ranks})
    found: dict[int, float] = {}
    for rank in ranks:
        mine = alignment.clocks.domain[rank]
        own = alignment.uncertainty(rank, rank)
        others = [alignment.between(mine, other) for other in domains if other != mine]
        known = [u for u in [own, *others] if u is not None]
        if len(known) <= len(others):
            return None
        found[rank] = max(known)
    return found
