"""Columns by unit, and the nine that most of NVIDIA's summaries share."""

from __future__ import annotations

from functools import partial
from typing import Any

from tui.analysis.sample import Statistic
from tui.analysis.stats.groups import GroupFigures
from tui.analysis.stats.rounding import Integers, printed, quotient, widened
from tui.analysis.table import Column, Unit, Values


def column(unit: Unit, header: str, values: Values, key: str | None = None, **more: Any) -> Column:
    """A column of ``unit``; ``key``: where it is not the header in snake case."""
    return Column(header, key or snake(header), unit, values, **more)


text = partial(column, Unit.TEXT)
"""A column of names."""
count = partial(column, Unit.COUNT)
"""A column of integers."""
ident = partial(column, Unit.ID)
"""A column of numbers that name something: pids, streams, ids."""
time = partial(column, Unit.NS)
"""A column of integer nanoseconds; the header ends in ``(ns)``."""
average = partial(column, Unit.NS_1)
"""A column of nanoseconds with one decimal; the header ends in ``(ns)``."""
size = partial(column, Unit.MB)
"""A column of decimal megabytes; the header ends in ``(MB)``."""


def snake(header: str) -> str:
    """``Total Time (ns)`` -> ``total_time_ns``, ``Time (%)`` -> ``time_pct``."""
    plain = header.lower().replace("(%)", "pct")
    return "_".join("".join(c if c.isalnum() else " " for c in plain).split())


def share(total: Integers) -> Values:
    """Each total as a percentage of all of them, one decimal; unknown where all are zero."""
    whole = int(total.astype(object).sum()) if len(total) else 0
    if not whole:
        return [None] * len(total)
    return printed(quotient(widened(total, 100) * 100, whole, 1), 1)


SPREAD = (
    Statistic.AVERAGE, Statistic.MEDIAN, Statistic.MINIMUM, Statistic.MAXIMUM, Statistic.DEVIATION
)  # fmt: skip
"""What the columns of :func:`spread_columns` say, in their order."""


def std9(figures: GroupFigures, counted: str) -> tuple[Column, ...]:
    """Time (%) to StdDev (ns) of each group; ``counted`` is the header of the count."""
    return (
        column(Unit.PCT, "Time (%)", share(figures.total)),
        time("Total Time (ns)", figures.total, sample=figures.sample(Statistic.TOTAL)),
        count(counted, figures.count),
        *spread_columns(figures, (1, 4, 3, 2, 5)),
    )


def spread_columns(
    figures: GroupFigures, ranks: tuple[int, int, int, int, int], prefix: str = ""
) -> tuple[Column, ...]:
    """Average, median, extremes and deviation of each group, their headers after ``prefix``."""
    avg, med, low, high, spread = (figures.sample(statistic) for statistic in SPREAD)
    return (
        average(f"{prefix}Avg (ns)", figures.average(), rank=ranks[0], sample=avg),
        average(f"{prefix}Med (ns)", figures.median(), rank=ranks[1], sample=med),
        time(f"{prefix}Min (ns)", figures.minimum, rank=ranks[2], sample=low),
        time(f"{prefix}Max (ns)", figures.maximum, rank=ranks[3], sample=high),
        average(f"{prefix}StdDev (ns)", figures.deviation(), rank=ranks[4], sample=spread),
    )
