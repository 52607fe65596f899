"""What a rank does to the nanosecond, once its report's columns are open."""

from __future__ import annotations

import numpy as np

from tui.analysis.index import Index
from tui.analysis.steps import find_steps
from tui.browse.ranks.scene import RankFacts, Waits
from tui.intervals import Coverage, Spans, subtract
from tui.ranks.summing.accounts import device_time, host_time
from tui.ranks.summing.subject import Subject
from tui.timeline.state_times import Communication, Runs, RunTimes, Shown


def exact_times(index: Index, facts: RankFacts, waits: Waits | None) -> RunTimes:
    """The states of a rank of the report behind ``index``; communication by its ``waits`` as far as known."""
    summary = facts.rank.summary
    rows = summary.collectives
    split = Communication.of(summary.pieces, rows.start, waits.wait if waits is not None else None)
    transfer = _without(_without(split.all.spans, split.wait), split.unsplit)
    found = {Shown.TRANSFER: transfer, Shown.WAIT: split.wait.spans, Shown.UNSPLIT: split.unsplit.spans}
    process = summary.process
    devices = tuple(d for d, users in enumerate(index.users) if process in users)
    subject = Subject(index, process, devices, find_steps(index))
    low, high = summary.window
    if devices:
        time = device_time(subject)
        found[Shown.COMPUTE] = time.compute.spans
        found[Shown.COPIES] = _without(time.cuda.spans, time.kernels)
        found[Shown.OTHER] = _without(time.busy.spans, time.cuda)
        busy = time.busy
    else:
        host = host_time(subject)
        found[Shown.COMPUTE] = _without(host.steps.spans, host.mpi)
        busy = Coverage(
            np.concatenate((host.steps.start, host.mpi.start)), np.concatenate((host.steps.end, host.mpi.end))
        )
    found[Shown.IDLE] = busy.gaps(low, high)
    start = np.concatenate([spans.start for spans in found.values()])
    end = np.concatenate([spans.end for spans in found.values()])
    state = np.repeat([int(s) for s in found], [len(spans.start) for spans in found.values()])
    start, end = np.clip(start, low, high), np.clip(end, low, high)
    kept = np.flatnonzero(end > start)
    kept = kept[np.argsort(start[kept], kind="stable")]
    return RunTimes(Runs(start[kept], end[kept], state[kept].astype(np.uint8)))


def _without(spans: Spans, cover: Coverage) -> Spans:
    """What of ``spans`` lies outside ``cover``."""
    left = subtract(spans, cover.spans)
    return Spans(left.start, left.end)
