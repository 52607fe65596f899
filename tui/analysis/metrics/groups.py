"""What metrics are divided by: the time of kernels, classes, steps, NVTX ranges or gaps on each device."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np

from tui.analysis.gaps import find_gaps
from tui.analysis.grouping import by_text, dense
from tui.analysis.index import Busy, Index
from tui.analysis.metrics.pure import Alone, alone, clipped
from tui.analysis.scope import Scope
from tui.analysis.steps import find_steps
from tui.errors import NothingThere
from tui.intervals import Grouped
from tui.report.columns import Int64, Positions


class By(Enum):
    """What a row is about."""

    KERNEL = "kernel"
    CLASS = "class"
    STEP = "step"
    NVTX = "nvtx"
    GAP = "gap"

    @property
    def of_kernels(self) -> bool:
        """Whether a sample is of one of them only where no kernel of another runs beside it."""
        return self in (By.KERNEL, By.CLASS)


@dataclass(frozen=True)
class Grouping:
    """Times of some groups on one device, inside a window."""

    names: list[str]
    spans: Grouped
    """Merged intervals of each group, by group and start."""
    ns: Int64
    """How long each group lasts in all."""
    alone: Alone | None
    """When each group runs alone; None: groups do not exclude each other."""


def _grouping(names: list[str], spans: Grouped, *, exclusive: bool) -> Grouping:
    ns = np.zeros(len(names), np.int64)
    np.add.at(ns, spans.group, spans.end - spans.start)
    return Grouping(names, spans, ns, alone(spans, len(names)) if exclusive else None)


def grouping(index: Index, scope: Scope, device: int, by: By) -> Grouping:
    """Divide the time of a device (-1: of the machine). NothingThere: there are no steps, or no gaps."""
    low, high = scope.window.start, scope.window.end
    if by.of_kernels:
        classes = index.report.classes
        of_name = (lambda name: classes.kernel_class(name).value) if by is By.CLASS else str
        return kernel_grouping(index, device, low, high, of_name)
    if by is By.STEP:
        return _of_steps(index, scope)
    if by is By.NVTX:
        return _of_ranges(index, scope)
    return _of_gaps(index, scope, device)


def kernel_grouping(
    index: Index, device: int, low: int, high: int, group_of: Callable[[str], str]
) -> Grouping:
    """Divide the kernel time of a device by what ``group_of`` says of kernels' names.

    Kernels and graphs of all processes count: the metrics are of the whole device.
    """
    ops = index.report.ops
    rows = index.ops_of(device, None, Busy.KERNELS)
    number, used = dense(ops.name[rows])
    texts = [index.report.strings[name] if name >= 0 else "" for name in used.tolist()]
    of_name, names = by_text(np.arange(len(texts)), lambda i: group_of(texts[i]))
    group: Positions = of_name[number].astype(np.intp)
    spans = clipped(ops.start[rows], ops.end[rows], group, low, high)
    return _grouping(names, spans, exclusive=True)


def _of_steps(index: Index, scope: Scope) -> Grouping:
    steps = find_steps(index, None, scope.processes)
    if not steps:
        raise NothingThere(f"{index.report.path.name}: no steps found; name a range with --step")
    names: list[str] = []
    starts, ends = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for sequence in steps.sequences:
        pid = index.report.processes[sequence.process].pid
        of = f" of process {pid}" if len(steps.sequences) > 1 else ""
        names += [f"step {number}{of}" for number in range(1, len(sequence) + 1)]
        starts.append(sequence.start)
        ends.append(sequence.end)
    group = np.arange(len(names))
    window = scope.window
    spans = clipped(np.concatenate(starts), np.concatenate(ends), group, window.start, window.end)
    return _grouping(names, spans, exclusive=False)


def _of_ranges(index: Index, scope: Scope) -> Grouping:
    ranges = index.report.ranges
    own = index.owned_ranges
    if scope.processes is not None:
        own = own[np.isin(index.process_of_thread[ranges.thread[own]], scope.processes)]
    if not len(own):
        raise NothingThere(
            f"{index.report.path.name}: no NVTX ranges; `nsys profile --trace=nvtx` records them"
        )
    group, names = by_text(ranges.name[own], lambda name: index.labels[name] if name >= 0 else "")
    window = scope.window
    number: Positions = group.astype(np.intp)
    spans = clipped(ranges.start[own], ranges.end[own], number, window.start, window.end)
    return _grouping(list(names), spans, exclusive=False)


def _of_gaps(index: Index, scope: Scope, device: int) -> Grouping:
    for gaps in find_gaps(index, scope):
        if gaps.device.index == device:
            names = [_gap_name(gaps.listed_number(i)) for i in range(len(gaps))]
            spans = Grouped(gaps.start, gaps.end, np.arange(len(gaps)))
            return _grouping(names, spans, exclusive=False)
    return _grouping([], Grouped(*(np.empty(0, np.int64),) * 2, np.empty(0, np.intp)), exclusive=False)


def _gap_name(number: int | None) -> str:
    return "gap" if number is None else f"gap {number}"
