"""Who made a call: the function behind an OS call or a CUDA call, from the backtraces of both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tui.analysis.cpu.frames import FrameKind
from tui.analysis.cpu.kept_stacks import stacks_in
from tui.analysis.cpu.stacks import Nodes, Stacks
from tui.analysis.grouping import combined, summed
from tui.analysis.index import Index
from tui.analysis.scope import Scope
from tui.analysis.stats.select import RowSet, host_rows, take
from tui.analysis.table import Column, Table, Unit
from tui.intervals import lookup
from tui.report.classify import base_api_name
from tui.report.columns import NULL, Bool, Int64, Positions
from tui.report.extra.extra_table import ExtraRows
from tui.report.extra.tables import CUDA_CALL_CHAINS, CUDA_CALL_FRAMES, OS_CALL_CHAINS, OS_CALL_FRAMES
from tui.text.numbers import percent

_OS_KEY, _CUDA_KEY = "backtraces of OS calls", "backtraces of CUDA calls"
_ENOUGH = 0.9
"""The share of the calls that a numbering of backtraces must explain."""


@dataclass(frozen=True)
class Backtraces:
    """The backtraces of a table of calls."""

    node: Nodes
    """Per call its stack, a node of ``stacks.tree``; -1: none was recorded."""
    stacks: Stacks
    note: str | None = None
    """What was adjusted, or why there are none."""

    @cached_property
    def caller(self) -> Positions:
        """Per call the frame that made it, a position in ``stacks.tree.frames``; -1 unknown.

        That is the innermost one outside the C and C++ libraries, the loader, CUDA's libraries, libtorch
        and nsys.
        """
        frames = self.stacks.tree.frames
        return self.stacks.tree.nearest(self.node, ~frames.library & (frames.kind == FrameKind.PROGRAM))

    @property
    def python_caller(self) -> Positions:
        """Per call the innermost frame of the user's Python, else of any Python; -1 none."""
        frames, tree = self.stacks.tree.frames, self.stacks.tree
        own, innermost = (tree.nearest(self.node, mask) for mask in (frames.user_python, frames.python))
        return np.where(own >= 0, own, innermost)


def os_backtraces(index: Index) -> Backtraces:
    """The backtraces of the OS calls; only calls that took long have one."""
    return index.once(_OS_KEY, lambda: _of_os_calls(index))


def _of_os_calls(index: Index) -> Backtraces:
    report, calls = index.report, index.report.os_calls
    stacks = stacks_in(report, OS_CALL_FRAMES)
    if not len(stacks.ids):
        return Backtraces(np.full(len(calls), -1, np.intp), stacks)
    rows = report.extra_rows(OS_CALL_CHAINS)
    row = _same_rows(rows["rowid"], calls.rowid)
    chain = np.where(row >= 0, rows["callchainId"][row], NULL)
    chain[chain == 0] = NULL  # no backtrace
    return Backtraces(stacks.nodes(stacks.of(chain)), stacks)


def cuda_backtraces(index: Index) -> Backtraces:
    """The backtraces of the CUDA calls."""
    return index.once(_CUDA_KEY, lambda: _of_cuda_calls(index))


def _of_cuda_calls(index: Index) -> Backtraces:
    """Join on thread and correlation id: some releases write backtraces in rows of their own."""
    report, calls = index.report, index.report.calls
    stacks = stacks_in(report, CUDA_CALL_FRAMES)
    found = np.full(len(calls), -1, np.intp)
    if not len(stacks.ids):
        return Backtraces(found, stacks)
    thread_ids = np.array([*(thread.global_tid for thread in report.threads), NULL], np.int64)
    thread, correlation, chain, hit = ([np.zeros(0, np.int64)] for _ in range(4))
    for table in CUDA_CALL_CHAINS:
        rows = report.extra_rows(table)
        there = np.flatnonzero(rows["callchainId"] != NULL)
        thread.append(rows["globalTid"][there])
        correlation.append(rows["correlationId"][there])
        chain.append(rows["callchainId"][there])
        hit.append(_naming(rows, there, stacks))
    shift = _shift(np.concatenate(hit))
    if shift is None:
        return Backtraces(
            found, stacks, "backtraces of CUDA calls are left out: their ids can't be matched to calls"
        )
    ids = np.concatenate(chain) + shift
    keys = np.concatenate((thread_ids[calls.thread], np.concatenate(thread)))
    numbers = np.concatenate((calls.correlation, np.concatenate(correlation)))
    key, _ = combined(keys, numbers)
    mine, theirs = key[: len(calls)], key[len(calls) :]
    order = np.argsort(theirs, kind="stable")
    row = _same_rows(theirs[order], mine)
    known = (row >= 0) & (calls.correlation != NULL)
    found[known] = stacks.nodes(stacks.of(ids[order[row[known]]]))
    note = "the ids of CUDA backtraces are off by one in this export: corrected" if shift else None
    return Backtraces(found, stacks, note)


