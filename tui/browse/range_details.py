"""What an NVTX range holds: the kernels that it launched, and the ranges inside it."""

from __future__ import annotations

import numpy as np

from tui.analysis.grouping import by_text, summed
from tui.analysis.index import Index
from tui.analysis.range_work import launched_in
from tui.intervals import total, union
from tui.report.columns import Int64, Positions
from tui.report.model import Report
from tui.text import safe
from tui.text.numbers import plural
from tui.text.times import brief

MOST = 6
"""Names that are listed of kernels and of children; the rest is one line."""
Pairs = list[tuple[str, str]]


def range_pairs(index: Index, row: int) -> Pairs:
    """Return (label, value) lines about a range's device work and children."""
    report = index.report
    pairs: Pairs = []
    if {"ops", "calls"} & report.loading:
        pairs.append(("GPU work", "loading"))
    else:
        pairs += _work(report, launched_in(report, row), row)
    return pairs + _children(report, row)


def _work(report: Report, mine: Positions, row: int) -> Pairs:
    ops = report.ops
    if not len(mine):
        return [("GPU work", "none that was recorded")]
    length = ops.end[mine] - ops.start[mine]
    low, high = int(ops.start[mine].min()), int(ops.end[mine].max())
    start = int(report.ranges.start[row])
    gpu = brief(int(length.sum()))
    first = brief(low - start)
    pairs = [("GPU work", f"{plural(len(mine), 'op')}, {gpu} in all, over {brief(high - low)}")]
    pairs.append(("", f"from {first} after the range began"))
    return pairs + _by_name(report, ops.name[mine].astype(np.int64), length)


def _children(report: Report, row: int) -> Pairs:
    ranges = report.ranges
    low, high = np.searchsorted(ranges.start, [int(ranges.start[row]), int(ranges.end[row]) + 1])
    mine = low + np.flatnonzero(ranges.parent[low:high] == row)
    if not len(mine):
        return [("children", "none")]
    length = ranges.end[mine] - ranges.start[mine]
    start, end = int(ranges.start[row]), int(ranges.end[row])
    inside = total(*union(np.maximum(ranges.start[mine], start), np.minimum(ranges.end[mine], end)))
    own = end - start - inside
    head = [
        ("children", f"{plural(len(mine), 'range')}, {brief(int(length.sum()))}; {brief(own)} outside them")
    ]
    return head + _by_name(report, ranges.name[mine].astype(np.int64), length)


def _by_name(report: Report, names: Int64, length: Int64) -> Pairs:
    """Return lines of those names that take longest: count, time, name."""
    groups, texts = by_text(names, lambda name: safe(report.strings[name]) if name >= 0 else "?")
    count, times = np.bincount(groups, minlength=len(texts)), summed(groups, len(texts), length)
    order = np.argsort(-times, kind="stable").tolist()
    lines = [("", f"{count[at]:>6,} x {brief(int(times[at])):>8}  {texts[at]}") for at in order[:MOST]]
    if rest := order[MOST:]:
        left = brief(int(sum(int(times[at]) for at in rest)))
        lines.append(("", f"{int(sum(count[at] for at in rest)):>6,} x {left:>8}  {len(rest):,} more names"))
    return lines
