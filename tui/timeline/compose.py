"""What each cell of a row shows, worked out for all cells at once by binary search from their edges.

Cost goes with the cells, never with the events; covered time comes from prefix sums.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tui.timeline.glyphs import Glyphs
from tui.timeline.rows import Int64, Row

NOTHING = -1  # a cell's ink or paper is bare ground
INK_EDGE = -2  # the line between two slices that touch


@dataclass
class Cells:
    """The occupied cells of a row, in order. Arrays of one length."""

    at: NDArray[np.intp]
    """Which cell."""
    glyph: NDArray[np.str_]
    """What stands in it; a space where a slice fills it."""
    ink: NDArray[np.intp]
    """The slice (position in the row) whose colour the glyph has; NOTHING: the ground's; INK_EDGE."""
    paper: NDArray[np.intp]
    """The slice whose colour is behind the glyph; NOTHING: the ground."""


def eighths(length: Int64, per_cell: int) -> Int64:
    """Length in eighths of a cell, rounded."""
    return (length * 16 + per_cell) // (2 * per_cell)


def compose(row: Row, edges: Int64, per_cell: int, glyphs: Glyphs) -> Cells | None:
    """The occupied cells between consecutive ``edges`` (``per_cell`` ns apart); None if there are none."""
    start, end = row.start, row.end
    first = np.searchsorted(end, edges[:-1], "right")  # the first slice that reaches into the cell
    last = np.searchsorted(start, edges[1:], "left") - 1  # the last one that begins before its end
    at = np.flatnonzero(last >= first)
    if len(at) == 0:
        return None
    first, last = first[at], last[at]
    left = edges[at]
    right = left + per_cell
    count = last - first + 1
    first_start, first_end, last_start, last_end = start[first], end[first], start[last], end[last]
    from_left = first_start <= left
    to_right = last_end >= right

    blocks = np.array(list(glyphs.left))
    glyph = np.full(len(at), " ", dtype="<U1")
    ink = np.full(len(at), NOTHING)
    paper = np.full(len(at), NOTHING)

    # Widths in eighths of what comes from the left and of what goes on to the right.
    head = eighths(np.minimum(first_end, right) - left, per_cell)
    head = np.maximum(head, ((first_start == left) | (at == 0)).astype(np.int64))
    tail = eighths(right - np.maximum(last_start, left), per_cell)
    tail = np.maximum(tail, (last_end - last_start < 2 * per_cell).astype(np.int64))

    one = count == 1
    whole = one & from_left & to_right
    meet = (count == 2) & from_left & to_right
    # Where one ends and the next begins with a hole between them, the larger of both is shown.
    apart = meet & (head + tail < 8)
    joined = meet & ~apart
    head[joined] = np.minimum(head[joined], 8 - tail[joined])

    inside = one & ~from_left & ~to_right
    size = np.maximum(eighths(first_end - first_start, per_cell), 1)
    late = first_start + first_end > left + right

    leftish = (one & from_left & ~to_right) | (apart & (head >= tail)) | (inside & ~late)
    rightish = (one & to_right & ~from_left) | (apart & (head < tail)) | (inside & late)
    head[inside] = size[inside]
    tail[inside] = size[inside]

    glyph[leftish] = blocks[head[leftish]]
    ink[leftish] = first[leftish]
    glyph[rightish] = blocks[8 - tail[rightish]]
    paper[rightish] = last[rightish]
    glyph[joined] = blocks[head[joined]]
    ink[joined] = first[joined]
    paper[joined] = last[joined]

    paper[whole] = first[whole]
    full_head = (leftish | joined) & (head >= 8)
    paper[full_head] = first[full_head]
    solid = whole | full_head | (joined & (head == 0)) | (rightish & (tail >= 8))
    glyph[solid] = " "
    ink[solid] = NOTHING

    dense = ~(one | meet)
    if dense.any():
        which = np.flatnonzero(dense)
        covered = row.coverage.between(left[which], right[which])
        level = np.clip(eighths(covered, per_cell), 1, 8)
        glyph[which] = np.array(list(glyphs.up))[level]
        ink[which] = _dominant(row, first[which], last[which], left[which], right[which])

    found = Cells(at, glyph, ink, paper)
    _separate(row, found, solid, left, per_cell, glyphs.edge)
    return found


def _dominant(row: Row, first: Int64, last: Int64, left: Int64, right: Int64) -> NDArray[np.intp]:
    """The slice that lends a crowded cell its colour: the longest of five taken across it."""
    count = last - first
    picks = np.stack([first, first + count // 4, first + count // 2, first + 3 * count // 4, last])
    length = np.minimum(row.end[picks], right) - np.maximum(row.start[picks], left)
    best: NDArray[np.intp] = picks[length.argmax(axis=0), np.arange(len(first))]
    return best


def _separate(
    row: Row, found: Cells, solid: NDArray[np.bool_], left: Int64, per_cell: int, edge: str
) -> None:
    """Draw a thin line where a slice starts right after another, or both would look like one."""
    which = np.flatnonzero(solid & (found.paper > 0))
    if len(which) == 0:
        return
    this = found.paper[which]
    begins = np.abs(row.start[this] - left[which]) * 16 <= per_cell
    begins |= row.start[this] > left[which]
    touches = (row.start[this] - row.end[this - 1]) * 8 <= per_cell
    marked = which[begins & touches]
    found.glyph[marked] = edge
    found.ink[marked] = INK_EDGE
