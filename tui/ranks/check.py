"""Is tonight's set within what its baseline allows, metric by metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction

from tui.ranks import limits
from tui.ranks.baseline import Baseline, Check, Number, exact, measured, per_step, plain
from tui.ranks.bootstrap import Better
from tui.ranks.metrics import Metric, Series, measure, metric_of
from tui.ranks.part_words import part_words, signed
from tui.ranks.run_record import contents, context_of
from tui.ranks.sides import Over, Side


class Outcome(Enum):
    """What came of one metric."""

    OK = "ok"
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class CheckRow:
    """One metric of the baseline. Figures are in the metric's unit, None unknown."""

    metric: str
    kind: Metric | None
    value: Number | None
    noise: Number | None
    allowance: Number | None
    limit: Number | None
    """The last figure that passes; of what may go neither up nor down, on the side to which it went."""
    measured: Number | None
    worse: Number | None
    worse_pct: float | None
    outcome: Outcome
    reason: str | None


@dataclass(frozen=True)
class Verdict:
    """All rows, and what they come to."""

    rows: tuple[CheckRow, ...]
    notes: tuple[str, ...]

    def count(self, outcome: Outcome) -> int:
        """How many rows came out so."""
        return sum(row.outcome is outcome for row in self.rows)

    @property
    def computed(self) -> bool:
        """Whether any metric of the file has a figure tonight."""
        return any(row.measured is not None for row in self.rows)


def differing(baseline: Mapping[str, object], tonight: Mapping[str, object]) -> list[str]:
    """Return what tonight's context has otherwise than the baseline's, in words."""
    found = []
    for key, words in (("gpu", "GPU"), ("ranks", "ranks"), ("step_name", "step"), ("nsys", "nsys")):
        was, now = baseline.get(key), tonight.get(key)
        if was not in (None, []) and now not in (None, []) and was != now:
            found.append(f"{words}: {_words(now)}, in the baseline {_words(was)}")
    return found


