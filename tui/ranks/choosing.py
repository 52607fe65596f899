"""A part of a set: one of its runs, some of its ranks, those of some hosts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from tui.errors import UsageError
from tui.ranks.rank_set import Rank, RankSet, Run
from tui.ranks.runs import listed_numbers

_RANGE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")


def chosen(
    made: RankSet, *, run: str | None = None, ranks: Sequence[str] | None = None, hosts: Sequence[str] = ()
) -> RankSet:
    """The part of ``made`` that is asked for; its members stay.

    ``run``: its number, from 1 on, or its launcher's id. ``ranks``: numbers, ranges (`0-7`), names. Of the
    rest nothing is expected: a rank that is not asked for is not missing. Raises UsageError where one of them
    chooses nothing.
    """
    runs = made.runs if run is None else (_run_called(made, run),)
    if ranks is not None:
        for part in ranks:
            if not any(_fits(part, rank) for one in runs for rank in one.ranks) and not _missing(part, runs):
                raise UsageError(f"--ranks {part}: there is no such rank; there are {_ranks_of(runs)}")
    if hosts:
        there = sorted({rank.host for one in runs for rank in one.ranks if rank.host is not None})
        for host in hosts:
            if host not in there:
                raise UsageError(f"--host {host}: there are {', '.join(there) or 'no hosts on record'}")
    if ranks is None and not hosts:
        return replace(made, runs=runs)
    parts = tuple(kept for one in runs if (kept := _part(one, ranks, hosts)).ranks)
    if not parts:
        raise UsageError("no rank is both on these hosts and among these ranks")
    return replace(made, runs=parts)


def _run_called(made: RankSet, name: str) -> Run:
    if name.isdecimal() and 1 <= int(name) <= len(made.runs):
        return made.runs[int(name) - 1]
    for one in made.runs:
        if one.label == name:
            return one
    labels = ", ".join(f"{i} ({one.label or 'no id'})" for i, one in enumerate(made.runs, 1))
    raise UsageError(f"--run {name}: there are the runs {labels}")


def _part(run: Run, ranks: Sequence[str] | None, hosts: Sequence[str]) -> Run:
    kept = tuple(
        rank
        for rank in run.ranks
        if (not hosts or rank.host in hosts) and (ranks is None or any(_fits(part, rank) for part in ranks))
    )
    if ranks is None:  # the hosts of missing ranks are not known
        return replace(run, ranks=kept, expected=None, missing=())
    missing = tuple(n for n in run.missing if not hosts and any(_holds(part, n) for part in ranks))
    return replace(run, ranks=kept, expected=len(kept) + len(missing), missing=missing)


def _fits(part: str, rank: Rank) -> bool:
    return part == rank.name or (rank.number is not None and _holds(part, rank.number))


def _holds(part: str, number: int) -> bool:
    """Whether ``part`` is the number, or a range with it."""
    match = _RANGE.fullmatch(part)
    if match is not None:
        return int(match[1]) <= number <= int(match[2])
    return part.isdecimal() and int(part) == number


def _missing(part: str, runs: Sequence[Run]) -> bool:
    return any(_holds(part, number) for run in runs for number in run.missing)


def _ranks_of(runs: Sequence[Run]) -> str:
    numbers = {rank.number for run in runs for rank in run.ranks if rank.number is not None}
    others = [rank.name for run in runs for rank in run.ranks if rank.number is None]
    return ", ".join([*([listed_numbers(numbers)] if numbers else []), *others[:8]])
