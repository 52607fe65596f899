"""The kernels of a rank by class and name: how many, how long, and how their durations spread."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tui.analysis.grouping import by_text, combined, dense
from tui.analysis.index import Index
from tui.analysis.phases import phase_of_calls
from tui.ranks.summary import KernelRows
from tui.ranks.summing.subject import Subject
from tui.report.columns import Bool, Int32, Int64, UInt8
from tui.report.kernels.class_table import KernelClass
from tui.report.model import OpKind

MOST_NAMES = 512
"""So many names have a row of their own."""
BUCKETS = 64

_PLACE = {cls: place for place, cls in enumerate(KernelClass)}


@dataclass(frozen=True)
class KernelFacts:
    """The kernels of a rank, by start; arrays of one length."""

    start: Int64
    duration: Int64
    name: Int32
    """Position in ``Report.strings``; -1 none."""
    kernel_class: UInt8
    """Position in `KernelClass`."""
    launch: Int32
    """Position in ``Report.calls``; -1 not recorded."""


def kernel_facts(subject: Subject) -> KernelFacts:
    """What is asked of a rank's kernels several times."""
    report = subject.index.report
    ops, strings, kernel_class = report.ops, report.strings, report.classes.kernel_class
    mine = subject.ops[ops.kind[subject.ops] == OpKind.KERNEL]
    name = ops.name[mine]
    groups, values = dense(name)
    classes = [kernel_class(strings[n]) if n >= 0 else KernelClass.OTHER for n in values.tolist()]
    place = np.array([_PLACE[cls] for cls in classes], np.uint8)
    by_class = place[groups] if len(place) else np.zeros(0, np.uint8)
    return KernelFacts(ops.start[mine], ops.end[mine] - ops.start[mine], name, by_class, ops.launch[mine])


def kernel_rows(subject: Subject, kernels: KernelFacts, steady: Bool) -> KernelRows:
    """Sum up a rank's kernels. ``steady``: which of its steps are finished and after the warm-up."""
    strings = subject.index.report.strings
    duration = kernels.duration
    group, first = combined(kernels.kernel_class, kernels.name)
    total = _sums(group, len(first), duration)
    named = kernels.name[first] >= 0
    order = np.lexsort((first, -total, ~named))  # those without a name are of the rest
    rest = np.ones(len(first), bool)
    rest[order[:MOST_NAMES]] = False
    rest |= ~named
    classes = kernels.kernel_class[first].astype(np.int64)
    of_class, rest_classes = dense(classes[rest])
    place = np.empty(len(first), np.int64)
    kept = order[~rest[order]]
    place[kept] = np.arange(len(kept))
    place[rest] = len(kept) + of_class
    rows = len(kept) + len(rest_classes)
    row = place[group]

    step = subject.step_of(kernels.start)
    counted = (step >= 0) & np.append(steady, False)[step]
    buckets = np.bincount(row * BUCKETS + _bucket(duration), minlength=rows * BUCKETS)
    shortest = np.full(rows, np.iinfo(np.int64).max)
    np.minimum.at(shortest, row, duration)
    longest = np.zeros(rows, np.int64)
    np.maximum.at(longest, row, duration)
    names = subject.names.of(kernels.name[first[kept]], lambda n: strings[n])
    return KernelRows(
        name=np.append(names, np.full(len(rest_classes), -1)).astype(np.int32),
        kernel_class=np.append(classes[kept], rest_classes).astype(np.uint8),
        calls=np.bincount(row, minlength=rows),
        total=_sums(row, rows, duration),
        shortest=shortest,
        longest=longest,
        squares=np.bincount(row, duration.astype(np.float64) ** 2, rows).astype(np.float64),
        buckets=buckets.reshape(rows, BUCKETS),
        step_calls=np.bincount(row[counted], minlength=rows),
        step_total=_sums(row[counted], rows, duration[counted]),
        label=_labels(subject, kernels, row, rows),
    )


def _labels(subject: Subject, kernels: KernelFacts, row: NDArray[np.int64], rows: int) -> Int32:
    labels = most_labels(subject.index, kernels.launch, row, rows)
    return np.array([subject.names.add(label) for label in labels], np.int32)


def most_labels(index: Index, launch: Int32, row: NDArray[np.int64], rows: int) -> list[str | None]:
    """By row: the label of the innermost range around most of its launches, of equally many the first.

    ``launch``: of each kernel, a position in ``Report.calls``, -1 none; ``row``: of each, below ``rows``.
    """
    launched = np.flatnonzero(launch >= 0)
    ranges = phase_of_calls(index, launch[launched].astype(np.int64))
    launched, ranges = launched[ranges >= 0], ranges[ranges >= 0]
    names = index.report.ranges.name[ranges]
    numbers, texts = by_text(names, lambda name: index.labels[name] if name >= 0 else None)
    groups, first = combined(row[launched], numbers)
    order = np.lexsort((first, -np.bincount(groups, minlength=len(first))))
    ordered = first[order]
    of_row, place = np.unique(row[launched][ordered], return_index=True)  # the first of each row
    found: list[str | None] = [None] * rows
    for at, number in zip(of_row.tolist(), numbers[ordered[place]].tolist(), strict=True):
        found[at] = texts[number]
    return found


def _sums(group: NDArray[np.int64], count: int, values: Int64) -> Int64:
    """Sums per group, exact up to 2^53 ns (104 days of kernels)."""
    return np.bincount(group, values, count).astype(np.int64)


def _bucket(duration: Int64) -> Int64:
    """Return k for durations in [2^k, 2^(k+1)), 0 for none."""
    _, exponent = np.frexp(np.maximum(duration, 1).astype(np.float64))
    bucket = exponent.astype(np.int64) - 1
    # Rounding to 53 bits may reach the next power of two.
    bucket -= (np.int64(1) << np.minimum(bucket, 62)) > np.maximum(duration, 1)
    return np.minimum(bucket, BUCKETS - 1)
