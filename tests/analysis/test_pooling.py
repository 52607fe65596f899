"""Summaries of several ranks as one, against figures worked out by hand and by a brute force."""

from __future__ import annotations

import statistics
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.export import Export
from tui.analysis import pooling
from tui.analysis.index import Index
from tui.analysis.pooling import BUCKETS, Pool, buckets, poolable
from tui.analysis.stats import choose
from tui.analysis.stats.groups import figures
from tui.analysis.stats.std9 import std9, text
from tui.analysis.table import Column, Table, Unit
from tui.analysis.window import make_scope
from tui.analysis.work_window import recorded_window
from tui.report import open_report


def rank_table(values: dict[str, list[int]]) -> Table:
    """The summary of one rank's values, in some order."""
    names = list(values)
    groups = np.concatenate([np.full(len(values[name]), i, np.int64) for i, name in enumerate(names)])
    sums = figures(groups, np.array([v for name in names for v in values[name]], np.int64), len(names))
    table = Table("sums", "Sums", (*std9(sums, "Instances"), text("Name", names)))
    return table.ordered(np.argsort(-sums.total, kind="stable"))


def rows_of(table: Table) -> list[tuple[object, ...]]:
    return [tuple(float(v) if isinstance(v, float) else v for v in row) for row in table.rows()]


def test_two_ranks_by_hand() -> None:
    pool = Pool()
    pool.add(rank_table({"gemm": [10, 30], "copy": [5]}))
    pool.add(rank_table({"norm": [1], "gemm": [20]}))
    found = pool.table()
    assert [column.header for column in found.columns] == [
        "Ranks", "Time (%)", "Total Time (ns)", "Instances", "Avg (ns)", "Med (ns)", "Min (ns)", "Max (ns)",
        "StdDev (ns)", "Name",
    ]  # fmt: skip
    assert rows_of(found) == [
        (2, 90.9, 60, 3, 20.0, 20.0, 10, 30, 10.0, "gemm"),
        (1, 7.6, 5, 1, 5.0, 5.0, 5, 5, 0.0, "copy"),
        (1, 1.5, 1, 1, 1.0, 1.0, 1, 1, 0.0, "norm"),
    ]


def test_a_median_of_all_values_and_not_of_medians() -> None:
    pool = Pool()
    for values in ([1, 1, 1, 100], [50], [60]):
        pool.add(rank_table({"k": values}))
    (row,) = rows_of(pool.table())
    assert row[5] == 25.5  # of 1 1 1 50 60 100; the medians are 1, 50 and 60


VALUES = st.dictionaries(
    st.sampled_from("abcde"), st.lists(st.integers(0, 1_000), min_size=1, max_size=6), min_size=1
)


@given(st.lists(VALUES, min_size=1, max_size=5), st.sampled_from([1, 3, 1 << 23]))
def test_pooled_is_what_all_values_say(ranks: list[dict[str, list[int]]], portion: int) -> None:
    everything: dict[str, list[int]] = defaultdict(list)
    in_ranks: dict[str, int] = defaultdict(int)
    pool = Pool()
    for values in ranks:
        pool.add(rank_table(values))
        for name, some in values.items():
            everything[name] += some
            in_ranks[name] += 1
    before, pooling.PORTION = pooling.PORTION, portion  # type: ignore[misc]
    try:
        found = {row[-1]: row for row in rows_of(pool.table())}
    finally:
        pooling.PORTION = before  # type: ignore[misc]
    assert found.keys() == everything.keys()
    for name, some in everything.items():
        count, _, total, instances, avg, med, low, high, spread, _ = found[name]
        assert (count, total, instances, low, high) == (
            in_ranks[name], sum(some), len(some), min(some), max(some)
        )  # fmt: skip
        assert avg == pytest.approx(statistics.fmean(some), abs=0.051)
        assert med == statistics.median(some)
        assert spread == pytest.approx(statistics.stdev(some) if len(some) > 1 else 0, abs=0.051)


