"""The launching thread reads files while the device has nothing to do."""

from __future__ import annotations

import numpy as np

from tui.analysis.blame import BlameClass
from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import share, stretch
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Claim, Confidence, Evidence, Findings, Found, Lost
from tui.analysis.files.accesses import Access, Accesses, readable_accesses
from tui.analysis.files.reads_in import FileRead, reads_by_stretch
from tui.analysis.grouping import sums_where
from tui.intervals import Spans, overlaps, union
from tui.report.columns import Int64
from tui.text import safe
from tui.text.numbers import plural

SHOWN = 3
"""How many files, and how many gaps, the evidence names."""


def _examine(case: Case) -> Findings:
    reads = readable_accesses(case.index)
    reads = reads.where((reads.kind == Access.READ) & (reads.thread >= 0) & (reads.end > reads.start))
    claims, lost = _in_gaps(case, reads)
    ns = int(lost.sum())
    if 100 * ns < case.limits.input_file_pct * case.device_ns or not ns:
        return
    file = np.where(reads.file < 0, len(reads.paths), reads.file)
    by_file = sums_where(file, len(reads.paths) + 1, lost)
    order = np.argsort(-by_file, kind="stable")
    names = [*(path.rsplit("/", 1)[-1] for path in reads.paths), "an unnamed file"]
    worst = [names[i] for i in order[:SHOWN].tolist() if by_file[i]]
    others = int((by_file > 0).sum()) - 1
    more = f" and {plural(others, 'other file')}" if others else ""
    yield Found(
        title=f"the device waits for reads of {safe(worst[0])}{more}",
        evidence=tuple(_evidence(case, claims)),
        confidence=Confidence.HIGH,
        reasons=(
            f"the launching thread reads {', '.join(map(safe, worst))} for {share(ns, case.device_ns)} of "
            "the devices' time, and nothing runs meanwhile",
        ),
        confirm=case.commands.files(case.window.start, case.window.end),
        claims=tuple(claims),
    )


def _in_gaps(case: Case, reads: Accesses) -> tuple[list[Claim], Int64]:
    """Return the idle time in reads by the thread to blame, by device; and how much each read has of it."""
    pieces = case.pieces
    system = pieces.caused_by(BlameClass.OS_CALL, BlameClass.HOST_CODE)
    claims: list[Claim] = []
    lost = np.zeros(len(reads), np.int64)
    for device in np.unique(pieces.device).tolist():
        starts, ends = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for thread in np.intersect1d(pieces.thread[system], reads.thread).tolist():
            mine = system & (pieces.device == device) & (pieces.thread == thread)
            own = np.flatnonzero(reads.thread == thread)
            idle = union(pieces.start[mine], pieces.end[mine])
            found = overlaps((reads.start[own], reads.end[own]), idle)
            np.add.at(lost, own[found.left], found.end - found.start)
            starts.append(found.start)
            ends.append(found.end)
        spans = union(np.concatenate(starts), np.concatenate(ends))
        if len(spans.start):
            claims.append(Claim(device, Lost.IDLE, Spans(*spans)))
    return claims, lost


def _evidence(case: Case, claims: list[Claim]) -> list[Evidence]:
    """The gaps with the most time in reads."""
    pieces = case.pieces
    gap, first = np.unique(pieces.gap, return_index=True)
    start, end, device = pieces.gap_start[first], pieces.gap_end[first], pieces.device[first]
    thread = np.full(len(gap), -1, np.int64)
    known = pieces.thread >= 0
    thread[np.searchsorted(gap, pieces.gap[known])] = pieces.thread[known]
    reads = reads_by_stretch(case.index, start, end, thread)
    ns = np.array([sum(read.ns for read in one) for one in reads], np.int64)
    found = []
    for at in np.argsort(-ns, kind="stable")[:SHOWN].tolist():
        if ns[at]:
            best: FileRead = reads[at][0]
            found.append(stretch(case, int(device[at]), int(start[at]), int(end[at]), best.words))
    return found


FAULT = Fault(
    "slow-input-file",
    "reads of files keep the device waiting",
    _examine,
    "Idle time in which the responsible thread reads files that the capture names.",
    advice=(
        "Read ahead on another thread or process (DataLoader workers, prefetch), into pinned memory.",
        "Faster storage: a local copy, larger reads, fewer and larger files, `posix_fadvise`.",
        "A format that needs less: compressed, sharded, memory-mapped.",
    ),
    also_possible=("the file comes from a network: see `nsystui network`",),
    limits=("input_file_pct",),
)
