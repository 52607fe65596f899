"""What a set of reports comes to, from the summaries of its ranks alone.

One rank is read at a time; what is kept grows with the steps and the instances, not with their product with
the ranks but for a few figures a step and rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tui.ranks import limits
from tui.ranks.align import align, side_by_side
from tui.ranks.alignment import Alignment, Mode
from tui.ranks.arrivals import Level
from tui.ranks.chosen import SetRange, chosen_instances, chosen_steps, compared_steps, step_columns
from tui.ranks.clocks import find_clocks
from tui.ranks.collective_rows import CollectiveRow, CollectiveRows
from tui.ranks.cost import costs_of
from tui.ranks.efficiency import efficiency_of
from tui.ranks.exposure import Exposed, StepSplit, own_time
from tui.ranks.holes import where_known
from tui.ranks.judged import Judged, JudgedRun, RankRow
from tui.ranks.match import Matched, MatchKind, match
from tui.ranks.nearest import add_nearest
from tui.ranks.pace import pace_of_steps
from tui.ranks.rank_set import Rank, RankSet, Run
from tui.ranks.step_grid import StepGrid, match_steps
from tui.ranks.straggler import Standing, Verdict
from tui.ranks.straggler import judge as judge_lateness
from tui.ranks.summary import RankSummary, ReportSummary
from tui.ranks.typical import PARTS, UsualStep, usual_step
from tui.ranks.waits import Waits, find_waits
from tui.ranks.why import Excess, why_late
from tui.report.columns import Bool, Int64


@dataclass(frozen=True)
class JudgeOptions:
    """How a set is judged."""

    align: Mode = Mode.AUTO
    group: int | None = None
    """How many ranks with numbers in a row make one communicator, where nothing else tells."""
    anchor_step: int | None = None
    clock_uncertainty_ns: int | None = None
    range: SetRange | None = None


def judge(rank_set: RankSet, options: JudgeOptions = JudgeOptions()) -> Judged:
    """Judge every run of a set. Raises NothingThere where ``options.range`` holds nothing."""
    runs = tuple(_Reduction(rank_set, run, options).judged() for run in rank_set.runs)
    return Judged(rank_set, runs)


class _Reduction:
    """One run on its way to figures."""

    def __init__(self, rank_set: RankSet, run: Run, options: JudgeOptions) -> None:
        self.rank_set = rank_set
        self.run = run
        self.options = options
        self.summaries = [rank.summary for rank in run.ranks]
        clocks = find_clocks(rank_set, run)
        matched = match(run, clocks, group=options.group)
        alignment = align(
            run,
            clocks,
            matched,
            options.align,
            anchor_step=options.anchor_step,
            clock_uncertainty_ns=options.clock_uncertainty_ns,
        )
        if len(rank_set.runs) > 1:
            alignment = side_by_side(run, alignment, anchor_step=options.anchor_step)
        self.alignment: Alignment = alignment
        self.matched: Matched = add_nearest(matched, alignment)
        self.waits: Waits = find_waits(self.matched, self.alignment)
        self.grid: StepGrid = match_steps(self.summaries, self._on_axis("start"))
        self.starts = self.grid.values(self._on_axis("start"))
        ends = self.grid.values(self._on_axis("end"))
        self.chosen: Bool = chosen_steps(self.grid, self.starts, ends, options.range)
        self.compared: Bool = compared_steps(self.grid, self.chosen, options.range)
        self.columns = step_columns(self.matched, self.grid)

    def _on_axis(self, which: str) -> list[Int64 | None]:
        if not self.alignment.related and len(self.summaries) > 1:
            return [None] * len(self.summaries)
        return [
            self.alignment.to_axis(row, getattr(summary.steps, which))
            for row, summary in enumerate(self.summaries)
        ]

    def judged(self) -> JudgedRun:
        """Work out everything."""
        steady = self.grid.steady.any(axis=0) & self.compared
        judged_steps = steady if steady.any() else self.compared
        instances = chosen_instances(
            self.waits, self.columns, self.alignment, judged_steps, self.options.range
        )
        telling = self._telling(instances)
        verdict = judge_lateness(self.waits, window_ns=self._length(telling), chosen=instances)
        cost, costs = costs_of(self.waits, verdict, instances)
        splits, usual, rows = self._ranks(instances, judged_steps)
        own = self._own(splits)
        pace = pace_of_steps(self.grid, own, self.starts)
        why = self._why(verdict, splits, judged_steps)
        return JudgedRun(
            run=self.run,
            alignment=self.alignment,
            matched=self.matched,
            waits=self.waits,
            verdict=verdict,
            cost_ns=cost,
            costs=costs,
            grid=self.grid,
            chosen=self.chosen,
            compared=self.compared,
            telling=telling,
            window=self._window(),
            instances=instances,
            columns=tuple(self.columns),
            splits=tuple(splits),
            own=own,
            starts=self.starts,
            pace=pace,
            rows=tuple(self._row(row, usual[row], verdict, why) for row in range(len(self.summaries))),
            collectives=tuple(rows),
            efficiency=efficiency_of(self.grid, own, self.compared),
            why=why.get(-1, ()),
            notes=(*self.alignment.notes, *self.matched.notes, *self.grid.notes, *self._range_notes()),
        )

    def _range_notes(self) -> tuple[str, ...]:
        """Said where times were asked for, and there are no steps that lie in them."""
        asked = self.options.range
        if asked is None or (asked.low, asked.high) == (None, None) or len(self.grid):
            return ()
        return (f"without steps {asked.text} chooses collectives only",)

    def _telling(self, instances: tuple[Bool, ...]) -> Bool:
        """Which steps hold an operation that can tell who was last: cost is compared with their time."""
        telling = np.zeros(len(self.grid), bool)
        for table, columns, mask in zip(self.waits.instances, self.columns, instances, strict=True):
            here = columns[mask & table.judged]
            telling[here[here >= 0]] = True
        return telling

    def _length(self, steps: Bool) -> int | None:
        """The time of the steps that count (ns), of the rank that has most of it; None without steps."""
        durations = np.where(self.grid.finished & steps[None, :], self.grid.duration, 0)
        return int(durations.sum(axis=1).max()) or None if durations.size else None

    def _ranks(
        self, instances: tuple[Bool, ...], steps: Bool
    ) -> tuple[list[StepSplit | None], list[UsualStep | None], list[CollectiveRow]]:
        """Read one rank after the other: its split, its usual step, and its part of the collectives' rows."""
        rows = CollectiveRows(self.waits, instances)
        splits: list[StepSplit | None] = []
        usual: list[UsualStep | None] = []
        without_steps = not len(self.grid)
        for row, summary in enumerate(self.summaries):
            exposed = Exposed(summary, self.waits.of_rank(row).wait_ns)
            rows.add(row, exposed, self._among(row, steps))
            split = None
            if summary.steps.exposed is not None:
                split = exposed.between(summary.steps.start, summary.steps.end)
            splits.append(split)
            if without_steps:
                usual.append(whole_window(summary, exposed))
            else:
                usual.append(usual_step(summary, split, self._own_steps(row, self.compared)))
        return splits, usual, rows.rows()

    def _own_steps(self, row: int, columns: Bool) -> Bool:
        """Which of a rank's own steps lie in these columns of the grid."""
        mine = np.zeros(len(self.summaries[row].steps), bool)
        place = self.grid.place[row]
        mine[place[(place >= 0) & columns]] = True
        return mine

    def _among(self, row: int, steps: Bool) -> Bool:
        """Which of a rank's collectives lie in the steps that count: all where none lies in a step."""
        step = self.summaries[row].collectives.step
        if not any((columns >= 0).any() for columns in self.columns):
            return np.ones(len(step), bool)
        mine = np.append(self._own_steps(row, steps), False)
        among: Bool = mine[step]
        return among

    def _own(self, splits: Sequence[StepSplit | None]) -> Int64:
        own = []
        for summary, split in zip(self.summaries, splits, strict=True):
            values, known = own_time(summary.steps, split)
            own.append(where_known(values, known))
        return where_known(self.grid.values(own), self.grid.finished)

    def _window(self) -> tuple[int, int] | None:
        """From the first chosen step (without steps: the first work) of any rank to the last, on the axis."""
        if len(self.grid):
            at = self.grid.place
            spans = [
                (
                    self.alignment.to_axis(row, s.steps.start)[mine],
                    self.alignment.to_axis(row, s.steps.end)[mine],
                )
                for row, s in enumerate(self.summaries)
                if len(mine := at[row][(at[row] >= 0) & self.compared])
            ]
        else:
            spans = [
                (self.alignment.to_axis(row, np.array([low])), self.alignment.to_axis(row, np.array([high])))
                for row, (low, high) in enumerate(s.window for s in self.summaries)
            ]
        if not spans or (not self.alignment.related and len(self.summaries) > 1):
            return None
        return min(int(start.min()) for start, _ in spans), max(int(end.max()) for _, end in spans)

    def _why(
        self, verdict: Verdict, splits: Sequence[StepSplit | None], steps: Bool
    ) -> dict[int, tuple[Excess, ...]]:
        """Why ranks are late: by row of those that cost enough, and at -1 of those that the verdict names."""
        named = self._members(verdict.level, verdict.who)
        everyone = list(range(len(self.summaries)))
        found: dict[int, tuple[Excess, ...]] = {}
        ranks = verdict.by_level[Level.RANK]
        least = limits.WORTH_NAMING.value * ranks.window_ns
        costly = [s for s in ranks.standings if s.rank is not None and s.cost_ns >= max(least, 1)]
        costly.sort(key=lambda standing: -standing.cost_ns)
        for standing in costly[: int(limits.WHY_RANKS.value)]:
            row = standing.rank
            assert row is not None
            others = [other for other in self._peers(row) if other != row and other not in named]
            found[row] = why_late(self.grid, splits, [row], others, steps)
        if named:
            peers = set().union(*map(self._peers, named)) if verdict.level is Level.RANK else set(everyone)
            others = [row for row in everyone if row not in named and row in peers]
            found[-1] = why_late(self.grid, splits, named, others, steps)
        return found

    def _members(self, level: Level, who: Sequence[Standing]) -> list[int]:
        """The rows of those that a verdict names."""
        names = {standing.name for standing in who}
        if level is Level.RANK:
            return [standing.rank for standing in who if standing.rank is not None]
        return [row for row, rank in enumerate(self.run.ranks) if group_name(rank, level) in names]

    def _peers(self, row: int) -> set[int]:
        """The ranks that do what a rank does: those it communicates with, apart from all; else all."""
        everyone = set(range(len(self.summaries)))
        known = (c for c in self.matched.communicators if c.match is not MatchKind.NEAREST)
        together = [set(c.ranks) for c in known if row in c.ranks]
        return set().union(*(ranks for ranks in together if ranks != everyone)) or everyone

    def _row(
        self, row: int, usual: UsualStep | None, verdict: Verdict, why: dict[int, tuple[Excess, ...]]
    ) -> RankRow:
        rank, summary = self.run.ranks[row], self.summaries[row]
        standing = verdict.by_level[Level.RANK].standings[row]
        report = self.rank_set.report_of(rank)
        matched = self.matched.matched(row)
        return RankRow(
            rank=rank,
            report=self.rank_set.members[rank.member].path.name,
            gpus=gpus_of(rank, report),
            doubtful=report.doubtful,
            span_ns=summary.window[1] - summary.window[0],
            steps=int(self._own_steps(row, self.chosen).sum()),
            usual=usual,
            busy_pct=busy_share(summary),
            times_last=standing.times_last if standing.instances else None,
            collectives=standing.instances,
            caused_ns=standing.caused_ns if standing.instances else None,
            why=why.get(row, ()),
            partial=matched < limits.PARTIAL_RANK.value * self.matched.rows[row],
        )


