"""Anchors: collectives whose ends relate the clocks of their participants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tui.ranks import limits
from tui.ranks.arrivals import took
from tui.ranks.clocks import Clocks
from tui.ranks.match import Matched
from tui.ranks.names import Operation
from tui.report.columns import Bool, Int64

Float = NDArray[np.float64]


@dataclass(frozen=True)
class Anchors:
    """Starts and ends of some collectives, by anchor and rank, in the clocks' ns."""

    start: Int64
    """Shape (anchors, ranks); meaningless where absent."""
    end: Int64
    there: Bool

    def __len__(self) -> int:
        return len(self.end)

    def only(self, which: Bool) -> Anchors:
        """The same of some anchors."""
        return Anchors(self.start[which], self.end[which], self.there[which])


def find_anchors(matched: Matched, clocks: Clocks) -> Anchors:
    """Choose anchors, evenly over time: all-reduces, and others where these relate domains too little."""
    chosen: list[tuple[int, Int64]] = []
    for first in (True, False):
        for at, communicator in enumerate(matched.communicators):
            is_first = np.array([n.operation is Operation.ALL_REDUCE for n in matched.names] + [False], bool)
            usable = matched.measured(at) & (is_first[communicator.name] == first)
            places = np.flatnonzero(usable)
            if len(places) and (first or _relates_new(matched, clocks, chosen, at)):
                chosen.append((at, places))
    total = sum(len(places) for _, places in chosen)
    most = int(limits.ANCHORS.value)
    ranks = len(matched.run.ranks)
    parts = [_read(matched, clocks, at, _thinned(places, total, most)) for at, places in chosen]
    if not parts:
        nothing = np.zeros((0, ranks), np.int64)
        return Anchors(nothing, nothing, np.zeros((0, ranks), bool))
    whole = Anchors(
        np.concatenate([part.start for part in parts]),
        np.concatenate([part.end for part in parts]),
        np.concatenate([part.there for part in parts]),
    )
    return whole.only(whole.there.sum(axis=1) > 1)


def _thinned(places: Int64, total: int, most: int) -> Int64:
    """Its part of the anchors, evenly over it; at least three of each communicator."""
    share = len(places) if total <= most else max(3, len(places) * most // total)
    if share >= len(places):
        return places
    return places[np.linspace(0, len(places) - 1, share).astype(np.int64)]


def _relates_new(
    matched: Matched, clocks: Clocks, chosen: Sequence[tuple[int, Int64]], communicator: int
) -> bool:
    """Whether a communicator relates domains that fewer than three chosen anchors relate."""
    domains = _domains(matched, clocks, communicator)
    counts = {(a, b): 0 for a in domains for b in domains}
    for at, places in chosen:
        others = _domains(matched, clocks, at)
        for a in domains & others:
            for b in domains & others:
                counts[a, b] += len(places)
    return any(count < limits.ENOUGH_ANCHORS.value for count in counts.values())


def _domains(matched: Matched, clocks: Clocks, communicator: int) -> set[int]:
    return {clocks.domain[rank] for rank in matched.communicators[communicator].ranks}


def _read(matched: Matched, clocks: Clocks, at: int, places: Int64) -> Anchors:
    shape = (len(places), len(matched.run.ranks))
    start, end, there = np.zeros(shape, np.int64), np.zeros(shape, np.int64), np.zeros(shape, bool)
    for participant in matched.communicators[at].participants:
        mine = took(matched, participant)
        which = np.clip(np.searchsorted(mine.instance, places), 0, max(0, len(mine.instance) - 1))
        if not len(mine.instance):
            continue
        found = mine.instance[which] == places
        base = clocks.base_ns[participant.rank]
        start[:, participant.rank] = mine.start[which] + base
        end[:, participant.rank] = mine.end[which] + base
        there[:, participant.rank] = found
    return Anchors(start, end, there)


def sorted_median(values: Float) -> Float:
    """Median along the last axis of what isn't NaN; NaN where all is."""
    ordered = np.sort(values, axis=-1)
    count = (~np.isnan(values)).sum(axis=-1)
    low = np.clip((count - 1) // 2, 0, None)[..., None]
    high = np.clip(count // 2, 0, max(0, values.shape[-1] - 1))[..., None]
    if not values.shape[-1]:
        return np.full(values.shape[:-1], np.nan)
    middle: Float = (np.take_along_axis(ordered, low, -1) + np.take_along_axis(ordered, high, -1))[..., 0] / 2
    return middle
