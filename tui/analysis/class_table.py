"""Kernel time by what kernels do: one row a class, or one row a name with what decided its class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.grouping import by_text, dense, summed
from tui.analysis.index import Comm, Index, begins_nccl
from tui.analysis.metrics.class_columns import metric_columns
from tui.analysis.metrics.hints import DEFAULTS, Thresholds
from tui.analysis.scope import Scope
from tui.analysis.stats.select import op_rows, take
from tui.analysis.steps import find_steps
from tui.analysis.table import Column, Table, Unit
from tui.report.columns import Bool, Int64, Positions
from tui.report.kernels.class_table import KernelClass
from tui.report.kernels.classes import Verdict
from tui.report.kernels.names import element_type, name_parts, pipe
from tui.report.model import OpKind
from tui.text.numbers import percent, share
from tui.text.times import show_duration

LEFT_OUT = Verdict(KernelClass.OTHER, "--comm nccl")
"""Communication that is not NCCL's, where only that counts."""
MOST_ADDED = 5
"""So many names are listed of what communicates and is not NCCL's."""


@dataclass(frozen=True)
class _Kernels:
    """The kernels in scope, by name."""

    rows: Positions
    ns: Int64
    """Of each, clipped to the window."""
    name: Positions
    """Of each the position of its name below."""
    names: list[str]
    verdicts: list[Verdict]
    """Of each name."""
    in_step: Bool
    """Of each, whether a whole step of the window launched it."""
    steps: int


def _kernels(index: Index, scope: Scope) -> _Kernels:
    report, window = index.report, scope.window
    rows = take(np.arange(len(report.ops)), op_rows(report, scope, OpKind.KERNEL))
    ops = report.ops
    rows = rows[(ops.end[rows] >= window.start) & (ops.start[rows] < window.end)]
    ns = np.minimum(ops.end[rows], window.end) - np.maximum(ops.start[rows], window.start)
    used, texts = dense(ops.name[rows])
    names = [report.strings[number] if number >= 0 else "" for number in texts.tolist()]
    verdicts = [report.classes.of(name) for name in names]
    if index.comm is Comm.NCCL:  # the narrower rule: other collectives are kernels like any other
        first = np.zeros(len(names), np.intp)
        first[used] = rows
        for i, found in enumerate(index.communicates[first].tolist()):
            if verdicts[i].kernel_class is KernelClass.COMMUNICATION and not found:
                verdicts[i] = LEFT_OUT
    in_step, steps = _in_steps(index, scope, rows)
    return _Kernels(rows, np.maximum(ns, 0), used.astype(np.intp), names, verdicts, in_step, steps)


def _in_steps(index: Index, scope: Scope, rows: Positions) -> tuple[Bool, int]:
    """Which kernels the steps that lie in the window launched, and how many such steps there are."""
    launched, process = index.launched_at(rows), index.report.ops.process[rows]
    found, count = np.zeros(len(rows), bool), 0
    for sequence in find_steps(index, None, scope.processes).sequences:
        whole = (sequence.start >= scope.window.start) & (sequence.end <= scope.window.end)
        start, end = sequence.start[whole], sequence.end[whole]
        if len(start):
            at = np.searchsorted(start, launched, "right") - 1
            found |= (at >= 0) & (launched < end[at]) & (process == sequence.process)
            count += len(start)
    return found, count


def classes_table(index: Index, scope: Scope, limits: Thresholds = DEFAULTS) -> Table:
    """One row a class of kernels, the most time first; the note has the share that no class fits.

    ``limits``: of the hints that stand beside classes where metrics were captured.
    """
    kernels = _kernels(index, scope)
    of_name, classes = by_text(
        np.arange(len(kernels.names)), lambda i: kernels.verdicts[i].kernel_class.value
    )
    group = of_name[kernels.name]
    columns = _figures(kernels, group, len(classes))
    names = np.bincount(of_name, minlength=len(classes))
    class_of = {name: classes[i] for name, i in zip(kernels.names, of_name.tolist(), strict=True)}
    table = Table(
        "classes",
        "Kernel time by class",
        (
            Column("Class", "class", Unit.TEXT, classes),
            columns[0],
            Column("Names", "names", Unit.COUNT, names),
            *columns[1:],
            *metric_columns(index, scope, class_of, classes, limits),
        ),
        _note(index, scope, kernels),
    )
    return table.ordered(_by_time(columns, classes))


