"""Who reads the input: loader processes beside the waiting thread tell a wait for input without steps."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tui.analysis.blame import BlameClass
from tui.analysis.faults.case import Case
from tui.analysis.faults.compilers import compiling, loader_starts
from tui.analysis.faults.data_ranges import READ_CALL, WAIT_CALL
from tui.analysis.faults.evidence import longest_gaps, share, usual_call
from tui.analysis.faults.finding import Confidence, Found
from tui.analysis.faults.pieces import Pieces
from tui.intervals import intersect, overlaps, total, union
from tui.text.numbers import plural
from tui.text.times import show_duration


def starved_without_steps(case: Case) -> Found | None:
    """Return the waits of the launching thread that recur while other processes read files."""
    pieces = case.pieces
    if not len(pieces) or not len(case.report.os_calls):
        return None
    waiting = case.in_os_calls_like(pieces, WAIT_CALL) & ~compiling(case)
    gap, place = np.unique(pieces.gap, return_inverse=True)
    host = pieces.caused_by(BlameClass.OS_CALL, BlameClass.HOST_CODE, BlameClass.GIL)
    waited = np.bincount(place, np.where(waiting, pieces.ns, 0), len(gap))
    spent = np.bincount(place, np.where(host, pieces.ns, 0), len(gap))
    chosen = (waited >= case.limits.input_wait_ns) & (2 * waited >= spent)
    if chosen.sum() < case.limits.steps_for_pattern:
        return None
    waits = pieces.where(host & chosen[place])
    seen = tuple(readers(case, waits))
    named = len(loader_starts(case)) > 0
    own = case.in_os_calls_like(waits, READ_CALL)
    itself = 2 * int(waits.ns[own].sum()) >= int(waits.ns.sum())
    if not (seen or named or itself):
        return None
    return _found(case, waits, seen, named)


def _found(case: Case, waits: Pieces, seen: tuple[str, ...], named: bool) -> Found:
    whole = int(waits.ns.sum())
    system = waits.where(waits.cause == BlameClass.OS_CALL)
    call = usual_call(case, system)
    _, first = np.unique(waits.gap, return_index=True)
    apart = int(np.median(np.diff(np.sort(waits.gap_start[first]))))
    reasons = [
        f"the launching thread was in {call} for {share(int(system.ns.sum()), whole)} of it",
        f"such waits recur, {show_duration(apart)} apart (median); no steps are known to count them by",
        *seen,
    ]
    if named:
        reasons.append("processes or threads that are named after loading data are in the report")
    return Found(
        title=f"the GPU waits for input in {plural(len(first), 'gap')}",
        evidence=tuple(longest_gaps(case, waits)),
        confidence=Confidence.HIGH if named and seen else Confidence.MEDIUM,
        reasons=tuple(reasons),
        confirm=case.commands.capture("cuda,nvtx,osrt", "--sample=none")
        + "  (with torch.cuda.nvtx.range('train_step') and 'data_load' around the loop and the loader)",
        claims=waits.claims(),
    )


def readers(case: Case, waits: Pieces) -> Iterator[str]:
    """Yield the reason that other threads read files meanwhile, where they do: the loader is too slow."""
    os_calls = case.report.os_calls
    reading = case.names_like(os_calls.name, READ_CALL) & ~np.isin(os_calls.thread, np.unique(waits.thread))
    waited = union(waits.start, waits.end)
    read = intersect(waited, union(os_calls.start[reading], os_calls.end[reading]))
    part, whole = total(*read), total(*waited)
    if 10 * part >= whole > 0:
        inside = overlaps((os_calls.start[reading], os_calls.end[reading]), waited)
        threads = len(np.unique(os_calls.thread[reading][inside.left]))
        yield f"for {share(part, whole)} of the wait {plural(threads, 'other thread')} read or open files"
