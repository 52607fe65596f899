"""What the usual step of a rank is made of, so that its parts add up to it.

The usual step is the mean of the middle half of the steady steps by duration: no slow step moves it, and
unlike medians the parts, which are means over the same steps, add up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.ranks.exposure import StepSplit, own_time
from tui.ranks.summary import RankSummary
from tui.report.columns import Bool, Int64, Positions

PARTS = ("compute", "transfer", "wait", "unsplit", "copies", "other", "unknown", "idle")
"""The parts of a step on the device's clock."""


@dataclass(frozen=True)
class UsualStep:
    """A step in ns; a part is None where it is unknown. All known parts add up to the step, exactly.

    Of a rank without device work only ``transfer``, ``wait`` and ``unsplit`` are known, and ``host``.
    """

    step: int
    own: int | None
    """The step less the wait in it."""
    parts: dict[str, int | None]
    host: int | None
    """Of a rank without device work: the step outside MPI calls."""


def step_parts(rank: RankSummary, split: StepSplit | None) -> dict[str, Int64 | None]:
    """Each part of each step of a rank (ns), by the names of :data:`PARTS`; None where it is unknown."""
    steps = rank.steps
    found: dict[str, Int64 | None] = {
        name: getattr(steps, name) for name in ("compute", "copies", "other", "unknown", "idle")
    }
    found |= {name: getattr(split, name) if split else None for name in ("transfer", "wait", "unsplit")}
    return {name: found[name] for name in PARTS}


def middle_half(durations: Int64) -> Positions:
    """Positions of the middle half of ``durations`` by length: of fewer than four all but none."""
    order = np.argsort(durations, kind="stable")
    quarter = len(order) // 4
    return np.sort(order[quarter : len(order) - quarter])


def usual_step(rank: RankSummary, split: StepSplit | None, among: Bool | None = None) -> UsualStep | None:
    """The usual one of the steady steps of ``rank``, of those ``among``; None for none."""
    steps = rank.steps
    chosen = np.flatnonzero(rank.steady if among is None else rank.steady & among)
    if not len(chosen):
        return None
    durations = steps.end - steps.start
    chosen = chosen[middle_half(durations[chosen])]
    parts = {name: _mean(values, chosen) for name, values in step_parts(rank, split).items()}
    known = None not in parts.values()
    step = sum(parts.values()) if known else _mean(durations, chosen)  # type: ignore[arg-type]
    assert step is not None
    exposed = [parts[name] for name in ("transfer", "wait", "unsplit")]
    host = None
    if rank.host_only and None not in exposed:
        host = step - sum(exposed)  # type: ignore[arg-type]
    _, own_known = own_time(steps, split)
    wait = parts["wait"]
    own = step - wait if wait is not None and own_known[chosen].all() else None
    if split is not None and own is None:  # in some of these steps nobody knows what was waiting
        parts |= {"transfer": None, "wait": None, "unsplit": sum(exposed)}  # type: ignore[arg-type]
    return UsualStep(step, own, parts, host)


def _mean(values: Int64 | None, chosen: Positions) -> int | None:
    if values is None:
        return None
    return int((2 * int(values[chosen].sum()) + len(chosen)) // (2 * len(chosen)))
