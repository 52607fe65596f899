"""Gaps and steps as the timeline draws them."""

from __future__ import annotations

from tui.analysis.blame import BESIDE_CALLS, BlameClass
from tui.analysis.blame_rows import GapCause
from tui.analysis.idle import DeviceIdle, Told
from tui.analysis.steps import Steps
from tui.report.columns import distinct_values
from tui.report.model import Report
from tui.text import safe
from tui.text.functions import called
from tui.timeline.canvas import DeviceTime, GapMarks
from tui.timeline.ruler import StepMarks

OFF_CPU = 0.7
"""Host code during which the thread did not run for this share of it is no matter of a function."""


def cause_words(cause: GapCause, function: str | None = None) -> str:
    """A gap's reason, safe for a screen: ``host code in data_to_gpu``, ``cudaFree in backward``.

    ``function``: the hot one of host code, or the one that made the call: ``host code: postprocess()``.
    """
    what = cause_name(cause.cause, cause.call)
    if cause.cause is BlameClass.HOST_CODE and is_off_cpu(cause):
        what = BlameClass.HOST_CODE_OFF_CPU.words
    elif function:
        what = f"{what}: {safe(called(function))}"
    return f"{what} in {safe(cause.phase)}" if cause.phase else what


def is_off_cpu(cause: GapCause) -> bool:
    """Whether the thread did not run for most of the time; False where that is unknown."""
    return cause.on_cpu_ns is not None and cause.ns - cause.on_cpu_ns >= OFF_CPU * cause.ns


def cause_name(kind: BlameClass, call: str | None) -> str:
    """The call to blame; if there is none, what the time was spent on. Safe for a screen."""
    if call and kind in BESIDE_CALLS:
        return f"{kind.words}: {safe(call)}"
    return safe(call) if call and kind not in (BlameClass.LAUNCH_LATENCY, BlameClass.QUEUED) else kind.words


STILL_LOADING = "reason still loading"
"""The reason for a gap while its events are still being read."""


def gap_marks(
    idle: DeviceIdle, time: DeviceTime | None = None, told: Told | None = None, *, loading: bool = False
) -> GapMarks:
    """One device's gaps as drawn on its line, each with its biggest reason, and what else it did.

    ``told``: what samples, backtraces, files and events tell of each row of the blame.
    """
    gaps, rows, unseen = idle.gaps, idle.rows, idle.unseen

    def cause(gap: int) -> str:
        if loading:
            return STILL_LOADING
        if not len(listed := rows.of_gap(gap)):
            return ""
        main = listed[0]
        if told is not None and told.beside and (words := told.beside[main]):
            return words
        function = None if told is None else told.hot[main] or told.caller[main]
        return cause_words(rows.reason(main), function.name if function else None)

    marks = GapMarks(unseen.start, unseen.end, unseen.words) if len(unseen) else None
    other = idle.other if len(idle.other) else None
    return GapMarks(gaps.start, gaps.end, cause, marks, other, None if loading else time)


def step_marks(report: Report, steps: Steps) -> StepMarks | None:
    """The steps for the ruler: those of the process that has most; None if there are none."""
    if not steps.sequences:
        return None
    chosen = max(steps.sequences, key=len)
    names = report.ranges.name[chosen.ranges]
    numbered = len(distinct_values(names)) > 1  # the recorded names have numbers already

    def name(step: int) -> str:
        text = safe(report.strings[int(names[step])])
        return text if numbered else f"{text} {step + 1}"

    return StepMarks(chosen.start, chosen.end, name)
