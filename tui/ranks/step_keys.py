"""Which steps of the ranks of a run are the same step.

Numbered names go by their number. Others go by order, and where a rank has more or fewer of them than most,
by the end (first or last) at which its steps agree with the others' in time.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

import numpy as np

from tui.ranks import limits
from tui.ranks.clocks import Clocks
from tui.ranks.rank_set import Run
from tui.ranks.summary import RankSummary
from tui.report.columns import Int64

_NUMBER = re.compile(r"\d+")


def step_keys(run: Run, clocks: Clocks) -> list[Int64 | None]:
    """Return by rank the key of each of its steps, ascending, equal on all ranks that took part in it.

    None: the rank has no steps, or it can't be told which they are.
    """
    having = [r for r, rank in enumerate(run.ranks) if len(rank.summary.steps)]
    keys: list[Int64 | None] = [None] * len(run.ranks)
    numbered = {r: numbers_of(run.ranks[r].summary) for r in having}
    if having and all(found is not None for found in numbered.values()):
        for r, found in numbered.items():
            keys[r] = found
        return keys
    counts = Counter(len(run.ranks[r].summary.steps) for r in having)
    if not counts:
        return keys
    most = max(counts, key=lambda count: (counts[count], count))
    model = next(r for r in having if len(run.ranks[r].summary.steps) == most)
    for r in having:
        count = len(run.ranks[r].summary.steps)
        shift = 0 if count == most else _shift(run, clocks, model, r)
        keys[r] = None if shift is None else np.arange(count, dtype=np.int64) + shift
    return keys


def numbers_of(summary: RankSummary) -> Int64 | None:
    """The numbers in the names of a rank's steps; None where they aren't one rising counter."""
    labels = np.unique(summary.steps.label)
    parts = [_parts(summary.names[at]) for at in labels.tolist() if at >= 0]
    if len(parts) < len(labels) or len({frame for frame, _ in parts}) != 1:
        return None
    found = np.array([numbers for _, numbers in parts], np.int64)
    if found.ndim != 2 or found.shape[1] == 0 or len(labels) < min(2, len(summary.steps)):
        return None
    of_step = found[np.searchsorted(labels, summary.steps.label)].astype(np.int64)
    rising = (np.diff(of_step, axis=0) > 0).all(axis=0)
    counters = np.flatnonzero(rising)
    return of_step[:, counters[0]] if len(counters) == 1 else None


@lru_cache(maxsize=1 << 16)
def _parts(text: str) -> tuple[str, tuple[int, ...]]:
    """A name without its numbers, and these."""
    return _NUMBER.sub("#", text), tuple(int(n) % (1 << 62) for n in _NUMBER.findall(text))


def _shift(run: Run, clocks: Clocks, model: int, rank: int) -> int | None:
    """How far a rank's steps are after the model's: 0, or as many as it lacks; None: time doesn't tell."""
    theirs, mine = run.ranks[model].summary.steps.start, run.ranks[rank].summary.steps.start
    if not (clocks.domains[clocks.domain[model]].placed and clocks.domains[clocks.domain[rank]].placed):
        return None
    base = clocks.base_ns[rank] - clocks.base_ns[model]
    lacking = len(theirs) - len(mine)
    off = {shift: _distance(theirs, mine + base, shift) for shift in (0, lacking)}
    near, far = sorted(off, key=lambda shift: off[shift])
    return near if off[near] * limits.APART.value <= off[far] else None


def _distance(theirs: Int64, mine: Int64, shift: int) -> float:
    """How far the steps are apart in time if ``mine[k]`` is ``theirs[k + shift]``, in ns."""
    low, high = max(0, shift), min(len(theirs), len(mine) + shift)
    pairs: Int64 = theirs[low:high] - mine[low - shift : high - shift]
    return float(np.median(np.abs(pairs)))
