"""Which source numbers the ranks of a run, and which are dropped for what."""

from __future__ import annotations

import pytest

from tests.ranks.make import bare
from tui.ranks.file_numbers import file_numbers
from tui.ranks.numbering import Unnumbered, node_numbers, numbered, size_of
from tui.ranks.rank_set import RankSource


def files(count: int, name: str = "x{}.sqlite", **said: object) -> list[Unnumbered]:
    """One rank a file."""
    return [bare(name.format("abcdefgh"[i]), member=i, pid=100 + i) for i in range(count)]


def test_mpi_comes_before_the_environment() -> None:
    ranks = [
        bare("a.sqlite", {"RANK": "0"}, member=0, mpi={100: 1}),
        bare("b.sqlite", {"RANK": "1"}, member=1, mpi={100: 0}),
    ]
    found = numbered(ranks, None)
    assert (found.numbers, found.source, found.notes) == ([1, 0], RankSource.MPI, ())


def test_mpi_numbers_several_ranks_of_one_report() -> None:
    ranks = [bare("a.sqlite", pid=p, alone=False, mpi={7: 0, 8: 1}) for p in (7, 8)]
    assert numbered(ranks, None).numbers == [0, 1]


def test_a_source_that_gives_one_number_twice_is_dropped_and_named() -> None:
    ranks = [
        bare("a.sqlite", {"SLURM_PROCID": "4"}, member=0, mpi={100: 0}),
        bare("b.sqlite", {"SLURM_PROCID": "5"}, member=1, mpi={100: 0}),
    ]
    found = numbered(ranks, None)
    assert (found.numbers, found.source, found.variable) == ([4, 5], RankSource.ENVIRONMENT, "SLURM_PROCID")
    assert found.notes == ("MPI_RANKS: rank 0 is both of a.sqlite and b.sqlite; not used",)


@pytest.mark.parametrize(
    ("first", "second", "variable"),
    [
        ({"RANK": "1", "SLURM_PROCID": "0"}, {"RANK": "0", "SLURM_PROCID": "1"}, "RANK"),
        ({"RANK": "0", "PMI_RANK": "1"}, {"RANK": "0", "PMI_RANK": "0"}, "PMI_RANK"),
        (
            {"OMPI_COMM_WORLD_RANK": "1", "PMIX_RANK": "5"},
            {"OMPI_COMM_WORLD_RANK": "0"},
            "OMPI_COMM_WORLD_RANK",
        ),
        ({"PALS_RANKID": "1"}, {"PALS_RANKID": "0"}, "PALS_RANKID"),
        ({"MV2_COMM_WORLD_RANK": "1"}, {"MV2_COMM_WORLD_RANK": "0"}, "MV2_COMM_WORLD_RANK"),
        ({"FLUX_TASK_RANK": "1"}, {"FLUX_TASK_RANK": "0"}, "FLUX_TASK_RANK"),
        ({"JSM_NAMESPACE_RANK": "1"}, {"JSM_NAMESPACE_RANK": "0"}, "JSM_NAMESPACE_RANK"),
        ({"RANK": "one", "SLURM_PROCID": "1"}, {"RANK": "two", "SLURM_PROCID": "0"}, "SLURM_PROCID"),
    ],
)
def test_the_first_variable_that_is_consistent(
    first: dict[str, str], second: dict[str, str], variable: str
) -> None:
    ranks = [bare("a.sqlite", first, member=0), bare("b.sqlite", second, member=1)]
    found = numbered(ranks, None)
    assert (found.numbers, found.source, found.variable) == ([1, 0], RankSource.ENVIRONMENT, variable)


def test_a_number_that_the_run_is_too_small_for() -> None:
    ranks = [
        bare("a.sqlite", {"RANK": "0", "PMI_RANK": "1"}, member=0),
        bare("b.sqlite", {"RANK": "2", "PMI_RANK": "0"}, member=1),
    ]
    found = numbered(ranks, 2)
    assert (found.numbers, found.variable) == ([1, 0], "PMI_RANK")
    assert found.notes == ("RANK: rank 2 of 2 ranks; not used",)


