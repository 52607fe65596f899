"""The reports of ``nsys stats``: a report's name -> a table of exact figures."""

from __future__ import annotations

import difflib
from types import MappingProxyType
from typing import NamedTuple

from tui.analysis.choices import Choices
from tui.analysis.index import Index
from tui.analysis.scope import Scope
from tui.analysis.stats import (
    host_sums,
    kern_exec,
    kernels,
    nvtx_gpu,
    nvtx_sums,
    nvtx_trace,
    sizes,
    traces,
    unified_memory,
)
from tui.analysis.stats.stats_report import StatsReport
from tui.analysis.table import Table
from tui.errors import UsageError

__all__ = ["DEFAULT", "REPORTS", "ChosenReport", "StatsReport", "choose"]

ALL = (
    kernels.CUDA_GPU_KERN_SUM,
    kernels.CUDA_GPU_KERN_GB_SUM,
    kernels.CUDA_GPU_MEM_TIME_SUM,
    sizes.CUDA_GPU_MEM_SIZE_SUM,
    kernels.CUDA_GPU_SUM,
    kernels.CUDA_API_GPU_SUM,
    nvtx_sums.NVTX_SUM,
    nvtx_sums.NVTX_PUSHPOP_SUM,
    nvtx_sums.NVTX_STARTEND_SUM,
    host_sums.CUDA_API_SUM,
    host_sums.OSRT_SUM,
    traces.CUDA_GPU_TRACE,
    traces.CUDA_API_TRACE,
    kern_exec.CUDA_KERN_EXEC_SUM,
    kern_exec.CUDA_KERN_EXEC_TRACE,
    nvtx_trace.NVTX_PUSHPOP_TRACE,
    nvtx_gpu.NVTX_GPU_PROJ_TRACE,
    nvtx_gpu.NVTX_GPU_PROJ_SUM,
    nvtx_gpu.NVTX_KERN_SUM,
    host_sums.OPENMP_SUM,
    host_sums.OPENACC_SUM,
    host_sums.MPI_EVENT_SUM,
    host_sums.SYSCALL_SUM,
    host_sums.CUDNN_API_SUM,
    host_sums.CUBLAS_API_SUM,
    unified_memory.UM_TOTAL_SUM,
)
"""Every report, in the order in which they are listed."""

REPORTS = MappingProxyType({report.name: report for report in ALL})
"""Every report by name."""

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

    def table(self, index: Index, scope: Scope) -> Table:
        """The report's table over a scope."""
        return self.report.compute(index, Choices(scope, self.options))


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
