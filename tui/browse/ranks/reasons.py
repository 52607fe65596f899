"""Why ranks are idle in their steps: by call and phase, of one rank and over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tui.analysis.blame import BlameClass
from tui.ranks.summary import RankSummary
from tui.report.columns import Int64
from tui.text import safe
from tui.timeline.causes import cause_name


class Reason(NamedTuple):
    """What idle time is put down to, as people read it."""

    cause: str
    call: str
    phase: str

    @property
    def words(self) -> str:
        what = self.call or self.cause
        return f"{what}  {self.phase}" if self.phase else what


def reasons_of(summary: RankSummary) -> dict[Reason, int]:
    """Idle time of a rank's steady steps by reason, ns a step."""
    rows, steady = summary.blame, summary.steady
    count = int(steady.sum())
    chosen = np.flatnonzero(steady[rows.step]) if len(rows) else np.zeros(0, np.intp)
    if not count or not len(chosen):
        return {}
    key = np.stack([rows.cause[chosen].astype(np.int64), rows.call[chosen], rows.phase[chosen]])
    kinds, place = np.unique(key, axis=1, return_inverse=True)
    sums = np.zeros(kinds.shape[1], np.int64)
    np.add.at(sums, place.reshape(-1), rows.ns[chosen])
    found: dict[Reason, int] = {}
    for at, (cause, call, phase) in enumerate(kinds.T.tolist()):
        kind = BlameClass(cause)
        name = cause_name(kind, summary.names[call]) if call >= 0 else ""
        name = "" if name == kind.words else name
        reason = Reason(kind.words, name, safe(summary.names[phase]) if phase >= 0 else "")
        found[reason] = found.get(reason, 0) + int(sums[at]) // count
    return found


def usual_reasons(summary: RankSummary, idle: int, most: int) -> list[tuple[str, int]]:
    """The ``most`` largest reasons of a rank, ns a step; what ``idle`` holds besides is the last."""
    found = sorted(reasons_of(summary).items(), key=lambda item: -item[1])[:most]
    listed = [(reason.words, ns) for reason, ns in found if ns > 0]
    rest = idle - sum(ns for _, ns in listed)
    return [*listed, ("other", rest)] if listed and rest > 0 else listed


class ReasonOverRanks(NamedTuple):
    """A reason over the ranks: ns a step."""

    reason: Reason
    median: int
    """Over all ranks; one that lacks it counts as 0."""
    most: int
    rank: int
    """The position, in the list given, of the rank with most of it."""
    ranks: int
    """How many have it."""


def over_ranks(summaries: Sequence[RankSummary]) -> list[ReasonOverRanks]:
    """Every reason, the largest sum first."""
    table: dict[Reason, Int64] = {}
    for at, summary in enumerate(summaries):
        for reason, ns in reasons_of(summary).items():
            table.setdefault(reason, np.zeros(len(summaries), np.int64))[at] = ns
    found = [
        ReasonOverRanks(
            reason, int(np.median(ns)), int(ns.max()), int(ns.argmax()), int(np.count_nonzero(ns))
        )
        for reason, ns in table.items()
    ]
    order = sorted(range(len(found)), key=lambda at: -int(table[found[at].reason].sum()))
    return [found[at] for at in order]
