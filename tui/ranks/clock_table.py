"""The table of clocks: how each report's times were brought to the common axis, and how sure that is."""

from __future__ import annotations

from typing import Any

from tui.analysis.table import Column, Table, Unit
from tui.ranks.alignment import DomainClock
from tui.ranks.clocks import Domain
from tui.ranks.judged import Judged, JudgedRun
from tui.ranks.rank_table import run_name


def clock_table(judged: Judged) -> Table:
    """One row a report of each run, by domain."""
    rows = [
        (run, number, member)
        for run in judged.runs
        for number, domain in enumerate(run.alignment.clocks.domains)
        for member in domain.members
    ]
    columns = [Column("Run", "run", Unit.TEXT, [run_name(run, judged) for run, _, _ in rows], 6, "-")]
    for header, key, unit, rank, cell in (
        ("Report", "report", Unit.TEXT, 0, _report),
        ("Host", "host", Unit.TEXT, 0, lambda j, r, d, m: r.alignment.clocks.domains[d].host),
        ("Domain", "domain", Unit.ID, 3, lambda j, r, d, m: d + 1),
        ("UTC at start (ns)", "utc_start_ns", Unit.NS, 5, _utc),
        ("Offset (ns)", "offset_ns", Unit.NS, 0, lambda j, r, d, m: _clock(r, d).offset_ns),
        ("Spread (ns)", "spread_ns", Unit.NS, 2, lambda j, r, d, m: _whole(_clock(r, d).spread_ns)),
        ("Uncertainty (ns)", "uncertainty_ns", Unit.NS, 0, _uncertainty),
        ("Drift (ppm)", "drift_ppm", Unit.DECIMAL, 4, lambda j, r, d, m: round(_clock(r, d).drift_ppm, 1)),
        ("Anchors", "anchors", Unit.COUNT, 1, lambda j, r, d, m: _clock(r, d).anchors),
        ("Dropped", "dropped", Unit.COUNT, 4, lambda j, r, d, m: _clock(r, d).dropped),
        ("Violations", "violations", Unit.COUNT, 3, lambda j, r, d, m: _clock(r, d).violations),
        ("Method", "method", Unit.TEXT, 1, lambda j, r, d, m: method_of(r, d)),
    ):  # fmt: skip
        columns.append(Column(header, key, unit, [cell(judged, *row) for row in rows], rank, "-"))
    return Table("clocks", "Clocks of the reports", tuple(columns))


def _clock(run: JudgedRun, number: int) -> DomainClock:
    return run.alignment.domains[number]


def _uncertainty(judged: Judged, run: JudgedRun, number: int, member: int) -> int | None:
    return _whole(_clock(run, number).uncertainty_ns)


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)


def _report(judged: Judged, run: JudgedRun, number: int, member: int) -> str:
    return judged.rank_set.members[member].path.name


def _utc(judged: Judged, run: JudgedRun, number: int, member: int) -> Any:
    summary = judged.rank_set.members[member].summary
    return None if summary is None else summary.identity.get("utc_ns")


def method_of(run: JudgedRun, number: int) -> str:
    """How the reports of a domain are related, to each other and to the axis: ``system + collectives``."""
    domain: Domain = run.alignment.clocks.domains[number]
    within = [domain.relation.value.removesuffix(" clock")] if len(domain.members) > 1 else []
    if not run.alignment.related:
        among = "unrelated"
    else:
        among = "collectives" if _clock(run, number).measured else run.alignment.mode.value
    return " + ".join([*within, among])
