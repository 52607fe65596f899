"""One lane's line as runs. Cost goes with the cells, never with the events: every slice is found by
binary search from a cell's edges, and covered time comes from prefix sums.

What a cell shows: nothing; a slice that fills it (with its name, where that fits); the end of a slice
or the start of one, in eighths; two slices that meet; one short slice; or, where it holds more than
that, the exact share of covered time as the height of a block, never less than the lowest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tui.text import cut, width
from tui.timeline.catalogue import Catalogue
from tui.timeline.glyphs import UNICODE, Glyphs
from tui.timeline.lane import LaneLine
from tui.timeline.rows import Int64, Row, SliceId, Summary
from tui.timeline.runs import Line, Run, from_cells, write
from tui.timeline.times import brief
from tui.timeline.viewport import Viewport

NOTHING = -1  # a cell's ink or paper is bare ground
INK_POINT = -2  # the mark of an event without length, on something else
INK_EDGE = -3  # the line between two slices that touch
SHORTEST_CUT = 4
"""A name is not cut to fewer cells than this; it is left out."""


@dataclass(frozen=True)
class GapMarks:
    """A device's idle gaps over the threshold, as drawn on its line: int64 ns, in time order.

    ``cause(i)`` says in words what explains gap i ("host code in data_to_gpu"), "" when unknown yet.
    """

    start: Int64
    end: Int64
    cause: Callable[[int], str]


@dataclass(frozen=True)
class DrawOptions:
    """What besides lanes and viewport decides how a line looks.

    ``fill``: there are colours, so a slice is a run of coloured spaces; without, of a glyph that tells
    its category. ``gaps``: by device index. ``selection``: [start, end) under study, shaded.
    """

    glyphs: Glyphs = UNICODE
    fill: bool = True
    gaps: Mapping[int, GapMarks] = field(default_factory=dict)
    selection: tuple[int, int] | None = None
    selected: SliceId | None = None


def draw_lane_row(
    line: LaneLine, viewport: Viewport, cells: int, catalogue: Catalogue | None, options: DrawOptions
) -> Line:
    """The line's ``cells`` cells (titles are drawn apart). Pure: equal arguments, equal runs.

    A lane not loaded yet is loaded when it can be, else drawn as "loading".
    """
    lane = line.lane
    if not lane.ready:
        return [Run(("loading" + options.glyphs.ellipsis).ljust(cells)[:cells], "loading")]
    summary = lane.summary
    if summary is not None:
        return _draw_summary(summary, viewport, cells, options.gaps.get(lane.device), options)
    row = line.row
    if row is None or catalogue is None:
        return _Canvas(cells, viewport, options).line()
    return _draw_row(row, viewport, cells, catalogue, options)


class _Canvas:
    """Characters and styles of one line, with the selected range as its ground."""

    def __init__(self, cells: int, viewport: Viewport, options: DrawOptions) -> None:
        self.text = [" "] * cells
        self.ground = [""] * cells
        self.shade: tuple[int, ...] = ()
        if options.selection is not None:
            first = max(viewport.cell(options.selection[0]), 0)
            last = min(viewport.cell(options.selection[1] - 1), cells - 1)
            self.ground[first : last + 1] = ["select"] * max(last + 1 - first, 0)
            self.shade = (first, last + 1)
        self.style = list(self.ground)

    def ink(self, cell: int, glyph: str, style: str) -> None:
        """A glyph in the style's colour on the ground."""
        self.text[cell] = glyph
        self.style[cell] = f"{style}|{self.ground[cell]}"

    def line(self) -> Line:
        return from_cells(self.text, self.style)


# -- slices -----------------------------------------------------------------------------------------------


@dataclass
class _Cells:
    """The occupied cells of a row: which, and what each shows."""

    at: NDArray[np.intp]
    glyph: NDArray[np.str_]
    ink: NDArray[np.intp]  # slice whose colour the glyph has; NOTHING: the ground's
    paper: NDArray[np.intp]  # slice whose colour is behind it; NOTHING: the ground


