"""Sets of reports as JSON: integers in nanoseconds, unknown as null."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from tui.analysis.table import Table
from tui.output.json_text import records
from tui.ranks.arrivals import Level
from tui.ranks.collective_table import collectives_table
from tui.ranks.judged import Judged, JudgedRun
from tui.ranks.pace import pace_of_ranks
from tui.ranks.pace_table import pace_table
from tui.ranks.rank_table import by_number, rank_table
from tui.ranks.straggler import Standing
from tui.ranks.why import Excess
from tui.text.numbers import hundredths, percent


def set_object(judged: Judged) -> dict[str, Any]:
    """What the set holds, and what is missing from it."""
    rank_set = judged.rank_set
    expected = [run.run.expected for run in judged.runs]
    return {
        "reports": len(rank_set.members),
        "runs": len(rank_set.runs),
        "ranks": len(rank_set.ranks),
        "expected_ranks": None if None in expected else sum(n for n in expected if n is not None),
        "missing": sorted({number for run in rank_set.runs for number in run.missing}),
        "broken": [{"report": str(member.path), "error": member.error} for member in rank_set.broken],
    }


def alignment_object(run: JudgedRun) -> dict[str, Any]:
    """How the ranks of a run are brought to one axis."""
    alignment = run.alignment
    uncertainty = alignment.uncertainty_ns
    return {
        "mode": alignment.mode.value,
        "uncertainty_ns": None if uncertainty is None else round(uncertainty),
        "reference": reference_of(run),
    }


def reference_of(run: JudgedRun) -> str | None:
    """The rank whose clock is the axis's; None where nothing relates the clocks."""
    if not run.alignment.related or not run.rows:
        return None
    domains = run.alignment.clocks.domains
    reference = min(domains, key=lambda domain: (-len(domain.ranks), min(domain.ranks)))
    return run.rows[min(reference.ranks)].rank.name


def window_object(run: JudgedRun) -> dict[str, Any] | None:
    """The time that the figures are about, on the common axis."""
    steps = np.flatnonzero(run.compared)
    start, end = (None, None) if run.window is None else run.window
    return {
        "start_ns": start,
        "end_ns": end,
        "first_step": int(steps[0]) + 1 if len(steps) else None,
        "last_step": int(steps[-1]) + 1 if len(steps) else None,
        "steps": len(steps),
        "warm_up_steps": run.grid.warm_up,
    }


def efficiency_object(run: JudgedRun) -> dict[str, Any]:
    """Balance and efficiency: shares from 0 to 1."""
    found = asdict(run.efficiency)
    return {k: round(v, 4) if isinstance(v, float) else v for k, v in found.items()}


def straggler_object(run: JudgedRun) -> dict[str, Any]:
    """Who is late, how often, at what cost, and why."""
    verdict = run.verdict
    first = verdict.who[0] if verdict.who else None
    told = verdict.chosen.resolved > 0
    return {
        "verdict": verdict.kind.value,
        "level": verdict.level.value,
        "who": [_name(run, standing, verdict.level) for standing in verdict.who],
        "pinned": [_pinned(run, standing, verdict.level) for standing in verdict.who],
        "times_last": first.times_last if first else None,
        "instances": verdict.chosen.resolved,
        "unresolved": verdict.chosen.unresolved,
        "share_pct": hundredths(100 * first.share) if first and first.share is not None else None,
        "expected_pct": hundredths(100 * first.expected) if first else None,
        "cost_ns": run.cost_ns if told else None,
        "cost_pct": hundredths(percent(run.cost_ns, verdict.window_ns)) if told else None,
        "partial": verdict.partial,
        "why": why_objects(run.why),
    }


def _name(run: JudgedRun, standing: Standing, level: Level) -> str | int:
    """The number of a rank, where it has one; the name of a host; the place of a position."""
    if level is Level.POSITION and standing.name.isdecimal():
        return int(standing.name)
    number = run.run.ranks[standing.rank].number if standing.rank is not None else None
    return standing.name if number is None else number


def _pinned(run: JudgedRun, standing: Standing, level: Level) -> dict[str, Any]:
    return {
        level.value: _name(run, standing, level),
        "times_last": standing.times_last,
        "instances": standing.instances,
        "share_pct": hundredths(100 * standing.share) if standing.share is not None else None,
        "expected_pct": hundredths(100 * standing.expected),
        "cost_ns": run.costs[standing.name],
        "caused_ns": standing.caused_ns,
    }


def why_objects(why: Sequence[Excess]) -> list[dict[str, Any]]:
    """Excesses; class, call and phase are those of the part that explains most."""
    found = []
    for excess in why:
        parts = [dict(zip(("class", "call", "phase"), part.reason, strict=True)) for part in excess.parts]
        first = parts[0] if parts else {"class": None, "call": None, "phase": None}
        more = [
            {"excess_ns": part.excess_ns, **reason} for part, reason in zip(excess.parts, parts, strict=True)
        ]
        found.append(
            {
                "kind": excess.kind,
                "excess_ns": excess.excess_ns,
                **first,
                "detail": excess.detail,
                "parts": more,
            }
        )
    return found


