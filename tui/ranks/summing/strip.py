"""What a rank did, coarsely: the share of each state in equal parts of the report's span."""

from __future__ import annotations

import numpy as np

from tui.ranks.summary import STRIP_BINS
from tui.ranks.summing.accounts import DeviceTime, HostTime, states
from tui.report.columns import Int64, UInt16

WHOLE = 65535
"""The share of a bin that is of one state throughout."""


def bin_edges(span: tuple[int, int]) -> Int64:
    """The edges of the bins, ns: one more than there are bins."""
    part, rest = divmod(span[1] - span[0], STRIP_BINS)
    place = np.arange(STRIP_BINS + 1, dtype=np.int64)
    return span[0] + place * part + place * rest // STRIP_BINS


def strip(time: DeviceTime | HostTime, span: tuple[int, int], window: tuple[int, int]) -> UInt16:
    """The shares of the states (bins, states), rounded down; nothing outside the rank's ``window``."""
    edges = bin_edges(span)
    length = np.diff(edges)[:, None]
    found = states(time, np.clip(edges, *window))
    return np.floor(found / np.maximum(length, 1) * WHOLE).astype(np.uint16)