def test_a_source_for_all_goes_before_a_better_one_for_some() -> None:
    ranks = [
        bare("a.sqlite", {"RANK": "0"}, member=0, mpi={100: 7}),
        bare("b.sqlite", {"RANK": "1"}, member=1),
    ]
    found = numbered(ranks, None)
    assert (found.numbers, found.variable) == ([0, 1], "RANK")
    assert found.notes == ("MPI_RANKS numbers 1 of 2 ranks; not used",)


def test_what_only_some_say_is_better_than_nothing() -> None:
    ranks = [bare("a.sqlite", {"RANK": "3"}, member=0), bare("b.sqlite", member=1)]
    found = numbered(ranks, None)
    assert (found.numbers, found.source) == ([3, None], RankSource.ENVIRONMENT)
    assert found.notes == ("RANK numbers 1 of 2 ranks; nothing numbers the others",)


def test_the_environment_around_several_ranks_is_the_launchers() -> None:
    env = [{"RANK": str(m), "SLURM_NODEID": str(1 - m), "WORLD_SIZE": "2"} for m in (0, 1)]
    ranks = [
        bare(f"{m}.sqlite", env[m], pid=100 * m + d, devices=(d,), member=m, alone=False)
        for m in (0, 1)
        for d in (0, 1)
    ]
    found = numbered(ranks, None)
    assert (found.numbers, found.source) == ([None] * 4, RankSource.UNKNOWN)
    assert node_numbers(ranks) == [1, 1, 0, 0]  # SLURM_NODEID is meant so; RANK is the next best
    assert size_of(ranks) == (None, ())  # two launchers, four ranks


def test_the_launchers_rank_is_the_node_where_nothing_else_says_it() -> None:
    ranks = [
        bare(f"{m}.sqlite", {"SLURM_PROCID": str(m), "SLURM_NODEID": "0"}, pid=p, member=m, alone=False)
        for m in (0, 1)
        for p in (1, 2)
    ]
    assert node_numbers(ranks) == [
        0,
        0,
        1,
        1,
    ]  # two reports of one node each: SLURM_NODEID tells them not apart


def test_nccl_by_the_communicator_of_all() -> None:
    ranks = [
        bare(f"{i}.sqlite", member=i, nccl={100: [(i % 2, 2), (3 - i, 4)]}) for i in range(4)
    ]  # pairs of tensor-parallel ranks beside the four
    assert numbered(ranks, 4).numbers == [3, 2, 1, 0]
    found = numbered(ranks, None)
    assert (found.numbers, found.source) == ([3, 2, 1, 0], RankSource.NCCL)
    assert size_of(ranks) == (4, ())


def test_a_smaller_group_of_nccl_is_no_run() -> None:
    ranks = [bare(f"{c}.sqlite", member=i, nccl={100: [(i % 2, 2)]}) for i, c in enumerate("abcd")]
    found = numbered(ranks, None)
    assert (found.numbers, found.source) == ([None] * 4, RankSource.UNKNOWN)


def test_nccl_of_another_size_than_the_run_says_nothing() -> None:
    ranks = [bare(f"{c}.sqlite", member=i, nccl={100: [(i, 2)]}) for i, c in enumerate("ab")]
    assert numbered(ranks, 8).numbers == [None, None]


