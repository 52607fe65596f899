"""The hot function of a stretch of time: the one that most of its samples are in, if that is sure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.cpu.sampling import Samples
from tui.analysis.grouping import combined
from tui.report.columns import Bool, Int64, Positions

LEAST_SAMPLES = 3
LEAST_SHARE = 0.3
"""Of fewer samples, or with a smaller share of them, no function is called hot."""


@dataclass(frozen=True)
class Hot:
    """The hot function of each of some groups of samples."""

    frame: Positions
    """A position in the frames of the samples' tree; -1: none can be named."""
    count: Int64
    """How many of the samples are in it."""
    samples: Int64
    """How many samples there are, the profiler's included."""


def may_be_hot(samples: Samples) -> Bool:
    """Which samples name a function that is not the profiler's."""
    named = np.append(samples.tree.frames.may_be_hot, False)[samples.leaf]
    found: Bool = (samples.leaf >= 0) & ~samples.profilers & named
    return found


def hot_functions(samples: Samples, rows: Positions, group: Positions, groups: int) -> Hot:
    """Find the hot function of each group; ``rows``: positions in ``samples``, ``group``: of each of them.

    Neither the profiler's own functions nor what has no name is ever hot; of two with most samples none is.
    """
    total = np.bincount(group, minlength=groups)
    chosen = np.flatnonzero(may_be_hot(samples)[rows])
    leaf, of = samples.leaf[rows[chosen]], group[chosen]
    pair, first = combined(of, leaf)
    count = np.bincount(pair, minlength=len(first))
    order = np.lexsort((-count, of[first]))
    of, leaf, count = of[first][order], leaf[first][order], count[order]
    opens = np.append(True, of[1:] != of[:-1])[: len(of)]
    frame, most = np.full(groups, -1, np.intp), np.zeros(groups, np.int64)
    frame[of[opens]], most[of[opens]] = leaf[opens], count[opens]
    tied = np.bincount(of[count == most[of]], minlength=groups) > 1
    unsure = (total < LEAST_SAMPLES) | (most < LEAST_SHARE * total) | tied
    frame[unsure] = -1
    return Hot(frame, np.where(unsure, 0, most), total.astype(np.int64))
