"""What two sides have to have in common to be compared; listed, not scored."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from tui.ranks.limits import SAME_CALLS
from tui.ranks.sides import Side
from tui.report.columns import NULL

_NO_TRACE = re.compile(
    r"ENUM_|META_DATA_|TARGET_INFO_|NVTX_PAYLOAD|StringIds|ThreadNames|PROCESSES|ANALYSIS_|PROFILER_|DIAGNOSTIC"
)
"""Tables that hold no events, or the profiler's own."""
_GRAPHS = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"


@dataclass(frozen=True)
class Condition:
    """One of them, on both sides; None unknown."""

    what: str
    before: tuple[str, ...] | None
    after: tuple[str, ...] | None

    @property
    def same(self) -> bool | None:
        """Whether both sides agree; None where one is unknown."""
        return None if self.before is None or self.after is None else self.before == self.after


def conditions(before: Side, after: Side) -> list[Condition]:
    """Return what ought to be equal, in the order in which it matters."""
    facts = [_facts(side) for side in (before, after)]
    found = [Condition(what, facts[0][what], facts[1][what]) for what in facts[0]]
    launches = _launches(before, after)
    return [*found, launches] if launches else found


def _facts(side: Side) -> dict[str, tuple[str, ...] | None]:
    reports = [report for run in side.runs for report in run.reports]
    devices = [device for rank in side.ranks for device in rank.summary.devices]
    host_only = all(rank.summary.host_only for rank in side.ranks)
    return {
        "GPU": _known(device.name for device in devices) if devices or not host_only else ("none",),
        "ranks": _known(str(len(run.run.ranks)) for run in side.runs),
        "driver": _known(report.identity.get("driver") for report in reports),
        "nsys": _known(report.versions.get("nsys") for report in reports),
        "schema": _known(report.versions.get("schema") for report in reports),
        "traced": _known(t for report in reports for t in report.tables if not _NO_TRACE.match(t)),
        "graphs": _known("whole" if _GRAPHS in report.tables else "none or by node" for report in reports),
        "step": _known(rank.summary.step_name for rank in side.ranks),
    }


def _known(values: Iterable[object]) -> tuple[str, ...] | None:
    return tuple(sorted({str(value) for value in values if value is not None})) or None


def _launches(before: Side, after: Side) -> Condition | None:
    """Return the launches per step, as their median over steps and ranks; None where neither side has any."""
    found = []
    for side in (before, after):
        counts = [values[values != NULL] for values in (run.recorded["launches"] for run in side.runs)]
        every = np.concatenate([np.zeros(0, np.int64), *counts])
        found.append(float(np.median(every)) if len(every) else None)
    old, new = found
    if old is None and new is None:
        return None
    if old is not None and new is not None and abs(new - old) <= SAME_CALLS.value * max(old, new):
        new = old
    texts = [None if value is None else (f"{value:g}",) for value in (old, new)]
    return Condition("launches per step", *texts)