def _draw_row(row: Row, viewport: Viewport, cells: int, catalogue: Catalogue, options: DrawOptions) -> Line:
    canvas = _Canvas(cells, viewport, options)
    edges = viewport.edges(cells)
    found = _compose(row, edges, viewport.ns_per_cell, options)
    if found is not None:
        _paint(canvas, found, row, catalogue, options)
    if len(row.point):
        _points(canvas, row, edges, catalogue, options)
    return canvas.line()


def _eighths(length: Int64, per_cell: int) -> Int64:
    """Length in eighths of a cell, rounded."""
    return (length * 16 + per_cell) // (2 * per_cell)


def _compose(row: Row, edges: Int64, per_cell: int, options: DrawOptions) -> _Cells | None:
    """What each occupied cell shows, worked out for all cells at once."""
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

    glyphs = np.array(list(options.glyphs.left))
    glyph = np.full(len(at), " ", dtype="<U1")
    ink = np.full(len(at), NOTHING)
    paper = np.full(len(at), NOTHING)

    # Widths in eighths of what comes from the left and of what goes on to the right.
    head = _eighths(np.minimum(first_end, right) - left, per_cell)
    head = np.maximum(head, ((first_start == left) | (at == 0)).astype(np.int64))
    tail = _eighths(right - np.maximum(last_start, left), per_cell)
    tail = np.maximum(tail, (last_end - last_start < 2 * per_cell).astype(np.int64))

    one = count == 1
    whole = one & from_left & to_right
    meet = (count == 2) & from_left & to_right
    # Where one ends and the next begins with a hole between them, the larger of both is shown.
    apart = meet & (head + tail < 8)
    joined = meet & ~apart
    head[joined] = np.minimum(head[joined], 8 - tail[joined])

    inside = one & ~from_left & ~to_right
    size = np.maximum(_eighths(first_end - first_start, per_cell), 1)
    late = first_start + first_end > left + right

    leftish = (one & from_left & ~to_right) | (apart & (head >= tail)) | (inside & ~late)
    rightish = (one & to_right & ~from_left) | (apart & (head < tail)) | (inside & late)
    head[inside] = size[inside]
    tail[inside] = size[inside]

    glyph[leftish] = glyphs[head[leftish]]
    ink[leftish] = first[leftish]
    glyph[rightish] = glyphs[8 - tail[rightish]]
    paper[rightish] = last[rightish]
    glyph[joined] = glyphs[head[joined]]
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
        level = np.clip(_eighths(covered, per_cell), 1, 8)
        glyph[which] = np.array(list(options.glyphs.up))[level]
        ink[which] = _dominant(row, first[which], last[which], left[which], right[which])

    _separate(row, at, left, per_cell, solid, paper, glyph, ink, options.glyphs)
    return _Cells(at, glyph, ink, paper)


