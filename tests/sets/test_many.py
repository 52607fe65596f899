"""The parts of commands over sets that no single command shows: choosing, spooling, thresholds, options."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from tests.ranks.make import member, rank
from tui.analysis.table import Column, Table, Unit
from tui.analysis.table_spool import TableSpool
from tui.commands.shared import many, options
from tui.errors import UsageError
from tui.ranks import limits
from tui.ranks.choosing import chosen
from tui.ranks.rank_set import Member, RankSet
from tui.ranks.runs import build_set


@pytest.fixture(scope="module")
def made() -> RankSet:
    """Run 5: ranks 0, 1, 3 of 4 on two hosts; run 6: rank 0, and one without a number."""
    first = [
        member(f"a{n}.sqlite", {"PMI_JOBID": "5", "PMI_RANK": str(n), "PMI_SIZE": "4"}, host=h, utc=1)
        for n, h in ((0, "n1"), (1, "n1"), (3, "n2"))
    ]
    second = member("b.sqlite", {"PMI_JOBID": "6"}, rank(7, 0), rank(8, 1), host="n3", utc=2)
    return build_set([*first, second, Member(Path("c.sqlite"), None, "broken")])


@pytest.mark.parametrize(
    ("choice", "names"),
    [
        ({}, [["0", "1", "3"], ["n3:7", "n3:8"]]),
        ({"run": "1"}, [["0", "1", "3"]]),
        ({"run": "6"}, [["n3:7", "n3:8"]]),
        ({"ranks": ("0-2",)}, [["0", "1"]]),
        ({"ranks": ("3", "n3:8")}, [["3"], ["n3:8"]]),
        ({"hosts": ("n1", "n3")}, [["0", "1"], ["n3:7", "n3:8"]]),
        ({"ranks": ("1-3",), "hosts": ("n2",)}, [["3"]]),
    ],
)
def test_choosing(made: RankSet, choice: dict[str, object], names: list[list[str]]) -> None:
    part = chosen(made, **choice)  # type: ignore[arg-type]
    assert [[one.name for one in run.ranks] for run in part.runs] == names
    assert part.members == made.members


def test_only_chosen_ranks_are_missing(made: RankSet) -> None:
    assert [(r.expected, r.missing) for r in made.runs] == [(4, (2,)), (None, ())]
    some = chosen(made, ranks=("0-2",)).runs[0]
    assert (some.expected, some.missing) == (3, (2,))
    others = chosen(made, ranks=("0-1",)).runs[0]
    assert (others.expected, others.missing) == (2, ())
    hosts = chosen(made, hosts=("n1",)).runs[0]
    assert (hosts.expected, hosts.missing) == (None, ())


@pytest.mark.parametrize(
    ("choice", "why"),
    [
        ({"ranks": ("4",)}, r"--ranks 4: there is no such rank; there are 0-1, 3, n3:7, n3:8"),
        ({"ranks": ("x",)}, r"--ranks x: there is no such rank"),
        ({"hosts": ("n9",)}, r"--host n9: there are n1, n2, n3"),
        ({"run": "3"}, r"--run 3: there are the runs 1 \(5\), 2 \(6\)"),
        ({"ranks": ("0",), "hosts": ("n2",)}, r"no rank is both"),
        ({"ranks": ("2",)}, r"no rank is both|no report"),
    ],
)
def test_choosing_nothing(made: RankSet, choice: dict[str, object], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        chosen(made, **choice)  # type: ignore[arg-type]


def small(note: str | None = None, **columns: list[object]) -> Table:
    made = tuple(Column(key.upper(), key, Unit.COUNT, values) for key, values in columns.items())
    return Table("t", "T", made, note)


def test_a_spool_puts_columns_where_they_stand() -> None:
    spool = TableSpool()
    spool.add(small("slow", a=[1, 2], c=[3, 4]), "rank 0")
    spool.add(small(None, a=[5], c=[6]), "rank 1")
    spool.add(small("slow", a=[7], b=[8], c=[9], d=[0]), "rank 2")
    whole = spool.whole()
    assert [column.key for column in whole.columns] == ["a", "b", "c", "d"]
    assert list(whole.rows()) == [(1, None, 3, None), (2, None, 4, None), (5, None, 6, None), (7, 8, 9, 0)]
    assert whole.note == "rank 0, rank 2: slow"
    assert [(len(part), part.note) for part in spool.parts()] == [
        (2, None), (1, None), (1, "rank 0, rank 2: slow")
    ]  # fmt: skip


def test_a_spool_says_the_first_notes_only() -> None:
    spool = TableSpool()
    for number in range(30):
        spool.add(small(f"note {number % 10 if number > 9 else 0}", a=[1]), f"rank {number}")
    assert spool.whole().note == (
        "rank 0, rank 1, rank 2, rank 3, rank 4, rank 5, rank 6, rank 7 and 4 more: note 0; "
        "rank 11, rank 21: note 1; rank 12, rank 22: note 2; rank 13, rank 23: note 3; 6 more notes"
    )


def test_a_spool_of_more_than_memory_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.analysis.table_spool._IN_MEMORY", 100)
    spool = TableSpool()
    for number in range(50):
        spool.add(small(a=[number] * 20), f"rank {number}")
    assert [row for (row,) in spool.whole().rows()] == [n for n in range(50) for _ in range(20)]


def test_limits_are_listed_with_their_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    assert many.print_limits() == 0
    said = capsys.readouterr().out
    listed = [name for name, value in vars(limits).items() if isinstance(value, limits.Limit)]
    assert listed
    for name in listed:
        assert f"\n{name.lower()} = " in f"\n{said}"
        assert f"    {getattr(limits, name).why}\n" in said


@pytest.mark.parametrize(
    ("words", "wrong"),
    [
        (["--ranks", ","], "no list of ranks"),
        (["--jobs", "0"], "it begins with 1"),
        (["--jobs", "two"], "no number"),
        (["--allow-missing", "-1"], "expected one argument|no number"),
    ],
)
def test_options_that_do_not_parse(words: list[str], wrong: str, capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    many.add_options(parser)
    with pytest.raises(SystemExit):
        parser.parse_args(words)
    import re

    assert re.search(wrong, capsys.readouterr().err)


def test_a_set_of_one_broken_report_is_its_error(tmp_path: Path) -> None:
    parser = argparse.ArgumentParser()
    many.add_inputs(parser)
    many.add_options(parser)
    options.add_store(parser)
    args = parser.parse_args([str(tmp_path / "x.sqlite"), "--no-cache", "--jobs", "1"])
    with pytest.raises(Exception, match="no such file"):
        many.open_set(args)