def ranks_document(judged: Judged, notes: Sequence[str], groups: Table | None = None) -> dict[str, Any]:
    """The ranks of a set, the verdict and the efficiency. Several runs have these each in ``runs``.

    ``groups``: the table of hosts or positions, instead of the ranks.
    """
    each = [
        {
            "run": run.run.label or None,
            "alignment": alignment_object(run),
            "window": window_object(run),
            "efficiency": efficiency_object(run),
            "straggler": straggler_object(run),
        }
        for run in judged.runs
    ]
    keys = ("alignment", "window", "efficiency", "straggler")
    single = {key: each[0][key] if len(each) == 1 else None for key in keys}
    rows = {"ranks": _rank_rows(judged)} if groups is None else {"groups": records(groups)}
    more = {"runs": each} if len(each) > 1 else {}
    return {"set": set_object(judged), **single, **more, **rows, "notes": list(notes)}


def _rank_rows(judged: Judged) -> list[dict[str, Any]]:
    rows = by_number(judged)
    found = records(rank_table(judged, rows))
    for entry, (_, row) in zip(found, rows, strict=True):
        entry["name"] = entry["rank"]
        entry["rank"] = row if isinstance(row, int) else row.rank.number
        if not isinstance(row, int):
            entry["devices"] = list(row.gpus)
            entry["why"] = why_objects(row.why)
    return found


def ranks_in(rows: list[dict[str, Any]], judged: Judged) -> list[dict[str, Any]]:
    """The rows with ranks as numbers, where they have some, and answers as booleans."""
    numbers = {rank.name: rank.number for rank in judged.rank_set.ranks if rank.number is not None}
    answers = {"yes": True, "no": False}
    for row in rows:
        for key in ("rank", "slowest", "own_slowest", "mpi_slowest", "device_slowest", "last", "resolved"):
            if isinstance(value := row.get(key), str):
                row[key] = numbers.get(value, answers.get(value, value))
        if "pinned" in row:
            row["pinned"] = [numbers.get(name, name) for name in (row["pinned"] or "").split(", ") if name]
    return rows


def pace_document(judged: Judged, notes: Sequence[str], rows: Table | None = None) -> dict[str, Any]:
    """The pace of every run. ``rows``: instead of the steps, of a (rank, step) or of the phases."""
    sequences = []
    for run in judged.runs:
        alone = Judged(judged.rank_set, (run,))
        steps = ranks_in(records(pace_table(alone)), judged)
        for step in steps:
            step["run"] = run.run.label or None
            step["outlier"] = bool(run.pace.outlier[step["step"] - 1])
        sequences.append({"run": run.run.label or None, "steps": steps, "ranks": _paces(run)})
    single = judged.runs[0] if len(judged.runs) == 1 else None
    names = dict.fromkeys(rank.summary.step_name for run in judged.runs for rank in run.run.ranks)
    names.pop(None, None)
    more = {} if rows is None else {"rows": ranks_in(records(rows), judged)}
    return {
        "set": set_object(judged),
        "alignment": alignment_object(single) if single else None,
        "step_name": next(iter(names), None),
        "warm_up": list(range(1, 1 + (single.grid.warm_up if single else 0))),
        "sequences": sequences,
        **more,
        "notes": list(notes),
    }


def _paces(run: JudgedRun) -> list[dict[str, Any]]:
    found = []
    for row, pace in zip(run.rows, pace_of_ranks(run.grid), strict=True):
        spread = pace.spread
        found.append(
            {
                "rank": row.rank.number,
                "name": row.rank.name,
                "steps": spread.count if spread else 0,
                "median_ns": spread.median_ns if spread else None,
                "mad_ns": spread.mad_ns if spread else None,
                "p95_ns": spread.p95_ns if spread else None,
                "outliers": (pace.outliers + 1).tolist(),
                "drift_ns_per_step": None if pace.drift_ns is None else round(pace.drift_ns, 1),
                "lag_ns": pace.lag_ns,
            }
        )
    return found


def collectives_document(judged: Judged, notes: Sequence[str], rows: Table | None = None) -> dict[str, Any]:
    """The communication of a set. ``rows``: instead of the kinds, instances or participants."""
    single = judged.runs[0] if len(judged.runs) == 1 else None
    communicators = [
        {
            "run": run.run.label or None,
            "communicator": communicator.label,
            "ranks": [run.rows[rank].rank.name for rank in communicator.ranks],
            "expected": communicator.expected,
            "match": communicator.match.value,
            "instances": len(communicator),
            "ambiguous": communicator.ambiguous,
            "unmatched": {
                run.rows[p.rank].rank.name: p.unmatched for p in communicator.participants if p.unmatched
            },
        }
        for run in judged.runs
        for communicator in run.matched.communicators
    ]
    return {
        "set": set_object(judged),
        "alignment": alignment_object(single) if single else None,
        "communicators": communicators,
        "unmatched": {
            row.rank.name: run.matched.unmatched(at)
            for run in judged.runs
            for at, row in enumerate(run.rows)
            if run.matched.unmatched(at)
        },
        "rows": ranks_in(records(collectives_table(judged) if rows is None else rows), judged),
        "notes": list(notes),
    }
