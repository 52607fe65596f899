"""Threads that show little: they share one row at the end, which unfolds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tui.report.event_tables import table_named
from tui.report.model import CallClass, Report
from tui.timeline.lane import Lane, LaneKind, LaneTree

KEY = "quiet"
LEAST = 3
"""So many quiet threads share a row; fewer have their own."""
BUSY_SHARE = 0.05
"""A thread that ran for this share of the window is not quiet."""
_LITTLE = {"os_calls", "cpu"}
"""Tables whose events alone say little of a thread."""


def with_quiet_threads(tree: LaneTree, window: tuple[int, int]) -> LaneTree:
    """The tree with its quiet threads below one lane, folded at first, where they are several.

    Quiet are threads that launch nothing and have nothing but OS calls, or no event in ``window`` (ns);
    but not those that ran on a CPU for much of it. Changes the depth of their lanes.
    """
    if tree.catalogue is None or tree.catalogue.report.loading:
        return tree
    report = tree.catalogue.report
    threads = [root for root in tree.roots if root.kind is LaneKind.THREAD and root.thread >= 0]
    if len(threads) < LEAST:
        return tree
    noisy = _launching(report) | _running(report, window)
    maybe = [root for root in threads if root.thread not in noisy]
    more = [root for root in maybe if not tables_of(root) <= _LITTLE]
    if more:
        present = _present(report, window, set().union(*map(tables_of, more)) - _LITTLE)
        maybe = [root for root in maybe if root.thread not in present]
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


def _sink(lane: Lane, depth: int = 1) -> None:
    lane.depth = depth
    for child in lane.children:
        _sink(child, depth + 1)


def _launching(report: Report) -> set[int]:
    """Threads that launch device work."""
    calls = report.calls
    return set(np.unique(calls.thread[calls.call_class == CallClass.LAUNCH]).tolist())


def _running(report: Report, window: tuple[int, int]) -> set[int]:
    """Threads that were on a CPU for much of the window, as far as that was recorded."""
    cpu = table_named("cpu").of(report)
    if not len(cpu):
        return set()
    length = np.clip(cpu.end, *window) - np.clip(cpu.start, *window)
    known = cpu.thread >= 0
    ran = np.bincount(cpu.thread[known], weights=length[known])
    return set(np.flatnonzero(ran >= BUSY_SHARE * max(window[1] - window[0], 1)).tolist())


def _present(report: Report, window: tuple[int, int], tables: set[str]) -> set[int]:
    """Threads that have an event of one of the tables in the window."""
    found: set[int] = set()
    for name in tables:
        table = table_named(name)
        start, end = table.times(report)
        inside = (start < window[1]) & (end >= window[0])
        found.update(np.unique(table.owners(report)[inside]).tolist())
    return found
