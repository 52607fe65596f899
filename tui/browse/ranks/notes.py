"""What a set lacks and rests on, and what costs its steps most."""

from __future__ import annotations

from collections.abc import Iterator

from tui.analysis.table import Column, Unit
from tui.browse.page import Page, Section, table_of
from tui.browse.ranks.overview import median_row, waiting
from tui.browse.ranks.reasons import over_ranks
from tui.browse.ranks.rows import first_of, rank_finder
from tui.browse.ranks.scene import Scene
from tui.ranks.judged import Judged, JudgedRun
from tui.ranks.straggler import Kind
from tui.ranks.words import run_notes, verdict_lines
from tui.text.numbers import percent, plural
from tui.text.times import rough

LISTED = 12
"""How many reasons for idle time the diagnosis lists."""
WORTH = 1.0
"""Percent of a step from which on a part of it is a finding."""


def notes_page(scene: Scene) -> Page:
    """What is missing or broken, what the figures rest on, what each report notes."""
    absent = [f"{absent.title}: {absent.reason}" for absent in scene.absent]
    sections = [Section("Missing and broken", lines=tuple(absent))] if absent else []
    judged = scene.judged
    if not isinstance(judged, Judged):
        return [*sections, *waiting(scene)]
    sections.append(Section("What the figures rest on", lines=(*judged.rank_set.notes, *run_notes(judged))))
    said: dict[str, list[str]] = {}
    for member in judged.rank_set.members:
        for note in member.summary.notes if member.summary is not None else ():
            said.setdefault(note, []).append(member.path.name)
    notes = tuple(f"{_reports(names)}: {note}" for note, names in said.items())
    return [*sections, Section("Notes of the reports", lines=notes)] if notes else sections


def _reports(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1:,} more"


def diagnosis_page(scene: Scene) -> Page:
    """What a step loses over all ranks, most costly first, and why the ranks are idle."""
    judged = scene.judged
    if not isinstance(judged, Judged):
        return waiting(scene)
    sections: list[Section] = []
    for run in judged.runs:
        found = sorted(findings(run), key=lambda finding: -finding[0])
        table = table_of(
            "rank_findings",
            Column("finding", "finding", Unit.TEXT, [words for _, words in found]),
            Column("a step", "cost_ns", Unit.NS, [cost for cost, _ in found]),
            Column("%", "cost_pct", Unit.PCT, [percent(cost, run.step_ns or 0) for cost, _ in found]),
        )
        lines = tuple(verdict_lines(run))
        sections.append(
            Section("Over the ranks", table, lines, empty="nothing costs 1 % of a step", least=24)
        )
        sections += reason_sections(scene, judged, run)
    own = "R opens a rank's report: its own diagnosis, with evidence, is on its last tab"
    return [*sections, Section("Of one rank", lines=(own,))]


def reason_sections(scene: Scene, judged: Judged, run: JudgedRun) -> Iterator[Section]:
    """Why the ranks of a run are idle in their steps; nothing where that is not known."""
    reasons = over_ranks([row.rank.summary for row in run.rows])[:LISTED]
    if not reasons:
        return
    first = first_of(judged, run)
    table = table_of(
        "rank_reasons",
        Column("cause", "cause", Unit.TEXT, [r.reason.cause for r in reasons]),
        Column("call", "call", Unit.TEXT, [r.reason.call or None for r in reasons], blank="-"),
        Column("phase", "phase", Unit.TEXT, [r.reason.phase or None for r in reasons], blank="-"),
        Column("median", "median_ns", Unit.NS, [r.median for r in reasons]),
        Column("most", "max_ns", Unit.NS, [r.most for r in reasons]),
        Column("rank", "rank", Unit.TEXT, [run.rows[r.rank].rank.name for r in reasons]),
    )
    find = rank_finder(scene, [first + r.rank for r in reasons])
    yield Section("Why ranks are idle in a step", table, find=find)


def findings(run: JudgedRun) -> Iterator[tuple[int, str]]:
    """(ns a step, words) of what costs a step at least a hundredth."""
    row, whole = median_row(run), run.step_ns
    if row is None or row.usual is None or not whole:
        return
    names = {
        "wait": "waiting for whoever is last",
        "transfer": "exposed transfer",
        "unsplit": "exposed communication",
        "copies": "copies that no kernel covers",
        "idle": "idle",
        "unknown": "time that was not recorded",
    }
    for key, words in names.items():
        ns = row.usual.parts[key]
        if ns is not None and 100 * ns >= WORTH * whole:
            late = f" (the median rank, {row.rank.name})"
            yield ns, words + late
    for standing in run.verdict.who if run.verdict.kind is Kind.PINNED else ():
        if standing.rank is not None and (why := run.rows[standing.rank].why):
            for excess in why:
                yield excess.excess_ns, f"rank {standing.name} beyond the others: {excess.words}"
    slowest = [r for r in run.rows if r.usual is not None and r.usual.own is not None]
    if len(slowest) > 1:
        own = sorted(r.usual.own for r in slowest if r.usual is not None and r.usual.own is not None)
        spread = own[-1] - own[len(own) // 2]
        if 100 * spread >= WORTH * whole:
            whom = f"from {rough(own[0])} to {rough(own[-1])} over {plural(len(own), 'rank')}"
            yield spread, f"own work is uneven: {whom}"