def _naming(rows: ExtraRows, there: Positions, stacks: Stacks) -> Int64:
    """How each call is named in the backtrace of its id (bit 0), and in that of the next id (bit 1)."""
    frames = stacks.tree.frames
    calls, inverse = np.unique(rows["nameId"][there], return_inverse=True)
    found = np.zeros(len(there), np.int64)
    for number, name in enumerate(calls.tolist()):
        if name < 0:
            continue
        api = base_api_name(rows.strings[name])
        wanted = np.array([frame == api for frame in frames.name], bool)
        mine = np.flatnonzero(inverse.reshape(-1) == number)
        for shift in (0, 1):
            nodes = stacks.nodes(stacks.of(rows["callchainId"][there][mine] + shift))
            found[mine] |= stacks.tree.holds(nodes, wanted).astype(np.int64) << shift
    return found


def _shift(hit: Int64) -> int | None:
    """What to add to the ids so that backtraces name their calls; None: neither numbering is sure.

    Calls that both numberings name decide nothing between them.
    """
    if not len(hit):
        return None
    own, following = (int((hit & bit > 0).sum()) for bit in (1, 2))
    only_own, only_following = int((hit == 1).sum()), int((hit == 2).sum())
    if own >= _ENOUGH * len(hit) and only_own >= 2 * only_following:
        return 0
    if following >= _ENOUGH * len(hit) and only_following >= 2 * only_own:
        return 1
    return None


def _same_rows(numbers: Int64, wanted: Int64) -> Positions:
    """Where each of ``wanted`` first is among ``numbers``, which may be in any order; -1 nowhere."""
    if not len(numbers):
        return np.full(len(wanted), -1, np.intp)
    order = np.argsort(numbers, kind="stable")
    at = np.minimum(np.searchsorted(numbers[order], wanted), len(numbers) - 1)
    return np.where(numbers[order[at]] == wanted, order[at], -1)


class Source(NamedTuple):
    """Where the backtraces of a table of calls come from."""

    table: str
    """Its name in the export."""
    key: str
    """Under which the index keeps what was read."""
    read: Callable[[Index], Backtraces]


BACKTRACES = {
    "os_calls": Source(OS_CALL_FRAMES.source, _OS_KEY, os_backtraces),
    "calls": Source(CUDA_CALL_FRAMES.source, _CUDA_KEY, cuda_backtraces),
}
"""By the table of calls of a report."""


def callers_table(index: Index, scope: Scope, which: str, *, python: bool = False) -> Table:
    """Who makes the OS calls (``os``) or CUDA calls (``cuda``) in scope, the most time first.

    ``python``: which line of Python does, of the calls whose backtraces hold Python code.
    A call is clipped to the window. Calls without a backtrace are not in it: the note counts them.
    """
    report = index.report
    calls = report.os_calls if which == "os" else report.calls
    traces = os_backtraces(index) if which == "os" else cuda_backtraces(index)
    rows = _positions(host_rows(report, scope, calls), len(calls))
    start = np.maximum(calls.start[rows], scope.window.start)
    end = np.minimum(calls.end[rows], scope.window.end)
    inside = (end > start) | (calls.start[rows] == calls.end[rows])
    inside &= (calls.start[rows] < scope.window.end) & (calls.end[rows] >= scope.window.start)
    all_rows, start, end = rows[inside], start[inside], end[inside]
    everyone = traces.python_caller if python else traces.caller
    traced: Bool = (everyone if python else traces.node)[all_rows] >= 0
    rows, ns = all_rows[traced], (end - start)[traced]
    caller = everyone[rows]
    group, first = combined(caller, calls.name[rows])
    time, count = summed(group, len(first), ns), np.bincount(group, minlength=len(first))
    whole = int(ns.sum())
    frames, names = traces.stacks.tree.frames, [report.strings[int(calls.name[r])] for r in rows[first]]
    who = caller[first].tolist()
    columns = (
        Column("Caller", "caller", Unit.TEXT, [frames.name[i] if i >= 0 else None for i in who]),
        Column("Module", "module", Unit.TEXT, [frames.module[i] if i >= 0 else None for i in who], rank=2),
        Column("Call", "call", Unit.TEXT, [base_api_name(name) for name in names]),
        Column("Calls", "calls", Unit.COUNT, count),
        Column("Time (ns)", "ns", Unit.NS, time),
        Column("Share (%)", "pct", Unit.PCT, [_rounded(percent(n, whole)) for n in time.tolist()]),
    )
    kind = "OS calls" if which == "os" else "CUDA calls"
    notes = [traces.note] if traces.note else []
    if missing := len(all_rows) - len(rows):
        lost = int((end - start)[~traced].sum())
        what = "no Python in a backtrace" if python else "no backtrace"
        notes.append(f"{missing:,} of {len(all_rows):,} {kind} ({lost:,} ns) have {what}")
    order = np.lexsort((np.arange(len(first)), -count, -time))
    return Table("callers", f"Who makes the {kind}", columns, "; ".join(notes) or None).ordered(order)


def _positions(rows: RowSet, count: int) -> Positions:
    return take(np.arange(count), rows)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)


def has_backtraces(index: Index, which: str) -> bool:
    """Whether any OS call (``os``) or CUDA call (``cuda``) has a backtrace."""
    traces = os_backtraces(index) if which == "os" else cuda_backtraces(index)
    return bool((lookup(traces.node, np.arange(len(traces.node))) >= 0).any())
