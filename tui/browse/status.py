"""The first and the last lines of the screen: the report, what is under the cursor, what to press next."""

from __future__ import annotations

from dataclasses import dataclass

from tui.analysis.busy import DeviceBusy
from tui.analysis.diagnostics import report_notes
from tui.browse.state import Browse
from tui.text import cut, safe, width
from tui.text.cells import squeeze
from tui.text.numbers import plural, share
from tui.text.times import brief, nearest_instant
from tui.timeline.coming import coming_words
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
RANGE_HINTS: Hints = (("fit", "fit"), ("export", "CSV"), ("clear", "clear selection"), ("help", "help"))
PANE_HINTS: Hints = (
    ("row-jump", "jump"),
    ("row-next", "next"),
    ("row-details", "in full"),
    ("pane-leave", "timeline"),  # where the pane hides the lanes, nothing else says so
    ("row-events", "events"),
    ("sort-next", "sort"),
    ("filter", "filter"),
    ("help", "help"),
)
FLAME_HINTS: Hints = (
    ("flame-closer", "fill the width"),
    ("flame-farther", "back"),
    ("flame-by", "host or GPU"),
    ("flame-events", "instances"),
    ("flame-leave", "lanes"),
    ("help", "help"),
)
NARROW = 40
"""Below so many cells, the cursor's time makes room for the name of what is under it."""
LOADING_HINTS: Hints = (("quit", "quit"), ("help", "help"))


def header(browse: Browse, cells: int) -> Line:
    """Draw what the report is, the window of the figures, and the shares of device time."""
    capture, place, dot = browse.capture, browse.place, browse.drawing.glyphs.dot
    if capture is None:
        return fit_line([Run(f" {safe(place.path.name)}", "header")], cells, "header")
    window = browse.window
    parts = [report_title(capture.report)]
    if capture.loading:
        percent = "" if place.percent is None else f" {place.percent}%"
        parts.insert(0, f"loading {coming_words(capture.loading)}{percent}: figures are partial")
    if count := len(report_notes(capture.report)) + len(capture.report.doubtful):
        parts.append(f"{browse.hint('notices')} {plural(count, 'note')}")
    title = " · ".join(part for part in parts if part)
    line = header_line(
        title,
        window.label,
        window.length,
        _shares(browse),
        cells,
        window.chosen,
        view=_view_words(browse),
        place=place.words,
    )
    return [run._replace(text=run.text.replace("·", dot)) for run in line]


