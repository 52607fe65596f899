"""Lines of a thread: whether it ran, and in which function."""

from __future__ import annotations

import numpy as np

from tui.report.columns import Int64, distinct_values
from tui.text import cut
from tui.timeline.canvas import Canvas, DrawOptions
from tui.timeline.runs import Line
from tui.timeline.series import NamedCells, OnCpu, Sampled
from tui.timeline.stretches import line_of
from tui.timeline.style_colours import SERIES_LEVELS

CPU_STYLE = "series.6"
NAME_CELLS = 6
"""Cells that a function fills before its name is written."""
NAME_SHARE = 0.6
"""Of the samples of those cells, the share that the function has at least."""
BRIDGE = 2
"""Cells of other functions that do not end a name."""
MOST = 9
"""Samples up to which a cell shows their number."""

_OFF, _IN_CALL, _UNKNOWN = 0, SERIES_LEVELS, SERIES_LEVELS + 1


def draw_on_cpu(thread: OnCpu, edges: Int64, options: DrawOptions) -> Line:
    """A block, the lighter the more of the cell was on a CPU; a dash off it in a call; blank off it.

    A cell of which less than half is known is marked as unknown.
    """
    inside = np.clip(edges, *thread.known)
    size = np.diff(inside)
    running, waiting = thread.running.over(inside), thread.waiting.over(inside)
    levels = SERIES_LEVELS - 1
    codes = np.where(running > 0, np.clip(-(-running * levels // np.maximum(size, 1)), 1, levels), _OFF)
    codes = np.where((running == 0) & (waiting > 0), _IN_CALL, codes)
    codes = np.where(2 * size < np.diff(edges), _UNKNOWN, codes)
    glyphs = options.glyphs

    def look(code: int) -> tuple[str, str]:
        if code == _OFF:
            return " ", ""
        if code == _UNKNOWN:
            return glyphs.unknown, "pane.dim"
        if code == _IN_CALL:
            return glyphs.off_cpu, f"{CPU_STYLE}.1|"
        return glyphs.shades[levels] if options.fill else glyphs.shades[code], f"{CPU_STYLE}.{code}|"

    return line_of(codes, look)


def draw_sampled(sampled: Sampled, edges: Int64, options: DrawOptions) -> Line:
    """The function that most samples of a stretch were in, by its name; else the number of samples a cell."""
    found = sampled.names.over(edges)
    glyphs, cells = options.glyphs, len(found.seen)
    canvas = Canvas(cells)
    styles = {code: sampled.style(code) for code in distinct_values(found.code[found.seen > 0]).tolist()}
    for first, stop, code in named_stretches(found):
        style = styles[code]
        fill = " " if options.fill else glyphs.fill("series")
        canvas.write(first, fill * (stop - first), style)
        lead = 1 if options.fill else 0
        canvas.write(first + lead, cut(sampled.names.word(code), stop - first - 2 * lead, glyphs.ellipsis))
    counts, codes = found.seen.tolist(), found.code.tolist()
    for cell in np.flatnonzero(found.seen > 0).tolist():
        if canvas.style[cell] == "":
            count = counts[cell]
            canvas.ink(cell, str(count) if count <= MOST else glyphs.counts[-1], styles[codes[cell]])
    return canvas.line()


def named_stretches(found: NamedCells) -> list[tuple[int, int, int]]:
    """(first cell, one past the last, code) of the stretches in which one function has most of the samples.

    A stretch has samples in each of its cells, begins and ends with cells of its function, and has no more
    than BRIDGE cells of others in a row.
    """
    seen, code, share = found.seen.tolist(), found.code.tolist(), found.share.tolist()
    stretches: list[tuple[int, int, int]] = []
    cell, cells = 0, len(seen)
    while cell < cells:
        if not seen[cell]:
            cell += 1
            continue
        mine, total, best, others, at = 0.0, 0, cell, 0, cell
        while at < cells and seen[at] and others <= BRIDGE:
            total += seen[at]
            if code[at] == code[cell]:
                mine, others = mine + seen[at] * share[at], 0
                if mine >= NAME_SHARE * total - 1e-9:
                    best = at + 1
            else:
                others += 1
            at += 1
        if best - cell >= NAME_CELLS:
            stretches.append((cell, best, code[cell]))
        cell = max(best, cell + 1) if best - cell >= NAME_CELLS else _next_code(seen, code, cell)
    return stretches


def _next_code(seen: list[int], code: list[int], cell: int) -> int:
    """The first cell after ``cell`` that has another code or no samples."""
    others = (at for at in range(cell + 1, len(code)) if code[at] != code[cell] or not seen[at])
    return next(others, len(code))
