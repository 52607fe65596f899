"""The differences from nsys 2023.4.4 that are meant."""

from __future__ import annotations

import re

from tests.nsys.cuda import CUDA
from tests.nsys.differences import Cell, Meant, OnlyOurs, OnlyTheirs
from tests.nsys.printed import Row

SUMS = ("nvtx_sum", "nvtx_pushpop_sum", "nvtx_startend_sum", "nvtx_gpu_proj_sum", "nvtx_kern_sum")
TRACES = ("nvtx_pushpop_trace", "nvtx_gpu_proj_trace")
NAMES = ("Range", "NVTX Range", "Name", "NameTree")


def renamed(pattern: str, their: Row, our: Row) -> bool:
    """Whether our name of a range is theirs once ``pattern`` is taken out of it, in each column of names."""
    columns = [column for column in NAMES if column in our]
    return all(re.sub(pattern, r"\1", our[column] or "") == (their[column] or "") for column in columns)


MEANT: tuple[Meant, ...] = (
    *CUDA,
    Cell(
        (*SUMS, *TRACES),
        "`:name` for the default domain is what releases from 2024 on print; 2023 prints the bare name",
        columns=NAMES,
        when=lambda their, our, walked: renamed(r"^(-*):", their, our),
    ),
    Cell(
        (*SUMS, *TRACES),
        "a domain without a create row shows its number, so that two of them stay apart",
        columns=NAMES,
        when=lambda their, our, walked: renamed(r"^(-*)domain \d+:", their, our),
    ),
    OnlyTheirs(
        ("nvtx_gpu_proj_trace",),
        "no range has no name, style and start: nsys lists there the work outside of any range",
        when=lambda row, walked: row["RangeId"] is None and row["Style"] is None,
    ),
    OnlyOurs(
        ("nvtx_kern_sum",),
        "kernels without a recorded launch keep their process",
        when=lambda row, walked: row["NVTX Range"] is None and row["TID"] is None,
    ),
    OnlyTheirs(
        ("nvtx_kern_sum",),
        "nsys pools them in a row without a process",
        when=lambda row, walked: row["NVTX Range"] is None and row["PID"] is None,
    ),
    Cell(
        ("nvtx_kern_sum",),
        "rows of eventClass 67 repeat a call with its backtrace: nsys counts its kernels twice",
        columns=("Total Time (ns)", "StdDev (ns)"),
        when=lambda their, our, walked: (
            walked.name == "saxpy-mpi-all-tables-2022.2"
            and their["Total Time (ns)"] == 2 * our["Total Time (ns)"]
        ),
    ),
)
"""Every difference that is meant. The walk fails where one of them is met no more."""

PENDING: frozenset[str] = frozenset()
"""Reports and rules that do not equal nsys's yet: they are not walked."""
