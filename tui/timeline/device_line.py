"""A device's line: how busy each cell is, the idle gaps with their length and cause, and what is unknown."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tui.report.columns import Bool, Int64
from tui.text import cut, width
from tui.text.times import brief
from tui.timeline.canvas import SHORTEST_CUT, Canvas, DeviceTime, DrawOptions, GapMarks
from tui.timeline.compose import ALONE, Place
from tui.timeline.glyphs import Glyphs
from tui.timeline.runs import Line
from tui.timeline.slices import Summary
from tui.timeline.viewport import Viewport


def draw_summary(
    summary: Summary,
    viewport: Viewport,
    cells: int,
    gaps: GapMarks | None,
    options: DrawOptions,
    place: Place = ALONE,
) -> Line:
    """Draw busy shares as blocks, in the colour of what filled more of a cell, on the ground of idle time.

    A cell in which nothing ran is drawn as idle (or unknown) at every scale. Gaps of at least a cell have
    their length and cause. In several lines the shares are as high as they all together, the words are in the
    middle and the marks of idle time in the lowest.
    """
    canvas = Canvas(cells)
    edges = viewport.edges(cells)
    per_cell = viewport.ns_per_cell
    time = gaps.time if gaps is not None else None
    busy = (summary.busy if time is None else time.busy).over(edges)
    work = summary.kernels.over(edges)
    foreign = np.zeros(cells, bool)
    if gaps is not None and gaps.other is not None:
        other = gaps.other.over(edges)
        foreign = (other > 0) & (busy == 0)
        busy = np.where(foreign, other, busy)
    level, nothing = place.share(busy, per_cell), busy <= 0
    style = np.where(2 * work >= busy, "busy", np.where(foreign, "busy.other", "busy.copy"))
    ground = [_NOTHING] * cells if time is None else _ground(time, edges)
    for cell in np.flatnonzero(level).tolist():
        paper = ground[cell].paper if level[cell] < 8 else ""
        canvas.put(cell, options.glyphs.up[level[cell]], f"{style[cell]}|{paper}")
    for cell in np.flatnonzero(level == 0).tolist():
        if (look := ground[cell]) is not _NOTHING:
            mark = look.glyph(options.glyphs) if place.last and nothing[cell] else " "
            canvas.text[cell], canvas.style[cell] = mark, look.style
    if gaps is not None and len(gaps.start):
        _stretches(canvas, gaps, viewport, nothing, options, _IDLE, place)
    if gaps is not None and gaps.unseen is not None:
        _stretches(canvas, gaps.unseen, viewport, nothing, options, _UNSEEN, place)
    first = np.searchsorted(summary.point, edges, "left")
    for cell in np.flatnonzero((first[1:] > first[:-1]) & nothing).tolist() if place.last else ():
        canvas.put(cell, options.glyphs.point, f"busy|{ground[cell].paper}")
    return canvas.line()


class _Look(NamedTuple):
    """What a kind of stretch is called, its styles, and the ground that it is behind a block."""

    word: str
    style: str
    text: str
    paper: str

    def glyph(self, glyphs: Glyphs) -> str:
        """The character that fills a cell of this kind."""
        return glyphs.unknown if self is _UNSEEN else glyphs.gap


_IDLE = _Look("idle", "gap", "gap.text", "idle")
_UNSEEN = _Look("unknown", "unknown", "unknown.text", "unseen")
_NOTHING = _Look("", "", "", "")


def _ground(time: DeviceTime, edges: Int64) -> list[_Look]:
    """Say what each cell is behind its work: idle, unknown where that is more, nothing outside the window.

    A cell of which less than half lies in the window is outside.
    """
    inside = np.clip(edges, *time.window)
    size = np.diff(inside)
    idle = size - time.not_idle.over(inside)
    unknown = time.unknown.over(inside)
    kind = np.where((unknown > 0) & (unknown >= idle), 2, np.where(idle > 0, 1, 0))
    kind[2 * size < np.diff(edges)] = 0
    looks = (_NOTHING, _IDLE, _UNSEEN)
    return [looks[k] for k in kind.tolist()]


def _stretches(
    canvas: Canvas,
    gaps: GapMarks,
    viewport: Viewport,
    nothing: Bool,
    options: DrawOptions,
    look: _Look,
    place: Place,
) -> None:
    """Draw gaps (or unknown stretches): a line in the cells that they fill, with their length and cause."""
    glyph = look.glyph(options.glyphs) if place.last else " "
    cells = len(canvas.text)
    left, right = viewport.start, viewport.end(cells)
    first = int(np.searchsorted(gaps.end, left, "right"))
    last = int(np.searchsorted(gaps.start, right, "left"))
    wide = np.flatnonzero(gaps.end[first:last] - gaps.start[first:last] >= viewport.ns_per_cell) + first
    for gap in wide.tolist():  # at most one a cell
        begin = max(-((viewport.start - int(gaps.start[gap])) // viewport.ns_per_cell), 0)
        stop = min((int(gaps.end[gap]) - viewport.start) // viewport.ns_per_cell, cells)
        for cell in np.flatnonzero(nothing[begin:stop]).tolist():
            canvas.text[begin + cell], canvas.style[begin + cell] = glyph, look.style
        if place.part == (place.rows - 1) // 2:
            _words(canvas, gaps, gap, (begin, stop), options, look)


def _words(
    canvas: Canvas, gaps: GapMarks, gap: int, cells: tuple[int, int], options: DrawOptions, look: _Look
) -> None:
    """Write length and cause into the middle of a gap, as much as fits."""
    begin, stop = cells
    room = stop - begin
    if room < SHORTEST_CUT:
        return
    length = brief(int(gaps.end[gap] - gaps.start[gap]))
    wordings = [f" {look.word} {length} ", f" {length} ", length]
    if room > width(wordings[0]) + SHORTEST_CUT:
        wordings[:0] = _with_cause(
            f" {look.word} {length} {options.glyphs.dot} ", gaps.cause(gap), room, options
        )
    text = next((words for words in wordings if width(words) <= room), "")
    canvas.write(begin + (room - width(text)) // 2, text, look.text)


def _with_cause(length: str, cause: str, room: int, options: DrawOptions) -> list[str]:
    """The length with its cause: whole, with the phase cut, or without the phase; the best first."""
    if not cause:
        return []
    what, inside, _ = cause.partition(" in ")
    wordings = [f"{length}{cause} "]
    left = room - width(length) - 1
    if inside and left >= width(what + inside) + SHORTEST_CUT:
        wordings.append(f"{length}{cut(cause, left, options.glyphs.ellipsis)} ")
    wordings.append(f"{length}{what} ")
    if left >= 2 * SHORTEST_CUT:
        wordings.append(f"{length}{cut(what, left, options.glyphs.ellipsis)} ")
    return wordings
