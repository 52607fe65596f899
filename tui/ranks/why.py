"""Why a rank is late: what its steps hold more of than those of the others, and in which calls and phases.

Each part of a step but the waiting is compared, as the mean over the steps in question, with the median of
the other ranks. On a rank without device work it is the host's own time outside MPI calls, by phase.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tui.analysis.blame import BlameClass
from tui.ranks import limits
from tui.ranks.exposure import StepSplit
from tui.ranks.step_grid import StepGrid
from tui.ranks.summary import RankSummary
from tui.ranks.typical import step_parts
from tui.report.columns import Bool, Positions
from tui.report.kernels.class_table import KernelClass
from tui.text.times import rough

HOST = "host"
"""The kind of an excess of host time outside MPI calls, of ranks without device work."""
_SHOWN = {"compute": "compute", "copies": "copies", "other": "other GPU work", "unknown": "unrecorded work"}
_SHOWN |= {"transfer": "transfer", "unsplit": "communication", "idle": "idle", HOST: "host code outside MPI"}
_ANY_RANK = tuple(kind for kind in _SHOWN if kind not in (HOST, "transfer", "unsplit"))

Reason = tuple[str | None, str | None, str | None]
"""(class, call, phase)."""


@dataclass(frozen=True)
class Part:
    """A reason within an excess."""

    excess_ns: int
    reason: Reason

    @property
    def words(self) -> str:
        """As people read it: ``host code in data_to_gpu``, ``cudaFree in forward``."""
        cause, call, phase = self.reason
        what = call or cause
        if what is None:
            return phase or "outside phases"
        return f"{what} in {phase}" if phase else what


@dataclass(frozen=True)
class Excess:
    """What a rank's step holds more of than those of the others (ns a step)."""

    kind: str
    excess_ns: int
    parts: tuple[Part, ...]
    """What explains most of it, the largest first."""
    detail: str | None
    """What it means, in words."""

    @property
    def what(self) -> str:
        """``idle``, ``host code``."""
        return _SHOWN[self.kind].removesuffix(" outside MPI")

    @property
    def words(self) -> str:
        """``idle +86.600 ms: host code in data_to_gpu``."""
        head = f"{_SHOWN[self.kind]} +{rough(self.excess_ns)}"
        if self.kind == HOST:
            reasons = [f"{part.words} +{rough(part.excess_ns)}" for part in self.parts]
        else:
            reasons = [part.words for part in self.parts]
        if self.detail:
            reasons.insert(0, self.detail)
        return f"{head}: {', '.join(reasons)}" if reasons else head


def why_late(
    grid: StepGrid,
    splits: Sequence[StepSplit | None],
    late: Sequence[int],
    others: Sequence[int],
    steps: Bool,
) -> tuple[Excess, ...]:
    """Why the ranks in rows ``late`` are late, the largest excess first.

    ``others``: rows of those that they are compared with. ``steps``: which columns of the grid count; of them
    those that are steady.
    """
    chosen = {row: _chosen(grid, row, steps) for row in (*late, *others)}
    late = [row for row in late if len(chosen[row])]
    others = [row for row in others if len(chosen[row])]
    if not late or not others:
        return ()
    usual = float(np.median([_mean_step(grid.ranks[row], chosen[row]) for row in late]))
    floor = usual * limits.WHY_STEP.value
    kinds = {row: _kinds(grid.ranks[row], splits[row], chosen[row]) for row in (*late, *others)}
    found = []
    for kind in _SHOWN:
        more = _more({row: found.get(kind) for row, found in kinds.items()}, late, others)
        if more is not None and more >= max(floor, 1):
            parts = _parts(grid, kind, late, others, chosen, more)
            found.append(Excess(kind, round(more), parts, _detail(grid, kind, late, others, chosen)))
    found.sort(key=lambda excess: -excess.excess_ns)
    return tuple(e for e in found if e.excess_ns >= found[0].excess_ns * limits.WHY_LEAST.value)


def _chosen(grid: StepGrid, row: int, steps: Bool) -> Positions:
    """Positions of the rank's own steps that count."""
    found: Positions = grid.place[row][grid.steady[row] & steps].astype(np.intp)
    return found


def _mean_step(rank: RankSummary, chosen: Positions) -> float:
    return float((rank.steps.end - rank.steps.start)[chosen].mean())


