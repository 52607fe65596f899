"""Packed columns and column files give back what was put in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.report.columns import NULL
from tui.report.importing.packed import PackedColumn
from tui.report.store.columnfile import ColumnReader, ColumnWriter, Damaged

LIMIT = 2**63
VALUES = st.one_of(
    st.integers(-LIMIT, LIMIT - 1), st.integers(0, 300), st.integers(10**15, 10**15 + 70_000), st.just(NULL)
)


@given(st.lists(st.lists(VALUES, max_size=12), max_size=6))
def test_packed_column(chunks: list[list[int]]) -> None:
    column = PackedColumn()
    for chunk in chunks:
        column.append(np.array(chunk, np.int64))
    flat = [v for chunk in chunks for v in chunk]
    assert len(column) == len(flat)
    assert column.read(0, len(column)).tolist() == flat


@pytest.mark.parametrize("spread", [0, 1, 254, 255, 256, 65_534, 65_535, 65_536, 2**32 - 2, 2**32 - 1, 2**40])
@pytest.mark.parametrize("null", [False, True])
def test_packed_at_the_edges_of_each_width(spread: int, null: bool) -> None:
    values = [7, 7 + spread, *([NULL] if null else []), 8]
    column = PackedColumn()
    column.append(np.array(values, np.int64))
    assert column.read(0, len(column)).tolist() == values


ARRAYS = {
    "plain": np.arange(-5, 3000),
    "constant": np.full(1000, NULL),
    "none": np.empty(0, np.int64),
    "one": np.array([7], np.int32),
    "bytes": np.frombuffer(b"hello", np.uint8),
    "flags": np.array([True, False, True]),
    "strided": np.arange(100, dtype=np.int32)[::3],
}


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "x.columns"
    with path.open("w+b") as stream:
        writer = ColumnWriter(stream)
        for name, values in ARRAYS.items():
            writer.put(name, values)
            got = writer.get(name)
            assert got.dtype == values.dtype
            assert np.array_equal(got, values)
        writer.finish({"answer": [1, "ä"]}, Path("/somewhere"))
    return path


def test_column_file(written: Path) -> None:
    reader = ColumnReader(written)
    assert reader.facts == {"answer": [1, "ä"]}
    assert reader.source == "/somewhere"
    for name, values in ARRAYS.items():
        got = reader.get(name)
        assert got.dtype == values.dtype
        assert np.array_equal(got, values)
        assert not got.flags.writeable or not len(got)


def test_every_flipped_byte_is_noticed(written: Path, tmp_path: Path) -> None:
    """In a file small enough to be checked whole; padding between columns does not matter."""
    data = written.read_bytes()
    meaningful = [i for i in range(len(data)) if data[i] or i < 40]
    other = tmp_path / "y.columns"
    for i in meaningful[:: max(1, len(meaningful) // 400)]:
        other.write_bytes(data[:i] + bytes([data[i] ^ 0x10]) + data[i + 1 :])
        with pytest.raises(Damaged):
            ColumnReader(other)


@pytest.mark.parametrize("length", [0, 1, 39, 40, 1000, -1])
def test_shorter_file_is_noticed(written: Path, length: int) -> None:
    data = written.read_bytes()
    written.unlink()
    written.write_bytes(data[:length])
    with pytest.raises(Damaged):
        ColumnReader(written)
