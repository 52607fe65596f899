"""One function of the program runs while the GPU has nothing to do."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from tui.analysis.cpu.hot import LEAST_SAMPLES, may_be_hot
from tui.analysis.cpu.sampling import Samples, samples
from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import longest_gaps, share_of, usual_label
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Claim, Confidence, Evidence, Findings, Found, Lost, NotAssessable
from tui.analysis.faults.host_code import HostCode, host_code
from tui.analysis.faults.pieces import Pieces
from tui.analysis.grouping import by_text, combined, group_rows
from tui.intervals import Spans, split
from tui.report.columns import Int64, Positions
from tui.text.functions import called
from tui.text.numbers import plural

_COLLECTOR = re.compile(
    r"gc_\w+|_?PyGC\w*|GC_\w+|collect|collect_\w+|\w+traverse|visit_\w+|subtract_refs|\w+_unreachable"
)
"""Functions of a collector of garbage, whose pauses are a fault of their own."""
_MOST = 3
"""So many functions are named."""


@dataclass(frozen=True)
class _Held:
    """The gaps of one device, thread and phase, most of which one function ran in."""

    frame: int
    rows: Positions
    """Which of the pieces of host code."""
    pieces: Pieces
    spans: Spans
    """When it ran, as far as samples tell."""
    seen: Positions
    """The samples in the gaps, positions in all of the report's."""

    @property
    def ns(self) -> int:
        return int((self.spans.end - self.spans.start).sum())


def _examine(case: Case) -> Findings:
    code = host_code(case)
    if not code.matters(case):
        return
    taken = samples(case.index)
    if not len(taken) or code.known_share < case.limits.known_share:
        yield NotAssessable(
            "which function the host ran while the GPU was idle is unknown: there are no CPU samples, or no "
            "scheduling data",
            "--sample=process-tree --cpuctxsw=process-tree",
        )
        return
    running = code.where(code.off_share <= 1 - case.limits.on_cpu_share)
    groups = _phases(case, running.pieces)
    held = [one for rows in groups if (one := _held(case, taken, running.pieces, rows)) is not None]
    by_frame: dict[int, list[_Held]] = {}
    for one in held:
        by_frame.setdefault(one.frame, []).append(one)
    for frame, mine in sorted(by_frame.items(), key=lambda item: -sum(h.ns for h in item[1]))[:_MOST]:
        if len(np.unique(np.concatenate([one.seen for one in mine]))) >= case.limits.hot_samples:
            yield _found(case, taken, running, frame, mine)


def _phases(case: Case, pieces: Pieces) -> list[Positions]:
    """The pieces of each device, thread and phase."""
    ranges, labels = case.report.ranges, case.index.labels
    name = np.append(ranges.name, -1)[pieces.range]
    phase, _ = by_text(name, lambda n: labels[n] if n >= 0 else "")
    group, first = combined(pieces.device, pieces.thread, phase)
    return list(group_rows(group, len(first)))


