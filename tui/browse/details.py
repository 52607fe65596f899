"""All that the export records of one event, as (label, value) pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tui.analysis.index import Index
from tui.browse.clock import Clock
from tui.browse.neighbours import caused_tables
from tui.browse.page import Pairs
from tui.report.event_tables import table_named, words
from tui.report.event_tables.event_table import EventTable, Owner, Phase
from tui.report.model import Report
from tui.text import safe
from tui.text.numbers import plural
from tui.text.times import exact, instant
from tui.timeline.slices import SliceId

LOOKUPS_S = 0.3
"""How long a key waits for the worker that has the report's lookups."""
LOADING = "loading"
"""The value of what is still being read."""


def span_of(report: Report, thing: SliceId) -> tuple[int, int]:
    """Return (start, end) of ``thing`` in ns; a mark ends where it starts."""
    start, end = table_named(thing.table).times(report)
    return int(start[thing.index]), int(end[thing.index])


def name_of(report: Report, thing: SliceId) -> str:
    """Return the full name as recorded (not yet safe for a terminal)."""
    return table_named(thing.table).name_of(report, thing.index)


def times(clock: Clock, start: int, end: int | None) -> Pairs:
    """Return start, end and duration; where the clock has a zero of its own, the recorded times too."""

    def at(time: int) -> str:
        return clock.at(time) + ("" if clock.zero == 0 else f"  (recorded {instant(time)})")

    ends: Pairs = [] if end is None else [("end", at(end)), ("duration", exact(end - start))]
    return [("start", at(start)), *ends]


def describe(index: Index, thing: SliceId, clock: Clock) -> Pairs:
    """Return labels and values, ready for the screen, the name first."""
    from tui.browse.cpu_details import backtrace, running  # no frame waits for these
    from tui.browse.nvtx_details import nvtx_pairs

    report, row, table = index.report, thing.index, table_named(thing.table)
    start, end = span_of(report, thing)
    pairs: Pairs = [("name", safe(table.name_of(report, row)))]
    pairs += times(clock, start, None if table.instant else end)
    pairs += table.details(report, row)
    pairs += nvtx_pairs(index, thing.table, row)
    if thing.table == "os_calls":
        pairs += _files(index, row)
    elif thing.table in ("ops", "calls"):
        pairs += _library(index, thing) + _awaited(index, thing)
    if table.cause:
        return pairs + _launch(index, table, row)
    for caused in caused_tables(table.name):
        pairs += _issued(index, caused, row, end)
    if table.owner is Owner.THREAD and not table.aside:
        pairs += running(index, int(table.owners(report)[row]), start, end)
    if table.phase is Phase.IS_ONE:
        from tui.browse.range_details import range_pairs

        pairs += range_pairs(index, row)
    if table.phase is Phase.INSIDE and table.owner is Owner.THREAD:
        pairs += _path(index, int(table.owners(report)[row]), start, end)
    return pairs + backtrace(index, table.name, row)


def _library(index: Index, thing: SliceId) -> Pairs:
    """Return the call of a library that issued an op, or that a CUDA call was made by."""
    from tui.analysis.library_calls import library_call_at, library_of_ops, library_words

    if {"calls", "others"} & index.report.loading:
        return []
    at = np.array([thing.index])
    if thing.table == "ops":
        (call,) = library_of_ops(index, at).tolist()
    else:
        calls = index.report.calls
        (call,) = library_call_at(index, calls.start[at], calls.end[at], calls.thread[at]).tolist()
    return [] if call < 0 else [("library", library_words(index, call))]


def _awaited(index: Index, thing: SliceId) -> Pairs:
    """Return the work that an op, or a call that waits for an event, waited for."""
    report = index.report
    if {"calls", "syncs"} & report.loading or "CUPTI_ACTIVITY_KIND_CUDA_EVENT" not in report.has:
        return []
    from tui.analysis.awaited import awaited_by_call, awaited_by_ops, awaited_words  # no frame waits for it

    if thing.table == "calls":
        found = awaited_by_call(index, thing.index)
    else:
        (found,) = awaited_by_ops(index, np.array([thing.index]))
    return [] if found is None else [("waits for", awaited_words(index, found))]


def _files(index: Index, call: int) -> Pairs:
    """Return which files an OS call accessed, and how fast."""
    from tui.analysis.files.of_calls import words_of_call  # no frame waits for it

    return [("file", words) for words in words_of_call(index, call)]


def _launch(index: Index, table: EventTable[Any], row: int) -> Pairs:
    """Return the call that issued a row, and how long it took to start."""
    report = index.report
    if table.cause in report.loading:
        return [("launch", LOADING)]
    launch = int(table.of(report).launch[row])
    if launch < 0:
        return [("launch", "not recorded")]
    call, started = SliceId(table.cause, launch), span_of(report, SliceId(table.name, row))[0]
    began, returned = span_of(report, call)
    thread = int(table_named(call.table).owners(report)[launch])
    latency = started - returned
    skew = "  (before the call returned)" if latency < 0 else ""
    pairs: Pairs = [
        ("launch", safe(name_of(report, call))),
        ("launched", f"{exact(started - began)} before it started"),
        ("call took", exact(returned - began)),
        ("latency", f"{exact(latency)} from the call's return to the start{skew}"),
        ("thread", words.thread(report, thread)),
    ]
    return pairs + _path(index, thread, began, returned)


def _issued(index: Index, table: EventTable[Any], call: int, returned: int) -> Pairs:
    """Return what a call issued."""
    rows = index.links.caused_by(table, call)
    if not len(rows):
        return []
    first = SliceId(table.name, int(rows[0]))
    return [
        ("issued", f"{plural(len(rows), 'op')} on a device"),
        ("first op", safe(name_of(index.report, first))),
        ("op starts", f"{exact(span_of(index.report, first)[0] - returned)} after the call returned"),
    ]


def _path(index: Index, thread: int, start: int, end: int) -> Pairs:
    """Return the ranges of ``thread`` that contain [start, end], outermost first."""
    if "ranges" in index.report.loading:
        return [("NVTX", LOADING)]
    from tui.analysis.gap_context import path_name, range_paths  # no frame waits for it

    innermost = index.range_holding(np.array([start]), np.array([end]), thread)
    path = range_paths(index, innermost)[0]
    return [("NVTX", " > ".join(safe(path_name(index.report, r)) for r in path))] if path else []


def as_text(pairs: Sequence[tuple[str, str]]) -> str:
    """Return what ``y`` copies: one ``label: value`` a line."""
    return "\n".join(f"{label}: {value}" if label else f"  {value}" for label, value in pairs) + "\n"
