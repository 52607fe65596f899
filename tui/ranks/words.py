"""The verdict on a run as sentences, and what its figures rest on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tui.ranks import limits
from tui.ranks.alignment import Mode
from tui.ranks.arrivals import Level
from tui.ranks.judged import Judged, JudgedRun
from tui.ranks.names import Operation
from tui.ranks.rank_table import run_name
from tui.ranks.runs import numbering_words
from tui.ranks.straggler import Kind, Standing, is_often_last
from tui.report.columns import NULL
from tui.text.numbers import percent, plural
from tui.text.times import rough

_OPERATIONS = {
    Operation.ALL_REDUCE: "all-reduce", Operation.ALL_GATHER: "all-gather",
    Operation.REDUCE_SCATTER: "reduce-scatter", Operation.ALL_TO_ALL: "all-to-all",
    Operation.BARRIER: "barrier",
}  # fmt: skip


def verdicts(judged: Judged, *, efficiency: bool = False) -> list[str]:
    """The verdict on every run, with its ``efficiency`` where asked; of several each with the run's name."""
    found = []
    for run in judged.runs:
        lead = f"run {run_name(run, judged)}: " if len(judged.runs) > 1 else ""
        first, *rest = verdict_lines(run)
        found += [lead + first, *rest]
        if efficiency and (line := efficiency_line(run)):
            found.append(line)
    return found


def pace_line(run: JudgedRun, judged: Judged) -> str:
    """How long a step takes and on which rank its own work takes longest; empty without steps."""
    steps = np.flatnonzero(run.steady)
    durations = run.pace.median[steps]
    durations = durations[durations != NULL]
    if not len(durations):
        return ""
    lead = f"run {run_name(run, judged)}: " if len(judged.runs) > 1 else ""
    name = next((rank.step_name for rank in run.grid.ranks if rank.step_name), None) or "step"
    text = f"{lead}{len(durations):,} x {name}: {rough(int(np.median(durations)))} (median)"
    slow = int((run.pace.outlier & run.steady).sum())
    text += f", {plural(slow, 'outlier')}" if slow else ""
    slowest = run.pace.own_slowest[steps]
    slowest = slowest[slowest >= 0]
    if len(run.rows) > 1 and len(slowest):
        row = int(np.bincount(slowest).argmax())
        mine = steps[run.pace.own_slowest[steps] == row]
        more = int(np.median(run.pace.own_most[mine] - run.pace.own_median[mine]))
        text += (
            f"; own time is longest on rank {run.rows[row].rank.name} in {len(mine):,} of {len(slowest):,}, "
            f"{rough(more)} above the median"
        )
    return text


def verdict_lines(run: JudgedRun) -> list[str]:
    """The verdict: one sentence, for somebody pinned a second one that says why."""
    verdict = run.verdict.chosen
    if verdict.kind is Kind.PINNED:
        return [_pinned(run), *_why(run)]
    if verdict.kind is Kind.ROTATING:
        return [f"rotating: {_often(run)}; waiting for whoever is last {_cost(run, run.cost_ns)}"]
    if verdict.kind is Kind.EVEN:
        share = percent(run.cost_ns, verdict.window_ns) or 0.0
        return [f"even: no rank keeps the others waiting ({share:.1f} % of the time)"]
    return [f"unresolved: {_unresolved(run)}"]


def _pinned(run: JudgedRun) -> str:
    verdict = run.verdict.chosen
    first, *more = verdict.who
    cost = _cost(run, run.costs[first.name], first.rank)
    text = f"pinned: {_is_last(run, first, verdict.level, 'is last in')}; {cost}"
    for other in more:
        text += (
            f"; also {who_text(run, other, verdict.level)}, last in {other.times_last:,}, "
            f"{_cost(run, run.costs[other.name], other.rank)}"
        )
    return text


def _often(run: JudgedRun) -> str:
    """Who is last more often than chance likes, though in too few collectives to be pinned; else nobody."""
    most = max(run.verdict.chosen.standings, key=lambda s: s.share or 0.0)
    if not is_often_last(most, run.verdict.chosen.steps):
        return "no rank is last more often than by chance"
    return f"{_is_last(run, most, run.verdict.level, 'is last most often, in')}, too few to be sure"


def _is_last(run: JudgedRun, one: Standing, level: Level, words: str) -> str:
    """``rank 11 (node-b, GPU 3) is last in 38 of 40 all-reduces (95 %, by chance 7 %)``."""
    share, chance = 100 * (one.share or 0), 100 * one.expected
    return (
        f"{who_text(run, one, level)} {words} {one.times_last:,} of {_counted(run, one.instances)} "
        f"({share:.0f} %, by chance {chance:.0f} %){_among(run)}"
    )


def _among(run: JudgedRun) -> str:
    """Said where ranks are missing: one of them may be later."""
    return f" among {_present(run)}" if run.verdict.partial and run.run.missing else ""


def who_text(run: JudgedRun, standing: Standing, level: Level) -> str:
    """``rank 11 (node-b, GPU 3)``, ``host node-b``, ``local rank 3 of every host``."""
    if level is Level.HOST:
        return f"host {standing.name}"
    if level is Level.POSITION or standing.rank is None:
        return f"local rank {standing.name} of every host"
    rank = run.run.ranks[standing.rank]
    gpus = run.rows[standing.rank].gpus
    facts = [rank.host] if rank.host is not None and rank.number is not None else []
    if gpus:
        facts.append("GPU " + ",".join(map(str, gpus)))
    return f"rank {rank.name}" + (f" ({', '.join(facts)})" if facts else "")