def _view_words(browse: Browse) -> str:
    """Say which part of what was recorded is in sight: ``view 155.357-156.327 s (969 ms)``."""
    capture, view = browse.opened
    start = max(view.viewport.start, capture.span[0])
    end = min(view.viewport.end(view.cells), capture.span[1])
    if end <= start:
        return ""
    length, zero = end - start, browse.clock.zero
    first, last = (nearest_instant(time - zero, length // 100) for time in (start, end))
    return f"view {first.removesuffix(' s')}-{last} ({brief(length)})"


@dataclass(frozen=True)
class Shares:
    """The times (ns) of a window that its header shows as shares of ``whole``, summed over devices."""

    kernel: int
    copy: int
    other: int
    unknown: int
    idle: int
    whole: int


def _shares(browse: Browse) -> Shares | None:
    """Return the shares of the window; None: not known yet."""
    capture, window = browse.capture, browse.window
    assert capture is not None
    rows: list[DeviceBusy] = []
    if capture.has_books(browse.busy, browse.min_gap_ns):
        rows = capture.busy_in(window, browse.busy)
    elif not window.chosen:
        rows = [book.idle.busy for book in browse.books.values()]
    if not rows:
        return None
    names = ("kernel_ns", "copy_only_ns", "other_ns", "unknown_ns", "idle_ns", "window_ns")
    return Shares(*(sum(getattr(row, name) for row in rows) for name in names))


def header_line(
    title: str, window: str, window_ns: int, shares: Shares | None, cells: int, chosen: bool = False,
    *, view: str = "", place: str = "",
) -> Line:  # fmt: skip
    """Draw what the report is at the left; window and kernel, copy and idle shares at the right.

    ``shares``: see :func:`_shares`. ``chosen``: the window is a range, even if its bounds find no room.
    ``view``: what is in sight, said between both where there is room. ``place``: which report of several it
    is, which stays where room is short.
    """
    name, _, rest = title.partition(" · ")
    name = f"{place} {name}".lstrip()
    figures: Line = []
    if shares is not None:
        parts = [("kernel", shares.kernel, ""), ("copy", shares.copy, "")]
        parts += [("other", shares.other, "")] if shares.other else []
        parts += [("unknown", shares.unknown, ".unknown")] if shares.unknown else []
        for word, ns, style in [*parts, ("idle", shares.idle, ".idle")]:
            figures += [Run(f"  {word} ", "header.dim"), Run(share(ns, shares.whole), f"header{style}")]
        figures[0] = Run("   kernel ", "header.dim")
    figures = [Run(brief(window_ns), "header"), *figures, Run(" ", "header")]
    full = [Run(f" {name}", "header"), Run(f" · {rest}" if rest else "", "header.dim")]
    named = [Run(f"window: {window} ", "header.dim"), *figures]
    bare = [Run(f"{window} ", "header.dim"), *figures]
    least = [Run("selection " if chosen else "", "header.dim"), *figures]
    seen = [Run(f"{view}   ", "header.dim"), *named]
    # Where room is short, the rest of the title goes first, then the view, then the window's name.
    fits = [(full, seen), (full[:1], seen)] if view else []
    for left, right in (*fits, (full, named), (full[:1], named), (full[:1], bare), (full[:1], least)):
        if line_width(left) + line_width(right) + 2 <= cells:
            break
    else:
        left = [Run(cut(f" {name}", max(cells - line_width(right) - 2, 1)), "header")]
    return spread(left, right, cells, "header")


def status_lines(
    browse: Browse, cells: int, lines: int, *, in_pane: bool = False, hints: Hints | None = None
) -> list[Line]:
    """Draw what is under the cursor and the keys to press next: ``hints``, or the pane's for ``in_pane``."""
    ellipsis = browse.drawing.glyphs.ellipsis
    text = " " + _text(browse, cells)
    found = [(browse.hint(action), words) for action, words in hints] if hints else _hints(browse, in_pane)
    if lines > 1:
        keys = [Run(" ", "status"), *fitting_hints(found, cells - 1)]
        upper = fit_line([Run(cut(text, cells, ellipsis), "status")], cells, "status")
        return [upper, fit_line(keys, cells, "status")]
    right = fitting_hints(found, cells - min(width(text), cells * 3 // 4) - 2)
    room = cells - line_width(right) - 2
    if width(text) > room:
        text = cut(text, max(1, room), ellipsis)
    return [spread([Run(text, "status")], right, cells, "status")]


def _text(browse: Browse, cells: int) -> str:
    """Return the message, or what is under the cursor, its name cut so that the rest finds room."""
    view = browse.view
    if browse.message:
        return browse.message
    if view is None:
        return "" if browse.place.failed else "loading"
    glyphs = browse.drawing.glyphs
    parts = [f"cursor {browse.clock.at(view.cursor, view.viewport.ns_per_cell // 10)}"]
    target = browse.target
    if target is not None:
        name, *rest = target.words
        parts += [squeeze(name, max(20, cells // 3), glyphs.ellipsis), *filter(None, rest)]
        if target.events > 1:
            parts.append(f"{target.events:,} events in this cell")
    elif view.at is not None:
        parts.append(f"{view.at.lane.detail or view.at.lane.title}: nothing here")
    if cells < NARROW:
        del parts[0]
    if view.chosen is not None:
        parts.insert(0, f"selection {brief(view.chosen[1] - view.chosen[0])}")
    return f" {glyphs.dot} ".join(parts)


def _hints(browse: Browse, in_pane: bool) -> list[tuple[str, str]]:
    """Return (key, what it does) of what may be pressed next."""
    hints = HINTS
    if browse.view is None:
        hints = LOADING_HINTS
    elif in_pane:
        hints = PANE_HINTS
    elif browse.view.range is not None:
        hints = RANGE_HINTS
    if browse.of_set and not in_pane and browse.view is not None:
        hints = (("view-back", "ranks"), *hints)
    return [(browse.hint(action), words) for action, words in hints]


def fitting_hints(hints: list[tuple[str, str]], room: int) -> Line:
    """Draw as many hints as fit; the last one (help) stays longest."""
    kept = list(hints)
    while len(kept) > 1 and sum(width(key) + width(words) + 3 for key, words in kept) > room:
        kept.pop(-2)
    return [run for key, words in kept for run in (Run(key, "status.key"), Run(f" {words}  ", "status.dim"))]
