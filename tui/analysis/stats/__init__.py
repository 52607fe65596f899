"""The reports of ``nsys stats``: a report's name -> a table of exact figures."""

from __future__ import annotations

import re
from typing import NamedTuple

from tui.analysis.choices import Choices
from tui.analysis.index import Index
from tui.analysis.registry import Registry
from tui.analysis.scope import Scope
from tui.analysis.stats.stats_report import StatsReport
from tui.analysis.table import Table
from tui.errors import UsageError

__all__ = ["DEFAULT", "REPORTS", "ChosenReport", "StatsReport", "choose"]

PLACES = (
    "kernels:cuda_gpu_kern_sum",
    "kernels:cuda_gpu_kern_gb_sum",
    "kernels:cuda_gpu_mem_time_sum",
    "sizes:cuda_gpu_mem_size_sum",
    "kernels:cuda_gpu_sum",
    "kernels:cuda_api_gpu_sum",
    "nvtx_host:nvtx_sum",
    "nvtx_host:nvtx_pushpop_sum",
    "nvtx_host:nvtx_startend_sum",
    "host_sums:cuda_api_sum",
    "host_sums:osrt_sum",
    "traces:cuda_gpu_trace",
    "traces:cuda_api_trace",
    "kern_exec:cuda_kern_exec_sum",
    "kern_exec:cuda_kern_exec_trace",
    "nvtx_host:nvtx_pushpop_trace",
    "nvtx_gpu:nvtx_gpu_proj_trace",
    "nvtx_gpu:nvtx_gpu_proj_sum",
    "nvtx_gpu:nvtx_kern_sum",
    "host_sums:openmp_sum",
    "host_sums:openacc_sum",
    "host_sums:mpi_event_sum",
    "host_sums:syscall_sum",
    "host_sums:cudnn_api_sum",
    "host_sums:cublas_api_sum",
    "unified_memory:um_total_sum",
    "unified_memory:um_sum",
    "unified_memory:um_cpu_page_faults_sum",
    "mpi:mpi_event_trace",
    "mpi_comms:mpi_comm_sum",
    "ucx:ucx_sum",
    "network:network_congestion",
    "graphics:opengl_khr_range_sum",
    "graphics:opengl_khr_gpu_range_sum",
    "graphics_calls:vulkan_api_sum",
    "graphics_calls:vulkan_api_trace",
    "graphics:vulkan_marker_sum",
    "graphics:vulkan_gpu_marker_sum",
    "graphics:dx11_pix_sum",
    "graphics:dx12_pix_sum",
    "graphics:dx12_gpu_marker_sum",
    "graphics_calls:nvvideo_api_sum",
    "wddm:wddm_queue_sum",
)
"""Every report as ``module:name``, in the order in which they are listed: to run one, one is imported."""

REPORTS = Registry(__name__, StatsReport, PLACES)
"""Every report by name."""

DEFAULT = (
    "nvtx_sum",
    "osrt_sum",
    "cuda_api_sum",
    "cuda_gpu_kern_sum",
    "cuda_gpu_mem_time_sum",
    "cuda_gpu_mem_size_sum",
    "openmp_sum",
    "opengl_khr_range_sum",
    "opengl_khr_gpu_range_sum",
    "vulkan_marker_sum",
    "vulkan_gpu_marker_sum",
    "dx11_pix_sum",
    "dx12_gpu_marker_sum",
    "dx12_pix_sum",
    "wddm_queue_sum",
    "um_sum",
    "um_total_sum",
    "um_cpu_page_faults_sum",
    "openacc_sum",
    "syscall_sum",
)
"""What ``nsystui stats`` prints when no report is named: nsys's own choice."""


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
    found = REPORTS.get(name) or next((r for r in REPORTS.values() if name in r.aliases), None)
    if found is None:
        import difflib

        close = difflib.get_close_matches(name, REPORTS, n=1)
        hint = f"did you mean {close[0]}?" if close else "`nsystui stats --list` names them"
        raise UsageError(f"no report {name!r}; {hint}")
    for option in options:
        if not takes(found, option):
            offered = " or ".join(found.offers) or "none"
            raise UsageError(f"report {found.name} has no option {option!r}; it takes {offered}")
    last = {option.partition("=")[0]: option for option in options}  # of rows=1:rows=2 the last counts
    return ChosenReport(found, frozenset(last.values()), ":".join((found.name, *options)))


def takes(report: StatsReport, option: str) -> bool:
    """Whether what follows a report's name is an option of it; ``rows=`` takes a number."""
    name, equals, value = option.partition("=")
    if f"{name}{equals}" not in report.options or not name:
        return False
    return not equals or re.fullmatch(r"-?[0-9]{1,18}", value) is not None
