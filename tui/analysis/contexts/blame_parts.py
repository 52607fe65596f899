"""Idle time of the device's own side while another process's context was on it: blame told apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tui.analysis.contexts.owners import elsewhere
from tui.analysis.gaps import DeviceGaps
from tui.analysis.index import Index
from tui.intervals import split
from tui.report.columns import Bool, Int64, Positions

if TYPE_CHECKING:
    from tui.intervals import Pieces


def elsewhere_pieces(
    index: Index, gaps: DeviceGaps, start: Int64, end: Int64, which: Positions
) -> tuple[Pieces, Bool] | None:
    """Cut some parts of gaps where a context of another process came on or was saved.

    Returns the pieces, by their position in ``which``, and whether another context was on in each; None
    where none was, or nothing is known of contexts.
    """
    other = elsewhere(index, gaps.device.index, gaps.processes)
    if other is None or not len(which):
        return None
    if not other.between(start[which], end[which]).any():
        return None
    cuts = np.stack((other.start, other.end), axis=1).reshape(-1)
    pieces = split(start[which], end[which], cuts)
    return pieces, other.between(pieces.start, pieces.end) > 0
