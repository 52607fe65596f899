"""Sums of what the host did besides NVTX: CUDA and OS calls, MPI, OpenMP, OpenACC, library calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.analysis.grouping import dense
from tui.analysis.scope import Scope
from tui.analysis.stats.groups import by_total, figures
from tui.analysis.stats.kernels import Options, api_groups
from tui.analysis.stats.names import Names
from tui.analysis.stats.select import host_rows, take
from tui.analysis.stats.std9 import std9, text
from tui.analysis.table import Table, picked
from tui.report.columns import Int64
from tui.report.model import Report

Compute = Callable[[Report, Scope, Options], Table]


def cuda_api_sum(report: Report, scope: Scope, options: Options) -> Table:
    """CUDA calls by name; calls of one total keep the order of the file's string table, as nsys does."""
    calls = report.calls
    rows = host_rows(report, scope, calls)
    groups, names = api_groups(report, rows)
    known = figures(groups, take(calls.end, rows) - take(calls.start, rows), len(names))
    order = np.argsort(-known.total, kind="stable").astype(np.int64)
    columns = (*std9(known, order, "Num Calls"), text("Name", picked(names, order)))
    return Table("cuda_api_sum", "CUDA API Summary", columns)


def osrt_sum(report: Report, scope: Scope, options: Options) -> Table:
    """OS runtime calls by name."""
    calls = report.os_calls
    rows = host_rows(report, scope, calls)
    length = take(calls.end, rows) - take(calls.start, rows)
    return by_name(report, "osrt_sum", "OS Runtime Summary", "Num Calls", take(calls.name, rows), length)


def by_name(report: Report, name: str, title: str, counted: str, names: NDArray[Any], length: Int64) -> Table:
    """Events of these names and lengths, summed by name."""
    groups, indices = dense(names, len(report.strings))
    known = figures(groups, length, len(indices))
    order = by_total(known.total, known.count, Names(report.strings, indices))
    columns = (*std9(known, order, counted), text("Name", Names(report.strings, indices[order])))
    return Table(name, title, columns)


def other_sum(name: str, title: str, counted: str, prefixes: Sequence[str]) -> Compute:
    """A report that sums the tables whose name begins with one of ``prefixes``."""

    def compute(report: Report, scope: Scope, options: Options) -> Table:
        names, lengths = [np.zeros(0, np.int32)], [np.zeros(0, np.int64)]
        for table, events in report.others.items():
            if table.startswith(tuple(prefixes)):
                rows = host_rows(report, scope, events)
                names.append(take(events.name, rows))
                lengths.append(take(events.end, rows) - take(events.start, rows))
        return by_name(report, name, title, counted, np.concatenate(names), np.concatenate(lengths))

    return compute
