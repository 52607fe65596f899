"""The reports of ``nsys stats``: a report's name -> a table of exact figures."""

from __future__ import annotations

import difflib
from types import MappingProxyType
from typing import NamedTuple

from tui.analysis.scope import Scope
from tui.analysis.stats.catalogue import ALL
from tui.analysis.stats.registry import StatsReport
from tui.analysis.table import Table
from tui.errors import UsageError
from tui.report.model import Report

__all__ = ["DEFAULT", "REPORTS", "ChosenReport", "StatsReport", "choose", "compute"]

REPORTS = MappingProxyType({report.name: report for report in ALL})
"""Every report by name, in the order in which they are listed."""

DEFAULT = (
    "nvtx_sum",
    "osrt_sum",
    "cuda_api_sum",
    "cuda_gpu_kern_sum",
    "cuda_gpu_mem_time_sum",
    "cuda_gpu_mem_size_sum",
    "openmp_sum",
    "um_total_sum",
    "openacc_sum",
    "syscall_sum",
)
"""What ``nsystui stats`` prints when no report is named: nsys's own choice, as far as we have it."""


class ChosenReport(NamedTuple):
    """A report and what followed its name: ``cuda_gpu_kern_sum:base``."""

    report: StatsReport
    options: frozenset[str]
    spelled: str


def choose(text: str) -> ChosenReport:
    """The report that ``text`` names, by its name or an older one, with its options; else UsageError."""
    name, *options = text.strip().split(":")
    found = next((r for r in ALL if name == r.name or name in r.aliases), None)
    if found is None:
        close = difflib.get_close_matches(name, REPORTS, n=1)
        hint = f"did you mean {close[0]}?" if close else "`nsystui stats --list` names them"
        raise UsageError(f"no report {name!r}; {hint}")
    unknown = [option for option in options if option not in found.options]
    if unknown:
        takes = " or ".join(found.options) or "none"
        raise UsageError(f"report {found.name} has no option {unknown[0]!r}; it takes {takes}")
    if len(options) > 1:
        raise UsageError(f"report {found.name} takes one of {' and '.join(options)}, not both")
    return ChosenReport(found, frozenset(options), ":".join((found.name, *options)))


def compute(chosen: ChosenReport, report: Report, scope: Scope) -> Table:
    """The table of a chosen report."""
    return chosen.report.compute(report, scope, chosen.options)
