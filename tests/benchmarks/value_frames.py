"""Frames of lanes of values: what a cell shows comes from prefix sums and a pyramid of extremes."""

from __future__ import annotations

import statistics
import time
from typing import Any

import numpy as np

from tui.report.columns import Int64
from tui.timeline.canvas import DrawOptions
from tui.timeline.series import Cells, Float64, Level, usual_rows
from tui.timeline.series_drawing import draw_series
from tui.timeline.viewport import Viewport

BLOCK = 64
EACH = 100_000
"""Nanoseconds between samples."""


class Samples:
    """A quantity sampled at equal distances."""

    def __init__(self, values: Float64) -> None:
        self.values = values
        self.sums = np.concatenate(([0.0], np.cumsum(values)))
        self.most = np.maximum.reduceat(values, np.arange(0, len(values), BLOCK))
        self.least = np.minimum.reduceat(values, np.arange(0, len(values), BLOCK))

    def over(self, edges: Int64) -> Cells:
        at = np.clip(edges // EACH, 0, len(self.values))
        first = np.minimum(at[:-1], len(self.values) - 1)
        last = np.maximum(at[1:], first + 1)
        mean = (self.sums[last] - self.sums[first]) / (last - first)
        far = int((last - first).max()) > BLOCK
        low, high = (self.least, self.most) if far else (self.values, self.values)
        begin, stop = (first // BLOCK, last[-1] // BLOCK + 1) if far else (first, last[-1])
        return Cells(mean, np.minimum.reduceat(low[:stop], begin), np.maximum.reduceat(high[:stop], begin))


def value_frames(rows: int, lanes: int = 40, cells: int = 160) -> dict[str, Any]:
    """Draw ``lanes`` lines of ``rows`` samples each at three scales: in one row each, and in eight."""
    random = np.random.default_rng(1)
    made = [Samples(random.random(rows) * 100) for _ in range(lanes)]
    levels = [
        Level(title=f"{i}", values=values, style=f"series.{i % 8}", top=100.0, words="{:.1f} %".format)
        for i, values in enumerate(made)
    ]
    span, options = rows * EACH, DrawOptions()
    result: dict[str, Any] = {}
    for name, per_cell in (("whole", span // cells + 1), ("middle", 500_000), ("near", 1_000)):
        times = []
        for step in range(24):
            view = Viewport.at(span // 30 * step, per_cell)
            begun = time.perf_counter()
            for level in levels:
                draw_series(level, 0, usual_rows(level), view, cells, options)
            times.append(time.perf_counter() - begun)
        result[name] = statistics.median(times[4:])
    begun = time.perf_counter()
    for level in levels[: lanes // 8]:
        for part in range(8):
            draw_series(level, part, 8, Viewport.at(span // 2, 500_000), cells, options)
    return {**result, "tall": time.perf_counter() - begun}
