"""Pure NumPy algebra of half-open intervals in int64 nanoseconds. Knows nothing of nsys."""

from tui.intervals.coverage import Coverage
from tui.intervals.nesting import lanes_for_overlaps, nesting_depth
from tui.intervals.spans import (
    Overlaps,
    Pieces,
    Spans,
    clip,
    empty,
    expand,
    gaps,
    intersect,
    outermost,
    overlap_length,
    overlaps,
    split,
    subtract,
    total,
    union,
    union_of_blocks,
)
from tui.intervals.stab import NONE, LastReaching, Stabber, inner_last, next_index, open_mask, previous_index

__all__ = [
    "NONE",
    "Coverage",
    "LastReaching",
    "Overlaps",
    "Pieces",
    "Spans",
    "Stabber",
    "clip",
    "empty",
    "expand",
    "gaps",
    "inner_last",
    "intersect",
    "lanes_for_overlaps",
    "nesting_depth",
    "next_index",
    "open_mask",
    "outermost",
    "overlap_length",
    "overlaps",
    "previous_index",
    "split",
    "subtract",
    "total",
    "union",
    "union_of_blocks",
]
