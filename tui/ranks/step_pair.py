"""Two steps of one report side by side: where the second spends more or less than the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tui.analysis.index import Index
from tui.ranks.contents import Content, KernelContent, KernelSum, Sums, add, idle_reasons, step_phases
from tui.ranks.explain import Explanation, explain
from tui.ranks.kernel_changes import KernelChanges, kernel_changes
from tui.ranks.sides import HOST
from tui.ranks.summary import RankSummary
from tui.ranks.summing.kernels import most_labels
from tui.report.columns import Int64
from tui.report.model import OpKind


@dataclass(frozen=True)
class StepPair:
    """The three tables; each adds up to the difference of the steps."""

    explained: Explanation
    kernels: KernelChanges | None
    """None: neither step has kernels."""


def compare_steps(index: Index, rank: RankSummary, before: int, after: int) -> StepPair:
    """Compare two steps of ``rank``, positions in its steps, of the report that ``index`` is of."""
    steps = rank.steps
    spans = [(steps.start[[place]], steps.end[[place]]) for place in (before, after)]
    sums = [KernelContent(1, step_kernels(index, rank.process, *span)) for span in spans]
    return StepPair(
        explain(step_content(rank, before), step_content(rank, after)),
        kernel_changes(*sums) if any(content.kernels for content in sums) else None,
    )


def step_content(rank: RankSummary, place: int) -> Content:
    """Return what one step of ``rank`` is made of; without the other ranks its communication is unsplit."""
    steps, places = rank.steps, np.array([place], np.int64)
    duration = int(steps.end[place] - steps.start[place])
    names = {"exposed_unsplit": "exposed", "copies_only": "copies"}
    names |= {name: name for name in ("compute", "other", "unknown", "idle")}
    columns = {part: getattr(steps, name) for part, name in names.items()}
    parts = {part: int(values[place]) for part, values in columns.items() if values is not None}
    if rank.host_only:
        parts[HOST] = duration - sum(parts.values())
    return Content(1, duration, parts, dict(idle_reasons(rank, places)), dict(step_phases(rank, places)),
                   rank.host_only)  # fmt: skip


def step_kernels(index: Index, process: int, start: Int64, end: Int64) -> Sums:
    """Return the kernels of a process (its position) that start in one of the disjoint spans, by start."""
    ops, strings = index.report.ops, index.report.strings
    kernels = np.flatnonzero((ops.process == process) & (ops.device >= 0) & (ops.kind == OpKind.KERNEL))
    span = np.searchsorted(start, ops.start[kernels], "right") - 1
    mine = kernels[(span >= 0) & (ops.start[kernels] < end[np.maximum(span, 0)])]
    found: Sums = {}
    names, which = np.unique(ops.name[mine], return_inverse=True)
    total = np.zeros(len(names), np.int64)
    np.add.at(total, which, ops.end[mine] - ops.start[mine])
    labels = most_labels(index, ops.launch[mine], which, len(names))
    calls = np.bincount(which, minlength=len(names)).tolist()
    for name, count, ns, label in zip(names.tolist(), calls, total.tolist(), labels, strict=True):
        text = strings[name] if name >= 0 else None
        add(found, (index.report.classes.kernel_class(text or ""), text), KernelSum(count, ns, label))
    return found


def kernels_together(parts: Sequence[tuple[int, Sums]]) -> KernelContent:
    """Return the kernels of several ranks; each: how many steps, and their kernels."""
    found: Sums = {}
    for _, sums in parts:
        for key, kernel in sums.items():
            add(found, key, kernel)
    return KernelContent(sum(steps for steps, _ in parts), found)
