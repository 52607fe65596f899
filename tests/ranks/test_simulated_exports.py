"""Simulated and measured ranks through real files: what is read from them is what was decided."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fixtures.ranks_exports import write_broken, write_job, write_nine
from fixtures.ranks_sim import Job, simulate
from fixtures.ranks_summaries import rank_set_of
from tests.support.ranks import case_of
from tui.ranks.align import align
from tui.ranks.alignment import Mode
from tui.ranks.collecting import collect
from tui.ranks.rank_set import RankSet
from tui.ranks.runs import build_set
from tui.ranks.straggler import Kind, judge
from tui.ranks.waits import find_waits


def opened(paths: list[Path]) -> RankSet:
    return build_set(collect(paths, use_store=False, jobs=1))


def test_nine_ranks(tmp_path: Path) -> None:
    case = case_of(opened(write_nine(tmp_path)))
    assert [rank.number for rank in case.run.ranks] == list(range(9))
    axis = align(case.run, case.clocks, case.matched)
    assert axis.mode is Mode.COLLECTIVES
    assert [clock.offset_ns for clock in axis.domains] == [0, -1_096_584, -669_427]
    waits = find_waits(case.matched, axis)
    (one,) = waits.instances
    assert one.transfer_ns.tolist() == [11_126_721, 42_747_878]
    assert waits.floor_ns == 89_783 and one.resolved.all()
    assert judge(waits).kind is Kind.UNRESOLVED


@pytest.mark.parametrize(
    "job",
    [
        Job(ranks=4, steps=8, straggler="pinned", end_jitter_ns=5_000),
        Job(ranks=4, steps=8, straggler="pinned", host_only=True, end_jitter_ns=5_000, system=True),
        Job(ranks=4, steps=6, tensor=2, pipeline=2, buckets=0, missing=(3,)),
    ],
)
def test_files_say_what_the_simulation_does(tmp_path: Path, job: Job) -> None:
    found = simulate(job)
    read, made = opened(write_job(found, tmp_path)), rank_set_of(found)
    assert [rank.number for rank in read.runs[0].ranks] == found.reported
    assert read.runs[0].missing == job.missing
    for one, other in zip(read.runs[0].ranks, made.runs[0].ranks, strict=True):
        assert (one.host, one.local_rank) == (other.host, other.local_rank)
        a, b = one.summary, other.summary
        assert a.host_only == job.host_only
        for name in ("start", "end", "step"):
            assert np.array_equal(getattr(a.collectives, name), getattr(b.collectives, name)), name
        assert [a.names[n] for n in a.collectives.name] == [b.names[n] for n in b.collectives.name]
        assert np.array_equal(a.steps.start, b.steps.start) and np.array_equal(a.steps.end, b.steps.end)
    verdicts = []
    for case in (case_of(read), case_of(made)):
        axis = align(case.run, case.clocks, case.matched)
        verdict = judge(find_waits(case.matched, axis))
        verdicts.append((axis.mode, axis.rank_offset_ns, verdict.kind, [s.name for s in verdict.who]))
    assert verdicts[0] == verdicts[1]


def test_a_broken_file_is_listed(tmp_path: Path) -> None:
    paths = write_job(simulate(Job(ranks=3, hosts=1, steps=2)), tmp_path)
    ranks = opened([*paths[:2], write_broken(paths[2])])
    assert [member.path.name for member in ranks.broken] == ["rank2.sqlite"]
    assert len(ranks.runs[0].ranks) == 2
