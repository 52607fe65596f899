"""Overview of a set: who is late and why, what a usual step is made of, and how sure all of that is."""

from __future__ import annotations

from collections.abc import Iterator

from tui.analysis.table import Column, Unit
from tui.browse.page import Page, Section, table_of
from tui.browse.ranks.reasons import usual_reasons
from tui.browse.ranks.rows import MUCH, rank_finder, ranks_of
from tui.browse.ranks.scene import Scene
from tui.ranks.judged import Judged, JudgedRun, RankRow
from tui.ranks.rank_table import by_lateness, for_people, rank_table, run_name
from tui.ranks.words import alignment_text, verdict_lines
from tui.text.numbers import percent, plural
from tui.text.times import rough

WAITING = ("Still summing up", "figures over ranks need every report: they come with the last one")
_PARTS = {
    "compute": "compute", "transfer": "exposed transfer", "wait": "exposed wait for others",
    "unsplit": "exposed, not split", "copies": "copies only", "other": "other GPU work",
    "unknown": "unrecorded", "idle": "idle",
}  # fmt: skip
_SHORT = {
    "rank": "rank", "own_ns": "own", "exposed_wait_ns": "wait", "times_last": "last",
    "compute_ns": "compute", "idle_ns": "idle",
}  # fmt: skip
REASONS = 3
"""How many reasons for idle time are listed below it."""


def waiting(scene: Scene) -> Page:
    """What there is to say before the last report has been summed up."""
    title, text = WAITING
    return [Section(title, lines=(f"{scene.arrived:,} of {scene.reports:,} reports", text))]


def overview_page(scene: Scene) -> Page:
    """Show what matters at first sight."""
    judged = scene.judged
    if not isinstance(judged, Judged):
        return waiting(scene)
    sections: list[Section] = []
    for run in judged.runs:
        name = run_name(run, judged)
        lead = f"Run {name}: " if name else ""
        sections.append(Section(f"{lead}Straggler", lines=tuple(verdict_lines(run))))
        step = step_section(run, lead)
        sections += [step] if step is not None else []
    sections += [ranks_section(scene, judged), *efficiency_sections(judged)]
    sections.append(Section("Clocks", lines=tuple(clock_lines(judged))))
    warnings = tuple(warning_lines(scene))
    return [*sections, Section("Warnings", lines=warnings)] if warnings else sections


def median_row(run: JudgedRun) -> RankRow | None:
    """The rank whose own time of a step is the median; None where none is known."""
    known = [row for row in run.rows if row.usual is not None]
    known.sort(key=lambda row: _own(row))
    return known[(len(known) - 1) // 2] if known else None


def _own(row: RankRow) -> int:
    assert row.usual is not None
    return row.usual.step if row.usual.own is None else row.usual.own


def step_section(run: JudgedRun, lead: str) -> Section | None:
    """What the usual step of the median rank is made of; its idle time by reason."""
    row = median_row(run)
    if row is None or row.usual is None:
        return None
    usual = row.usual
    rows: list[tuple[str, int | None]] = []
    if usual.host is not None:
        rows.append(("host code outside MPI", usual.host))
    for key, words in _PARTS.items():
        value = usual.parts[key]
        if value is None or (not value and key in ("unsplit", "other", "unknown", "copies")):
            continue
        rows.append((words.replace("exposed", "MPI") if row.rank.summary.host_only else words, value))
        if key == "idle":
            rows += [(f"  {reason}", ns) for reason, ns in usual_reasons(row.rank.summary, value, REASONS)]
    what = "step" if row.steps else "window"
    rows.append((what, usual.step))
    table = table_of(
        "rank_step",
        Column("", "part", Unit.TEXT, [name for name, _ in rows]),
        Column("", "ns", Unit.NS, [ns for _, ns in rows]),
        Column("%", "pct", Unit.PCT, [percent(ns or 0, usual.step) for _, ns in rows]),
    )
    return Section(f"{lead}The median rank's {what}: {row.rank.name}", table)


def ranks_section(scene: Scene, judged: Judged) -> Section:
    """The ranks that the others wait for most."""
    rows = by_lateness(judged)
    table = for_people(rank_table(judged, rows[:MUCH]), _SHORT)
    return Section(
        "Ranks, latest first", table, find=rank_finder(scene, ranks_of(scene, judged, rows[:MUCH]))
    )


def efficiency_sections(judged: Judged) -> Iterator[Section]:
    """The factors of each run whose devices are known."""
    for run in judged.runs:
        of = run.efficiency
        if of.parallel is None:
            continue
        factors = (
            ("balance", of.load_balance), ("comm", of.communication), ("orchestration", of.orchestration)
        )  # fmt: skip
        product = " x ".join(f"{name} {value:.3f}" for name, value in factors if value is not None)
        lines = [f"parallel eff. {of.parallel:.3f} = {product}"]
        if of.own_balance is not None:
            lines.append(f"balance of own work {of.own_balance:.3f}")
        lines.append(f"{plural(of.devices, 'device')} over {of.basis}; 0.8 and more is usually called good")
        yield Section("Efficiency", lines=tuple(lines))


def clock_lines(judged: Judged) -> Iterator[str]:
    """How each domain's clock lies to the axis."""
    for run in judged.runs:
        alignment = run.alignment
        if text := alignment_text(run):
            yield text
        for clock, domain in zip(alignment.domains, alignment.clocks.domains, strict=True):
            if clock.measured and len(alignment.domains) > 1:
                name = domain.host or f"report {domain.members[0] + 1}"
                way = "behind" if clock.offset_ns > 0 else "ahead"
                off = f"{rough(abs(clock.offset_ns))} {way}" if clock.offset_ns else "reference"
                yield f"{name}: {off}, from {plural(clock.anchors, 'collective')}"
    yield "waits come from durations, not from clocks"


def warning_lines(scene: Scene) -> Iterator[str]:
    """What is missing, broken or doubtful."""
    missing = [absent.title for absent in scene.absent if absent.number is not None]
    broken = [absent.title for absent in scene.absent if absent.number is None]
    if missing:
        yield _some(missing) + (" has no report" if len(missing) == 1 else " have no report")
    if broken:
        yield _some(broken) + " can't be used: tab Notes says why"
    doubts: dict[str, int] = {}
    for facts in scene.ranks:
        report = scene.judged.rank_set.report_of(facts.rank)
        if report.doubtful:
            doubts[facts.title] = report.doubtful
    if doubts:
        yield "; ".join(
            f"{title}: {plural(count, 'doubtful row')}" for title, count in list(doubts.items())[:5]
        )


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5:,} more" if len(names) > 5 else "")
