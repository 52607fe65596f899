"""The first and the last line of the main screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.analysis.busy import DeviceBusy, device_busy
from tui.app.texts import join, notices
from tui.text import cut, safe, width
from tui.text.cells import squeeze
from tui.text.numbers import plural
from tui.text.times import brief
from tui.timeline.coming import coming_words
from tui.timeline.frame import header_line
from tui.timeline.naming import report_title
from tui.timeline.runs import Line, Run, fit_line, line_width, spread

if TYPE_CHECKING:
    from tui.app.screens.stage import Stage

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


def header(stage: Stage, cells: int) -> Line:
    """What the report is, the window of the figures, and the shares of device time."""
    capture = stage.capture
    if capture is None:
        return fit_line([Run(f" {safe(stage.report_path.name)}", "header")], cells, "header")
    window = stage.window
    shares = None
    rows: list[DeviceBusy] = []
    if capture.has_books(stage.busy, stage.min_gap_ns):
        # The coverages that the shares come from are known then: a range costs a look-up.
        rows = device_busy(capture.index, capture.scope_of(window), stage.busy)
    elif not window.chosen:
        rows = [book.idle.busy for book in stage.books.values()]
    if rows:
        times = [(r.kernel_ns, r.copy_only_ns, r.idle_ns, r.window_ns) for r in rows]
        kernel, copy, idle, whole = (sum(column) for column in zip(*times, strict=True))
        shares = kernel, copy, idle, whole
    parts = [report_title(capture.report)]
    if capture.loading:
        percent = stage.explorer.load_percent
        share = "" if percent is None else f" {percent}%"
        parts.insert(0, f"loading {coming_words(capture.loading)}{share}: figures are partial")
    if stage.explorer.report_count > 1:
        parts.insert(0, f"{stage.explorer.position + 1}/{stage.explorer.report_count}")
    if count := notices(capture.report):
        key = stage.config.keymap.hint("notices", stage.looks.ascii)
        parts.append(f"{key} {plural(count, 'note')}")
    line = header_line(join(parts), window.label, window.length, shares, cells, window.chosen)
    return [run._replace(text=run.text.replace("·", stage.looks.glyphs.dot)) for run in line]


def told(stage: Stage, cells: int) -> str:
    """A message, or what is under the cursor, its name cut so that the rest finds room in ``cells``."""
    if stage.message:
        return stage.message
    if stage.capture is None or stage.view is None:
        return "" if stage.explorer.failed else "loading"
    return _under_cursor(stage, cells)


def two_lines(stage: Stage, cells: int) -> tuple[Line, Line]:
    """What is under the cursor, and below it what to press next: where one line is too short for both."""
    text = cut(" " + told(stage, cells), cells, stage.looks.glyphs.ellipsis)
    hints = [Run(" ", "status"), *_fitting(_hints(stage), cells - 1)]
    return fit_line([Run(text, "status")], cells, "status"), fit_line(hints, cells, "status")


def status(stage: Stage, cells: int) -> Line:
    """What is under the cursor, and at the right what to press next."""
    text, hints = told(stage, cells), _hints(stage)
    left = [Run(" " + text, "status")]
    room = cells - min(width(text) + 1, cells * 3 // 4) - 2
    right: Line = []
    for run in _fitting(hints, room):
        right.append(run)
    if line_width(left) > cells - line_width(right) - 2:
        left = [
            Run(cut(" " + text, max(1, cells - line_width(right) - 2), stage.looks.glyphs.ellipsis), "status")
        ]
    return spread(left, right, cells, "status")


def _under_cursor(stage: Stage, cells: int) -> str:
    view = stage.view
    name_room = max(20, cells // 3)
    assert view is not None
    dot = f" {stage.looks.glyphs.dot} "
    parts = [f"cursor {stage.clock.at(view.cursor, view.viewport.ns_per_cell // 10)}"]
    target = stage.target
    if target is not None:
        name, *rest = target.words
        parts += [squeeze(name, name_room, stage.looks.glyphs.ellipsis), *(word for word in rest if word)]
        if target.crowd > 1:
            parts.append(f"{target.crowd:,} events in this cell")
    elif view.at is not None:
        parts.append(f"{view.at.lane.detail or view.at.lane.title}: nothing here")
    if cells < NARROW:
        del parts[0]  # what it is says more than where, where only one of them can be read
    if view.chosen is not None:
        parts.insert(0, f"range {brief(view.chosen[1] - view.chosen[0])}")
    return dot.join(parts)


def _hints(stage: Stage) -> list[tuple[str, str]]:
    chosen = HINTS
    if stage.capture is None or stage.view is None:
        chosen = LOADING_HINTS
    elif stage.page_view.has_focus:
        chosen = PANE_HINTS
    elif stage.view.range is not None:
        chosen = RANGE_HINTS
    keymap = stage.config.keymap
    return [(keymap.hint(action, stage.looks.ascii), words) for action, words in chosen]


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
