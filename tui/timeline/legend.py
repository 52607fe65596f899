"""What the colours and glyphs mean, as runs."""

from __future__ import annotations

from collections.abc import Iterable

from tui.report.event_tables import EVENT_TABLES
from tui.timeline.glyphs import Glyphs
from tui.timeline.runs import Line, Run


def legend(glyphs: Glyphs, fill: bool) -> list[tuple[Run, str]]:
    """(sample, meaning) of the marks on a device's line, then of each category of slices."""
    entries = [
        (Run(glyphs.up[3] + glyphs.up[8], "busy|idle"), "busy share"),
        (Run(glyphs.gap * 2, "gap"), "idle"),
        (Run(glyphs.unknown * 2, "unknown"), "unknown: launched, not recorded"),
        (Run(glyphs.up[8] * 2, "busy.other|"), "other GPU work"),
    ]
    for table in EVENT_TABLES:
        for style, meaning in table.legend:
            entries.append((Run("  " if fill else glyphs.fill(style) * 2, style), meaning))
    return entries


def legend_lines(glyphs: Glyphs, fill: bool) -> list[Line]:
    """Every sample with its meaning, one a line."""
    rows = legend(glyphs, fill)
    return [[Run("  ", "pane"), sample, Run(f"  {meaning}", "pane")] for sample, meaning in rows]


def legend_line(used: Iterable[str], glyphs: Glyphs, fill: bool) -> Line:
    """The legend of a frame in which the styles ``used`` occur, in one line."""
    seen = {part + "." for style in used for part in style.split("|")}
    if any(style.startswith("nvtx.") for style in seen):  # ranges in colours of the application's choice
        seen.add("range.")
    for ground, mark in (("idle.", "gap."), ("unseen.", "unknown.")):  # behind a bar alone
        seen |= {mark} if ground in seen else set()
    line: Line = [Run(" ", "status")]
    for sample, meaning in legend(glyphs, fill):
        style = sample.style.partition("|")[0]
        category = style.partition(".")[0]
        shown = style if category in ("copy", "api") or style == "busy.other" else category
        if any(style.startswith(shown + ".") for style in seen):
            line += [Run(sample.text, sample.style), Run(f" {meaning}  ", "status")]
    return line
