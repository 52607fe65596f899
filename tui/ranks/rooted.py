"""Waits that only a clock tells: for the root of a broadcast, and of a root for those that send to it.

Participants of these end apart, so durations say nothing. A wait below what the clocks may be off by is
unresolved: it is given as unknown and in no sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tui.ranks.alignment import Alignment, Mode
from tui.ranks.arrivals import NEVER, took
from tui.ranks.match import Communicator, Matched
from tui.ranks.names import FROM_ROOT, TO_ROOT, Operation
from tui.report.columns import Bool, Int64


@dataclass(frozen=True)
class Rooted:
    """By instance of a communicator: what participants wait for."""

    moment: Int64
    """When it comes, on the axis; :data:`NEVER` unknown."""
    root: Int64
    """Position in ``Run.ranks``; -1 unknown."""
    to_root: Bool
    """True: the root waits for all; False: all wait for the root."""

    def waits(self, rank: int, instance: Int64, start: Int64, end: Int64) -> Int64:
        """Return what a rank (position in ``Run.ranks``) waits in its instances; times on the axis, in ns.

        -1: unknown, or it waits for nobody.
        """
        moment, root = self.moment[instance], self.root[instance]
        waiting = np.where(self.to_root[instance], root == rank, root != rank) & (root >= 0)
        known = waiting & (moment != NEVER)
        wait = np.clip(np.where(known, moment, start) - start, 0, end - start)
        found: Int64 = np.where(known, wait, -1)
        return found


def find_rooted(matched: Matched, communicator: Communicator, alignment: Alignment) -> Rooted | None:
    """Return what participants of operations with a root wait for; None where there are none, or no clock."""
    operations = [name.operation if name.blocking else Operation.OTHER for name in matched.names]
    has_root = np.array([op in FROM_ROOT or op in TO_ROOT for op in operations] + [False], bool)
    rooted = has_root[communicator.name]
    if alignment.mode not in (Mode.COLLECTIVES, Mode.CLOCK) or not rooted.any():
        return None
    to_root = np.array([op in TO_ROOT for op in operations] + [False], bool)[communicator.name]
    members = _members(matched, communicator.ranks)
    size = len(communicator)
    root = np.full(size, -1, np.int64)
    last_in, root_in = np.full(size, -NEVER), np.full(size, NEVER)
    for participant in communicator.participants:
        mine = took(matched, participant)
        peer = np.where((mine.peer >= 0) & (mine.peer < len(members)), mine.peer, -1)
        named = np.append(members, -1)[peer]
        root[mine.instance] = np.where(root[mine.instance] < 0, named, root[mine.instance])
    for participant in communicator.participants:
        mine = took(matched, participant)
        start = alignment.to_axis(participant.rank, mine.start)
        last_in[mine.instance] = np.maximum(last_in[mine.instance], start)
        own = root[mine.instance] == participant.rank
        root_in[mine.instance[own]] = start[own]
    root = np.where(rooted, root, -1)
    moment = np.where(to_root, last_in, root_in)
    return Rooted(np.where(rooted & (root >= 0), moment, NEVER), root, to_root)


def _members(matched: Matched, ranks: Sequence[int]) -> Int64:
    """By rank in the communicator: position in ``Run.ranks``; empty where it isn't known who has which.

    Of all ranks' communicator that is the rank's number. Others are ordered by those numbers as a rule, but
    whether all of their ranks are here can't be told.
    """
    run = matched.run
    numbers = [rank.number for rank in run.ranks]
    if run.missing or tuple(ranks) != tuple(range(len(run.ranks))):
        return np.zeros(0, np.int64)
    if sorted(-1 if number is None else number for number in numbers) != list(range(len(numbers))):
        return np.zeros(0, np.int64)
    return np.argsort(np.array(numbers, np.int64))
