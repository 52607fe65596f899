"""Why a rank is idle at an instant: what most of the idle time of that step is put down to."""

from __future__ import annotations

import numpy as np

from tui.analysis.blame import BlameClass
from tui.browse.ranks.scene import RankFacts
from tui.text import safe
from tui.timeline.causes import cause_name


def idle_words(facts: RankFacts, time: int) -> str:
    """``host code in data_to_gpu`` at ``time`` (as recorded); empty outside steps and where not known."""
    summary = facts.rank.summary
    steps, rows = summary.steps, summary.blame
    step = int(np.searchsorted(steps.start, time, "right")) - 1
    if step < 0 or time >= steps.end[step]:
        return ""
    mine = np.flatnonzero(rows.step == step)
    if not len(mine):
        return ""
    most = int(mine[np.argmax(rows.ns[mine])])
    call, phase = int(rows.call[most]), int(rows.phase[most])
    what = cause_name(BlameClass(int(rows.cause[most])), summary.names[call] if call >= 0 else None)
    return f"{what} in {safe(summary.names[phase])}" if phase >= 0 else what