@pytest.mark.parametrize(
    ("names", "numbers"),
    [
        (["rank0", "rank1"], [0, 1]),
        (["healthy-rank0-utc", "healthy-rank3"], [0, 3]),
        (["train_Rank_10", "train_Rank_2"], [10, 2]),
        (["job77.r-1", "job77.r-0"], [1, 0]),
        (["p3", "p4"], [3, 4]),
        (["node1_gpu0", "node1_gpu1"], [0, 1]),
        (["proc.7", "PROC.8"], [7, 8]),
        (["run-2024-a0", "run-2024-a1"], [0, 1]),  # the one number that differs
        (["step3.x1", "step4.x1"], [3, 4]),  # `p` ends a word here
        (["node0_gpu0", "node0_gpu1", "node1_gpu0"], None),  # two numbers differ, the last comes twice
        (["run_rank3_node1", "run_rank0_node0", "run_rank1_node0"], [3, 0, 1]),  # a node is of many ranks
        (["rank1_node0", "rank0_node1"], [1, 0]),
        (["rank0_gpu0", "rank0_gpu1"], [0, 1]),
        (["rank0", "other"], None),
        (["a1b1", "a2b2"], None),
        (["alpha", "beta"], None),
    ],
)
def test_numbers_of_file_names(names: list[str], numbers: list[int] | None) -> None:
    assert file_numbers(names, [5000 + i for i in range(len(names))]).numbers == numbers


@pytest.mark.parametrize(
    ("names", "pids", "refused"),
    [
        (["app_297141", "app_297142"], [297141, 297142], True),
        (["app_297141", "app_297142"], [297141, 11], True),
        (["app_0", "app_65535"], [1, 2], False),
        (["app_0", "app_65536"], [1, 2], True),  # too far apart for ranks
        (["rank_7", "rank_8"], [8, 7], False),
        (["rank_0", "rank_1"], [4, 1], False),  # process 1 of a container
        (["rank_300", "rank_301"], [300, 301], True),
    ],
)
def test_process_ids_in_file_names_are_refused(names: list[str], pids: list[int], refused: bool) -> None:
    found = file_numbers(names, pids)
    assert (found.numbers is None, found.refused) == (refused, "process ids" if refused else None)


def test_file_names_number_ranks_last() -> None:
    ranks = files(2, "rank{}.sqlite")
    assert numbered(ranks, None).source is RankSource.UNKNOWN
    ranks = [bare(f"rank{i}.sqlite", member=i) for i in (1, 0)]
    found = numbered(ranks, None)
    assert (found.numbers, found.source, found.notes) == ([1, 0], RankSource.NAME, ())


def test_file_names_do_not_number_several_ranks_of_a_report() -> None:
    ranks = [bare(f"rank{m}.sqlite", pid=p, member=m, alone=False) for m in (0, 1) for p in (1, 2)]
    assert numbered(ranks, None).source is RankSource.UNKNOWN


def test_a_refusal_is_noted() -> None:
    ranks = [bare(f"a_{p}.sqlite", member=i, pid=p) for i, p in enumerate((29714, 29715))]
    found = numbered(ranks, None)
    assert (found.source, found.notes) == (
        RankSource.UNKNOWN,
        ("the numbers in the file names are process ids: not used",),
    )


@pytest.mark.parametrize(
    ("envs", "size", "notes"),
    [
        ([{"WORLD_SIZE": "4"}, {"WORLD_SIZE": "4"}], 4, ()),
        ([{"WORLD_SIZE": "4"}, {}], 4, ()),
        ([{}, {}], None, ()),
        (
            [{"WORLD_SIZE": "1", "SLURM_NTASKS": "9"}, {"WORLD_SIZE": "1", "SLURM_NTASKS": "9"}],
            9,
            ("WORLD_SIZE says 1 rank and there are 2: not used",),
        ),
        (
            [{"PMI_SIZE": "4"}, {"PMI_SIZE": "8"}],
            None,
            ("PMI_SIZE differs between the reports (4, 8): not used",),
        ),
    ],
)
def test_ranks_in_all(envs: list[dict[str, str]], size: int | None, notes: tuple[str, ...]) -> None:
    assert size_of([bare(f"{i}.sqlite", env, member=i) for i, env in enumerate(envs)]) == (size, notes)