def _words(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def check(
    baseline: Baseline, checks: Sequence[Check], side: Side, over: Over, *, strict: bool = False
) -> Verdict:
    """Hold tonight's ``side`` against ``baseline``. ``strict``: too few steps fail, too."""
    explained = _what_grew(baseline, side)
    rows = [_row(baseline, rule, side, over, strict, explained) for rule in checks]
    notes = [f"not the same {text}" for text in differing(baseline.context, context_of(side, over))]
    return Verdict(tuple(rows), tuple(notes))


def _row(baseline: Baseline, rule: Check, side: Side, over: Over, strict: bool, explained: str) -> CheckRow:
    metric, value = metric_of(rule.metric), baseline.value(rule.metric)
    series: Series | str = "this version does not know it"
    if metric is not None:
        series = measure(side, metric, over)
    if metric is None or value is None or isinstance(series, str):
        reason = series if isinstance(series, str) else "the baseline has no value for it"
        outcome = Outcome.SKIPPED if rule.missing == "skip" else Outcome.FAILED
        shown = None if value is None else plain(value, metric.unit if metric else None)
        found = None
        if metric is not None and isinstance(series, Series):
            found = measured(series.runs, series.counted, metric.unit, spread=False).median
        empty = CheckRow(rule.metric, metric, shown, None, None, None, found, None, None, outcome, reason)
        return replace(empty, reason=f"{reason} (missing: {rule.missing})")
    figure = measured(series.runs, series.counted, metric.unit, spread=False)
    return judged(baseline, rule, metric, value, exact(figure.median), figure.steps, strict, explained)


def allowance(rule: Check, metric: Metric, value: Fraction, noise: Fraction) -> Fraction:
    """Return by how much a metric may be worse."""
    rel, deviations = rule.rel_pct, rule.mad
    if not rule.tolerates:
        if metric.exact:
            return Fraction(0)
        rel, deviations = 100 * limits.CHECK_SHARE.value, limits.CHECK_DEVIATIONS.value
    given = [
        None if rel is None else exact(rel) / 100 * abs(value),
        None if rule.abs is None else exact(rule.abs),
        None if deviations is None else exact(deviations) * exact(limits.MAD_TO_SIGMA.value) * noise,
    ]
    return max(each for each in given if each is not None)


def judged(
    baseline: Baseline,
    rule: Check,
    metric: Metric,
    value: Fraction,
    figure: Fraction,
    count: int,
    strict: bool,
    explained: str,
) -> CheckRow:
    """Return the row of a metric that both have. ``count``: how many steps tonight's figure is of."""
    noise = baseline.noise(rule.metric)
    room = allowance(rule, metric, value, noise)
    worse = worsening(metric, figure - value)
    away = abs(figure - value) if rule.fail == "both" else worse
    rising = (
        figure >= value
        if metric.better is Better.NEITHER or rule.fail == "both"
        else metric.better is Better.LOWER
    )
    limit = value + room if rising else value - room
    reasons = []
    if away > room:
        reasons.append(explained)
        if worse < 0:
            reasons[-1] = "better than the baseline allows (fail: both)"
    pinned = baseline.pinned.get(rule.metric)
    if rule.creep_pct is not None and pinned is not None:
        crept = worsening(metric, figure - exact(pinned))
        if crept > exact(rule.creep_pct) / 100 * abs(exact(pinned)):
            share = f"{float(100 * crept / abs(exact(pinned))):.1f} %" if pinned else "more"
            reasons.append(f"crept {share} worse than pinned (at most {rule.creep_pct} %)")
            if away <= room:
                reasons.append(explained)
    outcome = Outcome.FAILED if reasons else Outcome.OK
    if metric.per_step and count < limits.MIN_STEPS.value:
        outcome = Outcome.FAILED if strict else Outcome.INCONCLUSIVE
        few = f"{count} steps, {limits.MIN_STEPS.value:.0f} are needed"
        reasons = [f"{few} (--strict)" if strict else few]
    return CheckRow(
        metric=rule.metric,
        kind=metric,
        value=plain(value, metric.unit),
        noise=plain(noise, metric.unit),
        allowance=plain(room, metric.unit),
        limit=plain(limit, metric.unit),
        measured=plain(figure, metric.unit),
        worse=plain(away, metric.unit),
        worse_pct=round(float(100 * away / abs(value)), 2) if value else None,
        outcome=outcome,
        reason="; ".join(reason for reason in reasons if reason) or None,
    )


def worsening(metric: Metric, more: Fraction) -> Fraction:
    """Return how much worse it is that a metric is ``more`` than it was; negative: better."""
    if metric.better is Better.NEITHER:
        return abs(more)
    return -more if metric.better is Better.HIGHER else more


def _what_grew(baseline: Baseline, side: Side) -> str:
    """Return which part of a step grew most since the baseline's last run, in words; empty if none did.

    ``exposed wait +12.9 ms; rank 11 pinned: idle +86.6 ms``: of the median rank, and of whoever is late.
    """
    late = next((run.late for run in side.runs if run.late), None)
    if not baseline.runs:
        return late or ""
    last = baseline.runs[-1]
    latest, middle = contents(side)
    slowest, median = (
        _largest_part(per_step(now), was, now.host_only)
        for now, was in ((latest, last.slowest), (middle, last.middle))
    )
    if late is not None:
        return "; ".join(part for part in (median, f"{late}: {slowest}" if slowest else late) if part)
    return slowest or median or ""


def _largest_part(now: Mapping[str, int], was: Mapping[str, int], host_only: bool) -> str | None:
    """Return the part that grew most, in words; None where none did, or nothing was kept."""
    if not was:
        return None
    grown = [(now.get(part, 0) - was.get(part, 0), part) for part in dict.fromkeys([*was, *now])]
    ns, part = max(grown, default=(0, ""))
    return f"{part_words(part, host_only=host_only)} {signed(ns)}" if ns > 0 else None
