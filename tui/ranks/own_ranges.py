"""A stretch of the common time axis, in the times of each report."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tui.ranks.align import aligned, side_by_side
from tui.ranks.clocks import find_clocks
from tui.ranks.match import match
from tui.ranks.rank_set import RankSet

Bounds = tuple[int | None, int | None]
"""A first and a last moment (ns); None: from the beginning, to the end."""


def own_ranges(rank_set: RankSet, bounds: Bounds) -> tuple[Mapping[tuple[int, int], Bounds], tuple[str, ...]]:
    """``bounds`` of the axis in recorded times, by the member and the pid of each rank; and notes.

    The axis is the one that `ranks` and `pace` use by default. Where times of several reports can't be
    related, they count as they were recorded, and a note says so.
    """
    found: dict[tuple[int, int], Bounds] = {}
    notes = []
    for run in rank_set.runs:
        clocks = find_clocks(rank_set, run)
        alignment = aligned(rank_set, run, match(run, clocks))
        if len(rank_set.runs) > 1:
            alignment = side_by_side(run, alignment)
        uncertain = alignment.uncertainty_ns
        about = "" if uncertain is None else f", +- {uncertain / 1e3:,.0f} us"
        notes.append(f"the range is on the common axis, by {alignment.mode.value}{about}")
        for position, rank in enumerate(run.ranks):
            low, high = (
                None if at is None else int(alignment.from_axis(position, np.array([at], np.int64))[0])
                for at in bounds
            )
            found[rank.member, rank.summary.pid] = low, high
    return found, tuple(dict.fromkeys(notes))
