"""From the members of a set, and from what they come to, to the scene that is drawn."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tui.browse.ranks.scene import UNKNOWN, Absent, Axis, Communicator, RankFacts, Scene, Shift, Waits
from tui.ranks import limits
from tui.ranks.align import captured_apart
from tui.ranks.alignment import Alignment, Mode
from tui.ranks.arrivals import Level
from tui.ranks.clocks import find_clocks
from tui.ranks.judged import Judged, JudgedRun
from tui.ranks.rank_set import Rank, RankSet, Run
from tui.ranks.straggler import Kind
from tui.ranks.words import steps_counted
from tui.report.columns import NULL, Int64
from tui.text import safe
from tui.text.times import rough

KEPT_WAITS = 64
"""How many ranks' waits are kept at hand: all would not fit for a thousand ranks."""
OWN_SIGMAS = 1.4826 * limits.PINNED_SIGMAS.value
"""How many median deviations a rank's own time lies above the others' where it is an outlier."""


@dataclass(frozen=True)
class RunAxis:
    """The axis of a run, as an alignment has it."""

    alignment: Alignment
    rank: int
    """Position in the run."""

    def to_axis(self, times: Int64) -> Int64:
        return self.alignment.to_axis(self.rank, times)

    def from_axis(self, times: Int64) -> Int64:
        return self.alignment.from_axis(self.rank, times)


def set_name(paths: Sequence[Path]) -> str:
    """What a set is called: ``ranks/*.sqlite`` for reports of one folder."""
    if len(paths) == 1:
        return safe(paths[0].name)
    parents, endings = {path.parent for path in paths}, {path.suffix for path in paths}
    if len(parents) > 1:
        return f"{len(paths):,} reports"
    parent, ending = parents.pop().name, endings.pop() if len(endings) == 1 else ""
    return safe(f"{parent}/*{ending}" if parent else f"*{ending}")


def partial_scene(rank_set: RankSet, name: str, arrived: int, reports: int, version: int) -> Scene:
    """The scene of reports of which more are to come: by recorded clocks, without any figure over ranks."""
    facts = []
    for number, run in enumerate(rank_set.runs):
        clocks = find_clocks(rank_set, run)
        begun = [rank.summary.window[0] for rank in run.ranks]
        related = clocks.all_placed and not captured_apart(run, clocks)
        bases = clocks.base_ns if related else [-first for first in begun]
        zero = min(first + base for first, base in zip(begun, bases, strict=True))
        for rank, base in zip(run.ranks, bases, strict=True):
            facts.append(_facts(rank_set, rank, number, Shift(base - zero)))
    scene = Scene(
        name, tuple(facts), _broken(rank_set), tuple(run.label for run in rank_set.runs), reports, arrived,
        alignment="recorded clocks, so far", version=version,
    )  # fmt: skip
    return _with_home(scene, rank_set.runs, [None] * len(rank_set.runs))


def judged_scene(judged: Judged, name: str, reports: int, version: int) -> Scene:
    """The scene of a whole set."""
    rank_set = judged.rank_set
    facts: list[RankFacts] = []
    absent: list[Absent] = []
    groups: list[Communicator] = []
    places: list[tuple[JudgedRun, int, int]] = []
    windows: list[tuple[int, int] | None] = []
    for number, run in enumerate(judged.runs):
        windows.append(run.window)
        marked = marked_ranks(run)
        first, base = len(facts), len(groups)
        for row, rank in enumerate(run.run.ranks):
            place = run.grid.place[row]
            length = len(rank.summary.steps)
            own, column = np.full(length, UNKNOWN, np.int64), np.full(length, -1, np.int64)
            known = place >= 0
            own[place[known]] = np.where(run.own[row, known] == NULL, UNKNOWN, run.own[row, known])
            column[place[known]] = np.flatnonzero(known)
            axis = RunAxis(run.alignment, row)
            found = _facts(rank_set, rank, number, axis, own, column)
            facts.append(replace(found, caused=run.rows[row].caused_ns, marked=row in marked))
            places.append((run, row, base))
        absent += _missing(run.run, number)
        groups += _communicators(run, first)
    scene = Scene(
        name, tuple(facts), (*absent, *_broken(rank_set)), tuple(run.run.label for run in judged.runs),
        reports, reports, _expected(judged), _alignment_words(judged), _uncertainty(judged), tuple(groups),
        *_headline(judged), judged=judged, version=version, waits_of=_waits_by(places),
    )  # fmt: skip
    return _with_home(scene, [run.run for run in judged.runs], windows)


def _facts(
    rank_set: RankSet, rank: Rank, run: int, axis: Axis, own: Int64 | None = None,
    column: Int64 | None = None,
) -> RankFacts:  # fmt: skip
    span = rank_set.report_of(rank).span or rank.summary.window
    path = rank_set.members[rank.member].path
    return RankFacts(rank, run, path, span, axis, own, column)


def marked_ranks(run: JudgedRun) -> set[int]:
    """The ranks that a verdict names, else those whose own time stands out (positions in the run)."""
    verdict = run.verdict.chosen
    found: set[int] = set()
    for standing in run.verdict.who:
        if verdict.level is Level.RANK and standing.rank is not None:
            found.add(standing.rank)
        elif verdict.level is Level.HOST:
            found |= {at for at, rank in enumerate(run.run.ranks) if rank.host == standing.name}
        else:
            found |= {at for at, rank in enumerate(run.run.ranks) if f"{rank.local_rank}" == standing.name}
    if found:
        return found
    own = np.array(
        [-1 if r.usual is None or r.usual.own is None else r.usual.own for r in run.rows], np.int64
    )
    known = own[own >= 0]
    if len(known) >= limits.VERDICT_LEAST.value:
        middle = float(np.median(known))
        least = max(OWN_SIGMAS * float(np.median(np.abs(known - middle))), limits.WORTH_NAMING.value * middle)
        found |= set(np.flatnonzero(own > middle + least).tolist())
    return found


