"""The kernels that take most of the time, and how to look inside one of them with Nsight Compute."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.faults.pace import Pace
from tui.analysis.grouping import dense, summed
from tui.report.classify import base_api_name
from tui.report.columns import Int64, Positions

_MOST = 5
"""Launches that ncu is asked for at most: each is replayed some forty times."""
_SETTLED = 10
"""Launches of one kernel that are skipped where no steps tell when the run has settled."""


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
    """What the line takes for granted."""


def heaviest_kernels(case: Case, top: int = 3) -> list[Heavy]:
    """The compute kernels of the scope with the largest total time, the largest first."""
    same = case.same_kernels
    if not len(same.op):
        return []
    names = case.report.ops.name[same.op]
    groups, used = dense(names)
    spent = summed(groups, len(used), same.duration)
    whole = int(spent.sum())
    rows = []
    for i in np.argsort(-spent, kind="stable")[:top].tolist():
        mine = same.op[groups == i]
        line, note = _ncu(case, mine)
        total = int(spent[i])
        rows.append(
            Heavy(
                name=case.text(int(used[i])),
                short_name=_short(case, int(mine[0])),
                total_ns=total,
                pct=100 * total / whole if whole else 0.0,
                count=len(mine),
                ncu=line,
                ncu_note=note,
            )
        )
    return rows


def _short(case: Case, op: int) -> str:
    row = int(case.report.ops.row[op])
    name = int(case.report.kernels.short_name[row])
    return case.text(name if name >= 0 else int(case.report.ops.name[op]))


def _ncu(case: Case, mine: Positions) -> tuple[str, str]:
    """The line for launches of one kernel (positions in ``Report.ops``), and what it assumes."""
    ops, report = case.report.ops, case.report
    short = report.kernels.short_name
    row = ops.row[mine[0]]
    # By function name where that means this kernel only, else by its whole name with types.
    siblings = np.flatnonzero((short == short[row]) & (short[row] >= 0))
    everywhere = case.all_kernels[siblings] if len(siblings) else mine
    process = ops.process[mine[0]]
    everywhere = everywhere[ops.process[everywhere] == process]
    alone = bool((ops.name[everywhere] == ops.name[mine[0]]).all()) and short[row] >= 0
    if alone:
        basis, pattern = "", _short(case, int(mine[0]))
    else:
        basis, pattern = " --kernel-name-base demangled", case.text(int(ops.name[mine[0]]))
        own = case.all_kernels
        everywhere = own[(ops.name[own] == ops.name[mine[0]]) & (ops.process[own] == process)]
    skip, count = _which(case, everywhere, mine)
    profiled = _starts_profiler(case)
    line = (
        f"ncu --set full --target-processes all{' --profile-from-start off' if profiled else ''}{basis} "
        f"--kernel-name {shlex.quote(f'regex:^{re.escape(pattern)}$')} --launch-skip {skip} --launch-count "
        f"{count} -o kernel {case.commands.program}"
    )
    counted = "launches are counted from cudaProfilerStart, as in this capture"
    if not profiled:
        counted = (
            "launches are counted from this capture's first one: if it began after the program did, start "
            "ncu at the same point (cudaProfilerStart and --profile-from-start off)"
        )
    return line, counted


def _which(case: Case, everywhere: Positions, mine: Positions) -> tuple[int, int]:
    """(launches to skip, launches to profile): those of a step in the middle, or some after the first few."""
    launched = _launch_times(case, everywhere)
    pace = _pace_of(case, int(mine[0]))
    if pace is not None and len(pace) > 1:
        step = len(pace) // 2
        skip = int(np.searchsorted(launched, pace.start[step], "left"))
        inside = int(np.searchsorted(launched, pace.end[step], "left")) - skip
        if inside > 0:
            return skip, min(inside, _MOST)
    skip = min(_SETTLED, len(launched) // 2)
    return skip, min(_MOST, len(launched) - skip)


def _launch_times(case: Case, ops: Positions) -> Int64:
    """When each of these kernels was launched (started, where no launch is recorded), sorted."""
    table, calls = case.report.ops, case.report.calls
    launch = table.launch[ops]
    when = table.start[ops]
    when[launch >= 0] = calls.start[launch[launch >= 0]]
    times: Int64 = np.sort(when)
    return times


def _pace_of(case: Case, op: int) -> Pace | None:
    process = int(case.report.ops.process[op])
    return next((p for p in case.paces if p.process == process), None)


def _starts_profiler(case: Case) -> bool:
    """Whether the program called cudaProfilerStart, so that ncu can start at the same point."""
    names = np.unique(case.report.calls.name)
    return any(base_api_name(case.text(int(n))) in ("cudaProfilerStart", "cuProfilerStart") for n in names)
