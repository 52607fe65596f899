"""Which files a thread read in stretches of its time: what a gap waited for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.files.accesses import Access, Accesses, readable_accesses
from tui.analysis.grouping import combined, summed
from tui.analysis.index import Index
from tui.intervals import overlaps, union
from tui.report.columns import NULL, Int32, Int64, Positions, distinct_values
from tui.text import safe
from tui.text.numbers import rounded
from tui.text.times import show_duration


@dataclass(frozen=True)
class FileRead:
    """What was read of one file in one stretch."""

    path: str | None
    """None: the export does not name it."""
    bytes: int | None
    """In proportion where a read lies in the stretch in part only. None: unknown."""
    ns: int
    """How long the thread was in these reads."""

    @property
    def rate_gbps(self) -> float | None:
        """Gigabytes per second; None where it can't be told."""
        return None if not self.bytes or self.ns <= 0 else round(self.bytes / self.ns, 3)

    @property
    def words(self) -> str:
        """``read 212 MB of shard_17.tar at 0.9 GB/s``, safe for a screen."""
        name = "an unnamed file" if self.path is None else safe(self.path.rsplit("/", 1)[-1] or self.path)
        if self.bytes is None:
            return f"read {name} for {show_duration(self.ns)}"
        rate = "" if not self.rate_gbps else f" at {_speed(self.bytes / self.ns)}"
        return f"read {_size(self.bytes)} of {name}{rate}"


def reads_by_stretch(
    index: Index, start: Int64, end: Int64, thread: Int32 | Int64 | Positions
) -> list[list[FileRead]]:
    """What each stretch's thread (position in ``Report.threads``) read, the most time first."""
    found: list[list[FileRead]] = [[] for _ in range(len(start))]
    reads = readable_accesses(index)
    reads = reads.where((reads.kind == Access.READ) & (reads.end > reads.start) & (reads.thread >= 0))
    if not len(reads.thread):
        return found
    for one in distinct_values(thread[np.isin(thread, reads.thread)]).tolist():
        mine, stretches = reads.where(reads.thread == one), np.flatnonzero(thread == one)
        part, row = _pairs((start[stretches], end[stretches]), mine)
        low = np.maximum(start[stretches][part], mine.start[row])
        high = np.minimum(end[stretches][part], mine.end[row])
        group, first = combined(part, mine.file[row])
        ns = summed(group, len(first), high - low)
        size = mine.bytes[row]
        share = [b * n // whole for b, n, whole in zip(
            size.tolist(), (high - low).tolist(), (mine.end - mine.start)[row].tolist(), strict=True
        )]  # fmt: skip
        sums = summed(group, len(first), np.where(size == NULL, 0, share).astype(np.int64))
        unknown = np.bincount(group, weights=size == NULL, minlength=len(first)) > 0
        for at in np.lexsort((first, -ns)).tolist():
            file = int(mine.file[row[first[at]]])
            path = mine.paths[file] if file >= 0 else None
            told = FileRead(path, None if unknown[at] else int(sums[at]), int(ns[at]))
            found[int(stretches[part[first[at]]])].append(told)
    return found


def _pairs(stretches: tuple[Int64, Int64], reads: Accesses) -> tuple[Positions, Positions]:
    """(stretch, read) for each pair that overlaps."""
    order = np.argsort(reads.start, kind="stable")
    runs = union(reads.start, reads.end)
    run_of = np.searchsorted(runs.start, reads.start[order], "right") - 1
    met = overlaps(stretches, (runs.start, runs.end))
    low, high = np.searchsorted(run_of, met.right, "left"), np.searchsorted(run_of, met.right, "right")
    count = high - low
    part = np.repeat(met.left, count)
    row = order[np.repeat(low - np.cumsum(count) + count, count) + np.arange(int(count.sum()))]
    inside = (reads.start[row] < stretches[1][part]) & (reads.end[row] > stretches[0][part])
    return part[inside], row[inside]


def _size(size: int) -> str:
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= factor:
            return f"{rounded(size / factor, 0 if size >= 100 * factor else 1)} {unit}"
    return f"{size} B"


def _speed(bytes_per_ns: float) -> str:
    return (
        f"{rounded(bytes_per_ns, 1)} GB/s"
        if bytes_per_ns >= 0.1
        else f"{rounded(1000 * bytes_per_ns, 1)} MB/s"
    )
