"""What steps are made of, as whole sums: of the latest rank of each step of a side, of the median rank, or of
one step of one report. Two of them can be compared, and what differs adds up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from tui.analysis.blame import BlameClass
from tui.ranks.sides import CLASSES, HOST, PARTS, Side, SideRun
from tui.ranks.summary import RankSummary
from tui.report.columns import NULL, Bool, Int32, Int64, Positions
from tui.report.kernels.class_table import KernelClass


class Reason(NamedTuple):
    """Why a device was idle; what the host did, and in which phase, where that is known."""

    cause: BlameClass
    call: str | None
    phase: str | None


class KernelSum(NamedTuple):
    """Kernels of one name: how many, and their summed duration (ns)."""

    calls: int
    total: int
    label: str | None = None
    """The innermost range in which most of them were launched."""

    def with_more(self, more: KernelSum) -> KernelSum:
        """Return both together, under the label of the one with more calls."""
        label = more.label if more.calls > self.calls else self.label
        return KernelSum(self.calls + more.calls, self.total + more.total, label)


Kernels = Mapping[tuple[KernelClass, str | None], KernelSum]
"""By class and whole name; None: names that were not kept."""
Sums = dict[tuple[KernelClass, str | None], KernelSum]


@dataclass(frozen=True)
class Content:
    """Sums over ``steps`` steps of one rank each (ns)."""

    steps: int
    duration: int
    parts: Mapping[str, int]
    """By the names of ``PARTS``; they add up to ``duration``."""
    idle: Mapping[Reason, int]
    """Adds up to the part ``idle``."""
    phases: Mapping[str | None, int]
    """Host time by the label of the range just inside the step, None outside; adds up to ``duration``. Of
    ranks without device work without their MPI calls, which are in the parts: adds up to ``host``."""
    host_only: bool
    who: Mapping[str, int] = field(default_factory=dict)
    """In how many steps it was which rank."""


@dataclass(frozen=True)
class KernelContent:
    """Kernels of ``steps`` steps of one rank each."""

    steps: int
    kernels: Kernels


def latest_content(side: Side) -> Content:
    """Return what the steps of the latest rank of each step are made of."""
    return _content([(run, run.latest) for run in side.runs if len(run.columns)])


def median_content(side: Side) -> Content:
    """Return what the steps of the median rank of each step are made of."""
    return _content([(run, run.middle) for run in side.runs if len(run.columns)])


def _content(picked: list[tuple[SideRun, Positions]]) -> Content:
    steps = duration = 0
    parts: Counter[str] = Counter()
    idle: Counter[Reason] = Counter()
    phases: Counter[str | None] = Counter()
    who: Counter[str] = Counter()
    host_only = True
    for run, rows in picked:
        every = np.arange(len(run.columns))
        steps += len(every)
        duration += int(run.duration[rows, every].sum())
        for name in PARTS:
            values = run.parts[name][rows, every]
            parts[name] += int(values[values != NULL].sum())
        for row, rank in enumerate(run.ranks):
            mine = every[rows == row]
            if not len(mine):
                continue
            who[rank.name] += len(mine)
            summary, places = rank.summary, run.place[row, mine]
            host_only = host_only and summary.host_only
            idle.update(idle_reasons(summary, places))
            phases.update(step_phases(summary, places))
    return Content(steps, duration, dict(parts), dict(idle), dict(phases), host_only, dict(who))


def window_content(side: Side, *, middle: bool = False) -> Content:
    """Return what the window of one rank of each run is made of: the longest one, or the ``middle`` one.

    Its reasons for idle time and its phases are not known.
    """
    duration = runs = 0
    parts: Counter[str] = Counter()
    who: Counter[str] = Counter()
    host_only = True
    for run in side.runs:
        ranks = sorted(run.run.ranks, key=lambda rank: rank.summary.window[0] - rank.summary.window[1])
        if not ranks:
            continue
        rank = ranks[len(ranks) // 2 if middle else 0]
        summary, totals = rank.summary, rank.summary.totals
        runs += 1
        length = summary.window[1] - summary.window[0]
        duration += length
        who[rank.name] += 1
        host_only = host_only and summary.host_only
        known = {part: totals.get(name) or 0 for part, name in _TOTALS.items()}
        parts.update(known)
        parts[HOST] += length - sum(known.values()) if summary.host_only else 0
    return Content(runs, duration, dict(parts), {}, {}, host_only, dict(who))


_TOTALS = {
    "compute": "compute",
    "exposed_unsplit": "exposed",
    "copies_only": "copies",
    "other": "other",
    "unknown": "unknown",
    "idle": "idle",
}
"""The part of a step that each total of a window is."""


def idle_reasons(rank: RankSummary, places: Int64) -> Counter[Reason]:
    """Return why ``rank`` was idle in the steps at ``places``: adds up to their idle time."""
    found: Counter[Reason] = Counter()
    if rank.steps.idle is None:
        return found
    blame = rank.blame
    mine = _among(blame.step, places, len(rank.steps))
    keys = np.stack([blame.cause[mine].astype(np.int64), blame.call[mine], blame.phase[mine]])
    kinds, which = np.unique(keys, axis=1, return_inverse=True)
    sums = np.zeros(kinds.shape[1], np.int64)
    np.add.at(sums, which.ravel(), blame.ns[mine])
    for (cause, call, phase), ns in zip(kinds.T.tolist(), sums.tolist(), strict=True):
        found[Reason(BlameClass(cause), named(rank, call), named(rank, phase))] += ns
    if left := int(rank.steps.idle[places].sum()) - sum(found.values()):
        found[Reason(BlameClass.UNKNOWN, None, None)] += left
    return Counter({reason: ns for reason, ns in found.items() if ns})


def step_phases(rank: RankSummary, places: Int64) -> Counter[str | None]:
    """Return the host time of the steps at ``places`` by phase; see :attr:`Content.phases`."""
    rows, steps = rank.phases, rank.steps
    mine = _among(rows.step, places, len(steps))
    spent = rows.host_ns[mine]
    left = int((steps.end - steps.start)[places].sum())
    if rank.host_only:
        spent = spent - rows.mpi_ns[mine]
        left -= int(steps.exposed[places].sum()) if steps.exposed is not None else 0
    found: Counter[str | None] = Counter()
    for phase, ns in zip(rows.phase[mine].tolist(), spent.tolist(), strict=True):
        found[named(rank, phase)] += ns
    found[None] += left - sum(found.values())
    return Counter({phase: ns for phase, ns in found.items() if ns})


def window_kernels(side: Side) -> KernelContent:
    """Return all kernels of all ranks with device work; the unit is the rank."""
    found: Sums = {}
    ranks = [rank.summary for rank in side.ranks if not rank.summary.host_only]
    for rank in ranks:
        rows = rank.kernels
        _add_rows(found, rank, rows.calls, rows.total)
    return KernelContent(len(ranks), {key: kernel for key, kernel in found.items() if any(kernel)})


def side_kernels(side: Side, *, named: bool) -> KernelContent:
    """Return the kernels of all ranks with device work, ``named`` or by class only.

    Names are those of all steady steps, for a summary keeps none by step; calls are known with names only.
    """
    found: dict[tuple[KernelClass, str | None], KernelSum] = {}
    steps = 0
    for run in side.runs:
        for row, rank in enumerate(run.ranks):
            summary = rank.summary
            if summary.steps.class_ns is None:
                continue
            if named:
                steps += int(summary.steady.sum())
                _add_rows(found, summary, summary.kernels.step_calls, summary.kernels.step_total)
            else:
                steps += len(run.columns)
                for position, ns in enumerate(summary.steps.class_ns[run.place[row]].sum(axis=0).tolist()):
                    add(found, (CLASSES[position], None), KernelSum(0, ns))
    return KernelContent(
        steps, {key: kernel for key, kernel in found.items() if kernel.total or kernel.calls}
    )


def _add_rows(found: Sums, rank: RankSummary, calls: Int64, total: Int64) -> None:
    rows = rank.kernels
    labels = np.full(len(rows), -1) if rows.label is None else rows.label
    columns = (rows.name, rows.kernel_class, labels, calls, total)
    for name, position, label, count, ns in zip(*(column.tolist() for column in columns), strict=True):
        add(found, (CLASSES[position], named(rank, name)), KernelSum(count, ns, named(rank, label)))


def add(found: Sums, key: tuple[KernelClass, str | None], more: KernelSum) -> None:
    """Add kernels of one class and name to sums."""
    found[key] = found[key].with_more(more) if key in found else more


def _among(step: Int32, places: Int64, steps: int) -> Bool:
    """Return which rows are of the steps at ``places``."""
    chosen = np.zeros(steps + 1, bool)  # the last one: rows outside steps, whose step is -1
    chosen[places] = True
    among: Bool = chosen[step]
    return among


def named(rank: RankSummary, name: int) -> str | None:
    """Return a name of ``rank``; None for none."""
    return rank.names[name] if name >= 0 else None
