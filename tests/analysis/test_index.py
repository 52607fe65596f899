"""Lookups over one report that a key press asks for, against a scan of the whole table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.benchmarks import synthetic
from tui.analysis.index import Index
from tui.report.event_tables.ops import OPS

Row = tuple[int, int]


def index_of(rows: list[Row]) -> Index:
    """Ops that start 10 us after each other (4 at a time), by (launch, process)."""
    report = synthetic.report(len(rows))
    ops = replace(
        report.ops,
        launch=np.array([launch for launch, _ in rows], np.int32),
        process=np.array([process for _, process in rows], np.int32),
    )
    return Index(replace(report, events={**report.events, "ops": ops}))


ROWS = st.lists(st.tuples(st.integers(-1, 5), st.integers(-1, 2)), max_size=40)


@given(ROWS)
def test_ops_of_a_call(rows: list[Row]) -> None:
    index = index_of(rows)
    for call in range(-1, 7):
        expected = [op for op, (launch, _) in enumerate(rows) if launch == call >= 0]
        assert index.links.caused_by(OPS, call).tolist() == expected


@given(ROWS, st.integers(-1, 11))
def test_last_op_of_a_process(rows: list[Row], period: int) -> None:
    index, time = index_of(rows), period * synthetic.PERIOD
    for process in range(3):
        mine = [op for op, (_, owner) in enumerate(rows) if owner == process]
        begun = [op for op in mine if op // synthetic.DEVICES <= period]
        assert index.links.last_op_of(process, time) == (begun[-1] if begun else mine[0] if mine else None)
