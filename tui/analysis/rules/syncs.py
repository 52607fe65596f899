"""Calls in which the host waits for a device."""

from __future__ import annotations

import numpy as np

from tui.analysis.choices import Choices
from tui.analysis.index import Index
from tui.analysis.rules.rule import Rule, RuleFinding
from tui.analysis.scope import Scope
from tui.analysis.stats.kernels import printed_call
from tui.analysis.stats.lazy import Names, OwnerIds
from tui.analysis.stats.select import host_rows, take
from tui.analysis.stats.std9 import ident, text, time
from tui.report.classify import base_api_name

WAITS = ("cudaDeviceSynchronize", "cudaStreamSynchronize")


def has_calls(index: Index, scope: Scope) -> bool:
    """Whether CUDA calls were recorded."""
    calls = index.report.calls
    return bool(len(take(calls.start, host_rows(index.report, scope, calls))))


def cuda_api_sync(index: Index, choices: Choices) -> RuleFinding:
    """Calls that wait for a device or a stream."""
    report = index.report
    calls, people = report.calls, OwnerIds(report)
    rows = np.arange(len(calls))[host_rows(report, choices.scope, calls)]
    names = calls.name[rows]
    waits = [i for i in np.unique(names).tolist() if base_api_name(report.strings[i]) in WAITS]
    rows = rows[np.isin(names, waits)]
    length = calls.end[rows] - calls.start[rows]
    thread = calls.thread[rows]
    columns = (
        time("Duration (ns)", length),
        time("Start (ns)", calls.start[rows]),
        ident("PID", people.pid[thread], rank=2),
        ident("TID", people.tid[thread], rank=1),
        text("API Name", Names(report.strings, calls.name[rows], printed_call)),
    )
    return CUDA_API_SYNC.finding(columns, length, calls.start[rows])


CUDA_API_SYNC = Rule(
    "cuda_api_sync",
    "Waits for a device",
    cuda_api_sync,
    "CUDA API",
    has_calls,
    "In these calls the host waits until a stream or the whole device has done everything. What follows can "
    "only be launched afterwards, so the device runs dry.",
    "Wait for an event (cudaEventSynchronize, cudaStreamWaitEvent) instead of a stream or device, and only "
    "where the result is needed; in PyTorch look for .item(), .cpu(), print(tensor), "
    "torch.cuda.synchronize().",
    "Same rows as nsys.",
)