def names_table(index: Index, scope: Scope) -> Table:
    """One row a kernel name, the most time first, with its class and what in the name decided it."""
    kernels = _kernels(index, scope)
    columns = _figures(kernels, kernels.name, len(kernels.names))
    verdicts = kernels.verdicts
    name = Column("Name", "name", Unit.TEXT, kernels.names, kernels=True)
    table = Table(
        "class_names",
        "Kernel names and their classes",
        (
            Column("Class", "class", Unit.TEXT, [found.kernel_class.value for found in verdicts]),
            *columns,
            Column("Type", "dtype", Unit.TEXT, [element_type(text) for text in kernels.names], blank="-"),
            Column("Pipe", "pipe", Unit.TEXT, _pipes(kernels), rank=1, blank="-"),
            Column("Tags", "tags", Unit.TEXT, [found.tags for found in verdicts], rank=1, blank="-"),
            Column("Rule", "rule", Unit.TEXT, [found.rule for found in verdicts], blank="-"),
            name,
        ),
        _note(index, scope, kernels),
    )
    return table.ordered(_by_time(columns, kernels.names))


PRODUCTS = (KernelClass.GEMM, KernelClass.CONVOLUTION, KernelClass.EXPERTS)
"""Classes whose kernels are matrix products."""


def _pipes(kernels: _Kernels) -> list[str | None]:
    """Per name what its product computes on: ``tensor``, ``fp32`` or None for what is not known or none."""
    pairs = zip(kernels.names, kernels.verdicts, strict=True)
    return [pipe(name) if found.kernel_class in PRODUCTS else None for name, found in pairs]


def _figures(kernels: _Kernels, group: Positions | Int64, groups: int) -> tuple[Column, ...]:
    count, ns = np.bincount(group, minlength=groups), summed(group, groups, kernels.ns)
    in_steps = summed(group, groups, np.where(kernels.in_step, kernels.ns, 0))
    whole = int(ns.sum())
    per_step = [None] * groups if not kernels.steps else [n / kernels.steps for n in in_steps.tolist()]
    pct = [percent(n, whole) for n in ns.tolist()]
    mean = [n / c for n, c in zip(ns.tolist(), count.tolist(), strict=True)]
    return (
        Column("Kernels", "kernels", Unit.COUNT, count),
        Column("Time (ns)", "ns", Unit.NS, ns),
        Column("Share (%)", "pct", Unit.PCT, [None if p is None else round(p, 1) for p in pct]),
        Column("Mean (ns)", "mean_ns", Unit.NS_1, [round(m, 1) for m in mean], rank=2),
        Column(
            "Per step (ns)",
            "ns_per_step",
            Unit.NS_1,
            [None if n is None else round(n, 1) for n in per_step],
            rank=1,
        ),
    )


def _by_time(columns: tuple[Column, ...], names: list[str]) -> Positions:
    ns = np.asarray(columns[1].values, np.int64)
    return np.array(sorted(range(len(names)), key=lambda i: (-int(ns[i]), names[i])), np.intp)


def added_communication(names: list[str], verdicts: list[Verdict]) -> list[str]:
    """Base names that communicate by their class and not by the older rule, that they begin ``nccl``."""
    found = {
        name_parts(name).last
        for name, verdict in zip(names, verdicts, strict=True)
        if verdict is LEFT_OUT
        or (verdict.kernel_class is KernelClass.COMMUNICATION and not begins_nccl(name_parts(name).last))
    }
    listed = sorted(found)
    more = len(listed) - MOST_ADDED
    return [*listed[:MOST_ADDED], f"{more} more"] if more > 0 else listed


def _note(index: Index, scope: Scope, kernels: _Kernels) -> str | None:
    """Say how much of the time no class fits, and how much is of graphs, whose kernels were not recorded."""
    other = np.array([v.kernel_class is KernelClass.OTHER for v in kernels.verdicts], bool)[kernels.name]
    notes = [f"{share(int(kernels.ns[other].sum()), int(kernels.ns.sum()))} of kernel time has no class"]
    if added := added_communication(kernels.names, kernels.verdicts):
        says = "leaves out" if index.comm is Comm.NCCL else "would leave out"
        notes.append(f"--comm nccl {says} of communication: {', '.join(added)}")
    ops, window = index.report.ops, scope.window
    graphs = take(np.arange(len(ops)), op_rows(index.report, scope, OpKind.GRAPH))
    inside = np.minimum(ops.end[graphs], window.end) - np.maximum(ops.start[graphs], window.start)
    if (lost := int(np.maximum(inside, 0).sum())) > 0:
        notes.append(f"graphs that were traced as a whole ({show_duration(lost)}) are in no class")
    return "; ".join(notes) if len(kernels.rows) else None
