"""The nine columns that most of NVIDIA's summaries share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.analysis.stats.groups import GroupFigures
from tui.analysis.stats.rounding import Integers, printed, quotient
from tui.analysis.table import Column, Unit, Values, picked

Order = NDArray[np.int64]


def text(header: str, values: Values, key: str | None = None, **more: Any) -> Column:
    """A column of names."""
    return Column(header, key or snake(header), Unit.TEXT, values, **more)


def count(header: str, values: Values, key: str | None = None, **more: Any) -> Column:
    """A column of integers."""
    return Column(header, key or snake(header), Unit.COUNT, values, **more)


def ident(header: str, values: Values, key: str | None = None, **more: Any) -> Column:
    """A column of numbers that name something: pids, streams, ids."""
    return Column(header, key or snake(header), Unit.ID, values, **more)


def time(header: str, values: Values, key: str | None = None, **more: Any) -> Column:
    """A column of integer nanoseconds; the header ends in ``(ns)``."""
    return Column(header, key or snake(header), Unit.NS, values, **more)


def average(header: str, values: Values, key: str | None = None, **more: Any) -> Column:
    """A column of nanoseconds with one decimal; the header ends in ``(ns)``."""
    return Column(header, key or snake(header), Unit.NS_1, values, **more)


def snake(header: str) -> str:
    """``Total Time (ns)`` -> ``total_time_ns``, ``Time (%)`` -> ``time_pct``."""
    plain = header.lower().replace("(%)", "pct")
    return "_".join("".join(c if c.isalnum() else " " for c in plain).split())


def share(total: Integers) -> Values:
    """Each total as a percentage of all of them, one decimal; unknown where all are zero."""
    whole = int(total.astype(object).sum()) if len(total) else 0
    if not whole:
        return [None] * len(total)
    if whole * 2000 >= 1 << 62:
        return printed(quotient(total.astype(object) * 100, np.array(whole, object), 1), 1)
    return printed(quotient(total * 100, whole, 1), 1)


def std9(figures: GroupFigures, order: Order, counted: str) -> tuple[Column, ...]:
    """Time (%) to StdDev (ns) of the groups in ``order``; ``counted`` heads the count."""
    total = figures.total[order]

    def shown(values: Values) -> Values:
        return picked(values, order)

    return (
        Column("Time (%)", "time_pct", Unit.PCT, share(total)),
        time("Total Time (ns)", total),
        count(counted, figures.count[order]),
        average("Avg (ns)", shown(figures.average()), rank=1),
        average("Med (ns)", shown(figures.median()), rank=4),
        time("Min (ns)", figures.minimum[order], rank=3),
        time("Max (ns)", figures.maximum[order], rank=2),
        average("StdDev (ns)", shown(figures.deviation()), rank=5),
    )
