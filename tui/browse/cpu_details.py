"""What scheduling and backtraces say of one call or range: how long its thread ran, and who made it."""

from __future__ import annotations

import numpy as np

from tui.analysis.cpu.callers import BACKTRACES, Backtraces
from tui.analysis.cpu.scheduling import scheduling
from tui.analysis.index import Index
from tui.browse.page import Pairs
from tui.report.columns import NULL
from tui.text import safe
from tui.text.numbers import share
from tui.text.stacks import left_out
from tui.text.times import exact

MOST_FRAMES = 24


def running(index: Index, thread: int, start: int, end: int) -> Pairs:
    """How long a thread was on a CPU between two times; nothing where that is unknown."""
    if "cpu" in index.report.loading or end <= start:
        return []
    ran = int(scheduling(index).on_cpu(np.array([start]), np.array([end]), np.array([thread]))[0])
    return [] if ran == NULL else [("on a CPU", f"{exact(ran)}  {share(ran, end - start)}")]


def backtrace(index: Index, table: str, row: int) -> Pairs:
    """The functions that a call was made from, the innermost first."""
    source = BACKTRACES.get(table)
    if source is None or not any(info.rows for info in index.report.tables if info.name == source.table):
        return []
    if not index.has(source.key):
        return [("backtrace", "still being read: once more in a moment")]
    traces: Backtraces = source.read(index)
    node, tree = int(traces.node[row]), traces.stacks.tree
    if node < 0:
        return []
    caller = int(traces.caller[row])
    frames, path = tree.frames, tree.path(node)[::-1]
    pairs = [("called by", safe(frames.name[caller]))] if caller >= 0 else []
    for number, frame in enumerate(path[:MOST_FRAMES]):
        words = f"{safe(frames.name[frame])}  {safe(frames.module[frame])}"
        pairs.append(("" if number else "backtrace", words))
    if (more := len(path) - MOST_FRAMES) > 0:
        pairs.append(("", left_out(more)))
    return pairs
