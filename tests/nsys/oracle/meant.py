"""Where we mean to differ from nsys 2023.4, each as narrow as it can be said, with the reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tests.nsys.oracle.both import Rows


@dataclass(frozen=True)
class Cell:
    """A cell that differs: its report and column, and the rows of both by column."""

    report: str
    column: str
    nsys: Mapping[str, str]
    ours: Mapping[str, str]


def is_meant(cell: Cell) -> bool:
    """Whether this cell is meant to differ."""
    return any(rule(cell) for rule in CELLS)


def without_meant_rows(report: str, nsys: Rows, ours: Rows) -> tuple[Rows, Rows]:
    """The rows of both without those that only one of them is meant to have."""
    return nsys, ours


def _throughput(cell: Cell) -> bool:
    """nsys multiplies by 10^9 / duration in integers; a quotient is a quotient here."""
    return cell.report == "cuda_gpu_trace" and cell.column == "Throughput (MB/s)"


CELLS = (_throughput,)
