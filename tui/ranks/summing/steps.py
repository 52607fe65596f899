"""The steps of a rank: what each is made of, and which are warm-up."""

from __future__ import annotations

import numpy as np

from tui.analysis.scope import Scope, Window
from tui.analysis.step_table import outliers, spread_of, step_rows
from tui.ranks.summary import StepColumns
from tui.ranks.summing.accounts import DeviceTime, HostTime
from tui.ranks.summing.kernels import KernelFacts
from tui.ranks.summing.subject import Subject
from tui.report.columns import Int64
from tui.report.kernels.class_table import KernelClass

MOST_WARM_UP = 0.1
"""The share of the steps that may be warm-up: a run whose steps get shorter all along has none."""


def step_columns(subject: Subject, time: DeviceTime | HostTime, kernels: KernelFacts) -> StepColumns:
    """The steps of a rank; none where it has none."""
    start, end = subject.bounds
    count = len(start)
    addends: dict[str, Int64] = {}
    hidden = issued = launches = None
    if isinstance(time, DeviceTime):
        addends = time.addends(start, end)
        hidden = time.hidden(start, end)
        issued, launches = _work(subject)
    elif time.recorded:
        addends["exposed"] = time.mpi.between(start, end)
    ranges = subject.index.report.ranges
    strings = subject.index.report.strings
    sequence = subject.sequence
    named = ranges.name[sequence.ranges] if sequence is not None else np.zeros(0, np.int32)
    return StepColumns(
        number=np.arange(1, count + 1),
        label=subject.names.of(named, lambda n: strings[n] if n >= 0 else None),
        start=start,
        end=end,
        unfinished=subject.unfinished,
        compute=addends.get("compute"),
        exposed=addends.get("exposed"),
        copies=addends.get("copies"),
        other=addends.get("other"),
        unknown=addends.get("unknown"),
        idle=addends.get("idle"),
        hidden=hidden,
        kernels=issued,
        launches=launches,
        class_ns=_class_ns(subject, kernels, count) if isinstance(time, DeviceTime) else None,
    )


def _work(subject: Subject) -> tuple[Int64 | None, Int64 | None]:
    """(kernels, launches) of each step, as `steps` counts them."""
    if subject.sequence is None:
        none = np.zeros(0, np.int64)
        return none, none if len(subject.index.report.calls) else None
    scope = Scope(Window(0, 0), processes=(subject.process,))
    rows = next(r for r in step_rows(subject.index, subject.steps, scope) if r.sequence is subject.sequence)
    return rows.kernels, rows.launches


def _class_ns(subject: Subject, kernels: KernelFacts, count: int) -> Int64:
    classes = len(KernelClass)
    step = subject.step_of(kernels.start)
    inside = step >= 0
    place = step[inside].astype(np.int64) * classes + kernels.kernel_class[inside]
    sums = np.bincount(place, kernels.duration[inside], count * classes)
    return sums.astype(np.int64).reshape(count, classes)


def warm_up_steps(subject: Subject) -> int:
    """Return how many steps at the start are warm-up: outliers that take longer than the usual step.

    At most :data:`MOST_WARM_UP` of all steps.
    """
    start, end = subject.bounds
    finished = np.flatnonzero(~subject.unfinished)
    durations = (end - start)[finished]
    spread = spread_of(durations)
    if spread is None:
        return 0
    slow = np.zeros(len(start), bool)
    slow[finished] = outliers(durations, spread) & (durations > spread.median_ns)
    leading = len(slow) if slow.all() else int(np.argmin(slow))
    return min(leading, int(MOST_WARM_UP * len(start)))
