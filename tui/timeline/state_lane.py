"""One rank's lane as runs: what each cell went into most, and how much of it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tui.report.columns import Int64
from tui.timeline.glyphs import Glyphs
from tui.timeline.runs import Line, Run
from tui.timeline.state_times import Shown, StateTimes
from tui.timeline.stretches import stretches
from tui.timeline.style_colours import STATE_LEVELS

NO_DATA = -1
MEANINGS = {
    Shown.COMPUTE: "compute", Shown.TRANSFER: "transfer", Shown.WAIT: "wait", Shown.COPIES: "copies",
    Shown.UNSPLIT: "communication", Shown.OTHER: "other or unrecorded", Shown.IDLE: "idle",
}  # fmt: skip
_LONG = MEANINGS | {
    Shown.COMPUTE: "compute: the brighter, the more of the cell",
    Shown.TRANSFER: "exposed transfer: communication that no compute covers, all ranks in",
    Shown.WAIT: "waiting for others: in a collective before the last rank is in",
    Shown.COPIES: "copies only: no kernel runs",
    Shown.UNSPLIT: "exposed communication whose wait is not known",
}
_HOST = {
    Shown.COMPUTE: "host code in a step", Shown.TRANSFER: "MPI transfer", Shown.WAIT: "MPI wait",
    Shown.UNSPLIT: "MPI", Shown.IDLE: "outside steps",
}  # fmt: skip
_BRIEF = {
    Shown.COMPUTE: "host code", Shown.TRANSFER: "transfer", Shown.WAIT: "wait", Shown.IDLE: "outside",
}  # fmt: skip
_NAMES = {shown: shown.name.lower() for shown in Shown}
_SHORT = (Shown.COMPUTE, Shown.TRANSFER, Shown.WAIT, Shown.IDLE)
"""What a legend always explains; the others only where they are drawn."""


def cell_codes(times: StateTimes, edges: Int64) -> Int64:
    """What to draw between consecutive ``edges``: ``state * STATE_LEVELS + level``, or NO_DATA.

    The state is the one with most time in the cell; the level says how much of the cell that is.
    """
    spent, length = times.over(edges), edges[1:] - edges[:-1]
    state, most = spent.argmax(axis=1), spent.max(axis=1)
    level = np.minimum(most * STATE_LEVELS / length, STATE_LEVELS - 1).astype(np.int64)
    # Less than a thousandth of a cell is rounding at the end of the data.
    codes: Int64 = np.where(most * 1000 > length, state * STATE_LEVELS + level, NO_DATA)
    return codes


_STYLES = [f"state.{_NAMES[shown]}.{level}" for shown in Shown for level in range(STATE_LEVELS)]


def style_of(code: int) -> str:
    """The style name of a code's colour: "" for no data."""
    return "" if code == NO_DATA else _STYLES[code]


def draw_codes(codes: Int64, glyphs: Glyphs) -> Line:
    """Draw one rank: a glyph and a colour a state."""
    return [_run(code, cells, glyphs) for code, cells in stretches(codes)]


def _run(code: int, cells: int, glyphs: Glyphs) -> Run:
    if code == NO_DATA:
        return Run(" " * cells)
    return Run(glyphs.states[code // STATE_LEVELS] * cells, _STYLES[code] + "|")


def draw_pair(upper: Int64, lower: Int64, glyphs: Glyphs, fill: bool) -> Line:
    """Draw two ranks on one row, as half-rows where they differ; without colours the lower one alone."""
    if glyphs.plain or not fill:
        return draw_codes(np.where(lower == NO_DATA, upper, lower), glyphs)
    line: Line = []
    base = len(Shown) * STATE_LEVELS + 1
    for code, cells in stretches((upper + 1) * base + lower + 1):
        above, below = divmod(code, base)
        top, bottom = style_of(above - 1), style_of(below - 1)
        if (above - 1) // STATE_LEVELS == (below - 1) // STATE_LEVELS:
            line.append(_run(below - 1, cells, glyphs))
        elif bottom:
            line.append(Run("▄" * cells, f"{bottom}|{top}"))
        else:
            line.append(Run("▀" * cells, f"{top}|"))
    return line


def state_words(shown: Shown, host_only: bool = False) -> str:
    """What a state means; of a rank without device work, what its host does."""
    return (_HOST if host_only else {}).get(shown) or MEANINGS[shown]


BRIEFEST = 4
"""The greatest brevity of a legend."""


def state_legend(
    used: Iterable[Shown], glyphs: Glyphs, host_only: bool = False, coarse: bool = False, *, brevity: int = 0
) -> Line:
    """What the glyphs mean, in one line. ``coarse``: lanes are drawn from strips, marked ``≈``.

    ``brevity``: 1 for shorter words, 2 for the usual states alone, 3 without what strips look like, 4 without
    idle time.
    """
    seen = {*_SHORT, *(() if brevity > 1 else used)} - ({Shown.IDLE} if brevity >= BRIEFEST else set())
    line: Line = [Run(" ", "pane")]
    for shown in sorted(seen, key=list(MEANINGS).index):
        words = (brevity and host_only and _BRIEF.get(shown)) or state_words(shown, host_only)
        line.append(Run(glyphs.states[shown], f"state.{_NAMES[shown]}.{STATE_LEVELS - 1}|"))
        line.append(Run(f" {words}  ", "pane"))
    about = "~" if glyphs.plain else "≈"
    if brevity < 2:
        line.append(Run("blank: no data  ", "pane.dim"))
    if coarse and brevity < 3:
        line.append(Run(about if brevity > 1 else f"{about} from summaries", "pane.dim"))
    if brevity > 2:
        line[-1] = Run(line[-1].text.rstrip(), line[-1].style)
    return line


def state_lines(glyphs: Glyphs) -> list[Line]:
    """Every state's sample with its meaning, one a line, for the full legend."""
    lines: list[Line] = []
    for shown in MEANINGS:
        sample = Run(glyphs.states[shown] * 2, f"state.{_NAMES[shown]}.{STATE_LEVELS - 1}|")
        host = f"; without device work: {_HOST[shown]}" if shown in _HOST else ""
        lines.append([Run("  ", "pane"), sample, Run(f"  {_LONG[shown]}{host}", "pane")])
    return lines
