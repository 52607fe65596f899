"""A whole screen as text: header, map, ruler, lanes, pane and status line, laid out on a cell grid.

A frame is a function of what it is given. The explorer draws the same pieces (:func:`screen_layout`,
:func:`draw_title`, :func:`draw_lane_row`, the ruler's) and keeps them a line at a time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tui.intervals import Coverage
from tui.text import cut, pad, width
from tui.text.numbers import share
from tui.text.times import brief
from tui.timeline.canvas import SHORTEST_CUT
from tui.timeline.draw import DrawOptions, GapMarks, draw_lane_row
from tui.timeline.glyphs import Glyphs
from tui.timeline.lane import LaneKind, LaneLine, LaneTree
from tui.timeline.legend import legend_line
from tui.timeline.ruler import StepMarks, draw_minimap, draw_ruler, draw_steps, origin_label
from tui.timeline.runs import Line, Run, fit_line, line_width, merge, spread, to_ascii
from tui.timeline.viewport import Viewport

__all__ = [
    "DrawOptions", "Frame", "GapMarks", "Scene", "ScreenLayout", "draw", "draw_lane_row", "draw_title",
    "header_line", "screen_layout", "title_width",
]  # fmt: skip

PANE_LEAST = 100
"""Screens narrower than this have no room for a pane beside the timeline."""
TITLE_LEAST, TITLE_MOST = 8, 24
_TAIL = re.compile(r"(?: \d+)?(?: · [^·]+)?$")


@dataclass(frozen=True)
class ScreenLayout:
    """Cells of each part of a screen; ``pane`` is 0 where there is none."""

    width: int
    height: int
    title: int
    time: int
    pane: int


def screen_layout(columns: int, lines: int, title: int, *, pane: bool) -> ScreenLayout:
    """How ``columns`` x ``lines`` cells are shared out, given the widest title."""
    beside = min(max(columns * 3 // 8, 42), 64) if pane and columns >= PANE_LEAST else 0
    rest = columns - (beside + 1 if beside else 0)
    title = min(max(title, TITLE_LEAST), TITLE_MOST, rest // 4)
    return ScreenLayout(columns, lines, title, max(rest - title, 1), beside)


def title_width(lines: Sequence[LaneLine]) -> int:
    """Cells that the widest title takes, a space at its end included."""
    return max((3 + width(line.lane.title) + 1 for line in lines), default=TITLE_LEAST)


def draw_title(line: LaneLine, cells: int, glyphs: Glyphs, *, cursor: bool = False) -> Line:
    """The title column of one line: fold mark and title on a lane's first row, blank on the others."""
    lane = line.lane
    style = {LaneKind.DEVICE: "title.device", LaneKind.THREAD: "title.thread"}.get(lane.kind, "title")
    if cursor:
        style = "title.cursor"
    if line.sub > 0:
        return [Run(" " * cells, style if cursor else "title")]
    foldable = bool(lane.children) or line.folded or (lane.depth > 0 and lane.loaded and lane.height > 1)
    mark = (glyphs.closed if line.folded else glyphs.opened) if foldable else " "
    lead = f"{' ' * (1 + lane.depth)}{mark}{'' if lane.depth else ' '}"
    text = lead + cut_title(lane.title, cells - len(lead) - 1, glyphs.ellipsis)
    title = [Run(pad(text, cells), style)]
    return to_ascii(title) if glyphs.plain else title


def cut_title(title: str, cells: int, ellipsis: str) -> str:
    """The title in ``cells``; what tells lanes apart at its end (``4243 · OS``) is kept, the name is cut."""
    tail = _TAIL.search(title)
    assert tail is not None
    room = cells - width(tail[0])
    if width(title) <= cells or not tail[0] or room < SHORTEST_CUT:
        return cut(title, cells, ellipsis)
    return cut(title[: tail.start()], room, ellipsis) + tail[0]


def header_line(
    title: str,
    window: str,
    window_ns: int,
    shares: tuple[int, int, int, int] | None,
    cells: int,
    chosen: bool = False,
) -> Line:
    """What the report is at the left; window and kernel, copy and idle shares at the right.

    ``shares``: (kernel, copy-only, idle, whole) ns, summed over devices; None while not known.
    ``chosen``: the window is a range, which is said even where its bounds find no room.
    """
    name, _, rest = title.partition(" · ")
    figures: Line = []
    if shares is not None:
        kernel, copy, idle, whole = shares
        figures = [
            Run("   kernel ", "header.dim"), Run(share(kernel, whole), "header"),
            Run("  copy ", "header.dim"), Run(share(copy, whole), "header"),
            Run("  idle ", "header.dim"), Run(share(idle, whole), "header.idle"),
        ]  # fmt: skip
    length = Run(brief(window_ns), "header")
    called = Run(f"window: {window} ", "header.dim")
    end = Run(" ", "header")
    full = [Run(f" {name}", "header"), Run(f" · {rest}" if rest else "", "header.dim")]
    least = [Run("range ", "header.dim")] if chosen else []
    # What there is no room for gives way: first the rest of the title, then the window's name.
    for left, right in (
        (full, [called, length, *figures, end]),
        (full[:1], [called, length, *figures, end]),
        (full[:1], [*least, length, *figures, end]),
    ):
        if line_width(left) + line_width(right) + 2 <= cells:
            break
    return spread(left, right, cells, "header")