def group_name(rank: Rank, level: Level) -> str | None:
    """The host or the position of a rank, as verdicts name it."""
    if level is Level.HOST:
        return rank.host
    return None if rank.local_rank is None else str(rank.local_rank)


def gpus_of(rank: Rank, report: ReportSummary) -> tuple[int, ...]:
    """The numbers of a rank's GPUs on its host: a process that is shown one GPU calls it 0, whichever."""
    numbers = tuple(device.number for device in rank.summary.devices)
    visible = report.identity.get("environment", {}).get("visible") or {}
    listed = [part.strip() for part in str(visible.get("value", "")).split(",")]
    if len(report.ranks) > 1 or not all(part.isdecimal() for part in listed):
        return numbers
    return tuple(int(listed[n]) for n in numbers) if max(numbers, default=0) < len(listed) else numbers


def busy_share(summary: RankSummary) -> float | None:
    """CUDA work of any kind in percent of the rank's window; None: unknown."""
    parts = [summary.totals.get(name) for name in ("compute", "exposed", "copies")]
    length = summary.window[1] - summary.window[0]
    known = [part for part in parts if part is not None]
    return round(100 * sum(known) / length, 1) if length > 0 and len(known) == len(parts) else None


def whole_window(summary: RankSummary, exposed: Exposed) -> UsualStep:
    """The window of a rank without steps, as the parts of one step."""
    low, high = summary.window
    split = exposed.between([low], [high])
    known = bool(split.known[0])
    parts: dict[str, int | None] = {name: summary.totals.get(name) for name in PARTS}
    parts["transfer"] = int(split.transfer[0]) if known else None
    parts["wait"] = int(split.wait[0]) if known else None
    parts["unsplit"] = int(split.unsplit[0])
    wait = parts["wait"]
    host = high - low - int(exposed.all.length(low, high)) if summary.host_only else None
    return UsualStep(high - low, None if wait is None else high - low - wait, parts, host)
