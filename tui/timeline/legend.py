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
    sample = "  " if fill else glyphs.levels[4:6]
    return entries + [(Run(sample, f"series.{number}"), meaning) for number, meaning in enumerate(VALUES)]


VALUES = (
    "compute", "tensor cores", "memory", "PCIe, copies", "network, communication", "clocks, power", "CPU",
    "faults, warnings",
)  # fmt: skip
"""What each of the colours of values over time stands for."""


def _of_values(glyphs: Glyphs, fill: bool) -> list[tuple[Run, str]]:
    """(sample, meaning) of the ways in which lanes of values are drawn."""
    above = "; the tint above it: the cell's maximum" if fill else ""
    spread = ".:'" if glyphs.plain else "⠤⠶⠿"
    entries = [
        (
            Run(glyphs.levels[0:1] + glyphs.levels[4] + glyphs.levels[8], "series.0|"),
            "mean of the cell" + above,
        ),
        (Run(spread, "series.0|"), "from the least to the greatest value"),
        (Run(glyphs.shades, "series.0|"), "nothing, then a quarter of the scale each"),
    ]
    if fill and not glyphs.plain:
        entries.append((Run("▀▀", "series.3.4|series.3.1"), "two directions: the lighter, the more"))
    return [
        *entries,
        (
            Run(glyphs.levels[6] + glyphs.peak + glyphs.levels[5], "series.3|"),
            "greatest value of the capture",
        ),
        (Run(glyphs.shades[4] + glyphs.off_cpu, "series.6|"), "thread on a CPU; off it in a call"),
        (Run(f"19{glyphs.counts[-1]}", "series.6|"), "samples in the cell; more than nine"),
        (Run(glyphs.counts, "series.7|"), "events in the cell: one, a few, from 10, from 100"),
    ]


def legend_lines(glyphs: Glyphs, fill: bool) -> list[Line]:
    """Every sample with its meaning, one a line."""
    rows = legend(glyphs, fill) + _of_values(glyphs, fill)
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
        if category == "kernel":
            shown = style.rpartition(".")[0]  # the family: its shades only tell names apart
        else:
            shown = style if category in ("copy", "api", "series") or style == "busy.other" else category
        if any(style.startswith(shown + ".") for style in seen):
            line += [Run(sample.text, sample.style), Run(f" {meaning}  ", "status")]
    return line