def _counted(run: JudgedRun, instances: int) -> str:
    """``40 all-reduces``, or ``collectives`` where there are several kinds."""
    kinds = {row.name.operation for row in run.collectives if row.judged}
    noun = _OPERATIONS.get(kinds.pop(), "collective") if len(kinds) == 1 else "collective"
    return plural(instances, noun)


def steps_counted(run: JudgedRun) -> int:
    """How many steps a cost is spread over; 0: none holds what costs."""
    return int(run.telling.sum())


def _cost(run: JudgedRun, cost_ns: int, row: int | None = None) -> str:
    """What lateness costs; ``row``: of this rank, by whose step it is measured."""
    steps, share = steps_counted(run), percent(cost_ns, run.verdict.window_ns)
    usual = run.step_ns if row is None else run.step_of(row)
    in_percent = "" if share is None else f" ({share:.1f} %)"
    if not steps or usual is None:
        return f"costs {rough(cost_ns)} of {rough(run.verdict.window_ns)}{in_percent}"
    return f"costs {rough(round(cost_ns / steps))} of each {rough(usual)} step{in_percent}"


def _why(run: JudgedRun) -> list[str]:
    return ["why: " + "; ".join(excess.words for excess in run.why)] if run.why else []


def efficiency_line(run: JudgedRun) -> str:
    """``parallel efficiency 0.65 = load balance 0.81 x communication 0.84 x orchestration 0.95``."""
    found = run.efficiency
    parts = []
    if found.parallel is not None:
        factors = (found.load_balance, found.communication, found.orchestration)
        names = ("load balance", "communication", "orchestration")
        text = f"parallel efficiency {found.parallel:.2f}"
        if None not in factors:
            text += " = " + " x ".join(f"{n} {f:.2f}" for n, f in zip(names, factors, strict=True))
        if found.parallel < limits.GOOD_EFFICIENCY.value:
            text += f" (good: {limits.GOOD_EFFICIENCY.value:g} or more)"
        parts.append(text)
    if found.own_balance is not None:
        parts.append(f"balance of own work {found.own_balance:.2f}")
    return "; ".join(parts)


def _unresolved(run: JudgedRun) -> str:
    verdict = run.verdict.chosen
    if len(run.rows) < 2:
        return "one rank alone waits for nobody that is seen here"
    if not any(len(rank.summary.collectives) for rank in run.run.ranks):
        return "no communication is recorded (kernels of collectives, or calls of MPI)"
    if not run.matched.communicators:
        return "no communication of one rank has its counterpart on another"
    found = verdict.resolved + verdict.unresolved
    if not found:
        return "no collective that shows who waited for whom"
    if verdict.resolved < found:
        return (
            f"in {verdict.unresolved:,} of {plural(found, 'collective')} the last comes too close to the "
            "next to tell"
        )
    return f"only {plural(found, 'collective')} can be compared"


def run_notes(judged: Judged) -> list[str]:
    """What the figures rest on: who is there, where the numbers and the clocks come from, what is missing."""
    notes: list[str] = []
    for run in judged.runs:
        lead = f"run {run_name(run, judged)}: " if len(judged.runs) > 1 else ""
        parts = [part for part in (numbering_words(run.run), alignment_text(run), _present(run)) if part]
        notes.append(lead + " · ".join(parts))
        notes += [lead + note for note in run.notes]
        notes += [lead + note for note in _figures(run)]
    return list(dict.fromkeys(notes))


def alignment_text(run: JudgedRun) -> str:
    """``aligned by collectives, ± 64 us``."""
    alignment = run.alignment
    if len(run.rows) < 2:
        return ""
    if not alignment.related or alignment.mode is Mode.NONE:
        return "times as recorded: nothing relates the clocks"
    if len(alignment.domains) == 1 and alignment.mode in (Mode.COLLECTIVES, Mode.CLOCK):
        return "one clock"
    words = {Mode.CLOCK: "clocks"}.get(alignment.mode, alignment.mode.value)
    uncertainty = alignment.uncertainty_ns
    sure = "" if uncertainty is None else f", ± {rough(round(uncertainty))}"
    return f"aligned by {words}{sure}"


def _present(run: JudgedRun) -> str:
    there, expected = len(run.rows), run.run.expected
    if expected is None or expected <= there:
        return plural(there, "rank")
    return f"{there:,} of {plural(expected, 'rank')}"


def _figures(run: JudgedRun) -> Iterator[str]:
    grid = run.grid
    if not len(grid):
        yield "no steps: figures are of each rank's whole window (--step NAME says what a step is)"
    elif left := int(run.chosen.sum() - run.compared.sum()):
        yield (
            f"ranks are compared over the {plural(int(run.compared.sum()), 'step')} that all of them have; "
            f"{left:,} more are in some reports only (--range / takes them in)"
        )
    if grid.warm_up:
        yield f"{plural(grid.warm_up, 'warm-up step')} left out of the figures"
    lacking = [row.rank.name for row in run.rows if row.partial]
    if lacking:
        yield f"less than 95 % of the collectives of {_some(lacking)} are matched: their figures are partial"
    hosts = [row.rank for row in run.rows if row.rank.summary.host_only]
    for known, words in (
        (
            True,
            "no GPU work recorded{}: wait and transfer are those of MPI calls, own time is the step "
            "less wait",
        ),
        (False, "neither GPU work nor MPI calls recorded{}: wait, transfer and own time are unknown"),
    ):
        names = [rank.name for rank in hosts if (rank.summary.totals["exposed"] is not None) is known]
        if names:
            yield words.format("" if len(names) == len(run.rows) else f" on {_some(names)}")


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:8])
    if len(names) == 1:
        return f"rank {shown}"
    return f"ranks {shown} and {len(names) - 8:,} more" if len(names) > 8 else f"ranks {shown}"
