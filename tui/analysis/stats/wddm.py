"""The queues of the Windows display driver: how much of the time they held work."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tui.analysis.choices import Choices
from tui.analysis.grouping import combined, dense
from tui.analysis.index import Index
from tui.analysis.stats.extra import (
    addresses,
    first_values,
    left_out_note,
    looked_up,
    of_chosen_processes,
    pids,
    process_ids,
)
from tui.analysis.stats.groups import figures
from tui.analysis.stats.rounding import printed, quotient
from tui.analysis.stats.select import in_window
from tui.analysis.stats.stats_report import stats_report
from tui.analysis.stats.std9 import column, count, ident, spread_columns, text
from tui.analysis.table import Table, Unit
from tui.intervals import covered, paired
from tui.report.columns import NULL, Int64
from tui.report.extra.extra_table import ExtraRows
from tui.report.extra.tables import (
    DMA_STARTS,
    DMA_STOPS,
    QUEUE_CONTEXTS,
    QUEUE_ENGINES,
    QUEUE_STARTS,
    QUEUE_STOPS,
)
from tui.report.model import Report

QUEUES = (
    ("queue", QUEUE_STARTS, "submitSequence", QUEUE_STOPS, "submitSequence"),
    ("dma", DMA_STARTS, "uliSubmissionId", DMA_STOPS, "uliCompletionId"),
)
"""By queue type: its name, the starts and stops of its packets, and what numbers a context's packets."""
OTHER = 0
ENGINES = (
    "Other", "3D", "Video Decode", "Video Encode", "Video Processing", "Scene Assembly", "Copy", "Overlay",
    "Crypto",
)  # fmt: skip
"""Names of engine types."""


class Packets(NamedTuple):
    """Packets from their start to their stop; one entry each."""

    start: Int64
    end: Int64
    process: Int64
    kind: Int64  # position in QUEUES
    gpu: Int64
    context: Int64
    engine: Int64


@stats_report(
    "WDDM Queue Utilization Summary",
    "WDDM queue packet",
    "How much of a process's time each queue of the Windows display driver held work.",
    "Utilization: the union of a queue's packets, of the time from the process's first packet to its last. "
    "A packet ends with the stop of its number in its context.",
    "Equal to nsys's where a context numbers each packet once; where numbers come again, nsys counts "
    "every start with every later stop. A node ordinal that is not recorded is unknown, not 0; addresses of "
    "the upper half are hexadecimal too, where nsys prints a negative number.",
    aliases=("wddmqueuesdetails",),
)
def wddm_queue_sum(index: Index, choices: Choices) -> Table:
    """Packets by process, queue, GPU, context and engine."""
    report = index.report
    read, parts = [], []
    for kind, (_, starts, number, stops, stopped) in enumerate(QUEUES):
        begun, ended = report.extra_rows(starts), report.extra_rows(stops)
        read += [begun, ended]
        parts.append(_packets(report, choices, kind, begun, begun[number], ended, ended[stopped]))
    packets = Packets(*(np.concatenate(values) for values in zip(*parts, strict=True)))
    groups, first = combined(packets.process, packets.kind, packets.gpu, packets.context, packets.engine)
    sums = figures(groups, packets.end - packets.start, len(first))
    busy = covered(groups, packets.start, packets.end, len(first))
    whole = _process_time(packets)[first]
    known = whole > 0
    utilization = quotient(np.where(known, busy, 0) * 100, np.where(known, whole, 1), 1)
    each = Packets(*(values[first] for values in packets))
    contexts = report.extra_rows(QUEUE_CONTEXTS)
    columns = (
        column(
            Unit.PCT,
            "Utilization (%)",
            [value if k else None for value, k in zip(printed(utilization, 1), known.tolist(), strict=True)],
        ),
        count("Instances", sums.count),
        *spread_columns(sums, (1, 4, 3, 2, 5)),
        text("Name", _engine_names(report, each), blank="-"),
        ident("Q Type", each.kind, rank=5),
        text("Q Name", [QUEUES[number][0] for number in each.kind.tolist()]),
        ident("PID", pids(each.process)),
        ident("GPU ID", each.gpu, rank=1),
        text("Context", addresses(each.context), rank=1),
        ident("Engine", each.engine, rank=5),
        ident("Node Ord", first_values(contexts["context"], contexts["nodeOrdinal"], each.context), rank=5),
    )
    order = np.argsort(-np.where(known, utilization, -1), kind="stable")  # as printed, like nsys
    return wddm_queue_sum.table(columns, left_out_note(*read)).ordered(order)


def _packets(
    report: Report,
    choices: Choices,
    kind: int,
    begun: ExtraRows,
    number: Int64,
    ended: ExtraRows,
    stopped: Int64,
) -> Packets:
    """The packets in scope of one kind of queue: each start with the stop of its number in its context."""
    keys, _ = combined(
        np.concatenate([begun["context"], ended["context"]]), np.concatenate([number, stopped])
    )
    begins, ends = paired(keys[: len(begun)], begun["start"], keys[len(begun) :], ended["start"])
    numbered = number[begins] != NULL
    begins, ends = begins[numbered], ends[numbered]
    start, end = begun["start"][begins], ended["start"][ends]
    chosen = of_chosen_processes(report, choices.scope, begun["globalTid"][begins])
    begins, start, end = begins[chosen], start[chosen], end[chosen]
    rows = in_window(start, end, choices.scope.window)
    begins, start, end = begins[rows], start[rows], end[rows]
    return Packets(
        start,
        end,
        process_ids(begun["globalTid"][begins]),
        np.full(len(begins), kind),
        *(begun[name][begins] for name in ("gpu", "context", "engineType")),
    )


def _process_time(packets: Packets) -> Int64:
    """For each packet, the time from its process's first start to its last stop."""
    groups, values = dense(packets.process)
    first = np.full(len(values), np.iinfo(np.int64).max)
    last = np.full(len(values), np.iinfo(np.int64).min)
    np.minimum.at(first, groups, packets.start)
    np.maximum.at(last, groups, packets.end)
    whole: Int64 = (last - first)[groups]
    return whole


def _engine_names(report: Report, each: Packets) -> list[str | None]:
    """The name of each engine type; of another engine the one that its context has."""
    rows, labels = report.extra_rows(QUEUE_CONTEXTS), report.extra_rows(QUEUE_ENGINES)
    friendly = looked_up(rows["context"], rows.texts("friendlyName"), each.context)
    recorded = looked_up(labels["id"], labels.texts("label"), each.engine)
    names = []
    for number, own, label in zip(each.engine.tolist(), friendly, recorded, strict=True):
        built_in = ENGINES[number] if 0 <= number < len(ENGINES) else label
        names.append(own or built_in if number == OTHER else built_in)
    return names