@dataclass(frozen=True)
class Scene:
    """Everything that a frame shows."""

    tree: LaneTree
    lines: Sequence[LaneLine]
    """The lines of lanes, top to bottom, as far as they are to be shown."""
    viewport: Viewport
    span: tuple[int, int]
    header: Line
    status: Line | None = None
    """The last line; None: a legend of what is drawn."""
    options: DrawOptions = field(default_factory=DrawOptions)
    devices: Sequence[Coverage] = ()
    """Busy time of the devices, for the minimap."""
    steps: StepMarks | None = None
    pane: Sequence[Line] = ()
    cursor: tuple[int, int] | None = None
    """(position in ``lines``, ns)."""
    absolute: bool = False


@dataclass(frozen=True)
class Frame:
    """A screen: ``rows`` of runs, each exactly ``width`` cells."""

    width: int
    rows: tuple[Line, ...]


def draw(scene: Scene, shape: ScreenLayout) -> Frame:
    """The scene on ``shape``; lanes past the last line are left out, free lines stay blank."""
    glyphs = scene.options.glyphs
    left_cells = shape.title + shape.time
    left: list[Line] = [_map_line(scene, shape)]
    if scene.steps is not None and len(scene.steps.start):
        names = draw_steps(scene.viewport, shape.time, scene.steps, glyphs)
        left.append([Run(" " * shape.title), *names])
    left.append(_ruler_line(scene, shape))
    room = max(shape.height - 2 - len(left), 0)
    hidden = len(scene.lines) - room + 1 if len(scene.lines) > room > 1 else 0
    for number, line in enumerate(scene.lines[: room - (1 if hidden else 0)]):
        under = scene.cursor is not None and scene.cursor[0] == number
        cells = draw_lane_row(line, scene.viewport, shape.time, scene.tree.catalogue, scene.options)
        if under and scene.cursor is not None:
            cells = with_cursor(cells, scene.viewport.cell(scene.cursor[1]), glyphs, scene.options.fill)
        left.append([*draw_title(line, shape.title, glyphs, cursor=under), *cells])
    if hidden:
        left.append(fit_line([Run(f" {hidden} more lines of lanes", "title")], left_cells))
    blank: Line = [Run(" " * left_cells)]
    left += [blank] * (shape.height - 2 - len(left))
    body = [merge(line) for line in left[: max(shape.height - 2, 0)]]
    if shape.pane:
        edge = Run(glyphs.bar, "pane.edge")
        pane = [*scene.pane, *([[]] * len(body))]
        body = [
            merge([*line, edge, *fit_line(text, shape.pane, "pane")])
            for line, text in zip(body, pane, strict=False)
        ]
    header = fit_line(scene.header, shape.width, "header")
    status = scene.status
    if status is None:
        status = legend_line({run.style for line in body for run in line}, glyphs, scene.options.fill)
    status = fit_line(status, shape.width, "status")
    rows = (header, *body, status)
    return Frame(shape.width, tuple(map(to_ascii, rows)) if glyphs.plain else rows)


def with_cursor(line: Line, cell: int, glyphs: Glyphs, fill: bool) -> Line:
    """The line with the cursor on ``cell``."""
    out: Line = []
    at = 0
    for run in line:
        size = width(run.text)
        if not at <= cell < at + size:
            out.append(run)
            at += size
            continue
        column = at
        for character in run.text:
            here = column <= cell < column + max(width(character), 1)
            shown = character if fill or not here or character not in (" ", "") else glyphs.point
            out.append(Run(shown, "cursor" if here else run.style))
            column += width(character)
        at += size
    return merge(out)


def _map_line(scene: Scene, shape: ScreenLayout) -> Line:
    cells = shape.title + shape.time
    return draw_minimap(
        scene.devices,
        scene.span,
        scene.viewport,
        shape.time,
        cells,
        scene.options.glyphs,
        fill=scene.options.fill,
    )


def _ruler_line(scene: Scene, shape: ScreenLayout) -> Line:
    view = scene.viewport
    origin = "" if scene.absolute else origin_label(view, shape.time)
    ruler = draw_ruler(
        view, shape.time, scene.options.glyphs, absolute=scene.absolute, steps=scene.steps,
        cursor=scene.cursor[1] if scene.cursor else None, selection=scene.options.selection,
    )  # fmt: skip
    return [Run(pad(f" {origin}", shape.title), "ruler.label"), *ruler]
