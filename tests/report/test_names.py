"""One index a text, whatever way it came."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.report.conftest import Opened
from tests.support.export import Export
from tui.report.importing.name_pool import NamePool
from tui.report.sqlite.texts import HashIndex, Texts

TEXT = st.one_of(
    st.none(),
    st.binary(max_size=20),
    st.sampled_from([b"", b"\0", b"\0\0", b"a", b"a\0", b"ab", b"abcd", b"abcd\0", b"abcde", b"x" * 255]),
    st.integers(250, 270).map(lambda n: b"y" * n),
)


@given(st.lists(st.lists(TEXT, max_size=15), max_size=6))
def test_pool_against_a_dictionary(batches: list[list[bytes | None]]) -> None:
    pool = NamePool()
    known: dict[bytes, int] = {}
    for batch in batches:
        expected = [-1 if t is None else known.setdefault(t, len(known)) for t in batch]
        assert pool.intern_texts(Texts.of(batch)).tolist() == expected
    assert len(pool) == len(known)
    offsets = np.concatenate([*pool.offsets()]).tolist()
    blob = b"".join(part.tobytes() for part in pool.blobs())
    assert [blob[a:b] for a, b in pairwise(offsets)] == list(known)
    assert pool.texts(np.arange(len(known), dtype=np.int32)) == [t.decode("utf-8", "replace") for t in known]


def test_many_distinct_names() -> None:
    pool = NamePool()
    names = [f"aten::op, seq = {i}" for i in range(200_000)]
    for at in range(0, len(names), 30_000):
        pool.intern_all(names[at : at + 30_000])
    again = pool.intern_all(names[::-7])
    assert again.tolist() == list(range(len(names)))[::-7]
    assert len(pool) == 200_000


def test_index_numbers_by_first_sight() -> None:
    index = HashIndex()
    numbers, fresh = index.number(np.array([5, 3, 5, 9], np.uint64))
    assert (numbers.tolist(), fresh.tolist()) == ([0, 1, 0, 2], [0, 1, 3])
    numbers, fresh = index.number(np.array([9, 1, 3], np.uint64))
    assert (numbers.tolist(), fresh.tolist()) == ([2, 3, 1], [1])
    assert len(index) == 4


def test_text_and_string_table_share_names(export: Export, opened: Opened) -> None:
    export.kernel(0, 10, name="same")
    export.nvtx(59, 0, 10, "same")
    report = opened(export)
    assert report.ops.name[0] == report.ranges.name[0]
    assert list(report.strings).count("same") == 1


def test_bytes_that_are_no_utf8(export: Export, opened: Opened) -> None:
    export.kernel(0, 10, name=b"caf\xe9")
    export.nvtx(59, 0, 10, b"\xff\xfe range")
    report = opened(export)
    assert report.strings[report.ops.name[0]] == "caf\ufffd"
    assert report.strings[report.ranges.name[0]] == "\ufffd\ufffd range"
    assert (len(report.ops), len(report.ranges)) == (1, 1)


def test_nasty_names_come_through(export: Export, opened: Opened) -> None:
    nasty = ["a\0b", "\x1b[31m", "[bold red]x[/]", "=1", 'q"uo,te\n', "核", "x" * 10_000, ""]
    for i, name in enumerate(nasty):
        export.kernel(10 * i, 10 * i + 5, name=name)
        export.nvtx(59, 10 * i, 10 * i + 5, name)
    report = opened(export)
    assert [report.strings[i] for i in report.ops.name] == nasty
    assert [report.strings[i] for i in report.ranges.name] == nasty
