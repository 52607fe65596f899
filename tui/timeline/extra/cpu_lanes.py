"""Below each thread: whether it ran, and the functions that its samples are in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tui.analysis.captured import captured
from tui.analysis.cpu.frames import FrameKind
from tui.analysis.cpu.hot import may_be_hot
from tui.analysis.cpu.sampling import samples
from tui.analysis.cpu.scheduling import scheduling
from tui.analysis.device_names import on_machine
from tui.analysis.index import Doing, Index
from tui.analysis.kinds.cpu import CPU_SAMPLES
from tui.intervals import Coverage
from tui.report.columns import Bool
from tui.report.event_tables import EVENT_TABLES
from tui.report.event_tables.cpu import CPU
from tui.report.event_tables.event_table import Owner
from tui.report.model import Report
from tui.text.numbers import plural, share
from tui.text.times import show_duration
from tui.timeline.extra.sampled_names import SampledNames
from tui.timeline.lane import Lane, LaneKind
from tui.timeline.naming import thread_detail
from tui.timeline.series import OnCpu, Sampled
from tui.timeline.slices import LaneRows

_STYLES = {FrameKind.PROGRAM: "series.6", FrameKind.KERNEL: "series.5"}


def cpu_lanes(report: Report) -> Iterator[Lane]:
    """A lane of CPU states of each thread with scheduling data, and of samples of each that can have some.

    Which threads have samples is not known before these are read: without scheduling data any may.
    """
    scheduled, headed = _with_stretches(report), _headed_by_stretches(report)
    (taken,) = captured(report, (CPU_SAMPLES,))
    sampled = bool(taken.rows) and CPU_SAMPLES.table in report.has
    for thread in report.threads:
        number, runs = thread.index, bool(scheduled[thread.index])
        if not runs and (not sampled or scheduled.any()):
            continue
        machine = on_machine(report, thread.global_tid).replace(" ", "-")
        key = f"t{thread.pid}{machine}/{thread.tid}"
        detail = thread_detail(report.processes[thread.process], thread)
        owner: dict[str, Any] = {"depth": 1, "thread": number, "process": thread.process}
        if runs and not headed[number]:
            yield Lane(
                f"{key}/on-cpu", LaneKind.SERIES, CPU.title, f"{CPU.title} of {detail}", late=_states(number),
                table=CPU.name, **owner,
            )  # fmt: skip
        if sampled:
            yield Lane(
                f"{key}/samples", LaneKind.SERIES, "samples", f"CPU samples of {detail}",
                late=_sampled(number), **owner,
            )  # fmt: skip


def _with_stretches(report: Report) -> Bool:
    """Per thread whether the scheduler's events tell when it ran."""
    found = np.zeros(len(report.threads) + 1, bool)
    found[CPU.of(report).thread] = True
    return found[:-1]


def _headed_by_stretches(report: Report) -> Bool:
    """Per thread whether the heading shows the stretches themselves, as nothing else was recorded."""
    found = np.ones(len(report.threads) + 1, bool)
    for table in EVENT_TABLES:
        if table.owner is Owner.THREAD and not table.aside:
            found[table.owners(report)] = False
    return found[:-1]


def _states(thread: int) -> Callable[[Index], LaneRows]:
    def load(index: Index) -> LaneRows:
        running = scheduling(index).coverage(thread)
        if running is None:
            return ()
        activity = index.activity(thread)
        asked = activity.doing != Doing.OVERHEAD
        known = _known(index, running)
        ran = running.length(*known)
        details = (
            ("on a CPU", f"{show_duration(ran)}, {share(ran, known[1] - known[0])} of the capture"),
            ("stretches", f"{len(running):,}"),
        )
        return (
            OnCpu(
                title="", details=details, running=running,
                in_call=Coverage(activity.start[asked], activity.end[asked]), known=known,
            ),
        )  # fmt: skip

    return load


def _known(index: Index, running: Coverage) -> tuple[int, int]:
    """From when to when the scheduler's events were recorded: all the capture."""
    low, high = index.report.span or (0, 0)
    return min(low, int(running.start[0])), max(high, int(running.end[-1]))


def _sampled(thread: int) -> Callable[[Index], LaneRows]:
    def load(index: Index) -> LaneRows:
        mine = samples(index).of_thread(thread)
        if not len(mine):
            return ()
        frames = mine.tree.frames
        names = SampledNames(mine.start, np.where(may_be_hot(mine), mine.leaf, -1), frames.name)

        def style(code: int) -> str:
            kind = FrameKind(int(frames.kind[names.leaves[code]])) if code >= 0 else FrameKind.UNKNOWN
            return _STYLES.get(kind, "series.5")

        details = (("samples", plural(len(mine), "sample")),)
        return (Sampled(title="", details=details, names=names, style=style),)

    return load
