"""What the colours and glyphs mean, as runs."""

from __future__ import annotations

from collections.abc import Iterable

from tui.timeline.glyphs import Glyphs
from tui.timeline.lane import LaneKind
from tui.timeline.runs import Line, Run

ENTRIES: tuple[tuple[str, str, tuple[LaneKind, ...]], ...] = (
    ("kernel.1", "kernel", (LaneKind.STREAM,)),
    ("nccl", "NCCL", (LaneKind.STREAM,)),
    ("graph", "graph", (LaneKind.STREAM,)),
    ("copy.h2d", "HtoD", (LaneKind.COPIES,)),
    ("copy.d2h", "DtoH", (LaneKind.COPIES,)),
    ("copy.d2d", "DtoD", (LaneKind.COPIES,)),
    ("copy.p2p", "PtoP", (LaneKind.COPIES,)),
    ("memset", "memset", (LaneKind.SETS,)),
    ("range.1", "NVTX range", (LaneKind.NVTX, LaneKind.STARTEND)),
    ("api.launch", "launch", (LaneKind.API,)),
    ("api.sync", "synchronisation", (LaneKind.API, LaneKind.SYNCS)),
    ("api.memory", "memory call", (LaneKind.API,)),
    ("api.copy", "blocking copy", (LaneKind.API,)),
    ("api.other", "other call", (LaneKind.API,)),
    ("os", "OS call", (LaneKind.OS,)),
)
"""(style, what it means, lanes that it stands in)."""


def legend(glyphs: Glyphs, fill: bool, kinds: Iterable[LaneKind] | None = None) -> list[tuple[Run, str]]:
    """(sample, meaning) of each category that may stand in lanes of ``kinds`` (default: any), then of the
    marks that all lanes share."""
    wanted = set(LaneKind) if kinds is None else set(kinds)
    entries = [
        (Run("  " if fill else glyphs.fill(style) * 2, style), meaning)
        for style, meaning, where in ENTRIES
        if wanted.intersection(where)
    ]
    if LaneKind.DEVICE in wanted:
        entries.insert(0, (Run(glyphs.gap * 2, "gap"), "idle gap"))
        entries.insert(0, (Run(glyphs.up[3] + glyphs.up[8], "busy|"), "busy share"))
    return entries


def legend_lines(glyphs: Glyphs, fill: bool) -> list[Line]:
    """Every sample with its meaning, one a line."""
    entries = legend(glyphs, fill)
    return [[Run("  ", "pane"), sample, Run(f"  {meaning}", "pane")] for sample, meaning in entries]


def legend_line(used: Iterable[str], glyphs: Glyphs, fill: bool) -> Line:
    """The legend of a frame in which the styles ``used`` occur, in one line."""
    seen = {part for style in used for part in style.split("|")}
    if any(style.startswith("nvtx.") for style in seen):  # ranges in colours of the application's choice
        seen.add("range.1")
    line: Line = [Run(" ", "status")]
    for sample, meaning in legend(glyphs, fill):
        category = sample.style.strip("|").partition(".")
        known = sample.style.strip("|") if category[0] in ("copy", "api") else category[0]
        if any(style == known or style.startswith(known + ".") for style in seen):
            line += [Run(sample.text, sample.style), Run(f" {meaning}  ", "status")]
    return line
