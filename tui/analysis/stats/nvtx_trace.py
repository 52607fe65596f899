"""One row a push/pop range: where it stands in its thread's nesting, and what its children take."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tui.analysis.choices import Choices
from tui.analysis.index import Index
from tui.analysis.stats.lazy import Computed, ThreadIds
from tui.analysis.stats.nvtx_sums import open_note, range_ends, range_names, range_rows
from tui.analysis.stats.stats_report import StatsReport
from tui.analysis.stats.std9 import count, ident, text, time
from tui.analysis.table import Table
from tui.report.columns import NULL, Int64
from tui.report.importing.range_levels import depths
from tui.report.model import RangeStyle, Report

BRANCH = "--"


class RangeTree:
    """Parents of ranges as the ids that the reports print: rowids of the export."""

    def __init__(self, report: Report) -> None:
        self._parent = report.ranges.parent
        self._rowid = report.ranges.rowid
        self.depth = depths(report.ranges.parent.astype(np.int64))
        """How many ranges are around each one."""

    def parent_ids(self, rows: NDArray[np.intp]) -> Int64:
        """The id of each range's parent; NULL for none."""
        parent = self._parent[rows]
        return np.where(parent >= 0, self._rowid[parent], NULL)

    def stacks(self, rows: NDArray[np.intp]) -> list[str]:
        """The ids from the outermost range to each one: ``:1:5:9``."""
        known: dict[int, str] = {}

        def stack(row: int) -> str:
            path = [row]
            while path[-1] not in known and (above := int(self._parent[path[-1]])) >= 0:
                path.append(above)
            for at in reversed(path):
                above = int(self._parent[at])
                if at not in known:
                    known[at] = f"{known[above] if above >= 0 else ''}:{int(self._rowid[at])}"
            return known[row]

        return [stack(row) for row in rows.tolist()]


def children(report: Report) -> tuple[Int64, Int64]:
    """How many direct children each range has, and their durations added up."""
    ranges = report.ranges
    nested = ranges.parent >= 0
    parent = ranges.parent[nested]
    number = np.bincount(parent, minlength=len(ranges)).astype(np.int64)
    length = np.zeros(len(ranges), np.int64)
    np.add.at(length, parent, (range_ends(report) - ranges.start)[nested])
    return number, length


def nvtx_pushpop_trace(index: Index, choices: Choices) -> Table:
    """Every push/pop range, by start."""
    report, scope = index.report, choices.scope
    ranges = report.ranges
    rows = np.arange(len(ranges))[range_rows(report, scope, RangeStyle.PUSH_POP)]
    number, inside = children(report)
    start, end, thread = ranges.start[rows], range_ends(report)[rows], ranges.thread[rows]
    people, tree = ThreadIds(report), RangeTree(report)

    def names(part: NDArray[np.intp]) -> list[str]:
        return range_names(report, ranges.domain[part], ranges.name[part])

    def branches(part: NDArray[np.intp]) -> list[str]:
        levels = tree.depth[part].tolist()
        return [BRANCH * level + name for level, name in zip(levels, names(part), strict=True)]

    def computed(make: object) -> Computed:
        return Computed(rows, len(rows), make)  # type: ignore[arg-type]

    columns = (
        time("Start (ns)", start),
        time("End (ns)", end, rank=4),
        time("Duration (ns)", end - start),
        time("DurChild (ns)", inside[rows], rank=2, key="dur_child_ns"),
        time("DurNonChild (ns)", end - start - inside[rows], rank=1, key="dur_non_child_ns"),
        text("Name", computed(names), rank=9),
        ident("PID", people.pid[thread], rank=5),
        ident("TID", people.tid[thread], rank=3),
        count("Lvl", tree.depth[rows].astype(np.int64), rank=4),
        count("NumChild", number[rows], rank=6),
        ident("RangeId", ranges.rowid[rows], rank=7),
        ident("ParentId", tree.parent_ids(rows), rank=7, blank="-"),
        text("RangeStack", computed(tree.stacks), rank=8),
        text("NameTree", computed(branches)),
    )
    return NVTX_PUSHPOP_TRACE.table(columns, open_note(report, rows))


NVTX_PUSHPOP_TRACE = StatsReport(
    "nvtx_pushpop_trace",
    "NVTX Push/Pop Range Trace",
    nvtx_pushpop_trace,
    "NVTX push/pop range",
    "Every push/pop range with its place in the nesting and the time of its children.",
    "Parent: the tightest range around it on its thread, bounds included. Ids are rows of NVTX_EVENTS.",
    aliases=("pushpoptrace", "nvtxpptrace"),
)
