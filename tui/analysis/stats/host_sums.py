"""Sums of what the host did besides NVTX: CUDA and OS calls, MPI, OpenMP, OpenACC, library calls."""

from __future__ import annotations

import numpy as np

from tui.analysis.choices import Choices
from tui.analysis.grouping import by_text, combined, dense
from tui.analysis.index import Index
from tui.analysis.stats.dominant import dominant_note
from tui.analysis.stats.groups import Ties, figures, ordered_by_total
from tui.analysis.stats.kernels import printed_call, sums_by_name
from tui.analysis.stats.lazy import Names
from tui.analysis.stats.select import RowSet, durations, host_rows, take
from tui.analysis.stats.stats_report import SUMS, StatsReport, stats_report
from tui.analysis.stats.std9 import std9, text
from tui.analysis.table import Table
from tui.report.columns import NULL, Int64
from tui.report.model import OtherEvents


@stats_report(
    "CUDA API Summary",
    "CUDA trace",
    "How long the host was inside CUDA calls: host time, a launch returns before its kernel runs.",
    f"{SUMS} A `_v` suffix of six characters is dropped from the name, as nsys does; what is recorded as two "
    "names stays two rows.",
    "Equal to nsys's; rows that only carry a backtrace (eventClass 67) are no calls and are left out.",
    aliases=("cudaapisum",),
)
def cuda_api_sum(index: Index, choices: Choices) -> Table:
    """CUDA calls by name as recorded."""
    report, calls = index.report, index.report.calls
    rows = host_rows(report, choices.scope, calls)
    groups, names = dense(take(calls.name, rows), len(report.strings))
    length = durations(calls, rows)
    sums = figures(groups, length, len(names))
    shown = Names(report.strings, names, printed_call)
    note = dominant_note(groups, length, take(calls.start, rows), lambda i: str(shown[i]), sums)
    table = cuda_api_sum.table((*std9(sums, "Num Calls"), text("Name", shown)), note)
    return table.ordered(ordered_by_total(sums, shown, Ties.RECORDED))


@stats_report(
    "OS Runtime Summary",
    "OS Runtime trace",
    "How long threads were inside calls of the OS runtime (read, poll, pthread_cond_wait, ...).",
    f"{SUMS} Waits of many threads add up: the total may exceed the capture many times.",
    aliases=("osrtsum",),
)
def osrt_sum(index: Index, choices: Choices) -> Table:
    """OS runtime calls by name."""
    report, calls = index.report, index.report.os_calls
    rows = host_rows(report, choices.scope, calls)
    names, start = take(calls.name, rows), take(calls.start, rows)
    length = durations(calls, rows)
    return sums_by_name(osrt_sum, report, names, start, length, "Num Calls", ties=Ties.RECORDED)


def recorded_events(index: Index, choices: Choices, prefix: str) -> list[tuple[OtherEvents, RowSet]]:
    """The rows in scope of each table whose name begins with ``prefix``."""
    report = index.report
    found = [events for table, events in report.others.items() if table.startswith(prefix)]
    return [(events, host_rows(report, choices.scope, events)) for events in found]


def sum_of_tables(
    name: str, title: str, counted: str, prefix: str, needs: str, means: str, differs: str, *aliases: str
) -> StatsReport:
    """A report that sums events by name, those of all tables whose name begins with ``prefix``."""

    def compute(index: Index, choices: Choices) -> Table:
        names, starts, lengths = [np.zeros(0, np.int32)], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for events, rows in recorded_events(index, choices, prefix):
            names.append(take(events.name, rows))
            starts.append(take(events.start, rows))
            lengths.append(durations(events, rows))
        name, start, length = np.concatenate(names), np.concatenate(starts), np.concatenate(lengths)
        return sums_by_name(made, index.report, name, start, length, counted)

    made = StatsReport(name, compute, title, needs, means, SUMS, differs, aliases, options=())
    return made


@stats_report(
    "OpenMP Summary",
    "OpenMP event",
    "How long OpenMP regions, tasks and waits took.",
    f"{SUMS} Each kind of event has rows of its own.",
    aliases=("openmpevtsum",),
)
def openmp_sum(index: Index, choices: Choices) -> Table:
    """OpenMP events by kind and name."""
    report = index.report
    kinds, names, lengths = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)], [np.zeros(0, np.int64)]
    for kind, (events, rows) in enumerate(recorded_events(index, choices, "OPENMP_EVENT_KIND_")):
        names.append(take(events.name, rows))
        kinds.append(np.full(len(names[-1]), kind, np.int32))
        lengths.append(durations(events, rows))
    name = np.concatenate(names)
    groups, first = combined(np.concatenate(kinds), name)
    sums = figures(groups, np.concatenate(lengths), len(first))
    shown = Names(report.strings, name[first])
    table = openmp_sum.table((*std9(sums, "Count"), text("Name", shown)))
    return table.ordered(ordered_by_total(sums, shown, Ties.RECORDED))


@stats_report(
    "OpenACC Summary",
    "OpenACC event",
    "How long OpenACC constructs took on the host.",
    f"{SUMS} The name says where the construct is: `event@file:line`.",
    "Equal to nsys's, but that nsys leaves the name of an event blank whose line is not recorded.",
    aliases=("openaccsum",),
)
def openacc_sum(index: Index, choices: Choices) -> Table:
    """OpenACC events by name and place in the source."""
    report, strings = index.report, index.report.strings
    columns: list[list[Int64]] = [[np.zeros(0, np.int64)] for _ in range(5)]
    for events, rows in recorded_events(index, choices, "CUPTI_ACTIVITY_KIND_OPENACC_"):
        kept = (events.name, events.file, events.line, events.start)
        found = *(take(column, rows) for column in kept), durations(events, rows)
        for column, values in zip(columns, found, strict=True):
            column.append(values.astype(np.int64))
    name, file, line, start, length = map(np.concatenate, columns)
    places, first = combined(name, file, line)
    texts = [
        f"{event}@{strings[place]}:{number}" if place >= 0 and number != NULL else event
        for event, place, number in zip(
            Names(strings, name[first]), file[first].tolist(), line[first].tolist(), strict=True
        )
    ]
    codes, shown = by_text(places, texts.__getitem__, len(texts))
    return sums_by_name(openacc_sum, report, codes, start, length, "Num Calls", texts=shown, ties=Ties.NAME)


EQUAL = "Equal to the report of nsys."
EXTENSION = "An extension: nsys has no such report, although older guides name it."

MPI_EVENT_SUM = sum_of_tables(
    "mpi_event_sum", "MPI Event Summary", "Count", "MPI_", "MPI event",
    "How long ranks were inside MPI calls.", EQUAL, "mpieventsum",
)  # fmt: skip
SYSCALL_SUM = sum_of_tables(
    "syscall_sum", "Syscall Summary", "Num Calls", "SYSCALL", "syscall trace",
    "How long threads were inside system calls.", EQUAL,
)  # fmt: skip
CUDNN_API_SUM = sum_of_tables(
    "cudnn_api_sum", "cuDNN API Summary", "Num Calls", "CUDNN_EVENTS", "cuDNN trace",
    "How long the host was inside cuDNN calls.", EXTENSION,
)  # fmt: skip
CUBLAS_API_SUM = sum_of_tables(
    "cublas_api_sum", "cuBLAS API Summary", "Num Calls", "CUBLAS_EVENTS", "cuBLAS trace",
    "How long the host was inside cuBLAS calls.", EXTENSION,
)  # fmt: skip
