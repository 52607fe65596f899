"""Damaged pages: what is read straight from them is what SQLite reads, or SQLite is asked and refuses."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest

from tests.fuzz.damage import harm_cell, harm_page_header, set_bytes, swap_pages
from tui.errors import ReportError
from tui.report.sqlite.pages import Pages, Unreadable
from tui.report.sqlite.source import Source, uri_of

COLUMNS = ("id", "start", "name", "END", "last", "whole", "any")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A table of integers of every size, REALs and texts of many, over some pages of 512 bytes."""
    path = tmp_path_factory.mktemp("pages") / "x.sqlite"
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA page_size = 512")
        db.execute(
            "CREATE TABLE t (id INTEGER NOT NULL PRIMARY KEY, start INT, name TEXT, end INT, last INT, "
            "whole REAL, any)"
        )
        mixed = (7, 1.0, 2.5, "12", " 3.0", "x", b"bytes", None, 9.2e18, float("inf"))
        for i in range(150):
            row = (i, 3**i % 2**40, "n" * (i % 70), 5**i % 2**60, i % 3, 7**i % 2**55, mixed[i % 10])
            db.execute("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        db.commit()
    return path.read_bytes()


def read(path: Path, *, quick: bool) -> dict[str, list[object]] | None:
    """All rows by column; None where the file is refused."""
    out: dict[str, list[object]] = {}
    try:
        with closing(sqlite3.connect(uri_of(path, immutable=True), uri=True)) as db, ExitStack() as stack:
            pages = None
            if quick:
                with suppress(Unreadable):
                    pages = stack.enter_context(closing(Pages(path)))
            source = Source(path, db, pages)
            if "t" not in source.tables:
                return {}
            for chunk in source.chunks("t", COLUMNS, ["name", "any"]):
                for column, values in (("rowid", chunk.rowid), *chunk.ints.items()):
                    out.setdefault(column, []).extend(values.tolist())
                for column, found in chunk.texts.items():
                    out.setdefault(f"{column} as text", []).extend(found.listed())
                for odd in chunk.odd:
                    out.setdefault(f"{odd.column}: {odd.what}", []).extend(chunk.rowid[odd.rows].tolist())
    except ReportError:
        return None
    return out


def harmed(sound: bytes, seed: int) -> Iterator[tuple[str, bytes]]:
    """Copies of a file with one or two things wrong in its pages."""
    for number in range(250):
        rng = random.Random(f"{seed}/{number}")
        data = bytearray(sound)
        said = [
            rng.choice((harm_cell, harm_cell, harm_cell, harm_page_header, set_bytes, swap_pages))(rng, data)
            for _ in range(rng.choice((1, 1, 2)))
        ]
        yield f"{number}: {'; '.join(said)}", bytes(data)


@pytest.mark.parametrize("seed", range(2))
def test_the_quick_reader_agrees_with_sqlite(tmp_path: Path, sound: bytes, seed: int) -> None:
    path = tmp_path / "x.sqlite"
    refused = 0
    for what, data in harmed(sound, seed):
        path.write_bytes(data)
        expected = read(path, quick=False)
        assert read(path, quick=True) == expected, what
        refused += expected is None
    assert 50 < refused < 230  # both kinds are there to compare
