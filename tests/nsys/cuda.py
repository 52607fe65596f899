"""The differences from nsys 2023.4.4 in the CUDA reports and the rules that are meant."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path

from tests.nsys.differences import Cell, Meant, OnlyOurs, OnlyTheirs
from tests.nsys.printed import Row, Walked

SUMS = ("cuda_gpu_kern_sum", "cuda_gpu_kern_gb_sum", "cuda_gpu_sum", "cuda_api_gpu_sum")
CALLS = ("cuda_api_trace", "cuda_kern_exec_trace")
USE = ("gpu_time_util", "gpu_time_util_200_80")
GRAPHS, BACKTRACES = "graph-mode-2025.5", "saxpy-mpi-all-tables-2022.2"
SPREAD = ("Avg (ns)", "Med (ns)", "Min (ns)", "Max (ns)", "StdDev (ns)")


def is_tie(their: Row, our: Row) -> bool:
    """Whether the exact average lies half-way between what we print and what nsys prints."""
    total, count = our["Total Time (ns)"], our.get("Instances", our.get("Num Calls"))
    tenths = round(10 * (their["Avg (ns)"] + our["Avg (ns)"]) / 2 + 0.0, 3)
    return bool(20 * total % count == 0 and (20 * total // count) % 2 and 2 * tenths == 20 * total // count)


def one_tenth(their: Row, our: Row, column: str) -> bool:
    """Whether two averages differ by one digit, ours being the smaller."""
    return bool(our[column] is not None and round(10 * (their[column] - our[column])) == 1)


def truncated(their: Row, our: Row) -> bool:
    """Whether their throughput is ours, but for the part of 1 s / duration that an integer division loses."""
    kept = 10**9 // our["Duration (ns)"] * our["Duration (ns)"] / 10**9
    return abs(their["Throughput (MB/s)"] - our["Throughput (MB/s)"] * kept) < 0.002


@cache
def backtraces(path: Path) -> tuple[frozenset[int], frozenset[int]]:
    """The rows of eventClass 67: when they start, and how long those of each name take."""
    of_class = "FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE eventClass = 67"
    with closing(sqlite3.connect(f"file:{path}?immutable=1", uri=True)) as db:
        starts = frozenset(start for (start,) in db.execute(f"SELECT start {of_class}"))
        totals = frozenset(t for (t,) in db.execute(f"SELECT sum(end - start) {of_class} GROUP BY nameId"))
    return starts, totals


def repeats(row: Row, walked: Walked) -> bool:
    """Whether a row is that of a backtrace, or of a name that only backtraces have."""
    if walked.name != BACKTRACES:
        return False
    starts, totals = backtraces(walked.path)
    start = row.get("API Start (ns)", row["Start (ns)"] if "CorrID" in row else None)
    return start in starts or row.get("Total Time (ns)") in totals


CUDA: tuple[Meant, ...] = (
    Cell(
        SUMS,
        "the double of such an average is less than half: SQLite before 3.43 rounded it up",
        columns=("Avg (ns)",),
        when=lambda their, our, walked: walked.name != BACKTRACES and is_tie(their, our),
    ),
    *(
        Cell(
            ("cuda_kern_exec_sum",),
            "the double of such an average is less than half: SQLite before 3.43 rounded it up",
            columns=(column,),
            when=lambda their, our, walked, column=column: one_tenth(their, our, column),
        )
        for column in ("TAvg (ns)", "AAvg (ns)", "QAvg (ns)", "KAvg (ns)")
    ),
    Cell(
        ("cuda_gpu_trace",),
        "nsys multiplies the bytes by the whole number of durations in 1 s",
        columns=("Throughput (MB/s)",),
        when=lambda their, our, walked: truncated(their, our),
    ),
    OnlyOurs(
        (*SUMS, "cuda_gpu_trace"),
        "graphs traced whole are work",
        when=lambda row, walked: str(row.get("Operation", row.get("Name"))).startswith("[CUDA graph "),
    ),
    Cell(
        SUMS,
        "graphs traced whole are work: the shares are of more",
        columns=("Time (%)",),
        when=lambda their, our, walked: walked.name == GRAPHS and our["Time (%)"] < their["Time (%)"],
    ),
    *(
        kind(
            USE,
            f"graphs traced whole are work: {whose} stretches of low use are others",
            when=lambda row, walked: walked.name == GRAPHS,
        )
        for kind, whose in ((OnlyTheirs, "their"), (OnlyOurs, "our"))
    ),
    Cell(
        USE,
        "nsys adds up ops that overlap, ours is the union",
        columns=("In-Use (%)",),
        when=lambda their, our, walked: our["In-Use (%)"] < their["In-Use (%)"],
    ),
    OnlyTheirs(
        (*CALLS, "cuda_api_sum"),
        "rows of eventClass 67 repeat a call with its backtrace: they are no calls",
        when=repeats,
    ),
    OnlyTheirs(
        ("cuda_memcpy_sync",),
        "nsys lists a copy once more for each backtrace of its call",
        when=lambda row, walked: walked.name == BACKTRACES and row["API Name"] == "cudaMemcpy",
    ),
    Cell(
        ("cuda_api_sum", "cuda_api_gpu_sum"),
        "calls count once, not again with their backtraces: the shares are of less",
        columns=("Time (%)",),
        when=lambda their, our, walked: walked.name == BACKTRACES,
    ),
    Cell(
        ("cuda_api_gpu_sum",),
        "calls count once, not again with their backtraces",
        columns=("Total Time (ns)", "Instances", *SPREAD),
        when=lambda their, our, walked: (
            walked.name == BACKTRACES and their["Instances"] == 2 * our["Instances"]
        ),
    ),
    Cell(
        ("cuda_kern_exec_sum",),
        "kernels count once, not again with the backtraces of their launches",
        columns=(
            "Count", "QCount", "TAvg (ns)", "TMed (ns)", "TMax (ns)", "TStdDev (ns)", "AAvg (ns)",
            "AMed (ns)", "AMax (ns)", "AStdDev (ns)", "QAvg (ns)", "QMed (ns)", "QMin (ns)",
            "QStdDev (ns)", "KStdDev (ns)",
        ),
        when=lambda their, our, walked: walked.name == BACKTRACES and their["Count"] == 2 * our["Count"],
    ),
    OnlyOurs(
        ("um_total_sum", "um_sum"),
        "nsys asks for the tables of page faults even where copies of unified memory were recorded",
        when=lambda row, walked: "CUDA_UM_CPU_PAGE_FAULT_EVENTS" not in walked.report.has,
    ),
)  # fmt: skip
"""Every difference of these reports and rules that is meant."""
