"""Rank numbers that the user gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ranks.make import bare
from tui.errors import UsageError
from tui.ranks.given import parse_rank_from
from tui.ranks.rank_set import RankSource


def test_a_group_of_the_file_name() -> None:
    ranks = [bare("d/s7-n3.sqlite", member=0), bare("d/s7-n12.sqlite", member=1)]
    found = parse_rank_from(r"name:-n(\d+)").numbering(ranks)
    assert (found.numbers, found.source, found.notes) == ([3, 12], RankSource.GIVEN, ())


def test_a_file_that_does_not_fit_has_no_number() -> None:
    found = parse_rank_from(r"name:n(\d)").numbering([bare("n1.sqlite"), bare("x.sqlite", member=1)])
    assert (found.numbers, found.notes) == ([1, None], (r"--rank-from name:n(\d) numbers 1 of 2 ranks",))


def test_what_numbers_nobody_is_no_source() -> None:
    for how in (r"name:n(\d)", "env:RANK"):
        found = parse_rank_from(how).numbering([bare("a.sqlite"), bare("b.sqlite", member=1)])
        assert (found.source, found.variable) == (RankSource.UNKNOWN, None)
        assert found.notes == (f"--rank-from {how} numbers 0 of 2 ranks",)


def test_a_variable_of_the_launcher() -> None:
    ranks = [bare(f"{i}.sqlite", {"RANK": "0", "LOCAL_RANK": str(1 - i)}, member=i) for i in (0, 1)]
    found = parse_rank_from("env:LOCAL_RANK").numbering(ranks)
    assert (found.numbers, found.source, found.variable) == ([1, 0], RankSource.GIVEN, "LOCAL_RANK")


def test_the_order_of_the_file_names_is_natural() -> None:
    ranks = [bare(f"x{n}.sqlite", member=i) for i, n in enumerate(("10", "9", "2"))]
    found = parse_rank_from("order").numbering(ranks)
    assert (found.numbers, found.source) == ([2, 1, 0], RankSource.ORDER)


def test_blocks_of_nodes_by_the_ordinal_of_the_device() -> None:
    ranks = [
        bare(f"{m}.sqlite", {"SLURM_NODEID": str(m)}, pid=p, devices=(d,), member=m, alone=False)
        for m in (1, 0)
        for p, d in ((11, 1), (12, 0))
    ]
    found = parse_rank_from("nodes").numbering(ranks)
    assert (found.numbers, found.source) == ([3, 2, 1, 0], RankSource.GIVEN)


def test_nodes_of_different_sizes_are_refused() -> None:
    ranks = [bare("a.sqlite", {"NODE_RANK": "0"}, pid=p, alone=False) for p in (1, 2)]
    ranks.append(bare("b.sqlite", {"NODE_RANK": "1"}, member=1))
    with pytest.raises(UsageError, match="not all have equally many ranks"):
        parse_rank_from("nodes").numbering(ranks)


@pytest.mark.parametrize(
    "lines",
    [
        "report,pid,rank,host\na.sqlite,7,1,n1\na.sqlite,8,0,n1\nb.sqlite,,2,\n",
        "a.sqlite,7,1,n1\na.sqlite,8,0,n1\nb.sqlite,,2\n",
        "\ufeffReport,Rank,PID,Host\r\nb.sqlite,2,\r\na.sqlite,0,8,n1\r\na.sqlite,1,7,n1\r\n",
    ],
)
def test_a_map(lines: str, tmp_path: Path) -> None:
    path = tmp_path / "map.csv"
    path.write_text(lines, encoding="utf-8")
    ranks = [bare("r/a.sqlite", pid=7), bare("r/a.sqlite", pid=8), bare("r/b.sqlite", pid=5, member=1)]
    chosen = parse_rank_from(f"map:{path}")
    assert chosen.numbering(ranks).numbers == [1, 0, 2]
    assert chosen.hosts(ranks) == ["n1", "n1", None]


def test_a_number_twice_names_both_files() -> None:
    ranks = [bare("n1-a.sqlite"), bare("n1-b.sqlite", member=1)]
    with pytest.raises(UsageError, match=r"rank 1 is both of n1-a\.sqlite and n1-b\.sqlite"):
        parse_rank_from(r"name:n(\d)").numbering(ranks)
    two = [bare("n1.sqlite", pid=5), bare("n1.sqlite", pid=6)]
    with pytest.raises(UsageError, match=r"both of the processes 5 and 6 of n1\.sqlite"):
        parse_rank_from(r"name:n(\d)").numbering(two)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("rank", "is none of name:REGEX"),
        ("order:x", "is none of name:REGEX"),
        ("name:", "is none of name:REGEX"),
        ("name:(", "no regular expression"),
        ("name:rank[0-9]+", "one group"),
        ("name:(a)(b)", "one group"),
        ("env:HOME", "only these are read: RANK, OMPI_COMM_WORLD_RANK"),
        ("map:/nowhere/at/all.csv", "can't be read as CSV"),
    ],
)
def test_what_does_not_parse(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        parse_rank_from(text)


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ("report,number\na,1\n", "no column 'number'"),
        ("report,rank\n", "no ranks in it"),
        ("a,1,2,h,more\n", "row 1 is no report,pid,rank,host"),
        (",1,2\n", "row 1 is no report"),
    ],
)
def test_maps_that_do_not_parse(lines: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "map.csv"
    path.write_text(lines)
    with pytest.raises(UsageError, match=why):
        parse_rank_from(f"map:{path}")


def test_a_map_with_a_word_for_a_rank(tmp_path: Path) -> None:
    path = tmp_path / "map.csv"
    path.write_text("a.sqlite,,first\n")
    with pytest.raises(UsageError, match="'first' is no rank number"):
        parse_rank_from(f"map:{path}").numbering([bare("a.sqlite")])
