"""Unified memory: what the driver moved between host and devices by itself, and the page faults behind it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tui.analysis.choices import Choices
from tui.analysis.grouping import dense, summed
from tui.analysis.index import Index
from tui.analysis.stats.extra import addresses, left_out_note, on_chosen_devices, rows_in_scope
from tui.analysis.stats.lazy import Names
from tui.analysis.stats.rounding import INT64_LIMIT, Integers, largest, printed, quotient
from tui.analysis.stats.sizes import DIGITS, megabytes
from tui.analysis.stats.stats_report import stats_report
from tui.analysis.stats.std9 import column, count, size, text
from tui.analysis.table import Table, Unit
from tui.report.columns import NULL, Int64, Positions
from tui.report.extra.extra_table import ExtraRows, no_rows
from tui.report.extra.tables import CPU_PAGE_FAULTS, GPU_PAGE_FAULTS, UNIFIED_COPIES
from tui.report.model import Report

HOST_TO_DEVICE, DEVICE_TO_HOST = 11, 12
"""Kinds of copies of unified memory."""
LISTED = 10
"""Addresses that are listed if no number is asked for."""


class Migrations(NamedTuple):
    """The tables, and of each the rows in scope: copies of unified memory, faults of CPUs and of GPUs."""

    copies: ExtraRows
    to_device: Positions
    to_host: Positions
    cpu: ExtraRows
    cpu_rows: Positions
    gpu: ExtraRows
    gpu_rows: Positions

    def addresses(self) -> tuple[Int64, ...]:
        """The address of each row: CPU faults, GPU faults, copies to the host, copies to a device."""
        copies = self.copies["virtualAddress"]
        return (
            self.cpu["address"][self.cpu_rows],
            self.gpu["address"][self.gpu_rows],
            copies[self.to_host],
            copies[self.to_device],
        )


def migrations(report: Report, choices: Choices) -> Migrations:
    """Read what there is on unified memory; copies only where some are of unified memory."""
    any_copies = np.isin(report.copies.copy_kind, (HOST_TO_DEVICE, DEVICE_TO_HOST)).any()
    copies = report.extra_rows(UNIFIED_COPIES) if any_copies else no_rows(UNIFIED_COPIES)
    cpu, gpu = report.extra_rows(CPU_PAGE_FAULTS), report.extra_rows(GPU_PAGE_FAULTS)

    def on_devices(rows: ExtraRows) -> Positions:
        found = rows_in_scope(report, choices.scope, rows, "globalPid")
        pid, device = rows["globalPid"][found], rows["deviceId"][found]
        return found[on_chosen_devices(report, choices.scope, pid, device)]

    moved = on_devices(copies)
    moved = moved[copies["bytes"][moved] != NULL]
    kinds = copies["copyKind"][moved]
    return Migrations(
        copies,
        moved[kinds == HOST_TO_DEVICE],
        moved[kinds == DEVICE_TO_HOST],
        cpu,
        rows_in_scope(report, choices.scope, cpu, "globalPid"),
        gpu,
        on_devices(gpu),
    )


def integers(values: list[int]) -> Integers:
    """Exact integers as int64, where that can hold them."""
    wide = np.array(values, object)
    return wide if largest(wide) >= INT64_LIMIT else wide.astype(np.int64)


def total(values: Int64) -> int | None:
    """The exact sum; None for the sum of nothing."""
    return int(values.astype(object).sum()) if len(values) else None


@stats_report(
    "Unified Memory Totals Summary",
    "CUDA Unified Memory",
    "How much unified memory moved between host and devices by itself, and the page faults behind it.",
    "One row: bytes of unified copies by direction, page faults, and the lowest and highest address of both. "
    "The sum of nothing is blank, as in nsys.",
    "Faults of a processor whose faults were not traced are unknown. nsys names addresses only where there "
    "are copies both ways and faults of both processors; here they are those of whatever was recorded.",
    aliases=("umtotalsum", "unifiedmemorytotals"),
)
def um_total_sum(index: Index, choices: Choices) -> Table:
    """Unified memory in one row: bytes migrated each way, page faults, addresses."""
    report = index.report
    found = migrations(report, choices)
    moved = [total(found.copies["bytes"][rows]) for rows in (found.to_device, found.to_host)]
    places = np.concatenate(found.addresses())
    places = places[places != NULL].view(np.uint64)
    ends = np.array([places.min(), places.max()]).view(np.int64) if len(places) else np.full(2, NULL)
    lowest, highest = addresses(ends)
    cpu_faults = len(found.cpu_rows) if CPU_PAGE_FAULTS.source in report.has else None
    columns = (
        size("Total HtoD Migration Size (MB)", megabytes_of(moved[0])),
        size("Total DtoH Migration Size (MB)", megabytes_of(moved[1])),
        count("Total CPU Page Faults", [cpu_faults]),
        count("Total GPU PageFaults", [total(faults_of(found))]),
        text("Minimum Virtual Address", [lowest]),
        text("Maximum Virtual Address", [highest]),
    )
    traced = {CPU_PAGE_FAULTS.source, GPU_PAGE_FAULTS.source} <= report.has
    table = um_total_sum.table(
        columns, left_out_note(found.copies, found.cpu, found.gpu, more=None if traced else UNTRACED)
    )
    anything = traced or any(len(places) for places in found.addresses())  # traced: none is a fact
    return table if anything else table.ordered(np.zeros(0, np.int64))


UNTRACED = (
    "unknown are the page faults of a processor whose faults were not traced (nsys profile "
    "--cuda-um-cpu-page-faults=true --cuda-um-gpu-page-faults=true)"
)


def megabytes_of(moved: int | None) -> list[object]:
    """The one value of a column of sizes."""
    return [None] if moved is None else list(megabytes(integers([moved])))


def faults_of(found: Migrations) -> Int64:
    """How many faults each row in scope of the GPUs' faults counts."""
    faults = found.gpu["numberOfPageFaults"][found.gpu_rows]
    known: Int64 = faults[faults != NULL]
    return known