def _kinds(rank: RankSummary, split: StepSplit | None, chosen: Positions) -> dict[str, float]:
    """What a step of the rank holds of each kind (ns); what is unknown is left out.

    Communication that can't be split may be waiting: more of it says nothing of a rank.
    """
    parts = step_parts(rank, split)
    kinds = _ANY_RANK if not (split and split.known[chosen].all()) else (*_ANY_RANK, "transfer")
    found = {kind: float(values[chosen].mean()) for kind in kinds if (values := parts.get(kind)) is not None}
    exposed = rank.steps.exposed
    if rank.host_only and exposed is not None:
        found = {HOST: _mean_step(rank, chosen) - float(exposed[chosen].mean())}
    return found


def _more(values: Mapping[int, float | None], late: Sequence[int], others: Sequence[int]) -> float | None:
    """How much the median of the late exceeds that of the others; None where either is unknown."""
    mine = [value for row in late if (value := values[row]) is not None]
    theirs = [value for row in others if (value := values[row]) is not None]
    return float(np.median(mine) - np.median(theirs)) if mine and theirs else None


def _parts(
    grid: StepGrid,
    kind: str,
    late: Sequence[int],
    others: Sequence[int],
    chosen: Mapping[int, Positions],
    excess: float,
) -> tuple[Part, ...]:
    """The reasons that explain most of an excess."""
    find = {"idle": _idle_reasons, HOST: _host_reasons, "compute": _classes}.get(kind)
    if find is None:
        return ()
    times = {row: find(grid.ranks[row], chosen[row]) for row in (*late, *others)}
    reasons = dict.fromkeys(reason for row in late for reason in times[row])
    parts = []
    for reason in reasons:
        more = _more({row: found.get(reason, 0.0) for row, found in times.items()}, late, others)
        if more is not None and more >= excess * limits.WHY_PART.value:
            parts.append(Part(round(more), reason))
    parts.sort(key=lambda part: -part.excess_ns)
    return tuple(parts[: int(limits.WHY_PARTS.value)])


def _name(rank: RankSummary, number: int) -> str | None:
    return rank.names[number] if number >= 0 else None


def _idle_reasons(rank: RankSummary, chosen: Positions) -> dict[Reason, float]:
    """Idle time a step by class, call and phase."""
    blame, found = rank.blame, dict[Reason, float]()
    mine = np.isin(blame.step, chosen)
    rows = zip(blame.cause[mine], blame.call[mine], blame.phase[mine], blame.ns[mine], strict=True)
    for cause, call, phase, ns in rows:
        reason = (BlameClass(int(cause)).words, _name(rank, int(call)), _name(rank, int(phase)))
        found[reason] = found.get(reason, 0.0) + float(ns) / len(chosen)
    return found


def _host_reasons(rank: RankSummary, chosen: Positions) -> dict[Reason, float]:
    """The host's own time a step by phase; what lies in no phase is one of its own."""
    phases, found = rank.phases, dict[Reason, float]()
    mine = np.isin(phases.step, chosen)
    own = (phases.host_ns - phases.mpi_ns)[mine]
    for phase, ns in zip(phases.phase[mine].tolist(), own.tolist(), strict=True):
        reason = (None, None, _name(rank, phase))
        found[reason] = found.get(reason, 0.0) + ns / len(chosen)
    if rank.steps.exposed is not None:
        whole = _mean_step(rank, chosen) - float(rank.steps.exposed[chosen].mean())
        found[None, None, None] = found.get((None, None, None), 0.0) + whole - sum(found.values())
    return found


def _classes(rank: RankSummary, chosen: Positions) -> dict[Reason, float]:
    """Kernel time a step by class, communication aside."""
    if rank.steps.class_ns is None:
        return {}
    means = rank.steps.class_ns[chosen].mean(axis=0)
    classes = zip(KernelClass, means.tolist(), strict=True)
    return {(c.value, None, None): mean for c, mean in classes if c is not KernelClass.COMMUNICATION}


def _detail(
    grid: StepGrid, kind: str, late: Sequence[int], others: Sequence[int], chosen: Mapping[int, Positions]
) -> str | None:
    """Whether more computing is more kernels, or slower ones."""
    if kind != "compute":
        return None
    counts = [
        [
            float(kernels[chosen[row]].mean())
            for row in rows
            if (kernels := grid.ranks[row].steps.kernels) is not None
        ]
        for rows in (late, others)
    ]
    if not all(counts):
        return None
    mine, theirs = (float(np.median(found)) for found in counts)
    if mine > theirs * (1 + limits.MORE_WORK.value):
        return f"more work, {mine:,.0f} kernels instead of {theirs:,.0f}"
    return "slower kernels" if mine > theirs * (1 - limits.MORE_WORK.value) else "fewer, slower kernels"