def _dominant(row: Row, first: Int64, last: Int64, left: Int64, right: Int64) -> NDArray[np.intp]:
    """The slice that lends a crowded cell its colour: the longest of five taken across it."""
    count = last - first
    picks = np.stack([first, first + count // 4, first + count // 2, first + 3 * count // 4, last])
    length = np.minimum(row.end[picks], right) - np.maximum(row.start[picks], left)
    best: NDArray[np.intp] = picks[length.argmax(axis=0), np.arange(len(first))]
    return best


def _separate(
    row: Row, at: NDArray[np.intp], left: Int64, per_cell: int, solid: NDArray[np.bool_], paper: NDArray[np.intp],
    glyph: NDArray[np.str_], ink: NDArray[np.intp], glyphs: Glyphs,
) -> None:  # fmt: skip
    """Draw a thin line where a slice starts right after another, or both would look like one."""
    which = np.flatnonzero(solid & (paper > 0))
    if len(which) == 0:
        return
    this = paper[which]
    begins = np.abs(row.start[this] - left[which]) * 16 <= per_cell
    begins |= row.start[this] > left[which]
    touches = (row.start[this] - row.end[this - 1]) * 8 <= per_cell
    marked = which[begins & touches]
    glyph[marked] = glyphs.edge
    ink[marked] = INK_EDGE


def _paint(canvas: _Canvas, found: _Cells, row: Row, catalogue: Catalogue, options: DrawOptions) -> None:
    """Characters, styles and names of the occupied cells, a run of equal ones at a time."""
    at, ink, paper = found.at, found.ink, found.paper
    new = np.ones(len(at), bool)
    new[1:] = (at[1:] != at[:-1] + 1) | (ink[1:] != ink[:-1]) | (paper[1:] != paper[:-1])
    new[1:] |= (found.glyph[1:] == " ") != (found.glyph[:-1] == " ")
    new |= np.isin(at, canvas.shade)  # the selected range begins or ends within a run
    begins = np.flatnonzero(new)
    ends = np.append(begins[1:], len(at))
    text = "".join(found.glyph.tolist())
    styles: dict[int, str] = {}

    def style_of(position: int) -> str:
        known = styles.get(position)
        if known is None:
            slice_id = row.slice_id(position)
            known = "selected" if slice_id == options.selected else catalogue.style(slice_id)
            styles[position] = known
        return known

    for begin, stop, first, over, under in zip(
        begins.tolist(),
        ends.tolist(),
        at[begins].tolist(),
        ink[begins].tolist(),
        paper[begins].tolist(),
        strict=True,
    ):
        size = stop - begin
        glyphs = text[begin:stop]
        ground = canvas.ground[first]
        if under == NOTHING:
            style = f"{style_of(over)}|{ground}"
        elif over >= 0:
            style = f"{style_of(over)}|{style_of(under)}"
            if style_of(over) == style_of(under):
                glyphs, style = options.glyphs.divider * size, f"edge|{style_of(under)}"
        elif over == INK_EDGE:
            style = f"edge|{style_of(under)}"
        elif glyphs[0] == " ":
            style = style_of(under)
            if not options.fill:
                glyphs = options.glyphs.fill(style) * size
            canvas.text[first : first + size] = glyphs
            canvas.style[first : first + size] = [style] * size
            _name(canvas, first, size, *catalogue.labels(row.slice_id(under)), options)
            continue
        else:
            style = f"{ground}|{style_of(under)}"
            if not options.fill:  # without colours a block can't be cut out of its own colour
                thin = glyphs in options.glyphs.left[5:]
                glyphs = (options.glyphs.thin_right if thin else options.glyphs.fill(style_of(under))) * size
        canvas.text[first : first + size] = glyphs
        canvas.style[first : first + size] = [style] * size


def _name(canvas: _Canvas, first: int, size: int, full: str, short: str, options: DrawOptions) -> None:
    """The slice's name in its ``size`` cells from ``first``: full, short or cut, or none."""
    room = size
    if options.fill and room > SHORTEST_CUT and canvas.text[first - 1 : first] != [options.glyphs.edge]:
        first, room = first + 1, room - 1  # a space between a slice's edge and its name
    label = full if width(full) <= room else short
    if width(label) > room:
        if room < SHORTEST_CUT:
            return
        label = cut(label, room, options.glyphs.ellipsis)
    write(canvas.text, first, label)


def _points(canvas: _Canvas, row: Row, edges: Int64, catalogue: Catalogue, options: DrawOptions) -> None:
    """Events without length: a mark in every cell that holds one, with the name where there is room."""
    bounds = np.searchsorted(row.point, edges, "left")
    marked = np.flatnonzero(bounds[1:] > bounds[:-1]).tolist()
    for order, cell in enumerate(marked):
        position = int(bounds[cell])
        point_id = row.point_id(position)
        style = "selected" if point_id == options.selected else catalogue.style(point_id)
        _, _, paper = canvas.style[cell].partition("|")
        under = canvas.style[cell] if "|" not in canvas.style[cell] else paper
        if under and under != "select":
            canvas.text[cell], canvas.style[cell] = options.glyphs.point, f"point|{under}"
            continue
        canvas.ink(cell, options.glyphs.point, style)
        stop = marked[order + 1] if order + 1 < len(marked) else len(canvas.text)
        free = next(
            (c for c in range(cell + 1, stop) if canvas.text[c] != " " or "|" in canvas.style[c]), stop
        )
        room = free - cell - 2
        if int(bounds[cell + 1]) - position == 1 and room >= SHORTEST_CUT:
            label = cut(catalogue.labels(point_id)[1], room, options.glyphs.ellipsis)
            write(canvas.text, cell + 1, label)
            for c in range(cell + 1, cell + 1 + width(label)):
                canvas.style[c] = f"{style}|{canvas.ground[c]}"


# -- a device's summary -----------------------------------------------------------------------------------


def _draw_summary(
    summary: Summary, viewport: Viewport, cells: int, gaps: GapMarks | None, options: DrawOptions
) -> Line:
    """Busy share a cell as the height of a block, in the colour of what filled more of it; and the gaps."""
    canvas = _Canvas(cells, viewport, options)
    edges = viewport.edges(cells)
    per_cell = viewport.ns_per_cell
    busy = summary.busy.over(edges)
    work = summary.kernels.over(edges)
    level = np.where(busy > 0, np.clip(_eighths(busy, per_cell), 1, 8), 0)
    style = np.where(2 * work >= busy, "busy", "busy.copy")
    for cell in np.flatnonzero(level).tolist():
        canvas.ink(cell, options.glyphs.up[level[cell]], str(style[cell]))
    if gaps is not None and len(gaps.start):
        _gaps(canvas, gaps, viewport, level, options)
    first = np.searchsorted(summary.point, edges, "left")
    for cell in np.flatnonzero((first[1:] > first[:-1]) & (level == 0)).tolist():
        canvas.ink(cell, options.glyphs.point, "busy")
    return canvas.line()


def _gaps(canvas: _Canvas, gaps: GapMarks, viewport: Viewport, level: Int64, options: DrawOptions) -> None:
    """Idle gaps over the threshold: a dashed line in the cells that they fill, length and cause in it."""
    cells = len(canvas.text)
    left, right = viewport.start, viewport.end(cells)
    first = int(np.searchsorted(gaps.end, left, "right"))
    last = int(np.searchsorted(gaps.start, right, "left"))
    wide = np.flatnonzero(gaps.end[first:last] - gaps.start[first:last] >= viewport.ns_per_cell) + first
    for gap in wide.tolist():  # at most one a cell
        begin = max(-((viewport.start - int(gaps.start[gap])) // viewport.ns_per_cell), 0)
        stop = min((int(gaps.end[gap]) - viewport.start) // viewport.ns_per_cell, cells)
        idle = [c for c in range(begin, stop) if not level[c]]
        for cell in idle:
            canvas.text[cell], canvas.style[cell] = options.glyphs.gap, "gap"
        _gap_words(canvas, gaps, gap, begin, stop, options)


def _gap_words(
    canvas: _Canvas, gaps: GapMarks, gap: int, begin: int, stop: int, options: DrawOptions
) -> None:
    """Length and cause in the middle of a gap, as much as its cells hold."""
    room = stop - begin
    if room < SHORTEST_CUT:
        return
    length = brief(int(gaps.end[gap] - gaps.start[gap]))
    wordings = [f" idle {length} ", f" {length} ", length]
    cause = gaps.cause(gap) if room >= width(wordings[0]) + SHORTEST_CUT else ""
    if cause:
        long = f" idle {length} {options.glyphs.dot} {cause} "
        if width(long) > room - 2:
            long = cut(long, room - 3, options.glyphs.ellipsis) + " "
        wordings.insert(0, long)
    text = next((w for w in wordings if width(w) <= room), None)
    if text is None:
        return
    at = begin + (room - width(text)) // 2
    write(canvas.text, at, text)
    canvas.style[at : at + width(text)] = ["gap.text"] * width(text)
