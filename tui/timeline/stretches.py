"""Neighbouring cells that look alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from tui.report.columns import Int64
from tui.timeline.runs import Line, Run, merge


def stretches(codes: Int64) -> Iterable[tuple[int, int]]:
    """(code, cells) of neighbouring cells of one code."""
    begins = np.flatnonzero(np.diff(codes, prepend=codes[:1] - 1))
    return zip(codes[begins].tolist(), np.diff(begins, append=len(codes)).tolist(), strict=True)


def line_of(codes: Int64, look: Callable[[int], tuple[str, str]]) -> Line:
    """A line of cells; ``look`` gives the character and the style of a code."""
    line: Line = []
    for code, cells in stretches(codes):
        glyph, style = look(code)
        line.append(Run(glyph * cells, style))
    return merge(line)
