"""The rows of the result and how they are printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One line: what, how much, against what. ``reached`` None: no target was set for it."""

    what: str
    measured: str
    yardstick: str = ""
    target: str = ""
    reached: bool | None = None


def seconds(value: float) -> str:
    """``12 us``, ``3.4 ms``, ``2.51 s``."""
    if value < 1e-3:
        return f"{value * 1e6:.0f} us"
    if value < 1:
        return f"{value * 1e3:.3g} ms"
    return f"{value:.3g} s"


def megabytes(value: int) -> str:
    return f"{value / 1e6:.0f} MB"


def verdict(row: Row) -> str:
    return "" if row.reached is None else "yes" if row.reached else "NO"


def plain(rows: Sequence[Row]) -> str:
    """The table for a terminal."""
    cells = [("what", "measured", "yardstick", "target", "reached")]
    cells += [(r.what, r.measured, r.yardstick, r.target, verdict(r)) for r in rows]
    sizes = [max(len(row[c]) for row in cells) for c in range(5)]
    return "\n".join("  ".join(v.ljust(s) for v, s in zip(row, sizes, strict=True)).rstrip() for row in cells)


def markdown(rows: Sequence[Row]) -> str:
    """The table for the documentation."""
    lines = ["| what | measured | yardstick | target | reached |", "|---|---|---|---|---|"]
    lines += [f"| {r.what} | {r.measured} | {r.yardstick} | {r.target} | {verdict(r)} |" for r in rows]
    return "\n".join(lines)
