"""How often the diagnosis is right: generated captures in many guises, and what is found first in each.

A capture is judged by three questions. Is the costliest fault found first (in a healthy run: nothing)? Is
nothing found that isn't there, and is said to cost a percent or more? Is the cost that of the truth?
"""

from __future__ import annotations

import fnmatch
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui.commands.shared.capture_generator import load_variants
from tui.errors import CheckFailed, NothingThere
from tui.text.numbers import percent, plural

if TYPE_CHECKING:
    from tui.analysis.diagnosis import Diagnosis

NOTHING = "-"
"""Instead of a finding: none that costs anything."""
UNEXPLAINED = "unexplained-idle"
"""Says that the device idles and nothing explains it: less than could be said perhaps, but never false."""
TOLERANCE = 0.1
"""How far from the truth a cost may be."""
FALSE_PCT = 1.0
"""A finding that costs less than this is not held against the diagnosis."""
GOALS = (97.0, 98.0, 95.0)
"""Percent: found first, nothing false, cost right."""
FIGURES = (
    "first finding right",
    "no false finding of 1 % or more",
    "cost within 10 % of the truth, where a fault has one",
)
MARK = "<!-- the figures below are written by `nsystui diagnose --matrix -o docs/diagnosis.md` -->"


@dataclass(frozen=True)
class Judgement:
    """One variant, and how its diagnosis compares with the truth."""

    name: str
    kind: str
    expected: tuple[str, ...]
    """What is right to be found first."""
    first: str
    truth_ns: int
    """What the fault costs; 0 without one."""
    found_ns: int | None
    """What its finding says; None where it was not found."""
    false: tuple[str, ...]
    """Findings of ``FALSE_PCT`` or more that are not true of the capture."""
    called_healthy: bool
    whole: bool
    """Whether all device work is in the capture; a capture that lacks some is not to be called healthy."""

    @property
    def first_right(self) -> bool:
        """Whether what was found first is what should be."""
        return self.first in self.expected and (self.whole or not self.called_healthy)

    @property
    def ratio(self) -> float | None:
        """The cost found over the true one; None where there is none to compare."""
        return self.found_ns / self.truth_ns if self.truth_ns and self.found_ns is not None else None

    @property
    def cost_right(self) -> bool | None:
        """Whether the cost is that of the truth; None where there is none, or little enough to be silent."""
        if not self.truth_ns or (NOTHING in self.expected and self.found_ns is None):
            return None
        return self.ratio is not None and abs(self.ratio - 1) <= TOLERANCE

    @property
    def right(self) -> bool:
        """Whether all three answers are right."""
        return self.first_right and not self.false and self.cost_right is not False

    def words(self) -> str:
        """Return the judgement as one line."""
        ratio = "" if self.ratio is None else f", cost {self.ratio:.2f} of the truth"
        false = f", false: {', '.join(self.false)}" if self.false else ""
        healthy = ", called healthy" if not self.whole and self.called_healthy else ""
        return f"{self.name}: {self.first} instead of {' or '.join(self.expected)}{ratio}{false}{healthy}"


def judge_variant(name: str, truth: Any, diagnosis: Diagnosis) -> Judgement:
    """Compare a diagnosis with the truth of a generated variant."""
    from tui.analysis.diagnosis import Kind

    findings = [f for f in diagnosis.findings if not f.minor]
    costing = [f for f in findings if f.cost_ns is not None]
    first = next((f.fault for f in costing), NOTHING)
    if first == NOTHING:  # a shortcoming of the capture is found without a cost
        first = next((f.fault for f in findings if f.fault in truth.first), NOTHING)
    alike = {truth.fault, *truth.first} if truth.fault in truth.first else {truth.fault}
    named = [f for f in costing if f.fault in alike]
    named.sort(key=lambda f: f.fault != truth.fault)
    true = {*truth.first, *truth.further, UNEXPLAINED}
    return Judgement(
        name=name,
        kind=truth.kind,
        expected=truth.first,
        first=first,
        truth_ns=truth.cost_ns,
        found_ns=named[0].cost_ns if named else None,
        false=tuple(f.fault for f in costing if (f.cost_pct or 0) >= FALSE_PCT and f.fault not in true),
        called_healthy=diagnosis.verdict.kind is Kind.HEALTHY,
        whole=truth.whole,
    )


def judge_all(
    pattern: str | None = None, told: Callable[[Judgement], None] = lambda judgement: None
) -> list[Judgement]:
    """Generate, diagnose and judge the variants whose name has ``pattern`` in it (or fits it, as a glob)."""
    return list(_judged(pattern, told))