def _held(case: Case, taken: Samples, code: Pieces, rows: Positions) -> _Held | None:
    """The function that most samples of some of the pieces are in, if that is sure, and when it ran.

    The samples divide the pieces, laid end to end: each stands for the time halfway to its neighbours. So
    pieces too short for a sample count as those beside them do.
    """
    chosen = np.zeros(len(code), bool)
    chosen[rows] = True
    pieces = code.where(chosen)
    piece, seen = taken.inside(pieces.start, pieces.end, pieces.thread)
    sure = may_be_hot(taken)[seen]
    if len(seen) < LEAST_SAMPLES or not sure.any():
        return None
    counts = np.bincount(taken.leaf[seen[sure]])
    if _COLLECTOR.fullmatch(taken.tree.frames.name[int(np.argmax(counts))]):
        return None
    frame = int(np.argmax(counts))
    if counts[frame] < case.limits.hot_share * len(seen):
        return None
    offset = np.cumsum(pieces.ns) - pieces.ns
    at = offset[piece] + taken.start[seen] - pieces.start[piece]
    order = np.argsort(at, kind="stable")
    edges = np.concatenate(([0], (at[order][1:] + at[order][:-1]) // 2, [int(pieces.ns.sum())]))
    hot = np.flatnonzero((taken.leaf[seen] == frame)[order] & sure[order])
    return _Held(frame, rows, pieces, _placed(pieces, offset, edges[hot], edges[hot + 1]), seen)


def _placed(pieces: Pieces, offset: Int64, start: Int64, end: Int64) -> Spans:
    """The times in the report of stretches of the pieces laid end to end."""
    parts = split(start, end, offset)
    owner = np.searchsorted(offset, parts.start, "right") - 1
    shift = pieces.start[owner] - offset[owner]
    return Spans(parts.start + shift, parts.end + shift)


def _found(case: Case, taken: Samples, running: HostCode, frame: int, held: list[_Held]) -> Found:
    frames = taken.tree.frames
    name, module = frames.name[frame], frames.module[frame]
    keep = np.zeros(len(running.pieces), bool)
    keep[np.concatenate([one.rows for one in held])] = True
    pieces, ran = running.pieces.where(keep), running.ran[keep]
    seen = np.unique(np.concatenate([one.seen for one in held]))  # a gap of two devices counts once
    whole, hot = len(seen), int((taken.leaf[seen] == frame).sum())
    gaps = plural(len(np.unique(pieces.gap)), "gap")
    label = usual_label(case, pieces.range, pieces.ns)
    where = f", mostly under {label!r}" if label else ""
    reasons = [
        f"{hot:,} of {plural(whole, 'sample')} of the launching thread in {gaps} are in {name} of {module}",
        f"the thread ran for {share_of(int(ran.sum()), int(pieces.ns.sum()))} that time: it did not wait",
    ]
    if module.startswith(("python", "libpython")):
        reasons.append("that is the interpreter of Python: which line it was, only Python's own stacks tell")
    return Found(
        title=f"{called(name)} runs on the host while the GPU is idle{where}",
        evidence=(*longest_gaps(case, pieces), *_counted(case, taken, frame, held)),
        confidence=Confidence.HIGH if whole >= 4 * case.limits.hot_samples else Confidence.MEDIUM,
        reasons=tuple(reasons),
        confirm=case.commands.capture("cuda,nvtx,osrt", "--sample=process-tree", "--python-sampling=true"),
        claims=tuple(Claim(int(one.pieces.device[0]), Lost.IDLE, one.spans) for one in held),
    )


def _counted(case: Case, taken: Samples, frame: int, held: list[_Held]) -> tuple[Evidence, ...]:
    """The samples in the longest gap, as the samples command counts them."""
    pieces = max(held, key=lambda one: one.ns).pieces
    at = int(np.argmax(pieces.gap_end - pieces.gap_start))
    start, end, thread = int(pieces.gap_start[at]), int(pieces.gap_end[at]), int(pieces.thread[at])
    mine = (taken.start >= start) & (taken.start < end) & (taken.positions == thread)
    count = int((mine & (taken.leaf == frame) & may_be_hot(taken)).sum())
    tid = case.report.threads[thread].tid
    text = (
        f"{count:,} of {plural(int(mine.sum()), 'sample')} of the launching thread in the longest are in it"
    )
    return (Evidence(text, count, "count", case.commands.samples(start, end, tid), start, end),)


FAULT = Fault(
    "host-function",
    "one function of the program runs while the GPU is idle",
    _examine,
    "Long host code in gaps during which the launching thread runs, most of its CPU samples in one function.",
    advice=(
        "Make it cheaper: vectorise it, move it to the device, or do it once before the loop.",
        "Take it out of the launching thread: a worker thread or process that is a step ahead.",
        "Launch the next step's work first, and do it while the GPU is busy.",
    ),
    also_possible=(
        "it only waits actively (a spin lock, polling): what it waits for is the cause",
        "sampling itself slows code with many short functions",
    ),
    limits=("min_cost_pct", "long_piece_ns", "on_cpu_share", "known_share", "hot_share", "hot_samples"),
)
