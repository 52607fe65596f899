"""What a diagnosis of one report can't see and several reports together show: who waits for whom."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tui.commands.shared import many

if TYPE_CHECKING:
    from tui.analysis.diagnosis import Diagnosis


LONGEST = 200
"""Characters of the reports' names that a command to be copied holds."""


@dataclass(frozen=True)
class OverRanks:
    """What several ranks come to together."""

    lines: tuple[str, ...]
    """For people: the verdict, why, and the commands that show it."""
    document: dict[str, Any]
    failed: str | None
    """Why the check fails that ``--fail-on`` asks for."""


def over_ranks(args: argparse.Namespace, opened: many.OpenSet) -> OverRanks | None:
    """Judge the ranks of a set; None for a set without several ranks that ran together."""
    from tui.output.ranks_json import alignment_object, efficiency_object, straggler_object
    from tui.ranks.reduce import judge
    from tui.ranks.straggler import Kind
    from tui.ranks.words import verdicts
    from tui.text.numbers import percent
    from tui.text.shell import path_word

    if not any(len(run.ranks) > 1 for run in opened.ranks.runs):
        return None
    judged = judge(opened.ranks)
    reports = " ".join(path_word(name) for name in args.inputs)
    if len(reports) > LONGEST:
        reports = "REPORT..."
    commands = [f"nsystui ranks {reports}", f"nsystui collectives {reports} --instances"]
    pinned = [run for run in judged.runs if run.verdict.kind is Kind.PINNED]
    if pinned:
        commands.insert(1, f"nsystui pace {reports} --by phase")
    shares = [percent(run.cost_ns, run.verdict.window_ns) or 0.0 for run in pinned]
    costly = any(share >= args.fail_on for share in shares)
    failed = f"late ranks: {args.fail_on:g} % or more of the time" if costly else None
    runs = [
        {
            "run": run.run.label or None,
            "alignment": alignment_object(run),
            "straggler": straggler_object(run),
            "efficiency": efficiency_object(run),
        }
        for run in judged.runs
    ]
    lines = (*verdicts(judged, efficiency=True), *(f"  {command}" for command in commands))
    return OverRanks(lines, {"runs": runs, "commands": commands}, failed)


def beside_others(diagnosis: Diagnosis) -> Diagnosis:
    """The diagnosis without what it says only for want of the other ranks' reports."""
    from tui.analysis.faults.capture_quality import ONE_RANK, ONLY_SUSPECTED

    return replace(
        diagnosis,
        findings=tuple(finding for finding in diagnosis.findings if finding.fault != ONE_RANK),
        checked=tuple(finding for finding in diagnosis.checked if finding.fault != ONE_RANK),
        not_assessable=tuple(
            unknown for unknown in diagnosis.not_assessable if unknown.reason != ONLY_SUSPECTED
        ),
    )
