"""The one instance that is the sum: an event that holds most of the time of its kind.

A sum, a share or an average of such a kind says nothing about the others of it: 64 all-reduces of which the
first waits 17 s for ranks that start late are no 17 s of all-reduce. Whoever shows a sum says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tui.analysis.grouping import Group, combined
from tui.analysis.stats.groups import GroupFigures, figures
from tui.report.columns import Bool, Int64, Positions
from tui.text import cut, safe
from tui.text.numbers import plural, share
from tui.text.times import show_duration, show_time

_TIMES = 20
"""An instance this many times the median is of another kind than the rest: sizes rarely differ so much."""
_NAMED = 3
"""How many kinds a note names."""
_WORTH = 0.01
"""A kind with less of the whole sum than this is left out of a note: nobody reads it for that one."""
_NAME_CELLS = 60


@dataclass(frozen=True)
class Dominant:
    """One instance that holds more than half of the time of its kind, and far more than the usual one."""

    at: int
    """Its position among the values examined."""
    ns: int
    total_ns: int
    """The whole kind, this instance included."""
    count: int
    """Instances of the kind, this one included."""
    usual_ns: int
    """The median of the others."""
    is_first: bool
    """It began before every other one."""
    is_last: bool

    @property
    def place(self) -> str:
        """Return ``the first of 64``, ``one of 64``."""
        word = "the first" if self.is_first else "the last" if self.is_last else "one"
        return f"{word} of {self.count:,}"

    @property
    def usual(self) -> str:
        """Return ``the other 63 take 14.300 us (median)``."""
        return f"the other {self.count - 1:,} take {show_duration(self.usual_ns)} (median)"

    @property
    def others(self) -> str:
        """Return ``the other 63 take 14.300 us (median), 900.900 us in all``."""
        return f"{self.usual}, {show_duration(self.total_ns - self.ns)} in all"


def dominates(sums: GroupFigures) -> Bool:
    """Return for each group whether one value holds over half of it and is over 20 times the median.

    Groups of fewer than three have no usual value.
    """
    # As decimals: totals may be larger than 64 bits hold. `middle` is twice the median.
    total, middle, largest = (v.astype(np.float64) for v in (sums.total, sums.middle, sums.maximum))
    found: Bool = (2 * largest > total) & (2 * largest > _TIMES * middle) & (sums.count >= 3)
    return found


def find_dominant(
    groups: Group, durations: Int64, start: Int64, sums: GroupFigures | None = None
) -> list[Dominant]:
    """Return the instance that dominates its group, of each group that has one, the longest first.

    ``start``: when each event began, ns. ``sums``: the figures of the groups, where they are known.
    """
    if not len(durations):
        return []
    if sums is None:
        sums = figures(groups, durations, int(groups.max()) + 1)
    flagged = dominates(sums)
    if not flagged.any():
        return []
    inside = np.flatnonzero(flagged[groups])
    found = []
    for at in inside[durations[inside] == sums.maximum[groups[inside]]].tolist():
        group = int(groups[at])
        mine = inside[groups[inside] == group]
        low, count = int(sums.first[group]), int(sums.count[group])
        found.append(
            Dominant(
                at=at,
                ns=int(durations[at]),
                total_ns=int(sums.total[group]),
                count=count,
                usual_ns=round(float(np.median(sums.ordered[low : low + count - 1]))),
                is_first=bool(start[at] == start[mine].min()),
                is_last=bool(start[at] == start[mine].max()),
            )
        )
    return sorted(found, key=lambda one: -one.ns)


def dominant_note(
    groups: Group, durations: Int64, start: Int64, name: Callable[[int], str], sums: GroupFigures
) -> str | None:
    """Return the note on kinds of which one instance is most of the sum; None without any.

    ``name``: from a group to what its row is called.
    """
    found = find_dominant(groups, durations, start, sums)
    whole = int(sums.total.astype(object).sum()) if found else 0
    found = [one for one in found if one.total_ns >= _WORTH * whole]
    if not found:
        return None
    texts = [
        f"{cut(safe(name(int(groups[one.at]))), _NAME_CELLS)}: {one.place}, at "
        f"{show_time(int(start[one.at]))}, takes {show_duration(one.ns)} "
        f"({share(one.ns, one.total_ns)}); {one.others}"
        for one in found[:_NAMED]
    ]
    more = f"; so it is in {plural(len(found) - _NAMED, 'more row')}" if len(found) > _NAMED else ""
    return f"one instance is most of a sum: {'; '.join(texts)}{more}"


def with_note(note: str | None, more: str | None) -> str | None:
    """Return two notes as one; None where there is neither."""
    return "; ".join(text for text in (note, more) if text) or None


def dominant_of_all(durations: Int64, start: Int64) -> Dominant | None:
    """Return the one that dominates all of these events; None without one."""
    found = find_dominant(np.zeros(len(durations), np.int64), durations, start)
    return found[0] if found else None


def at_edges(start: Int64, *keys: Int64) -> Positions:
    """Return the positions of the first and the last event of each kind: rows of equal ``keys``.

    What is first may set something up or wait for others, what is last may be cut off: neither is typical.
    """
    if not len(start):
        return np.zeros(0, np.intp)
    groups, _ = combined(*keys)
    order = np.lexsort((start, groups))
    change = np.flatnonzero(np.diff(groups[order]))
    return np.unique(order[np.concatenate(([0], change + 1, change, [len(order) - 1]))])
