"""Calls of graphics and video APIs: Vulkan, and NVIDIA's video encoder and decoder."""

from __future__ import annotations

import numpy as np

from tui.analysis.choices import Choices
from tui.analysis.grouping import combined
from tui.analysis.index import Index
from tui.analysis.stats.extra import first_values, left_out_note, pids, rows_in_scope, sums_by_code, tids
from tui.analysis.stats.groups import figures
from tui.analysis.stats.kernels import printed_call
from tui.analysis.stats.lazy import Computed, Names
from tui.analysis.stats.select import RowSet, durations, host_rows, narrowed, take
from tui.analysis.stats.stats_report import SUMS, stats_report
from tui.analysis.stats.std9 import ident, std9, text, time
from tui.analysis.table import Table
from tui.report.columns import NULL, Int64
from tui.report.extra.tables import THREAD_NAMES, VULKAN_API
from tui.report.model import Report

EQUAL = "Equal to the report of nsys."


VULKAN_CALL = 53
"""Event class of the rows of VULKAN_API that are calls; others tell of objects."""


def calls_of(
    report: Report, choices: Choices, table: str, event_class: int | None = None
) -> tuple[Int64, Int64]:
    """The names and durations of the calls in scope of one table of the export, of one class if it tells."""
    calls = report.others.get(table)
    if calls is None:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    rows = host_rows(report, choices.scope, calls)
    if event_class is not None:
        rows = narrowed(rows, np.isin(take(calls.event_class, rows), (event_class, NULL)))
    return take(calls.name, rows).astype(np.int64), durations(calls, rows)


@stats_report(
    "Vulkan API Summary",
    "Vulkan API trace",
    "How long the host was inside Vulkan calls.",
    f"{SUMS} A `_v` suffix of six characters is dropped from the name, as nsys does.",
    EQUAL,
    aliases=("vulkanapisum",),
)
def vulkan_api_sum(index: Index, choices: Choices) -> Table:
    """Vulkan calls by name."""
    strings = index.report.strings
    names, length = calls_of(index.report, choices, "VULKAN_API", VULKAN_CALL)
    return sums_by_code(vulkan_api_sum, strings, names, length, "Num Calls", "Name", spell=printed_call)


@stats_report(
    "Vulkan API Trace",
    "Vulkan API trace",
    "Every Vulkan call with its context and thread.",
    "One row a call, by start.",
    EQUAL,
    aliases=("vulkanapitrace",),
)
def vulkan_api_trace(index: Index, choices: Choices) -> Table:
    """Every Vulkan call."""
    report = index.report
    calls, named = report.extra_rows(VULKAN_API), report.extra_rows(THREAD_NAMES)
    rows = rows_in_scope(report, choices.scope, calls, "globalTid")
    start, thread = calls["start"][rows], calls["globalTid"][rows]
    names = {found.global_tid: found.name for found in report.threads}

    def thread_names(part: RowSet) -> list[str | None]:
        return [names.get(number) for number in take(thread, part).tolist()]

    columns = (
        time("Start (ns)", start),
        time("Duration (ns)", calls["end"][rows] - start),
        text("Name", Names(calls.strings, calls["nameId"][rows])),
        ident("Event Class", calls["eventClass"][rows], rank=5),
        ident("Context", calls["contextId"][rows], rank=3),
        ident("CorrID", calls["correlationId"][rows], rank=1),
        ident("Pid", pids(thread), rank=3),
        ident("Tid", tids(thread)),
        ident("T-Pri", first_values(named["globalTid"], named["priority"], thread), rank=4),
        text("Thread Name", Computed(np.arange(len(rows)), thread_names)),
    )
    return vulkan_api_trace.table(columns, left_out_note(calls))


VIDEO_APIS = ("Encoder", "Decoder", "JPEG")


@stats_report(
    "NvVideo API Summary",
    "NvVideo API",
    "How long the host was inside calls of NVIDIA's video encoder, decoder and JPEG APIs.",
    differs=EQUAL,
)
def nvvideo_api_sum(index: Index, choices: Choices) -> Table:
    """Calls of the video APIs by API and name."""
    report = index.report
    parts = [calls_of(report, choices, f"NVVIDEO_{api.upper()}_API") for api in VIDEO_APIS]
    apis = np.repeat(np.arange(len(parts)), [len(names) for names, _ in parts])
    codes, length = (np.concatenate(values) for values in zip(*parts, strict=True))
    groups, first = combined(apis, codes)
    sums = figures(groups, length, len(first))
    columns = (
        *std9(sums, "Num Calls"),
        text("Event Type", [VIDEO_APIS[number] for number in apis[first].tolist()]),
        text("Name", Names(report.strings, codes[first])),
    )
    return nvvideo_api_sum.table(columns).ordered(np.argsort(-sums.total, kind="stable"))
