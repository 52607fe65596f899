"""From analysed gaps and steps to what the timeline draws of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tui.analysis.blame import BlameClass
from tui.analysis.blame_rows import BlameRows, GapCause
from tui.analysis.gaps import DeviceGaps
from tui.analysis.steps import Steps
from tui.report.columns import Int32
from tui.report.model import Report
from tui.text import safe
from tui.timeline.canvas import GapMarks
from tui.timeline.ruler import StepMarks


def cause_words(cause: GapCause) -> str:
    """A reason in words, safe for a screen: ``host code in data_to_gpu``, ``cudaFree in backward``."""
    what = cause_name(cause.cause, cause.call)
    return f"{what} in {safe(cause.phase)}" if cause.phase else what


def cause_name(kind: BlameClass, call: str | None) -> str:
    """The call to blame, where there is one; else what the time went to. Safe for a screen."""
    return safe(call) if call and kind not in (BlameClass.LAUNCH_LATENCY, BlameClass.QUEUED) else kind.words


STILL_LOADING = "reason still loading"
"""Said of a gap whose report has not been read that far."""


def gap_marks(gaps: DeviceGaps, rows: BlameRows, *, loading: bool = False) -> GapMarks:
    """One device's gaps as drawn on its line, each with its biggest reason."""

    def cause(gap: int) -> str:
        if loading:
            return STILL_LOADING
        reasons = rows.causes(gap)
        return cause_words(reasons[0]) if reasons else ""

    return GapMarks(gaps.start, gaps.end, cause)


def step_marks(report: Report, steps: Steps) -> StepMarks | None:
    """The steps as the ruler shows them: those of the process that has most; None for no steps."""
    if not steps.sequences:
        return None
    chosen = max(steps.sequences, key=len)
    return StepMarks(chosen.start, chosen.end, _StepNames(report, report.ranges.name[chosen.ranges]))


class _StepNames(Sequence[str]):
    """What steps are called, made when asked for: ``train_step 3``, or ``step_3`` as recorded."""

    def __init__(self, report: Report, names: Int32) -> None:
        self._report = report
        self._names = names
        self._numbered = len(np.unique(names)) > 1  # the recorded names say the number themselves

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, step: Any) -> Any:
        if isinstance(step, slice):
            return [self[i] for i in range(*step.indices(len(self)))]
        text = safe(self._report.strings[int(self._names[step])])
        return text if self._numbered else f"{text} {step + 1}"