@stats_report(
    "Unified Memory Analysis Summary",
    "CUDA Unified Memory",
    "Which addresses of unified memory moved between host and devices, how much and how fast, and who "
    "faulted on them.",
    f"One row an address, fastest first; `:rows=N` lists N of them (default {LISTED}, negative: all). "
    "Throughput: bytes both ways by the time of their copies. Decimal megabytes.",
    "Throughput is exact; nsys divides integers. Addresses of the upper half are hexadecimal too, where nsys "
    "prints a negative number. Exports without a table of faults are read too.",
    aliases=("unifiedmemory",),
    options=("rows=",),
)
def um_sum(index: Index, choices: Choices) -> Table:
    """Bytes migrated and page faults by address."""
    found, limit = migrations(index.report, choices), choices.number("rows", LISTED)
    parts = found.addresses()
    groups, places = dense(np.concatenate(parts))
    by_part = np.split(groups, np.cumsum([len(part) for part in parts])[:-1])
    cpu, gpu, to_host, to_device = by_part
    copies, size_of = found.copies, len(places)
    moved = [
        sums_at(rows, copies["bytes"][which], size_of)
        for rows, which in ((to_device, found.to_device), (to_host, found.to_host))
    ]
    length = copies["end"] - copies["start"]
    both = np.concatenate([to_device, to_host]), np.concatenate([found.to_device, found.to_host])
    took = sums_at(both[0], length[both[1]], size_of)
    faults = found.gpu["numberOfPageFaults"][found.gpu_rows]
    counted = faults != NULL
    bytes_ = [(a or 0) + (b or 0) for a, b in zip(*moved, strict=True)]
    # A rate in bytes per second is bytes * 10**9 / ns, in MB per second a millionth of that.
    known = np.array([bool(t) for t in took], bool)
    thousands = integers([b * 1000 if t else 0 for b, t in zip(bytes_, took, strict=True)])
    rate = quotient(thousands, integers([t or 1 for t in took]), DIGITS)
    columns = (
        text("Virtual Address", addresses(places)),
        size("HtoD Migration size (MB)", _sizes(moved[0])),
        size("DtoH Migration size (MB)", _sizes(moved[1])),
        count("CPU Page Faults", sums_at(cpu, np.ones_like(cpu), size_of), blank="-"),
        count(" GPU Page Faults", sums_at(gpu[counted], faults[counted], size_of), blank="-"),
        column(
            Unit.MB,
            "Migration Throughput (MB/s)",
            [value if k else None for value, k in zip(printed(rate, DIGITS), known.tolist(), strict=True)],
            blank="-",
        ),
    )
    # Of equal rates nsys lists what faulted on CPUs first, then on GPUs, then what went to the host.
    source = np.full(size_of, len(parts))
    for number in reversed(range(len(parts))):
        source[by_part[number]] = number
    speed = [-b / t if t else 1.0 for b, t in zip(bytes_, took, strict=True)]
    order = np.array(sorted(range(size_of), key=lambda i: (speed[i], source[i])), np.intp)
    if limit >= 0:
        order = order[:limit]
    left = size_of - len(order)
    more = f"{left:,} more addresses; um_sum:rows=-1 lists all" if left else None
    note = left_out_note(found.copies, found.cpu, found.gpu, more=more)
    return um_sum.table(columns, note).ordered(order)


def sums_at(groups: Int64, values: Int64, count: int) -> list[int | None]:
    """The exact sum of the values of each group; None where a group has none."""
    used, place = np.unique(groups, return_inverse=True)
    sums: list[int | None] = [None] * count
    found = summed(place.reshape(-1), len(used), values)
    for group, value in zip(used.tolist(), found.tolist(), strict=True):
        sums[group] = value
    return sums


def _sizes(moved: list[int | None]) -> list[object]:
    shown = megabytes(integers([value or 0 for value in moved]))
    return [None if value is None else size_ for value, size_ in zip(moved, shown, strict=True)]


@stats_report(
    "Unified Memory CPU Page Faults Summary",
    "CUDA Unified Memory CPU page fault",
    "Which functions of the host touched pages of unified memory that were not there.",
    "Counts faults by the function that caused them, most first.",
    "Equal to the report of nsys.",
    aliases=("umcpupagefaults",),
)
def um_cpu_page_faults_sum(index: Index, choices: Choices) -> Table:
    """CPU page faults by function."""
    report = index.report
    faults = report.extra_rows(CPU_PAGE_FAULTS)
    rows = rows_in_scope(report, choices.scope, faults, "globalPid")
    groups, codes = dense(faults["CpuInstruction"][rows])
    number = np.bincount(groups, minlength=len(codes))
    columns = (
        count("CPU Page Faults", number),
        text("CPU Instruction Address", Names(faults.strings, codes)),
    )
    table = um_cpu_page_faults_sum.table(columns, left_out_note(faults))
    return table.ordered(np.argsort(-number, kind="stable"))
