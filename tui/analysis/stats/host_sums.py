"""Sums of what the host did besides NVTX: CUDA and OS calls, MPI, OpenMP, OpenACC, library calls."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.analysis.choices import Choices
from tui.analysis.grouping import combined
from tui.analysis.index import Index
from tui.analysis.stats.groups import figures
from tui.analysis.stats.kernels import api_groups, sums_by_name
from tui.analysis.stats.lazy import Names
from tui.analysis.stats.select import durations, host_rows, take
from tui.analysis.stats.stats_report import SUMS, StatsReport, stats_report
from tui.analysis.stats.std9 import std9, text
from tui.analysis.table import Table
from tui.report.columns import Int64
from tui.report.model import Report


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
    sums = figures(groups, durations(calls, rows), len(names))
    table = cuda_api_sum.table((*std9(sums, "Num Calls"), text("Name", names)))
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
    names, length = take(calls.name, rows), durations(calls, rows)
    return sums_by_id(osrt_sum, report, np.zeros(len(names), np.int64), names, length, "Num Calls")


def sums_by_id(
    of: StatsReport, report: Report, tables: Int64, names: NDArray[Any], length: Int64, counted: str
) -> Table:
    """Events summed by table and name. Those of one total stay in the order of the string table, as in nsys.

    ``tables``, ``names``, ``length``: per event the number of its table, the index of its name, its ns.
    """
    groups, first = combined(tables, names)
    sums = figures(groups, length, len(first))
    table = of.table((*std9(sums, counted), text("Name", Names(report.strings, names[first]))))
    return table.ordered(np.argsort(-sums.total, kind="stable"))


def sum_of_tables(
    name: str,
    title: str,
    counted: str,
    prefix: str,
    needs: str,
    means: str,
    differs: str,
    *aliases: str,
    apart: bool = False,
) -> StatsReport:
    """A report that sums events by name, those of all tables whose name begins with ``prefix``.

    ``apart``: events of one name in two tables are two rows.
    """

    def compute(index: Index, choices: Choices) -> Table:
        report = index.report
        names, lengths = [np.zeros(0, np.int32)], [np.zeros(0, np.int64)]
        for table, events in sorted(report.others.items()):
            if table.startswith(prefix):
                rows = host_rows(report, choices.scope, events)
                names.append(take(events.name, rows))
                lengths.append(durations(events, rows))
        name, length = np.concatenate(names), np.concatenate(lengths)
        if apart:
            tables = np.repeat(np.arange(len(names)), [len(part) for part in names])
            return sums_by_id(made, report, tables, name, length, counted)
        return sums_by_name(made, report, name, length, counted)

    made = StatsReport(name, compute, title, needs, means, SUMS, differs, aliases, options=())
    return made


EQUAL = "Equal to the report of nsys."
EXTENSION = "An extension: nsys has no such report, although older guides name it."

OPENMP_SUM = sum_of_tables(
    "openmp_sum", "OpenMP Summary", "Count", "OPENMP_EVENT_KIND_", "OpenMP event",
    "How long OpenMP regions, tasks and waits took.",
    f"{EQUAL} Events of one name and different kinds are different rows.", "openmpevtsum", apart=True,
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
