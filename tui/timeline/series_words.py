"""Lines of values in words: what was in a cell, and where the scale ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from tui.report.columns import Int64
from tui.text.numbers import plural, share
from tui.timeline.series import Area, Cells, Density, Failed, Heat, Level, OnCpu, Pair, Sampled, Series
from tui.timeline.series_scale import area_top, fixed, pair_top, top_of
from tui.timeline.titles import Scale
from tui.timeline.viewport import Viewport

UNKNOWN = "unknown"

Pairs = list[tuple[str, str]]


def scale_of(series: Series, viewport: Viewport, cells: int, in_view: bool) -> Scale | None:
    """The upper end of the scale of a line; None for one that has none."""
    edges, in_view = viewport.edges(cells), in_view and not fixed(series)
    if isinstance(series, Level | Heat):
        return Scale(series.words(top_of(series, edges, in_view)), in_view)
    if isinstance(series, Pair):
        return Scale(series.upper.words(pair_top(series, edges, in_view)), in_view)
    if isinstance(series, Area):
        return Scale(series.words(area_top(series, edges, in_view)), in_view)
    return None


def cell_words(series: Series, start: int, end: int) -> tuple[str, ...]:
    """What ``[start, end)`` holds, in brief parts."""
    return tuple(f"{label} {words}".strip() for label, words in cell_pairs(series, start, end))


def cell_pairs(series: Series, start: int, end: int) -> Pairs:
    """What ``[start, end)`` holds, as labels and values; what speaks for itself has no label."""
    edges = np.array([start, end], np.int64)
    if isinstance(series, Level | Heat):
        return _quantity(series.values.over(edges), series.words)
    if isinstance(series, Pair):
        return [*_direction(series.upper, edges), *_direction(series.lower, edges)]
    if isinstance(series, Area):
        return list(_kinds(series, edges))
    if isinstance(series, OnCpu):
        return _running(series, edges)
    if isinstance(series, Sampled):
        return _samples(series, edges)
    if isinstance(series, Density):
        return [("", plural(int(series.counts.over(edges)[0]), series.noun))]
    return [("", series.words)] if isinstance(series, Failed) else []


def _quantity(found: Cells, words: Callable[[float], str]) -> Pairs:
    """The mean; the extremes too where they differ from it."""
    mean, low, high = (float(values[0]) for values in found)
    if np.isnan(mean):
        return [("", UNKNOWN)]
    pairs = [("", words(mean))]
    if words(low) != words(mean) or words(high) != words(mean):
        pairs += [("min", words(low)), ("max", words(high))]
    return pairs


def _direction(level: Level, edges: Int64) -> Pairs:
    found = _quantity(level.values.over(edges), level.words)
    return [(f"{level.title} {label}".strip(), words) for label, words in found]


def _kinds(area: Area, edges: Int64) -> Iterator[tuple[str, str]]:
    means = [float(part.values.over(edges).mean[0]) for part in area.parts]
    known = [mean for mean in means if not np.isnan(mean)]
    yield "", area.words(sum(known)) if len(known) == len(means) else UNKNOWN
    if len(means) > 1:
        for part, mean in zip(area.parts, means, strict=True):
            yield part.title, UNKNOWN if np.isnan(mean) else part.words(mean)


def _running(thread: OnCpu, edges: Int64) -> Pairs:
    inside = np.clip(edges, *thread.known)
    length = int(inside[1] - inside[0])
    if length <= 0:
        return [("", UNKNOWN)]
    running, waiting = (int(times.over(inside)[0]) for times in (thread.running, thread.waiting))
    return [
        ("on a CPU", share(running, length)),
        ("off it in a call", share(waiting, length)),
        ("off it", share(length - running - waiting, length)),
    ]


def _samples(sampled: Sampled, edges: Int64) -> Pairs:
    found = sampled.names.over(edges)
    seen = int(found.seen[0])
    pairs = [("", plural(seen, "sample"))]
    if seen:
        name = sampled.names.word(int(found.code[0]))
        pairs.insert(0, ("", f"{name} {share(float(found.share[0]), 1.0)}"))
    return pairs
