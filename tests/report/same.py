"""Two reports that must be equal in every column and fact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

import numpy as np

from tui.report import Report
from tui.report.columns import Int32
from tui.report.event_tables import COLUMN_TABLES

_FACTS = (
    "product_version", "schema_version", "capture", "session_start_utc_ns", "devices", "processes", "threads",
    "tables", "doubtful", "notes", "enums", "has", "span", "op_span", "nvtx_end",
)  # fmt: skip


_NAMES = ("name", "domain", "short_name", "mangled_name")


def assert_same(a: Report, b: Report) -> None:
    """Fail, naming the column or fact, where ``a`` and ``b`` differ."""
    _compare(a, b, _FACTS)
    assert np.array_equal(a.strings.blob, b.strings.blob)
    assert np.array_equal(a.strings.offsets, b.strings.offsets)


def assert_alike(a: Report, b: Report) -> None:
    """:func:`assert_same`, but for the order in which names and doubtful rows were come across."""
    _compare(a, b, [fact for fact in _FACTS if fact != "doubtful"], by_text=True)
    assert sorted(map(str, a.doubtful)) == sorted(map(str, b.doubtful))


def same_names(a: Report, b: Report, left: Int32, right: Int32) -> bool:
    """Whether two columns of names say the same."""
    if len(left) != len(right):
        return False
    pairs = np.unique(np.stack([left, right]), axis=1).T.tolist()
    return all(i == j == -1 or (i >= 0 and j >= 0 and a.strings[i] == b.strings[j]) for i, j in pairs)


def _compare(a: Report, b: Report, facts: Sequence[str], *, by_text: bool = False) -> None:
    for fact in facts:
        assert getattr(a, fact) == getattr(b, fact), fact
    assert a.others.keys() == b.others.keys()
    pairs = [(name, a.events[name], b.events[name]) for name in COLUMN_TABLES]
    pairs += [(name, a.others[name], b.others[name]) for name in a.others]
    for table, left, right in pairs:
        for column in fields(left):
            x, y = getattr(left, column.name), getattr(right, column.name)
            assert x.dtype == y.dtype, f"{table}.{column.name}"
            named = by_text and column.name in _NAMES
            assert same_names(a, b, x, y) if named else np.array_equal(x, y), f"{table}.{column.name}"
