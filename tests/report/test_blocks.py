"""An import in many small blocks, everything in files, equals one that holds it all at once."""

from __future__ import annotations

import errno
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.registry import find
from tests.report.same import assert_alike
from tests.support.real import EXPORTS, needs_real
from tui.report import open_report, opening
from tui.report.columns import NULL, Int64
from tui.report.importing import sorting
from tui.report.importing.merged import Merged
from tui.report.importing.packed import PackedColumn
from tui.report.importing.sorting import sorted_rows
from tui.report.importing.table_rows import TableRows
from tui.report.spool import Spool


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Call it: from then on blocks are small, and there is no memory to keep anything in."""

    def shrink() -> None:
        monkeypatch.setattr(sorting, "BLOCK", 211)
        monkeypatch.setattr(sorting, "STRETCH", 700)
        monkeypatch.setattr(sorting, "_STRIDE", 7)
        monkeypatch.setattr(opening, "Spool", partial(Spool, pieces=1000, gathered=3000, segment=1 << 16))

    return shrink


@needs_real
@pytest.mark.parametrize("path", EXPORTS, ids=lambda p: p.stem)
def test_every_export(path: Path, small: Callable[[], None], tmp_path: Path) -> None:
    whole = open_report(path, use_store=False)
    small()
    assert_alike(open_report(path, cache_dir=tmp_path), whole)


@pytest.mark.parametrize("name", ["ddp", "decode-graph", "decode-nodes"])
def test_generated(name: str, small: Callable[[], None], tmp_path: Path) -> None:
    path = tmp_path / "report.sqlite"
    find(name).build(path)
    whole = open_report(path, use_store=False)
    small()
    assert_alike(open_report(path, cache_dir=tmp_path / "store"), whole)


@pytest.fixture(params=["memory", "file"])
def spool(request: pytest.FixtureRequest, tmp_path: Path) -> Spool:
    """One that keeps everything in memory, and one that keeps nothing there."""
    if request.param == "memory":
        return Spool(None)
    return Spool(tmp_path, pieces=0, gathered=0, segment=1 << 16)


def test_spool_gives_back_what_it_keeps(spool: Spool) -> None:
    rng = np.random.default_rng(1)
    sizes = rng.integers(0, 3000, 100).tolist()
    arrays = [
        rng.integers(0, 200, n).astype(t) for n, t in zip(sizes, ["u1", "u2", "u4", "i8"] * 25, strict=True)
    ]
    kept = [spool.keep(values) for values in arrays]
    large = spool.keep(np.arange(100_000))
    whole = spool.gathered(np.int32, (np.arange(at, at + 10) for at in range(0, 1000, 10)))
    nothing = spool.gathered(np.int64, [])
    spool.close()
    for values, found in zip(arrays, kept, strict=True):
        assert found.dtype == values.dtype
        assert np.array_equal(found, values)
    assert np.array_equal(large, np.arange(100_000))
    assert whole.tolist() == list(range(1000))
    assert (nothing.tolist(), nothing.dtype) == ([], np.int64)


def test_a_spools_memory_is_there_again_when_an_array_goes(tmp_path: Path) -> None:
    spool = Spool(tmp_path, gathered=1000)
    first = spool.gathered(np.uint8, [np.zeros(600, np.uint8)])
    assert spool.room == 400
    too_much = spool.gathered(np.uint8, [np.zeros(300, np.uint8), np.zeros(300, np.uint8)])
    assert (len(too_much), spool.room) == (600, 400)
    part = first[10:20]
    del first
    assert spool.room == 400
    del part
    assert spool.room == 1000
    assert list(tmp_path.iterdir()) == []


KEYS = st.lists(st.tuples(st.integers(-5, 5) | st.integers(-(2**62), 2**62), st.integers(-3, 3)), max_size=80)


@given(KEYS, st.booleans(), st.integers(1, 90), st.integers(1, 40))
def test_sorted_rows(rows: list[tuple[int, int]], second: bool, block: int, stretch: int) -> None:
    key, then = np.array(rows, np.int64).reshape(-1, 2).T
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorting, "BLOCK", block)
        patch.setattr(sorting, "STRETCH", stretch)
        patch.setattr(sorting, "_STRIDE", 3)
        by = (lambda low, high: then[low:high]) if second else None
        found = sorted_rows(len(rows), lambda low, high: key[low:high], by, Spool(None))
    expected = sorted(range(len(rows)), key=lambda i: (key[i], then[i]) if second else key[i])
    assert (list(range(len(rows))) if found is None else found.tolist()) == expected


def table(starts: list[int]) -> TableRows:
    column = PackedColumn()
    column.append(np.array(sorted(starts), np.int64))
    return TableRows("T", len(starts), {"start": column}, Spool(None))


@given(st.lists(st.lists(st.integers(0, 9), max_size=30), min_size=1, max_size=4), st.integers(1, 12))
def test_merged(tables: list[list[int]], block: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorting, "BLOCK", block)
        merged = Merged([table(starts) for starts in tables], Spool(None))
        expected = sorted(
            (
                (start, t, rank)
                for t, starts in enumerate(tables)
                for rank, start in enumerate(sorted(starts))
            ),
            key=lambda row: row[:2],
        )
        columns = [merged.column("start"), merged.tables_of(), merged.ranks()]
        found = [[int(v) for part in column for v in part] for column in columns]
    assert len(merged) == len(expected)
    assert list(zip(*found, strict=True)) == expected


VALUES = st.one_of(
    st.just(NULL), st.integers(0, 300), st.integers(2**40, 2**40 + 70_000), st.integers(-(2**63), 2**63 - 1)
)


@given(st.lists(st.lists(VALUES, min_size=1, max_size=12), max_size=6), st.data())
def test_stretches_and_single_values_of_a_packed_column(chunks: list[list[int]], data: st.DataObject) -> None:
    column = PackedColumn()
    for chunk in chunks:
        column.append(np.array(chunk, np.int64))
    flat = [v for chunk in chunks for v in chunk]
    low = data.draw(st.integers(0, len(flat)))
    high = data.draw(st.integers(low, len(flat)))
    assert column.read(low, high).tolist() == flat[low:high]
    rows: Int64 = np.array(data.draw(st.lists(st.integers(0, max(len(flat) - 1, 0)), max_size=20)), np.int64)
    if flat:
        out = np.empty(len(rows), np.int64)
        assert column.whole(Spool(None)).take(rows, out).tolist() == [flat[i] for i in rows.tolist()]


def test_no_room_for_a_spool(
    small: Callable[[], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where temporary files can't be written either, everything stays in memory, and that is said."""
    path = tmp_path / "report.sqlite"
    find("ddp").build(path)
    whole = open_report(path, use_store=False)
    small()

    def full(self: Spool) -> object:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Spool, "file", full)
    told: list[str] = []
    report = open_report(path, cache_dir=tmp_path / "store", tell=told.append)
    assert "No space left on device" in told[0]
    assert told[0].endswith("can't be kept for the next time")
    assert len(report.ops) == len(whole.ops)
    assert np.array_equal(report.ops.launch, whole.ops.launch)
    assert list((tmp_path / "store").iterdir()) == []
