"""What each cell of a row shows, worked out for all cells at once by binary search from their edges.

The cost grows with the cells, never with the events. Covered time comes from prefix sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tui.report.columns import Bool, Int64, Positions
from tui.timeline.glyphs import Glyphs
from tui.timeline.slices import Row

NOTHING = -1  # a cell's ink or paper is bare ground
INK_EDGE = -2  # the line between two slices that touch


@dataclass
class OccupiedCells:
    """The occupied cells of a row, in order. Arrays of one length."""

    at: Positions
    """The number of the cell."""
    glyph: NDArray[np.str_]
    """The character in it; a space where a slice fills it."""
    ink: Positions
    """The slice (position in the row) whose colour the glyph has; NOTHING: the ground's; INK_EDGE."""
    paper: Positions
    """The slice whose colour is behind the glyph; NOTHING: the ground."""


class _Span(NamedTuple):
    """What some cells hold: the first and the last slice of each, and the time (ns) at its left edge."""

    first: Positions
    last: Positions
    left: Int64

    def of(self, which: Positions | slice) -> _Span:
        """The same of some of the cells."""
        return _Span(self.first[which], self.last[which], self.left[which])


class Place(NamedTuple):
    """Which of the lines of a row that takes several: ``part``, from the top, of ``rows``."""

    part: int = 0
    rows: int = 1

    @property
    def last(self) -> bool:
        """Whether it is the lowest."""
        return self.part == self.rows - 1

    def share(self, length: Int64, per_cell: int) -> Int64:
        """How many eighths of this line a length fills, from below; any length fills one of the lowest."""
        filled = np.clip(eighths(length * self.rows, per_cell), 1, 8 * self.rows)
        here: Int64 = np.clip(np.where(length > 0, filled, 0) - 8 * (self.rows - 1 - self.part), 0, 8)
        return here


ALONE = Place()


def eighths(length: Int64, per_cell: int) -> Int64:
    """Length in eighths of a cell, rounded."""
    return (length * 16 + per_cell) // (2 * per_cell)


def compose(
    row: Row, edges: Int64, per_cell: int, glyphs: Glyphs, place: Place = ALONE
) -> OccupiedCells | None:
    """The occupied cells between consecutive ``edges`` (``per_cell`` ns apart); None if there are none.

    In a row of several lines slices look alike in each, and shares are as high as they all together.
    """
    if len(row.start) == 0:
        return None
    begun = np.searchsorted(row.start, edges, "left")  # slices that start before each edge
    last = begun[1:] - 1  # the last one that begins before the cell ends
    first = begun[:-1]  # the first one that reaches into it: as they are disjoint, this one or ...
    first -= (first > 0) & (row.end[np.maximum(first - 1, 0)] > edges[:-1])  # ... the one before it
    at = np.flatnonzero(last >= first)
    if len(at) == 0:
        return None
    found = OccupiedCells(
        at, np.full(len(at), " ", dtype="<U1"), np.full(len(at), NOTHING), np.full(len(at), NOTHING)
    )
    span = _Span(first, last, edges).of(at)
    crowded = span.last - span.first >= 2
    few = np.flatnonzero(~crowded) if crowded.any() else slice(None)
    if not crowded.all():
        crowded[few] = _place_few(row, found, few, span.of(few), per_cell, glyphs)
    many = np.flatnonzero(crowded)
    if len(many):
        _place_crowded(row, found, many, span.of(many), per_cell, glyphs, place)
    return found


def _place_few(
    row: Row, found: OccupiedCells, which: Positions | slice, span: _Span, per_cell: int, glyphs: Glyphs
) -> Bool:
    """Fill in the cells ``which`` with one or two slices; True where there is too much for one glyph."""
    first, last, left = span
    right = left + per_cell
    first_start, first_end, last_start, last_end = (
        row.start[first], row.end[first], row.start[last], row.end[last]
    )  # fmt: skip
    from_left = first_start <= left
    to_right = last_end >= right
    one = first == last

    # Widths in eighths of what comes from the left and of what goes on to the right.
    head = eighths(np.minimum(first_end, right) - left, per_cell)
    head = np.maximum(head, (first_start == left) | (found.at[which] == 0))
    tail = eighths(right - np.maximum(last_start, left), per_cell)
    tail = np.maximum(tail, last_end - last_start < 2 * per_cell)
    inside = one & ~from_left & ~to_right
    if inside.any():
        head[inside] = tail[inside] = np.maximum(eighths((first_end - first_start)[inside], per_cell), 1)
    late = first_start + first_end > left + right

    whole = one & from_left & to_right
    meet = ~one & from_left & to_right
    # Where one ends and the next begins with a hole between them, the larger of both is shown.
    apart = meet & (head + tail < 8)
    joined = meet & ~apart
    head[joined] = np.minimum(head, 8 - tail)[joined]
    lefts = (one & from_left & ~to_right) | (apart & (head >= tail)) | (inside & ~late)
    rights = (one & to_right & ~from_left) | (apart & (head < tail)) | (inside & late)

    crowded: Bool = ~(one | meet)
    filled = whole | ((lefts | joined) & (head >= 8))
    solid = filled | (joined & (head == 0)) | (rights & (tail >= 8))
    blocks = np.array(list(glyphs.left))
    glyph = np.where(rights, blocks[8 - tail], blocks[head])
    glyph[solid | crowded] = " "
    ink = np.where((lefts | joined) & ~solid, first, NOTHING)
    paper = np.where(rights | joined, last, NOTHING)
    paper[filled] = first[filled]
    # A thin line where a slice starts right after another, or both would look like one.
    second = np.flatnonzero(solid & (paper > 0))
    start = row.start[paper[second]]
    begins = (left[second] - start) * 16 <= per_cell
    if begins.any():
        touches = begins & ((start - row.end[paper[second] - 1]) * 8 <= per_cell)
        glyph[second[touches]] = glyphs.edge
        ink[second[touches]] = INK_EDGE
    found.glyph[which], found.ink[which], found.paper[which] = glyph, ink, paper
    return crowded


def _place_crowded(
    row: Row, found: OccupiedCells, which: Positions, span: _Span, per_cell: int, glyphs: Glyphs, place: Place
) -> None:
    """Fill in the cells ``which`` that hold more than can be drawn: their exact share as a block's height.

    The slice that gives a cell its colour is the longest of five picked across the cell.
    """
    first, last, left = span
    right = left + per_cell
    covered = row.before[last + 1] - row.before[first]
    covered -= np.maximum(left - row.start[first], 0) + np.maximum(row.end[last] - right, 0)
    level = place.share(np.maximum(covered, 1), per_cell)
    count = last - first
    picks = np.stack([first, first + count // 4, first + count // 2, first + 3 * count // 4, last])
    length = np.minimum(row.end[picks], right) - np.maximum(row.start[picks], left)
    found.glyph[which] = np.array(list(glyphs.up))[level]
    found.ink[which] = picks[length.argmax(axis=0), np.arange(len(first))]
