"""Where we mean to differ from nsys 2023.4, each as narrow as it can be said, with the reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from tests.nsys.oracle.both import Rows


@dataclass(frozen=True)
class Cell:
    """A cell that differs: its report and column, and the rows of both by column."""

    report: str
    column: str
    nsys: Mapping[str, str]
    ours: Mapping[str, str]
    total: int = 0
    """The sum of all total times of the report."""


def is_meant(cell: Cell) -> bool:
    """Whether this cell is meant to differ."""
    return any(rule(cell) for rule in CELLS)


def with_meant_rows(report: str, nsys: Rows, ours: Rows) -> tuple[Rows, Rows]:
    """The rows of both, those that only one of them is meant to have put in the other's way.

    No row of nvtx_gpu_proj_trace stands for the work outside of all ranges. Kernels without a launch keep
    their process in nvtx_kern_sum, where nsys pools them in a row without one.
    """
    if report == "nvtx_gpu_proj_trace" and nsys:
        at = nsys[0].index("RangeId"), nsys[0].index("Style")
        nsys = tuple(row for row in nsys if (row[at[0]], row[at[1]]) not in (("0", ""), ("", "")))
    if report == "nvtx_kern_sum" and nsys and ours:
        nsys, ours = _pooled(nsys), _pooled(ours)
    return nsys, ours


def _pooled(rows: Rows) -> Rows:
    """The rows with one for all kernels of a name without a launch: how many there are and their time."""
    place = {name: position for position, name in enumerate(rows[0])}
    figures = [place[name] for name in ("Kern Inst", "Total Time (ns)")]
    kept, pools = [rows[0]], Counter[tuple[str, int]]()
    for row in rows[1:]:
        if row[place["NVTX Range"]] or row[place["TID"]]:
            kept.append(row)
        else:
            pools.update({(row[-1], position): int(row[position]) for position in figures})
    for name in sorted({name for name, _ in pools}):
        cells = [
            str(pools[name, position]) if position in figures else "" for position in range(len(rows[0]))
        ]
        kept.append((*cells[:-1], name))
    return tuple(kept)


def is_meant_silence(report: str, option: str, said: str, rows: Rows) -> bool:
    """Whether nsys has nothing to say where we have something, or the other way round.

    Kernels of which no call and no range is known are kernels; nsys skips what joins them without.
    Its reports on unified memory want tables of copies and of both kinds of faults, one at least of which
    most captures lack. Where all are there and empty, it counts 0 faults.
    """
    if "nvtx-name" in option or report == "nvtx_kern_sum":
        return any(
            f"does not contain {lack} data" in said for lack in ("NV Tools Extension (NVTX)", "CUDA API")
        )
    if report not in ("um_total_sum", "um_sum"):
        return False
    return any(lack in said for lack in _LACKS) or rows[1:] == (("", "", "0", "", "", ""),)


_LACKS = ("CPU page faults data", "GPU page faults data", "CUDA memory transfers data")


def _throughput(cell: Cell) -> bool:
    """nsys multiplies by 10^9 / duration in integers; a quotient is a quotient here."""
    return (cell.report, cell.column) in (
        ("cuda_gpu_trace", "Throughput (MB/s)"),
        ("um_sum", "Migration Throughput (MB/s)"),
    )


def _address(cell: Cell) -> bool:
    """nsys knows no least and greatest address unless copies and both kinds of faults have one."""
    known = cell.column in ("Minimum Virtual Address", "Maximum Virtual Address")
    return cell.report == "um_total_sum" and known and not cell.nsys[cell.column]


def _engine(cell: Cell) -> bool:
    """nsys has no name for engines but its own; we take the label that the export gives them."""
    return (cell.report, cell.column) == ("wddm_queue_sum", "Name") and not cell.nsys["Name"]


def _last_digit(cell: Cell) -> bool:
    """A figure between two printed ones, or one of more digits than a double holds.

    Releases with SQLite 3.43 and later round the first as we do; nsys adds up in doubles, we in integers.
    """
    if not (_DECIMAL.fullmatch(cell.nsys[cell.column]) and _DECIMAL.fullmatch(cell.ours[cell.column])):
        return False
    nsys, ours = Decimal(cell.nsys[cell.column]), Decimal(cell.ours[cell.column])
    last = Decimal(1).scaleb(ours.as_tuple().exponent)
    apart = abs(nsys - ours)
    if abs(ours) / last >= 10**14:  # 15 digits
        return apart <= last or apart <= abs(ours) / 10**15
    between = (nsys + ours) / 2
    if cell.column == "Time (%)":
        return apart == last and Fraction(between) * cell.total == 100 * int(cell.ours["Total Time (ns)"])
    counts = [int(value) for name, value in cell.ours.items() if name in COUNTS and value]
    return apart == last and any(between * count % 1 == 0 for count in counts)


LATER = 10**17
"""By how many ns the work that nsys looks for gaps in is later."""
RENUMBERED = 1_000_000
"""Ids above this are none of the export's."""

_DECIMAL = re.compile(r"-?\d+\.\d+")
COUNTS = ("Instances", "Num Calls", "Count", "QCount", "Kern Inst", "Range Instances")


def _thread_name(cell: Cell) -> bool:
    """NVTX names threads, too: nsys prints the names that the system has for them alone."""
    return (
        cell.report.endswith("_api_trace") and cell.column == "Thread Name" and not cell.nsys["Thread Name"]
    )


def _renumbered(cell: Cell) -> bool:
    """The id of a call that nsys was given in place of one that another call of its process has."""
    return (cell.report, cell.column) == ("cuda_api_trace", "CorrID") and int(
        cell.nsys["CorrID"]
    ) > RENUMBERED


def _later(cell: Cell) -> bool:
    """nsys leaves out work that starts before 0: it was given all of it later."""
    if cell.report not in ("gpu_gaps", "gpu_time_util") or cell.column != "Start (ns)":
        return False
    return int(cell.nsys[cell.column]) - LATER == int(cell.ours[cell.column])


CELLS = (_throughput, _address, _engine, _thread_name, _last_digit, _renumbered, _later)
