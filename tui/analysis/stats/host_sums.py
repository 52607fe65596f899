"""Sums of what the host did besides NVTX: CUDA and OS calls, MPI, OpenMP, OpenACC, library calls."""

from __future__ import annotations

import numpy as np

from tui.analysis.choices import Choices
from tui.analysis.index import Index
from tui.analysis.stats.dominant import dominant_note
from tui.analysis.stats.groups import figures
from tui.analysis.stats.kernels import api_groups, sums_by_name
from tui.analysis.stats.select import durations, host_rows, take
from tui.analysis.stats.stats_report import SUMS, StatsReport, stats_report
from tui.analysis.stats.std9 import std9, text
from tui.analysis.table import Table


@stats_report(
    "CUDA API Summary",
    "CUDA trace",
    "How long the host was inside CUDA calls: host time, a launch returns before its kernel runs.",
    f"{SUMS} A `_v` suffix of six characters is dropped from the name, as nsys does.",
    "Equal to nsys's; rows that only carry a backtrace (eventClass 67) are no calls and are left out.",
    aliases=("cudaapisum",),
)
def cuda_api_sum(index: Index, choices: Choices) -> Table:
    """CUDA calls by name; calls of one total keep the order of the file's string table, as nsys does."""
    report, calls = index.report, index.report.calls
    rows = host_rows(report, choices.scope, calls)
    groups, names = api_groups(report, rows)
    length = durations(calls, rows)
    sums = figures(groups, length, len(names))
    note = dominant_note(groups, length, take(calls.start, rows), names.__getitem__, sums)
    table = cuda_api_sum.table((*std9(sums, "Num Calls"), text("Name", names)), note)
    return table.ordered(np.argsort(-sums.total, kind="stable"))


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
    return sums_by_name(osrt_sum, report, names, start, durations(calls, rows), "Num Calls")


def sum_of_tables(
    name: str, title: str, counted: str, prefix: str, needs: str, means: str, differs: str, *aliases: str
) -> StatsReport:
    """A report that sums events by name, those of all tables whose name begins with ``prefix``."""

    def compute(index: Index, choices: Choices) -> Table:
        report = index.report
        names, starts, lengths = [np.zeros(0, np.int32)], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for table, events in report.others.items():
            if table.startswith(prefix):
                rows = host_rows(report, choices.scope, events)
                names.append(take(events.name, rows))
                starts.append(take(events.start, rows))
                lengths.append(durations(events, rows))
        name, start, length = np.concatenate(names), np.concatenate(starts), np.concatenate(lengths)
        return sums_by_name(made, report, name, start, length, counted)

    made = StatsReport(name, compute, title, needs, means, SUMS, differs, aliases, options=())
    return made


EQUAL = "Equal to the report of nsys."
EXTENSION = "An extension: nsys has no such report, although older guides name it."

OPENMP_SUM = sum_of_tables(
    "openmp_sum", "OpenMP Summary", "Count", "OPENMP_EVENT_KIND_", "OpenMP event",
    "How long OpenMP regions, tasks and waits took.", EQUAL, "openmpevtsum",
)  # fmt: skip
OPENACC_SUM = sum_of_tables(
    "openacc_sum", "OpenACC Summary", "Count", "CUPTI_ACTIVITY_KIND_OPENACC_", "OpenACC event",
    "How long OpenACC constructs took on the host.", EQUAL, "openaccsum",
)  # fmt: skip
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
