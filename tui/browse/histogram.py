"""How long events took, as a picture: a column of blocks for each bucket of a logarithmic axis."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tui.report.columns import Int64
from tui.text.times import brief
from tui.timeline.glyphs import Glyphs
from tui.timeline.runs import Line, Run

HEIGHT = 4
"""Lines of blocks."""
PER_DECADE = 24
"""Buckets of a power of ten at most: narrow ones say nothing."""


@dataclass(frozen=True)
class Spread:
    """Durations (ns) summed up: of ``count`` events, those of no length included. All are 0 of none."""

    count: int
    least: int
    median: float
    p95: int
    most: int
    total: int

    def words(self) -> str:
        """``min 1.20 us · median 3.40 us · p95 9.80 us · max 1.21 ms``."""
        median = brief(round(self.median))
        return f"min {brief(self.least)} · median {median} · p95 {brief(self.p95)} · max {brief(self.most)}"


def spread_of(durations: Int64) -> Spread:
    """Return the figures of some durations (ns); p95 is the nearest rank: 95 % are no longer."""
    if not len(durations):
        return Spread(0, 0, 0.0, 0, 0, 0)
    count = len(durations)
    rank = -(-95 * count // 100) - 1
    middle = {(count - 1) // 2, count // 2}
    ordered = np.partition(durations, sorted({0, rank, count - 1, *middle}))
    median = sum(int(ordered[at]) for at in middle) / len(middle)
    total = int(durations.sum())
    return Spread(count, int(ordered[0]), median, int(ordered[rank]), int(ordered[-1]), total)


@dataclass(frozen=True)
class Buckets:
    """Counts of durations in ``[low, high]`` ns by equal parts of the logarithm."""

    low: int
    high: int
    counts: Int64

    def at(self, duration: float) -> int:
        """Return the bucket of a duration in [low, high]."""
        if self.high == self.low:
            return 0
        share = math.log(duration / self.low) / math.log(self.high / self.low)
        return min(int(share * len(self.counts)), len(self.counts) - 1)


def buckets_of(durations: Int64, most: int) -> Buckets | None:
    """Sort durations (ns) into at most ``most`` buckets; those of no length count nowhere. None of none."""
    lasting = durations[durations > 0]
    if not len(lasting):
        return None
    low, high = int(lasting.min()), int(lasting.max())
    if low == high:
        return Buckets(low, high, np.array([len(lasting)], np.int64))
    decades = math.log10(high / low)
    # No narrower than the nanosecond allows at the low end, else buckets that can't be hit look like holes.
    finest = math.log(high / low) / math.log((low + 1) / low)
    number = max(2, min(most, math.ceil(decades * PER_DECADE), int(finest)))
    place = np.log(lasting / low) * (number / math.log(high / low))
    counts = np.bincount(np.minimum(place.astype(np.int64), number - 1), minlength=number)
    return Buckets(low, high, counts.astype(np.int64))


def histogram_lines(durations: Int64, room: int, glyphs: Glyphs, style: str = "pane.busy") -> list[Line]:
    """Draw the histogram and its axis in ``room`` cells; no line where no event has a length."""
    room -= 2
    found = buckets_of(durations, room) if room >= 8 else None
    if found is None:
        return []
    counts = found.counts
    wide = max(1, min(4, room // len(counts)))
    levels = -(-counts * HEIGHT * 8 // int(counts.max()))  # rounded up: one event is seen
    lines: list[Line] = []
    for row in reversed(range(HEIGHT)):
        part = np.clip(levels - row * 8, 0, 8).tolist()
        lines.append([Run(" " + "".join(glyphs.up[level] * wide for level in part), style)])
    lines.append([Run(" " + _axis(found, wide, room), "pane.dim")])
    return lines


def _axis(found: Buckets, wide: int, room: int) -> str:
    """Write the ends of the axis, and the powers of ten between them where they find room."""
    length = len(found.counts) * wide
    cells = [" "] * room

    def write(text: str, at: int) -> bool:
        low, high = max(at - 1, 0), at + len(text) + 1
        if at < 0 or at + len(text) > room or "".join(cells[low:high]).strip():
            return False
        cells[at : at + len(text)] = text
        return True

    write(brief(found.low), 0)
    if found.high > found.low:
        last = brief(found.high)
        write(last, max(length, len(brief(found.low)) + 2 + len(last)) - len(last))
        power = 10 ** len(str(found.low))
        while power < found.high:
            write(brief(power), found.at(power) * wide)
            power *= 10
    return "".join(cells).rstrip()
