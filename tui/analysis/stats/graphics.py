"""The ranges that programs mark with the debug markers of OpenGL, Vulkan and Direct3D, on host and GPU."""

from __future__ import annotations

import numpy as np

from tui.analysis.choices import Choices
from tui.analysis.grouping import combined
from tui.analysis.index import Index
from tui.analysis.stats.extra import left_out_note, of_chosen_processes, rows_in_scope, sums_by_code
from tui.analysis.stats.select import in_window
from tui.analysis.stats.stats_report import SUMS, StatsReport
from tui.analysis.table import Table
from tui.intervals import paired
from tui.report.columns import NULL
from tui.report.extra.tables import DEBUG_CALLS, GPU_RANGES, KHR_DEBUG

MARKS = "Names that took no time at all are no ranges and not listed, as in nsys."
KHR_RANGE, KHR_GPU_RANGE = 62, 63
"""Event classes of ranges in KHR_DEBUG_EVENTS."""


def khr_ranges(name: str, title: str, event_class: int, needs: str, means: str, alias: str) -> StatsReport:
    """A report that sums the ranges of one class of OpenGL's debug events."""

    def compute(index: Index, choices: Choices) -> Table:
        report = index.report
        rows = report.extra_rows(KHR_DEBUG)
        chosen = rows_in_scope(report, choices.scope, rows, "globalTid")
        chosen = chosen[rows["eventClass"][chosen] == event_class]
        start, end = rows["start"], rows["end"]
        is_open = end[chosen] == NULL
        latest = int(max(start[-1], end.max())) if len(rows) else 0
        length = np.where(is_open, latest, end[chosen]) - start[chosen]
        number = int(is_open.sum())
        note = f"{number:,} ranges were never closed; they count up to {latest} ns" if number else None
        codes, strings = rows["textId"][chosen], rows.strings
        return sums_by_code(
            made, strings, codes, length, "Instances", "Range", left_out_note(rows, more=note),
            by_text=True, marks=False,
        )  # fmt: skip

    how = f"{SUMS} A range never closed ends with the latest timestamp of these events; a note counts them."
    made = StatsReport(name, compute, title, needs, means, f"{how} {MARKS}", EQUAL, (alias,), options=())
    return made


EQUAL = "Equal to the report of nsys."
PAIRS = (
    "Equal to nsys's where a correlation id has one begin and one end; where it has more, nsys counts each "
    "begin with each end."
)

OPENGL_KHR_RANGE_SUM = khr_ranges(
    "opengl_khr_range_sum", "OpenGL KHR_debug Range Summary", KHR_RANGE, "KHR Extension (KHR_DEBUG)",
    "How long the debug groups of an OpenGL program took on the host.", "khrdebugsum",
)  # fmt: skip
OPENGL_KHR_GPU_RANGE_SUM = khr_ranges(
    "opengl_khr_gpu_range_sum", "OpenGL KHR_debug GPU Range Summary", KHR_GPU_RANGE,
    "GPU KHR Extension (KHR_DEBUG)", "How long the debug groups of an OpenGL program took on the GPU.",
    "khrdebuggpusum",
)  # fmt: skip


def debug_ranges(name: str, title: str, source: str, needs: str, means: str, alias: str) -> StatsReport:
    """A report that sums the ranges between the calls of ``source`` that begin and that end one."""

    def compute(index: Index, choices: Choices) -> Table:
        report = index.report
        rows = report.extra_rows(DEBUG_CALLS[source])
        key, _ = combined(rows["globalTid"], rows["correlationId"])
        known = (rows["globalTid"] != NULL) & (rows["correlationId"] != NULL)
        is_begin = rows["textId"] >= 0
        begins, ends = np.flatnonzero(known & is_begin), np.flatnonzero(known & ~is_begin)
        which, partner = paired(key[begins], rows["start"][begins], key[ends], rows["start"][ends])
        number = len(begins) - len(which)
        note = f"{number:,} ranges were never closed and are left out" if number else None
        begins, ends = begins[which], ends[partner]
        chosen = of_chosen_processes(report, choices.scope, rows["globalTid"][begins])
        begins, ends = begins[chosen], ends[chosen]
        start, end = rows["end"][begins], rows["start"][ends]
        order = np.argsort(start, kind="stable")
        order = order[(end >= start)[order]]
        order = order[in_window(start[order], end[order], choices.scope.window)]
        codes, strings = rows["textId"][begins[order]], rows.strings
        return sums_by_code(
            made, strings, codes, (end - start)[order], "Instances", "Range", left_out_note(rows, more=note),
            marks=False,
        )  # fmt: skip

    how = (
        f"{SUMS} A range lasts from the end of the call that begins it to the start of the one that ends it."
    )
    made = StatsReport(name, compute, title, needs, means, f"{how} {MARKS}", PAIRS, (alias,), options=())
    return made


VULKAN_MARKER_SUM = debug_ranges(
    "vulkan_marker_sum", "Vulkan Range Summary", "VULKAN_DEBUG_API",
    "Vulkan Debug Extension (Vulkan Debug Util)",
    "How long the ranges that a Vulkan program marks took on the host.", "vulkanmarkerssum",
)  # fmt: skip
DX11_PIX_SUM = debug_ranges(
    "dx11_pix_sum", "DX11 PIX Range Summary", "D3D11_PIX_DEBUG_API", "DX11 CPU debug marker",
    "How long the PIX ranges of a Direct3D 11 program took on the host.", "dx11pixsum",
)  # fmt: skip
DX12_PIX_SUM = debug_ranges(
    "dx12_pix_sum", "DX12 PIX Range Summary", "D3D12_PIX_DEBUG_API", "DX12 CPU debug marker",
    "How long the PIX ranges of a Direct3D 12 program took on the host.", "dx12pixsum",
)  # fmt: skip


def gpu_ranges(name: str, title: str, source: str, needs: str, means: str, alias: str) -> StatsReport:
    """A report that sums the rows of ``source`` that have a marker's text."""

    def compute(index: Index, choices: Choices) -> Table:
        report = index.report
        rows = report.extra_rows(GPU_RANGES[source])
        chosen = rows_in_scope(report, choices.scope, rows, "globalTid")
        chosen = chosen[rows["textId"][chosen] >= 0]
        length = rows["end"][chosen] - rows["start"][chosen]
        codes, strings = rows["textId"][chosen], rows.strings
        note = left_out_note(rows)
        return sums_by_code(made, strings, codes, length, "Instances", "Range", note, marks=False)

    made = StatsReport(name, compute, title, needs, means, f"{SUMS} {MARKS}", EQUAL, (alias,), options=())
    return made


VULKAN_GPU_MARKER_SUM = gpu_ranges(
    "vulkan_gpu_marker_sum", "Vulkan GPU Range Summary", "VULKAN_WORKLOAD",
    "GPU Vulkan Debug Extension (GPU Vulkan Debug markers)",
    "How long the ranges that a Vulkan program marks took on the GPU.", "vulkangpumarkersum",
)  # fmt: skip
DX12_GPU_MARKER_SUM = gpu_ranges(
    "dx12_gpu_marker_sum", "DX12 GPU Command List PIX Ranges Summary", "DX12_WORKLOAD",
    "DX12 GPU debug marker",
    "How long the PIX ranges in the command lists of a Direct3D 12 program took on the GPU.",
    "dx12gpumarkersum",
)  # fmt: skip