def _judged(pattern: str | None, told: Callable[[Judgement], None]) -> Iterator[Judgement]:
    from tui.analysis.diagnosis import diagnose
    from tui.analysis.index import Index
    from tui.report import open_report

    chosen = [v for v in load_variants().variants() if _fits(v.name, pattern)]
    if not chosen:
        raise NothingThere(
            f"no variant has {pattern!r} in its name; `python -m fixtures variants` lists them"
        )
    with tempfile.TemporaryDirectory(prefix="nsystui-matrix-") as folder:
        path = Path(folder) / "variant.sqlite"
        for variant in chosen:
            truth = variant.build(path)
            judgement = judge_variant(
                variant.name, truth, diagnose(Index(open_report(path, use_store=False)))
            )
            told(judgement)
            yield judgement


def _fits(name: str, pattern: str | None) -> bool:
    return not pattern or pattern in name or fnmatch.fnmatchcase(name, pattern)


def figures(judgements: Sequence[Judgement]) -> tuple[float | None, float | None, float | None]:
    """Return the three figures in percent, as ``FIGURES`` names them; None where nothing counts for one."""
    costs = [j.cost_right for j in judgements if j.cost_right is not None]
    return (
        percent(sum(j.first_right for j in judgements), len(judgements)),
        percent(sum(not j.false for j in judgements), len(judgements)),
        percent(sum(costs), len(costs)),
    )


HEADS = ("made with", "variants", "first right", "nothing false", "cost right", "found first")


def confusion(judgements: Sequence[Judgement]) -> list[tuple[str, ...]]:
    """Return a row for each kind, in the order in which kinds come: what it was made with, what was found."""
    rows: list[tuple[str, ...]] = []
    for kind in dict.fromkeys(j.kind for j in judgements):
        own = [j for j in judgements if j.kind == kind]
        costs = [j.cost_right for j in own if j.cost_right is not None]
        found = Counter("nothing" if j.first == NOTHING else j.first for j in own).most_common()
        rows.append(
            (
                kind,
                f"{len(own)}",
                f"{sum(j.first_right for j in own)}",
                f"{sum(not j.false for j in own)}",
                f"{sum(costs)} of {len(costs)}" if costs else "",
                ", ".join(f"{name} {count}" for name, count in found),
            )
        )
    return rows


def summary(judgements: Sequence[Judgement]) -> list[str]:
    """Return the figures as lines, and how many healthy runs were called so."""
    healthy = [j for j in judgements if j.expected == (NOTHING,) and j.whole]
    called = sum(j.called_healthy for j in healthy)
    lines = [
        f"{name}: {value:.1f} % (goal: {goal:g} %)"
        for name, value, goal in zip(FIGURES, figures(judgements), GOALS, strict=True)
        if value is not None
    ]
    return [*lines, f"called healthy: {called} of {plural(len(healthy), 'run')} with nothing wrong"]


def markdown(judgements: Sequence[Judgement]) -> str:
    """Return the figures and the table as a part of a page."""
    rows = [HEADS, ("---", *["--:"] * 4, "---"), *confusion(judgements)]
    table = ["| " + " | ".join(row) + " |" for row in rows]
    listed = [f"- {line}" for line in summary(judgements)]
    return "\n".join([f"{plural(len(judgements), 'variant')}.", "", *listed, "", *table, ""])


def keep(judgements: Sequence[Judgement], path: Path) -> None:
    """Write the figures into a page, in place of the last ones. NothingThere: it has no mark for them."""
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    before, mark, _ = text.partition(MARK)
    if not mark:
        raise NothingThere(f"{path} has no line {MARK!r}")
    path.write_text(f"{before}{MARK}\n\n{markdown(judgements)}", encoding="utf-8")


def print_variants(pattern: str | None, page: str, *, wrong: bool) -> int:
    """Judge the variants, print the table, write it to ``page`` unless that is ``-``.

    ``wrong``: list those judged wrongly by name, as they come. CheckFailed below the goals.
    """

    def tell(judgement: Judgement) -> None:
        if wrong and not judgement.right:
            print(f"WRONG {judgement.words()}", flush=True)

    judgements = judge_all(pattern, tell)
    rows = [HEADS, *confusion(judgements)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEADS))]
    for row in rows:
        numbers = "  ".join(cell.rjust(width) for cell, width in zip(row[1:5], widths[1:5], strict=True))
        print(f"{row[0]:<{widths[0]}}  {numbers}  {row[5]}")
    print(f"\n{plural(len(judgements), 'variant')}", *summary(judgements), sep="\n")
    if page != "-":
        keep(judgements, Path(page))
    missed = [
        name
        for name, value, goal in zip(FIGURES, figures(judgements), GOALS, strict=True)
        if value is not None and value < goal
    ]
    if missed:
        raise CheckFailed(f"below the goal: {'; '.join(missed)}")
    return 0
