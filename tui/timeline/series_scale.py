"""Where the scale of a line of values ends, and how high on it a value is."""

from __future__ import annotations

from typing import cast

import numpy as np

from tui.report.columns import Int64
from tui.timeline.series import Area, Float64, Heat, Level, Pair, Series
from tui.timeline.style_colours import SERIES_LEVELS

MISSING = -1
"""The step of a value that is not known."""


def fixed(series: Series) -> bool:
    """Whether its scale never changes: percentages go from 0 to 100, and some lines have no scale."""
    if isinstance(series, Pair):
        return fixed(series.upper) and fixed(series.lower)
    return not isinstance(series, Level | Heat | Area) or series.words(series.top).rstrip().endswith("%")


def top_of(series: Level | Heat, edges: Int64, in_view: bool) -> float:
    """The upper end of the scale: ``in_view`` makes it the greatest value between ``edges``."""
    if not in_view or fixed(series):
        return series.top
    return greatest(series.values.over(edges).high, series.top)


def pair_top(pair: Pair, edges: Int64, in_view: bool) -> float:
    """The end of the scale that both directions share, so that they compare."""
    return max(top_of(level, edges, in_view) for level in (pair.upper, pair.lower))


def area_top(area: Area, edges: Int64, in_view: bool) -> float:
    """The end of the scale of a stacked area."""
    if not in_view or fixed(area):
        return area.top
    return greatest(np.nansum(area_means(area, edges), axis=0), area.top)


def area_means(area: Area, edges: Int64) -> Float64:
    """The mean of each part in each cell: a row a part."""
    return np.stack([part.values.over(edges).mean for part in area.parts])


def greatest(values: Float64, otherwise: float) -> float:
    """The greatest of the known values; ``otherwise`` where none is above 0."""
    known = values[~np.isnan(values)]
    found = float(known.max()) if len(known) else 0.0
    return found if found > 0 else otherwise


def steps(values: Float64, top: float, count: int) -> Int64:
    """How many of ``count`` equal steps up to ``top`` each value reaches, rounded.

    0: nothing; a value above 0 reaches one at least. MISSING: it is not known.
    """
    found = np.clip(np.floor(shares(values, top) * count + 0.5), 1, count).astype(np.int64)
    return _without_values(found, values)


def shades(values: Float64, top: float) -> Int64:
    """The lightness level of each value: 0 for nothing, then a quarter of the scale each; or MISSING."""
    found = np.clip(np.ceil(shares(values, top) * (SERIES_LEVELS - 1)), 1, SERIES_LEVELS - 1)
    return _without_values(found.astype(np.int64), values)


def shares(values: Float64, top: float) -> Float64:
    """Values as shares of the scale, 0 to 1; of one that is not known 0."""
    end = top if top > 0 and np.isfinite(top) else 1.0
    return cast(Float64, np.clip(np.nan_to_num(values, nan=0.0) / end, 0.0, 1.0))


def _without_values(found: Int64, values: Float64) -> Int64:
    return np.where(np.isnan(values), MISSING, np.where(values > 0, found, 0))
