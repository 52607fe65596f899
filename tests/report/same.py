"""Two reports that must be equal in every column and fact."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from tui.report import Report
from tui.report.assemble import TABLES

_FACTS = (
    "product_version", "schema_version", "capture", "session_start_utc_ns", "devices", "processes", "threads",
    "tables", "doubtful", "notes", "enums", "has", "span", "op_span",
)  # fmt: skip


def assert_same(a: Report, b: Report) -> None:
    """Fail, naming the column or fact, where ``a`` and ``b`` differ."""
    for fact in _FACTS:
        assert getattr(a, fact) == getattr(b, fact), fact
    assert a.others.keys() == b.others.keys()
    pairs = [(name, getattr(a, name), getattr(b, name)) for name in TABLES]
    pairs += [(name, a.others[name], b.others[name]) for name in a.others]
    for table, left, right in pairs:
        for column in fields(left):
            x, y = getattr(left, column.name), getattr(right, column.name)
            assert x.dtype == y.dtype, f"{table}.{column.name}"
            assert np.array_equal(x, y), f"{table}.{column.name}"
    assert np.array_equal(a.strings.blob, b.strings.blob)
    assert np.array_equal(a.strings.offsets, b.strings.offsets)
