"""Members become runs of numbered ranks, and what is noted of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ranks.make import member, rank
from tests.support.real import REAL, needs_real
from tui.analysis.index import Index
from tui.errors import UsageError
from tui.ranks.rank_set import Member, RankSet, RankSource
from tui.ranks.runs import build_set, listed_numbers, numbering_words
from tui.ranks.summarise import summarise
from tui.report import open_report


def names(made: RankSet) -> list[list[str]]:
    return [[one.name for one in run.ranks] for run in made.runs]


def test_one_run_without_launcher_ids() -> None:
    made = build_set([member("rank1.sqlite", host="b"), member("rank0.sqlite", host="a")])
    assert [run.label for run in made.runs] == [""]
    assert [(r.name, r.number, r.source, r.host, r.member) for r in made.ranks] == [
        ("0", 0, RankSource.NAME, "a", 1),
        ("1", 1, RankSource.NAME, "b", 0),
    ]
    assert made.notes == ()


def test_runs_by_the_launchers_id_in_the_order_in_which_they_began() -> None:
    def of(job: str, step: str, number: int, utc: int) -> Member:
        env = {"SLURM_JOB_ID": job, "SLURM_STEP_ID": step, "SLURM_PROCID": str(number)}
        return member(f"{job}-{step}-{number}.sqlite", env, utc=utc)

    made = build_set([of("7", "1", 0, 500), of("7", "0", 1, 100), of("7", "0", 0, 200), of("7", "1", 1, 501)])
    assert [run.label for run in made.runs] == ["7.0", "7.1"]
    assert names(made) == [["0", "1"], ["0", "1"]]
    assert made.notes == ("2 runs, which are not matched with each other: 7.0, 7.1",)


def test_torchruns_default_name_is_no_run() -> None:
    made = build_set([member(f"rank{i}.sqlite", {"TORCHELASTIC_RUN_ID": "none"}) for i in (0, 1)])
    assert [run.label for run in made.runs] == [""]


def test_reports_without_an_id_are_a_run_of_their_own() -> None:
    one = member("a.sqlite", {"PMI_JOBID": "5.1", "PMI_RANK": "0"})
    made = build_set([one, member("b.sqlite", host="h")])
    assert [(run.label, run.ranks[0].name) for run in made.runs] == [("", "h:100"), ("5.1", "0")]
    assert made.notes == ("2 runs, which are not matched with each other: without a launcher's id, 5.1",)


def test_missing_ranks() -> None:
    env = {"SLURM_NTASKS": "5"}
    made = build_set([member(f"x{i}.sqlite", {**env, "SLURM_PROCID": str(i)}) for i in (0, 1, 4)])
    (run,) = made.runs
    assert (run.expected, run.missing, run.variable) == (5, (2, 3), "SLURM_PROCID")
    assert made.notes == ("3 of 5 ranks: no report of ranks 2-3",)
    assert numbering_words(run) == "ranks from: environment (SLURM_PROCID)"


def test_gaps_in_the_numbers_are_noted_and_not_asserted() -> None:
    made = build_set([member(f"rank{i}.sqlite") for i in (*range(8), 9)])
    (run,) = made.runs
    assert (run.expected, run.missing) == (None, ())
    assert made.notes == ("ranks 0-7, 9: none has the number 8; how many there should be is not recorded",)


def test_fewer_ranks_than_there_should_be_and_no_numbers() -> None:
    made = build_set([member(f"{c}.sqlite", {"WORLD_SIZE": "3"}, host=c) for c in "ab"])
    assert made.notes == ("2 of 3 ranks: which are missing is not known",)
    assert names(made) == [["a:100", "b:100"]]


def test_several_ranks_on_a_node_are_shown_as_its_parts() -> None:
    made = build_set(
        [member(f"n{m}.sqlite", {"SLURM_NODEID": str(m)}, rank(9, 1), rank(8, 0), host="h") for m in (1, 0)]
    )
    assert names(made) == [["0.0", "0.1", "1.0", "1.1"]]
    first = made.ranks[0]
    assert (first.number, first.source, first.node, first.local_rank) == (None, RankSource.UNKNOWN, 0, 0)
    numbered = build_set(
        [member(f"n{m}.sqlite", {"SLURM_NODEID": str(m)}, rank(9, 1), rank(8, 0)) for m in (1, 0)],
        rank_from="nodes",
    )
    assert [(r.number, r.summary.pid, r.member) for r in numbered.ranks] == [
        (0, 8, 1), (1, 9, 1), (2, 8, 0), (3, 9, 0)
    ]  # fmt: skip


def test_nodes_of_different_sizes_leave_host_and_pid() -> None:
    made = build_set(
        [
            member("a.sqlite", {"SLURM_NODEID": "0"}, rank(8, 0), rank(9, 1), host="a"),
            member("b.sqlite", {"SLURM_NODEID": "1"}, rank(5, 0), host="b"),
        ]
    )
    assert names(made) == [["a:8", "a:9", "b:5"]]


def test_equal_names_are_told_apart_by_their_files() -> None:
    made = build_set([member(f"{c}.sqlite", host="pod", key=c) for c in "ab"])
    assert names(made) == [["pod:100 (a)", "pod:100 (b)"]]
    made = build_set([member(f"{night}/a.sqlite", host="pod", key=night) for night in ("x", "y")])
    assert names(made) == [["pod:100 (x/a)", "pod:100 (y/a)"]]


def test_unknown_ranks_by_host_local_rank_and_device() -> None:
    made = build_set(
        [
            member("c.sqlite", {"LOCAL_RANK": "1"}, host="a"),
            member("a.sqlite", {"LOCAL_RANK": "0"}, host="b"),
            member("b.sqlite", {"LOCAL_RANK": "0"}, rank(5), host="a"),
        ]
    )
    assert names(made) == [["a:5", "a:100", "b:100"]]
    assert [one.local_rank for one in made.ranks] == [0, 1, 0]


def test_a_copy_counts_once_and_broken_members_stay() -> None:
    broken = Member(Path("c.sqlite"), None, "c.sqlite: damaged")
    made = build_set([member("rank0.sqlite"), member("copy.sqlite", key="rank0.sqlite"), broken])
    assert [m.path.name for m in made.members] == ["rank0.sqlite", "c.sqlite"]
    assert made.notes == ("copy.sqlite is the same report as rank0.sqlite: it counts once",)
    assert list(made.broken) == [broken]


def test_a_report_without_ranks_is_noted() -> None:
    from dataclasses import replace

    one = member("x.sqlite")
    assert one.summary is not None
    made = build_set([Member(one.path, replace(one.summary, ranks=()))])
    assert (made.runs, made.notes) == ((), ("x.sqlite holds no rank: neither device work nor steps",))


@pytest.mark.parametrize(("whole", "noted"), [((), False), ((1,), True), ((0, 1, 2), False)])
def test_graphs_recorded_whole_on_some_ranks_are_noted(whole: tuple[int, ...], noted: bool) -> None:
    tables = ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_GRAPH_TRACE")
    made = build_set([member(f"rank{i}.sqlite", tables=tables[: 1 + (i in whole)]) for i in range(3)])
    text = "CUDA graphs were recorded whole on rank 1 only: the kernels in them can't be compared"
    assert made.notes == ((text,) if noted else ())


def test_versions_are_noted_once() -> None:
    made = build_set(
        [member(f"rank{i}.sqlite", nsys=v) for i, v in enumerate(("2024.6", "2025.1", "2024.6", None))]
    )
    assert made.notes == (
        "made by different versions of nsys: 2024.6 (2), 2025.1 (1), an unknown version (1); "
        "what one lacks is unknown for its ranks",
    )


def test_a_number_given_twice_is_an_error() -> None:
    with pytest.raises(UsageError, match=r"rank 3 is both of a3\.sqlite and b3\.sqlite"):
        build_set([member("a3.sqlite"), member("b3.sqlite")], rank_from="name:([0-9])")


def test_the_host_of_a_map_counts(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("report,rank,host\na.sqlite,4,elsewhere\n")
    made = build_set([member("a.sqlite", host="here")], rank_from=f"map:{tmp_path / 'm.csv'}")
    assert [(r.number, r.host, r.source) for r in made.ranks] == [(4, "elsewhere", RankSource.GIVEN)]


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ([], ""),
        ([3], "3"),
        ([3, 1, 2, 9], "1-3, 9"),
        (range(0, 40, 2), "0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, ..."),
    ],
)
def test_numbers_as_ranges(numbers: list[int], text: str) -> None:
    assert listed_numbers(numbers) == text


@needs_real
@pytest.mark.parametrize("kind", ["healthy", "straggler"])
def test_four_mpi_ranks_on_two_hosts(kind: str) -> None:
    paths = [REAL / "ranks-mpi-2023.4" / f"{kind}-rank{i}.sqlite" for i in (2, 0, 3, 1)]
    if not all(path.exists() for path in paths):
        pytest.skip("the captures of four ranks are not beside this checkout")
    members = [
        Member(path, summarise(Index(open_report(path, use_store=False)), path.name)) for path in paths
    ]
    made = build_set(members)
    assert [(r.name, r.source.value, r.host, made.members[r.member].path.name) for r in made.ranks] == [
        ("0", "mpi", "node0", f"{kind}-rank0.sqlite"),
        ("1", "mpi", "node0", f"{kind}-rank1.sqlite"),
        ("2", "mpi", "node1", f"{kind}-rank2.sqlite"),
        ("3", "mpi", "node1", f"{kind}-rank3.sqlite"),
    ]
    assert made.notes == ()


@needs_real
def test_two_ranks_of_one_report_without_a_number() -> None:
    path = REAL / "ddp-before-2026.2.sqlite"
    if not path.exists():
        pytest.skip("the pair of two ranks in one file is not beside this checkout")
    made = build_set([Member(path, summarise(Index(open_report(path, use_store=False)), "k"))])
    assert names(made) == [["ddp-before-2026.2:144", "ddp-before-2026.2:145"]]
    assert [[d.number for d in r.summary.devices] for r in made.ranks] == [[0], [1]]
