"""What a verdict rests on, and what it can't show: steps, ranks, tables that are missing, unknown time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tui.analysis.busy import device_busy
from tui.analysis.faults.case import Case
from tui.report.model import CallClass
from tui.text.numbers import plural, share_spaced
from tui.text.times import show_duration


def basis(case: Case) -> Iterator[str]:
    """Yield a sentence each; none for a case without device work."""
    if not case.devices:
        return
    yield from _steps(case)
    yield from _part(case)
    yield from _ranks(case)
    yield from _missing(case)
    yield from _unseen(case)


def _steps(case: Case) -> Iterator[str]:
    count = case.step_count
    if not count:
        yield (
            f"no steps found: {show_duration(case.window.length)} are judged as a whole, and what happens "
            "now and then is not told from what happens in every step"
        )
        return
    guessed = any(s.on_device for s in case.steps.sequences)
    of = f" of {case.steps.name!r}" if case.steps.name and not guessed else ""
    each = f" in each of {len(case.paces)} processes" if len(case.paces) > 1 else ""
    text = f"{plural(count, 'step')}{of}{each}"
    if count < case.limits.steps_for_pattern:
        yield f"{text}: too few to tell the usual step from an unusual one"
    else:
        yield f"{text}: a stall rarer than one in {count:,} is not excluded"
    if guessed:
        yield "the steps are a guess from kernels that recur: the program named none"
    warm_up = max(pace.warm_up_steps(case.limits) for pace in case.paces)
    if warm_up:
        first = "the first step is" if warm_up == 1 else f"the first {warm_up} steps are"
        yield f"{first} warm-up, and inside the window: sums and shares hold it"


def _part(case: Case) -> Iterator[str]:
    """Yield that only a part of what was recorded is judged, where it is."""
    span, window = case.report.span, case.window
    if case.scope.window.chosen and span is not None and window.length < span[1] - span[0]:
        part = share_spaced(window.length, span[1] - span[0])
        yield f"{window.label} only: {part} of the time recorded"
    left = [d.cuda_id for d in case.report.devices if case.index.users[d.index]]
    if len(case.devices) < len(left):
        yield f"{len(case.devices)} of {plural(len(left), 'device')} with work"


def _ranks(case: Case) -> Iterator[str]:
    """Yield that one rank of several was recorded: what communicates alone has peers elsewhere."""
    ops, communicating = case.report.ops, np.flatnonzero(case.index.communicates)
    if not len(communicating):
        return
    ranks = np.unique(np.stack((ops.process[communicating], ops.device[communicating])), axis=1).shape[1]
    if ranks == 1:
        yield "one rank of several was recorded: a wait for another rank looks like a slow transfer"


def _missing(case: Case) -> Iterator[str]:
    report = case.report
    if not len(report.calls):
        yield "no CUDA calls were recorded: why the device idled is not known"
    if not len(report.ranges):
        yield "no NVTX ranges were recorded: neither steps nor phases have names"
    if not len(report.os_calls):
        yield "no OS calls were recorded: host code may be waiting in one"
    waits = (report.calls.call_class == CallClass.SYNCHRONISATION).any()
    if waits and not len(report.syncs):
        yield "no synchronisation records: which stream or event a call waited for is not known"
    if len(report.graphs):
        graphs = plural(len(report.graphs), "graph launch")
        yield f"{graphs} recorded whole: idle time and communication inside them are not seen"


def _unseen(case: Case) -> Iterator[str]:
    rows = device_busy(case.index, case.scope)
    unknown, other = sum(r.unknown_ns for r in rows), sum(r.other_ns for r in rows)
    if unknown:
        part = share_spaced(unknown, case.device_ns)
        yield f"{part} of the window is unknown: launches whose work was not recorded"
    if other:
        part = share_spaced(other, case.device_ns)
        yield f"{part} of the window is work of other APIs, of which only begin and end are known"
