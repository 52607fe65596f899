"""The rules of ``nsys analyze`` as faults: each finding is evidence for the fault that covers it, if any."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from tui.analysis.accounts import not_idle
from tui.analysis.choices import Choices
from tui.analysis.faults.case import Case
from tui.analysis.faults.draining import drain_note
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Claim, Confidence, Evidence, Findings, Found, Lost
from tui.analysis.rules import RULES, Rule
from tui.analysis.table import Values
from tui.intervals import Coverage, Spans, intersect, total
from tui.text.numbers import plural
from tui.text.times import show_duration

COVERED_BY = {
    "cuda_memcpy_async": ("pageable-copies", "checkpoint-stall", "hidden-sync"),
    "cuda_memcpy_sync": ("blocking-copies", "checkpoint-stall", "hidden-sync"),
    "cuda_memset_sync": (),
    "cuda_api_sync": ("hidden-sync",),
}
"""Rule -> the faults that say the same at a cost. Every other fault is about gaps and low use already."""


def _examine(case: Case, rule: Rule) -> Findings:
    """Yield what a rule lists in the window, at the cost of the time that its copies run without compute."""
    # A rule lists everything recorded where no window was chosen; here it is to keep to the window.
    scope = replace(case.scope, window=replace(case.window, chosen=True))
    if not rule.has_data(case.index, scope):
        return
    table = rule.compute(case.index, Choices(scope)).table
    if not len(table):
        return
    columns = {c.key: c.values for c in table.columns}
    start = np.asarray(columns["start_ns"], np.int64)
    spans = Spans(start, start + np.asarray(columns["duration_ns"], np.int64))
    waits = rule.name == "cuda_api_sync"
    drain = drain_note(case) if waits and len(start) == 1 else None
    what = f"{rule.title[0].lower()}{rule.title[1:]}"
    title, reason = _idle_in(case, what, spans) if waits else _alone(case, what, spans, columns["device_id"])
    listed = plural(len(start), "call" if waits else "operation")
    text = f"nsys's rule {rule.name} lists {listed}, {show_duration(total(*spans))} in all"
    command = case.commands.analyze(rule.name)
    yield Found(
        title="the only wait for the device is the final drain" if drain else title,
        evidence=(Evidence(text, len(start), "count", command, int(start[0]), int(spans.end[0])),),
        confidence=Confidence.HIGH,
        reasons=(drain or reason,),
        confirm=case.commands.capture("cuda,nvtx"),
        claims=() if waits else _on_own_device(case, columns["device_id"], spans),
        minor=True,
        under=COVERED_BY[rule.name],
    )


def _alone(case: Case, what: str, spans: Spans, device_ids: Values) -> tuple[str, str]:
    """Return title and reason of these copies or memsets, each looked at for compute beside it."""
    wanted, length = np.asarray(device_ids), spans.end - spans.start
    beside = np.zeros(len(length), np.int64)
    for device in case.devices:
        here = wanted == device.cuda_id
        hidden = case.compute(device.index).between(spans.start[here], spans.end[here])
        beside[here] = np.maximum(beside[here], hidden)
    alone = length - beside
    if not alone.any():
        count = "it" if len(length) == 1 else f"each of the {len(length):,}"
        return f"{what}, hidden by compute", f"the device computed beside {count} from beginning to end"
    ran = "it ran alone" if len(length) == 1 else f"{int((alone > 0).sum()):,} of {len(length):,} ran alone"
    ns = show_duration(int(alone.sum()))
    return f"{what}: {ran} for {ns}", f"{ran}, without compute beside it, for {ns} in all"


def _idle_in(case: Case, what: str, spans: Spans) -> tuple[str, str]:
    """Return title and reason of these waits, each looked at for idle time of a device in it."""
    idle = np.zeros(len(spans.start), np.int64)
    told = 0
    for device in case.devices:
        held = not_idle(case.index, device.index, case.scope.processes)
        idle += spans.end - spans.start - held.between(spans.start, spans.end)
        charged = intersect(case.ledger.lost(device.index, Lost.IDLE), case.ledger.charged(device.index))
        told += int(Coverage(*charged).between(spans.start, spans.end).sum())
    if not idle.any():
        return f"{what}, with the device busy all the while", "the device had work from the first to the last"
    some, ns = int((idle > 0).sum()), show_duration(int(idle.sum()))
    text = f"in {some:,} of {len(idle):,} the device was idle, for {ns} in all"
    if told:
        text += f", {show_duration(told)} of it charged to the findings"
    return f"{what}: {text}", text


def _on_own_device(case: Case, numbers: Any, spans: Spans) -> tuple[Claim, ...]:
    """Return the time of each row as that of the device whose number is printed beside it."""
    number = np.array([-1 if n is None else n for n in numbers], np.int64)
    found = []
    for device in case.devices:
        mine = number == device.cuda_id
        found.append(Claim(device.index, Lost.SERIALISED, Spans(spans.start[mine], spans.end[mine])))
    return tuple(found)


def _fault(name: str) -> Fault:
    rule = RULES[name]
    about = f"{rule.title[0].lower()}{rule.title[1:]}, where no fault says so at a cost"
    seen = f"What the rule {name} of nsys lists."
    return Fault(name, about, partial(_examine, rule=rule), seen, (rule.advice,))


FAULTS = tuple(_fault(name) for name in COVERED_BY)