def test_other_columns_add_average_and_go() -> None:
    def one(total: int, ops: float, pid: int) -> Table:
        made = rank_table({"r": [total, 0]})
        more = (
            Column("Range Time (ns)", "range_time_ns", Unit.NS, [total + 1]),
            Column("Avg Ops", "avg_ops", Unit.DECIMAL, [ops]),
            Column("PID", "pid", Unit.ID, [pid]),
        )
        return Table("x", "X", (*made.columns, *more))

    pool = Pool()
    pool.add(one(10, 1.0, 5))
    pool.add(one(20, 2.0, 6))
    found = {column.key: list(column.values) for column in pool.table().columns}
    assert (found["range_time_ns"], found["avg_ops"]) == ([32], [1.5])
    assert "pid" not in found


def test_histogram() -> None:
    pool = Pool()
    pool.add(rank_table({"a": [0, 1, 2, 3], "b": [4096]}))
    pool.add(rank_table({"a": [8, 15]}))
    assert rows_of(pool.histogram()) == [
        (1, 4096, 8192, 1, 100.0, "b"),
        (2, 0, 2, 2, 33.3, "a"),
        (2, 2, 4, 2, 33.3, "a"),
        (2, 8, 16, 2, 33.3, "a"),
    ]


@given(st.lists(st.integers(0, 2**63 - 1), max_size=20))
def test_buckets(values: list[int]) -> None:
    found = buckets(np.array(values, np.int64))
    expected = [0] * BUCKETS
    for value in values:
        expected[max(value, 1).bit_length() - 1] += 1
    assert found.tolist() == expected


@pytest.mark.parametrize("edge", [2**53 - 1, 2**62 - 1, 2**62, 2**63 - 1, 1, 0])
def test_buckets_at_edges(edge: int) -> None:
    assert buckets(np.array([edge], np.int64)).tolist().index(1) == max(edge, 1).bit_length() - 1


def tables(path: Path, *names: str) -> list[Table]:
    index = Index(open_report(path, use_store=False))
    scope = make_scope(index.report, None, index=index, default=recorded_window)
    return [choose(name).table(index, scope) for name in names]


SUMMARIES = (
    "cuda_gpu_kern_sum", "cuda_gpu_kern_gb_sum", "cuda_gpu_mem_time_sum", "cuda_gpu_mem_size_sum",
    "cuda_gpu_sum", "cuda_api_gpu_sum", "nvtx_sum", "nvtx_pushpop_sum", "cuda_api_sum", "osrt_sum",
    "cuda_kern_exec_sum", "nvtx_gpu_proj_sum", "nvtx_kern_sum",
)  # fmt: skip


@pytest.mark.parametrize("name", SUMMARIES)
def test_a_pool_of_one_rank_is_its_own_summary(name: str, tmp_path: Path) -> None:
    export = Export(tmp_path / "one.sqlite")
    export.notation(
        'N(59,0-100,"step"), R cudaLaunchKernel_v7000 20-25 corr=1, K(0,7,30-60) corr=1 name="gemm",'
        "R cudaMemcpy_v3020 65-82 corr=2, M(0,7,70-80) corr=2 bytes=1000000 src=0, O poll 40-45"
    )
    export.kernel(90, 95, name="x")
    export.memcpy(100, 105, bytes=2_500_000)
    (table,) = tables(export.write(), name)
    assert poolable(table)
    pool = Pool()
    pool.add(table)
    found = cells(pool.table())
    assert found.pop("ranks") == [1] * len(table)
    kept = {key: values for key, values in cells(table).items() if key not in ("pid", "tid", "devid")}
    assert found.keys() == kept.keys()
    assert sorted(zip(*found.values(), strict=True), key=str) == sorted(
        zip(*kept.values(), strict=True), key=str
    )


def cells(table: Table) -> dict[str, list[object]]:
    """The columns by key, as numbers and texts of Python."""
    return {
        column.key: [getattr(value, "item", lambda v=value: v)() for value in column.values]
        for column in table.columns
    }


def test_traces_are_not_poolable(tmp_path: Path) -> None:
    export = Export(tmp_path / "one.sqlite")
    export.kernel(0, 10)
    (table,) = tables(export.write(), "cuda_gpu_trace")
    assert not poolable(table)
