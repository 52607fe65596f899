"""Runs where no launcher's id tells them apart: the reports of each folder, or each report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from tui.ranks.rank_set import Member, RankSet, Run
from tui.ranks.runs import build_set


def regrouped(rank_set: RankSet, run_of: Callable[[Path], str], rank_from: str | None = None) -> RankSet:
    """Return the set with one run for each name that ``run_of`` gives the paths of its reports."""
    groups: dict[str, list[Member]] = {}
    for member in rank_set.members:
        if member.summary is not None:
            groups.setdefault(run_of(member.path), []).append(member)
    members: list[Member] = []
    runs: list[Run] = []
    notes: list[str] = []
    for name, group in groups.items():
        made = build_set(group, rank_from=rank_from)
        for run in made.runs:
            ranks = tuple(replace(rank, member=rank.member + len(members)) for rank in run.ranks)
            runs.append(replace(run, ranks=ranks, label=run.label or name))
        members += made.members
        notes += [f"run {name}: {note}" for note in made.notes]
    return RankSet((*members, *rank_set.broken), tuple(runs), tuple(notes))


def of_folders(folders: Sequence[Path]) -> Callable[[Path], str]:
    """Return what names a report's run by that of the given folders in which it lies."""
    resolved = [(folder.resolve(), str(folder)) for folder in folders]

    def run_of(path: Path) -> str:
        parents = (path.absolute().parent.resolve(), *path.absolute().parent.resolve().parents)
        return next((name for parent in parents for folder, name in resolved if folder == parent), "")

    return run_of
