"""Threads that show little: they share one row at the end, which unfolds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tui.report.columns import distinct_values
from tui.report.event_tables import table_named
from tui.report.model import CallClass, Report
from tui.timeline.lane import Lane, LaneKind, LaneTree

KEY = "quiet"
LEAST = 3
"""So many quiet threads share a row; fewer have their own."""
BUSY_SHARE = 0.25
"""A thread that ran for this share of the window is not quiet."""
_LITTLE = {"os_calls", "cpu", "other:PROFILER_OVERHEAD", "other:CUPTI_ACTIVITY_KIND_OVERHEAD"}
"""Tables whose events alone say little of a thread."""


def with_quiet_threads(tree: LaneTree, window: tuple[int, int]) -> LaneTree:
    """The tree with its quiet threads below one lane, folded at first, where they are several.

    Quiet are threads that launch nothing and have nothing but OS calls and what the profiler notes of every
    thread, or no event in ``window`` (ns); but not those that ran on a CPU for much of it, and never all of
    them: the one that ran most is not. Changes the depth of their lanes.
    """
    if tree.catalogue is None or tree.catalogue.report.loading:
        return tree
    report = tree.catalogue.report
    threads = [root for root in tree.roots if root.kind is LaneKind.THREAD and root.thread >= 0]
    if len(threads) < LEAST:
        return tree
    ran = _ran(report, window)
    noisy = _launching(report) | set(np.flatnonzero(ran >= BUSY_SHARE * (window[1] - window[0])).tolist())
    maybe = [root for root in threads if root.thread not in noisy]
    more = [root for root in maybe if not tables_of(root) <= _LITTLE]
    if more:
        present = _present(report, window, set().union(*map(tables_of, more)) - _LITTLE)
        maybe = [root for root in maybe if root.thread not in present]
    if len(maybe) == len(threads):
        maybe.remove(max(maybe, key=lambda root: ran[root.thread]))
    if len(maybe) < LEAST:
        return tree
    return _grouped(tree, maybe)


def tables_of(root: Lane) -> set[str]:
    """The tables of whose events a lane and those below it have any."""
    return {lane.table for lane in root.walk() if lane.kind is not LaneKind.SERIES}


def _grouped(tree: LaneTree, quiet: Sequence[Lane]) -> LaneTree:
    keys = {lane.key for lane in quiet}
    for root in quiet:
        _sink(root)
    detail = "threads with nothing but OS calls, or with no event in the window"
    title = f"{len(quiet)} quiet threads"
    group = Lane(KEY, LaneKind.QUIET, title, detail, children=tuple(quiet), loader=tuple)
    roots = (*(root for root in tree.roots if root.key not in keys), group)
    return LaneTree(roots, tree.catalogue, tree.folded_first | {KEY})


_BLOCK = 1 << 12
"""Calls that are looked at together: what that takes does not grow with a report."""


def _sink(lane: Lane, depth: int = 1) -> None:
    lane.depth = depth
    for child in lane.children:
        _sink(child, depth + 1)


def _launching(report: Report) -> set[int]:
    """Threads that launch device work."""
    calls = report.calls
    seen = np.zeros(len(report.threads) + 1, bool)  # the last is for threads that are not known
    for low in range(0, len(calls), _BLOCK):
        part = slice(low, low + _BLOCK)
        seen[calls.thread[part][calls.call_class[part] == CallClass.LAUNCH]] = True
    return set(np.flatnonzero(seen[:-1]).tolist())


def _ran(report: Report, window: tuple[int, int]) -> NDArray[np.float64]:
    """How long (ns) each thread was on a CPU in the window, as far as that was recorded."""
    cpu = table_named("cpu").of(report)
    length = np.clip(cpu.end, *window) - np.clip(cpu.start, *window)
    known = (cpu.thread >= 0) & (length > 0)
    ran = np.bincount(cpu.thread[known], length[known], minlength=len(report.threads) + 1)
    return ran.astype(np.float64)


def _present(report: Report, window: tuple[int, int], tables: set[str]) -> set[int]:
    """Threads that have an event of one of the tables in the window."""
    found: set[int] = set()
    for name in tables:
        table = table_named(name)
        start, end = table.times(report)
        inside = (start < window[1]) & (end >= window[0])
        found.update(distinct_values(table.owners(report)[inside]).tolist())
    return found