def _communicators(run: JudgedRun, first: int) -> list[Communicator]:
    found = []
    for group, table in zip(run.matched.communicators, run.waits.instances, strict=True):
        last = np.where(table.last >= 0, table.last.astype(np.int64) + first, -1)
        ranks = tuple(rank + first for rank in group.ranks)
        counts = table.judged & table.resolved
        found.append(Communicator(group.label, ranks, last, table.margin_ns, table.wait_max_ns, counts))
    return found


def _waits_by(places: Sequence[tuple[JudgedRun, int, int]]) -> Callable[[int], Waits | None]:
    """Give the waits of a rank by its position in the scene, the last ones from memory."""
    kept: OrderedDict[int, Waits] = OrderedDict()

    def waits(at: int) -> Waits:
        if at in kept:
            kept.move_to_end(at)
        else:
            run, row, base = places[at]
            found = run.waits.of_rank(row)
            group = np.where(found.communicator >= 0, found.communicator + base, -1).astype(np.int32)
            kept[at] = Waits(found.wait_ns, group, found.instance)
            if len(kept) > KEPT_WAITS:
                kept.popitem(last=False)
        return kept[at]

    return waits


def _missing(run: Run, number: int) -> list[Absent]:
    of = f" of {run.expected}" if run.expected is not None else ""
    return [Absent(number, n, None, f"rank {n}", f"no report: rank {n}{of} is missing") for n in run.missing]


def _broken(rank_set: RankSet) -> tuple[Absent, ...]:
    """Reports that can't be read, and those that hold no rank."""
    found = []
    for member in rank_set.members:
        if member.summary is None:
            reason = str(member.error or "can't be read").removeprefix(f"{member.path}: ")
            reason = reason.replace(str(member.path), member.path.name)
            found.append(Absent(0, None, None, member.path.name, reason))
        elif not member.summary.ranks:
            found.append(
                Absent(0, None, None, member.path.name, "no rank: neither device work nor steps", True)
            )
    return tuple(found)


def _expected(judged: Judged) -> int | None:
    """How many ranks there should be over all runs; None where it is not known of all."""
    known = [run.run.expected for run in judged.runs]
    return sum(n for n in known if n is not None) if known and None not in known else None


def _alignment_words(judged: Judged) -> str:
    """What brought the ranks to one axis; of several runs each its own way."""
    if not judged.runs:
        return "nothing"
    words = dict.fromkeys(_mode_words(run) for run in judged.runs)
    return "; ".join(words) + (", each run from its own start" if len(judged.runs) > 1 else "")


def _mode_words(run: JudgedRun) -> str:
    alignment = run.alignment
    if len({alignment.clocks.domain[row] for row in range(len(run.rows))}) <= 1 and alignment.related:
        return "one clock"
    if not alignment.related or alignment.mode is Mode.NONE:
        return "as recorded"
    return "clocks" if alignment.mode is Mode.CLOCK else str(alignment.mode.value)


def _uncertainty(judged: Judged) -> int | None:
    """The largest uncertainty of any run, ns; None where one is not known."""
    found = [run.alignment.uncertainty_ns for run in judged.runs]
    known = [value for value in found if value is not None]
    return round(max(known)) if known and len(known) == len(found) else None


def _headline(judged: Judged) -> tuple[str, str]:
    """The verdict in a few words and what whoever it names is late by; of several runs the first that names
    somebody.
    """
    pinned = [run for run in judged.runs if run.verdict.kind is Kind.PINNED]
    chosen = (pinned or judged.runs)[:1]
    return (_headline_of(chosen[0]), _reason_of(chosen[0])) if chosen else ("", "")


def _reason_of(run: JudgedRun) -> str:
    """``compute``; empty where nobody is named, or nothing tells why."""
    rows = [run.rows[one.rank] for one in run.verdict.who if one.rank is not None]
    return rows[0].why[0].what if rows and rows[0].why else ""


_NOBODY = {
    Kind.ROTATING: "rotating: no rank is late alone", Kind.EVEN: "even: no rank keeps others waiting",
    Kind.UNRESOLVED: "unresolved: who is late can't be told",
}  # fmt: skip


def _headline_of(run: JudgedRun) -> str:
    verdict, steps = run.verdict.chosen, steps_counted(run)
    if verdict.kind is not Kind.PINNED:
        return _NOBODY[verdict.kind]
    first = verdict.who[0]
    lead = {Level.RANK: "rank", Level.HOST: "host", Level.POSITION: "local rank"}[verdict.level]
    ns = run.costs[first.name]
    cost = f"{rough(round(ns / steps))} a step" if steps else rough(ns)
    more = f" and {len(verdict.who) - 1} more" if len(verdict.who) > 1 else ""
    return f"pinned: {lead} {safe(first.name)}{more}, {cost}"


def _with_home(scene: Scene, runs: Sequence[Run], windows: Sequence[tuple[int, int] | None]) -> Scene:
    """The scene with the window that its ranks have in common, where there is one; else everything."""
    lows, highs = [], []
    for facts in scene.ranks:
        low, high = facts.rank.summary.window
        lows.append(facts.on_axis(low))
        highs.append(facts.on_axis(high))
    known = [window for window in windows if window is not None]
    if known and len(known) == len(runs):
        home = min(low for low, _ in known), max(high for _, high in known)
    elif lows and max(lows) < min(highs):
        home = max(lows), min(highs)
    else:
        home = (min(lows), max(highs)) if lows else (0, 1)
    return replace(scene, home=(home[0], max(home[1], home[0] + 1)))
