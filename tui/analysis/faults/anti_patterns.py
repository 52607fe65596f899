"""The rules of ``nsys analyze``, each once: under the fault that covers it, else on its own."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.faults.shape import Claim, Confidence, Evidence, Found, Lost
from tui.analysis.rules import RULES, RuleLimits
from tui.report.columns import Int64
from tui.text.numbers import plural
from tui.text.times import show_duration

COVERED_BY = {
    "cuda_memcpy_async": ("pageable-copies", "checkpoint-stall", "hidden-sync"),
    "cuda_memcpy_sync": ("blocking-copies", "checkpoint-stall", "hidden-sync"),
    "cuda_memset_sync": (),
    "cuda_api_sync": ("hidden-sync",),
}
"""Rule -> the faults that say the same with a cost. Gaps and low use are what every other fault is about."""


@dataclass(frozen=True)
class Hit:
    """What one rule found."""

    rule: str
    evidence: Evidence
    start: Int64
    end: Int64


def hits(case: Case) -> list[Hit]:
    """The rules that found something in the window."""
    found = []
    # A window that was not chosen means everything recorded to a rule; here it is the window under study.
    scope = replace(case.scope, window=replace(case.window, chosen=True))
    for name in COVERED_BY:
        rule = RULES[name]
        if not rule.has_data(case.index, scope):
            continue
        result = rule.compute(case.index, scope, RuleLimits())
        if not len(result.table):
            continue
        columns = {c.key: c.values for c in result.table.columns}
        start = np.asarray(columns["start_ns"], np.int64)
        end = start + np.asarray(columns["duration_ns"], np.int64)
        evidence = Evidence(
            f"nsys's rule {name} lists "
            f"{plural(len(start), 'call' if name == 'cuda_api_sync' else 'operation')}, "
            f"{show_duration(int((end - start).sum()))} in all",
            len(start),
            "count",
            case.commands.analyze(name),
            int(start[0]),
            int(end[0]),
        )
        found.append(Hit(name, evidence, start, end))
    return found


def finding(case: Case, hit: Hit, drain: str | None) -> Found:
    """A rule's hits as a finding of their own, charged with copies' time alone on the device, if any.

    ``drain``: what the only hit is, where it is the wait after the last step.
    """
    rule = RULES[hit.rule]
    claims: tuple[Claim, ...] = ()
    if hit.rule != "cuda_api_sync":
        claims = tuple(
            Claim(d.index, Lost.SERIALISED, case.alone(d.index, hit.start, hit.end)) for d in case.devices
        )
    return Found(
        fault=hit.rule,
        title="the only wait for the device is the final drain"
        if drain
        else f"{rule.title[0].lower()}{rule.title[1:]}, which cost little here",
        evidence=(hit.evidence,),
        confidence=Confidence.HIGH,
        reasons=(drain,)
        if drain
        else ("the rule's pattern is there; the device had other work at the time",),
        also_possible=(),
        advice=(rule.advice,),
        confirm=case.commands.capture("cuda,nvtx"),
        claims=claims,
        minor=True,
    )
