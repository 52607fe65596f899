"""The kernels that take most of the time, and how to look inside one of them with Nsight Compute."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.gap_context import op_name
from tui.analysis.grouping import dense, summed
from tui.analysis.stats.dominant import Dominant, dominant_of_all
from tui.report.classify import base_api_name
from tui.report.columns import Int64, Positions
from tui.text.numbers import percent, share
from tui.text.shell import quoted
from tui.text.times import show_duration, show_time

_MOST_PROFILED = 5
"""The most launches that ncu profiles: it replays each some forty times."""
_SKIPPED = 10
"""How many launches of a kernel are skipped where there are no steps, so that the run has settled."""


@dataclass(frozen=True)
class Heavy:
    """One kernel function and its share of the compute time."""

    name: str
    short_name: str
    total_ns: int
    pct: float
    """Of the compute time in the window, all kernels' durations added up."""
    count: int
    ncu: str
    """The command line that profiles some of its launches."""
    ncu_note: str
    """What the line assumes."""
    remark: str = ""
    """That one launch is most of the total, where it is."""


def heaviest_kernels(case: Case, top: int = 3) -> list[Heavy]:
    """The compute kernels of the scope with the largest total time, the largest first."""
    same = case.same_kernels
    if not len(same.op):
        return []
    groups, used = dense(case.report.ops.name[same.op])
    spent = summed(groups, len(used), same.duration)
    whole = int(spent.sum())
    rows = []
    for i in np.argsort(-spent, kind="stable")[:top].tolist():
        mine = same.op[groups == i]
        line, note = _ncu_line(case, mine)
        durations, start = same.duration[groups == i], case.report.ops.start[mine]
        long = dominant_of_all(durations, start)
        rows.append(
            Heavy(
                name=case.text(int(used[i])),
                short_name=op_name(case.report, int(mine[0]), short=True) or "",
                total_ns=int(spent[i]),
                pct=percent(int(spent[i]), whole) or 0.0,
                count=len(mine),
                ncu=line,
                ncu_note=note,
                remark=_long_launch(long, start) if long else "",
            )
        )
    return rows


def _long_launch(long: Dominant, start: Int64) -> str:
    """``the first of 50 launches, at 1.2 s, takes 1.600 s (98.0%); the other 49 take 10.000 us (median)``."""
    at, part = show_time(int(start[long.at])), share(long.ns, long.total_ns)
    return f"{long.place} launches, at {at}, takes {show_duration(long.ns)} ({part}); {long.others}"


def _ncu_line(case: Case, mine: Positions) -> tuple[str, str]:
    """The line for launches of one kernel (positions in ``Report.ops``), and what it assumes."""
    ops, report = case.report.ops, case.report
    short = report.kernels.short_name
    row = ops.row[mine[0]]
    # Named by its function where that means this kernel only, else by its whole name with types.
    siblings = np.flatnonzero((short == short[row]) & (short[row] >= 0))
    everywhere = case.all_kernels[siblings] if len(siblings) else mine
    process = ops.process[mine[0]]
    everywhere = everywhere[ops.process[everywhere] == process]
    alone = bool((ops.name[everywhere] == ops.name[mine[0]]).all()) and short[row] >= 0
    if alone:
        basis, pattern = "", case.text(int(short[row]))
    else:
        basis, pattern = " --kernel-name-base demangled", case.text(int(ops.name[mine[0]]))
        own = case.all_kernels
        everywhere = own[(ops.name[own] == ops.name[mine[0]]) & (ops.process[own] == process)]
    skip, count = _launches_to_profile(case, everywhere, mine)
    profiled = _starts_profiler(case)
    line = (
        f"ncu --set full --target-processes all{' --profile-from-start off' if profiled else ''}{basis} "
        f"--kernel-name {quoted(f'regex:^{re.escape(pattern)}$')} --launch-skip {skip} --launch-count "
        f"{count} -o kernel {case.commands.program}"
    )
    counted = "launches are counted from cudaProfilerStart, as in this capture"
    if not profiled:
        counted = (
            "launches are counted from this capture's first one: if it began after the program did, start "
            "ncu at the same point (cudaProfilerStart and --profile-from-start off)"
        )
    return line, counted


def _launches_to_profile(case: Case, everywhere: Positions, mine: Positions) -> tuple[int, int]:
    """(launches to skip, launches to profile): those of a step in the middle, or some after the first few."""
    launched = np.sort(case.index.launched_at(everywhere))
    process = int(case.report.ops.process[mine[0]])
    pace = next((p for p in case.paces if p.process == process), None)
    if pace is not None and len(pace) > 1:
        step = len(pace) // 2
        skip = int(np.searchsorted(launched, pace.start[step], "left"))
        inside = int(np.searchsorted(launched, pace.end[step], "left")) - skip
        if inside > 0:
            return skip, min(inside, _MOST_PROFILED)
    skip = min(_SKIPPED, len(launched) // 2)
    return skip, min(_MOST_PROFILED, len(launched) - skip)


def _starts_profiler(case: Case) -> bool:
    """Whether the program called cudaProfilerStart, so that ncu can start at the same point."""
    names = np.unique(case.report.calls.name)
    return any(base_api_name(case.text(int(n))) in ("cudaProfilerStart", "cuProfilerStart") for n in names)
