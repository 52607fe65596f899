"""The first and the last line of the main screen."""

from __future__ import annotations

from tui.analysis.busy import DeviceBusy
from tui.app.texts import join, notices, squeeze
from tui.browse.state import Browse
from tui.text import cut, safe, width
from tui.text.times import brief
from tui.timeline.coming import coming_words
from tui.timeline.frame import header_line
from tui.timeline.naming import report_title
from tui.timeline.runs import Line, Run, fit_line, line_width, spread

Hints = tuple[tuple[str, str], ...]
"""(action, what to call it in a word)."""
HINTS: Hints = (
    ("gap-next", "next gap"),
    ("step-next", "next step"),
    ("fit", "fit"),
    ("details", "details"),
    ("export", "CSV"),
    ("help", "help"),
)
RANGE_HINTS: Hints = (("fit", "fit"), ("export", "CSV"), ("clear", "clear range"), ("help", "help"))
PANE_HINTS: Hints = (
    ("row-jump", "jump"),
    ("row-next", "next"),
    ("row-details", "in full"),
    ("sort-next", "sort"),
    ("filter", "filter"),
    ("pane-leave", "timeline"),
    ("help", "help"),
)
NARROW = 40
"""Below so many cells, the cursor's time gives way to the name of what is under it."""
LOADING_HINTS: Hints = (("quit", "quit"), ("help", "help"))


def header(browse: Browse, cells: int) -> Line:
    """What the report is, the window of the figures, and the shares of device time."""
    capture = browse.capture
    if capture is None:
        return fit_line([Run(f" {safe(browse.place.path.name)}", "header")], cells, "header")
    window = browse.window
    shares = None
    rows: list[DeviceBusy] = []
    if capture.has_books(browse.busy, browse.min_gap_ns):
        rows = capture.busy_in(window, browse.busy)
    elif not window.chosen:
        rows = [book.idle.busy for book in browse.books.values()]
    if rows:
        times = [(r.kernel_ns, r.copy_only_ns, r.idle_ns, r.window_ns) for r in rows]
        kernel, copy, idle, whole = (sum(column) for column in zip(*times, strict=True))
        shares = kernel, copy, idle, whole
    parts = [report_title(capture.report)]
    if capture.loading:
        percent = browse.place.percent
        share = "" if percent is None else f" {percent}%"
        parts.insert(0, f"loading {coming_words(capture.loading)}{share}: figures are partial")
    if browse.place.count > 1:
        parts.insert(0, f"{browse.place.position + 1}/{browse.place.count}")
    if count := notices(capture.report):
        parts.append(f"{browse.hint('notices')} {count} note{'s' if count != 1 else ''}")
    line = header_line(join(parts), window.label, window.length, shares, cells, window.chosen)
    return [run._replace(text=run.text.replace("·", browse.drawing.glyphs.dot)) for run in line]


def told(browse: Browse, cells: int) -> str:
    """A message, or what is under the cursor, its name cut so that the rest finds room in ``cells``."""
    if browse.message:
        return browse.message
    if browse.capture is None or browse.view is None:
        return "" if browse.place.failed else "loading"
    return _under_cursor(browse, cells)


def status_lines(browse: Browse, cells: int, lines: int, *, in_pane: bool = False) -> list[Line]:
    """The status in one line, or in two: what is under the cursor, and what to press next.

    ``in_pane``: the side pane has the focus, so its keys are named.
    """
    ellipsis = browse.drawing.glyphs.ellipsis
    text, hints = " " + told(browse, cells), _hints(browse, in_pane)
    if lines > 1:
        keys = [Run(" ", "status"), *_fitting(hints, cells - 1)]
        upper = fit_line([Run(cut(text, cells, ellipsis), "status")], cells, "status")
        return [upper, fit_line(keys, cells, "status")]
    right = _fitting(hints, cells - min(width(text), cells * 3 // 4) - 2)
    room = cells - line_width(right) - 2
    if width(text) > room:
        text = cut(text, max(1, room), ellipsis)
    return [spread([Run(text, "status")], right, cells, "status")]


def _under_cursor(browse: Browse, cells: int) -> str:
    view = browse.view
    name_room = max(20, cells // 3)
    assert view is not None
    dot = f" {browse.drawing.glyphs.dot} "
    parts = [f"cursor {browse.clock.at(view.cursor, view.viewport.ns_per_cell // 10)}"]
    target = browse.target
    if target is not None:
        name, *rest = target.words
        parts += [squeeze(name, name_room, browse.drawing.glyphs.ellipsis), *(word for word in rest if word)]
        if target.crowd > 1:
            parts.append(f"{target.crowd:,} events in this cell")
    elif view.at is not None:
        parts.append(f"{view.at.lane.detail or view.at.lane.title}: nothing here")
    if cells < NARROW:
        del parts[0]  # what it is says more than where, where only one of them can be read
    if view.chosen is not None:
        parts.insert(0, f"range {brief(view.chosen[1] - view.chosen[0])}")
    return dot.join(parts)


def _hints(browse: Browse, in_pane: bool) -> list[tuple[str, str]]:
    chosen = HINTS
    if browse.view is None:
        chosen = LOADING_HINTS
    elif in_pane:
        chosen = PANE_HINTS
    elif browse.view.range is not None:
        chosen = RANGE_HINTS
    return [(browse.hint(action), words) for action, words in chosen]


def _fitting(hints: list[tuple[str, str]], room: int) -> Line:
    """As many hints as fit, the last one (help) always first in line to stay."""
    kept = list(hints)

    def size() -> int:
        return sum(width(key) + width(words) + 3 for key, words in kept)

    while len(kept) > 1 and size() > room:
        kept.pop(-2)
    line: Line = []
    for key, words in kept:
        line += [Run(key, "status.key"), Run(f" {words}  ", "status.dim")]
    return line
