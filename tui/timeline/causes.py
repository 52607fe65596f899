"""From analysed gaps and steps to what the timeline draws of them."""

from __future__ import annotations

import numpy as np

from tui.analysis.blame import BlameClass
from tui.analysis.blame_rows import BlameRows, GapCause
from tui.analysis.gaps import DeviceGaps
from tui.analysis.steps import Steps
from tui.report.model import Report
from tui.text import safe
from tui.timeline.draw import GapMarks
from tui.timeline.ruler import StepMarks


def cause_words(cause: GapCause) -> str:
    """A reason in words, safe for a screen: ``host code in data_to_gpu``, ``cudaFree in backward``."""
    own_call = cause.call and cause.cause not in (BlameClass.LAUNCH_LATENCY, BlameClass.QUEUED)
    what = safe(cause.call or "") if own_call else cause.cause.words
    return f"{what} in {safe(cause.phase)}" if cause.phase else what


def gap_marks(gaps: DeviceGaps, rows: BlameRows) -> GapMarks:
    """One device's gaps as drawn on its line, each with its biggest reason."""

    def cause(gap: int) -> str:
        reasons = rows.of_gap(gap)
        return cause_words(reasons[0]) if reasons else ""

    return GapMarks(gaps.start, gaps.end, cause)


def step_marks(report: Report, steps: Steps) -> StepMarks | None:
    """The steps as the ruler shows them: those of the process that has most; None for no steps."""
    if not steps.sequences:
        return None
    chosen = max(steps.sequences, key=len)
    name = report.ranges.name[chosen.ranges]
    texts = [safe(report.strings[n]) for n in np.unique(name).tolist()]
    numbered = len(texts) > 1  # `step_3` says its number itself
    return StepMarks(chosen.start, chosen.end, _Names(report, name, numbered))


class _Names:
    """Step names, made when asked for: ``torch_step 3``, or ``step_3`` as recorded."""

    def __init__(
        self, report: Report, name: np.ndarray[tuple[int], np.dtype[np.int32]], numbered: bool
    ) -> None:
        self._report = report
        self._name = name
        self._numbered = numbered

    def __len__(self) -> int:
        return len(self._name)

    def __getitem__(self, step: int) -> str:
        text = safe(self._report.strings[int(self._name[step])])
        return text if self._numbered else f"{text} {step + 1}"
