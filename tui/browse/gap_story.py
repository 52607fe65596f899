"""One idle gap in full: what came before and after, and what explains every part of it."""

from __future__ import annotations

import numpy as np

from tui.analysis.awaited import awaited_by_ops, awaited_words
from tui.analysis.blame import BlameClass
from tui.analysis.elsewhere import other_ranges
from tui.analysis.files.reads_in import reads_by_stretch
from tui.analysis.gap_context import neighbours, path_name, range_path
from tui.analysis.index import Index
from tui.analysis.metrics.capture import metrics_are_read
from tui.analysis.metrics.device_busy import busy_elsewhere
from tui.browse.capture import Capture, GapBook
from tui.browse.clock import Clock
from tui.browse.details import name_of, times
from tui.browse.gap_cpu import preempted, told_words
from tui.browse.page import Pairs
from tui.intervals import NEVER
from tui.text import safe
from tui.text.numbers import share
from tui.text.stacks import left_out
from tui.text.times import exact
from tui.timeline.causes import STILL_LOADING
from tui.timeline.slices import SliceId

_OTHERS = 8
"""The most ranges of other threads that are listed."""
_FILES = 3
"""The most files that are listed."""


def gap_story(capture: Capture, book: GapBook, gap: int, clock: Clock) -> Pairs:
    """Return (label, value) pairs about gap ``gap`` of a device."""
    gaps = book.gaps
    start, end = int(gaps.start[gap]), int(gaps.end[gap])
    with capture.lookups() as index:
        around = neighbours(index, gaps)
        before, after = int(around.before[gap]), int(around.after[gap])
        none = "no later work" if int(gaps.until[gap]) == NEVER else "?"
        return [
            ("gap", f"{gaps.counted(gap)} on GPU {gaps.device.cuda_id}".lstrip()),
            *times(clock, start, end),
            ("before", _op(capture, before) if before >= 0 else "nothing"),
            ("ended by", _op(capture, after) if after >= 0 else none),
            *_blame(index, book, gap, end - start),
            *_elsewhere(index, gaps.device.index, start, end),
            *_awaited(index, book, gap, after),
            *_files(index, book, gap, start, end),
            *([] if book.loading else _ranges(index, book, gap, (start + end) // 2)),
        ]


def _op(capture: Capture, op: int) -> str:
    name = safe(name_of(capture.report, SliceId("ops", op)))
    return f"{name} (stream {int(capture.report.ops.stream[op])})"


def _blame(index: Index, book: GapBook, gap: int, length: int) -> Pairs:
    if book.loading:
        return [("blame", STILL_LOADING)]
    pairs: Pairs = []
    for row in book.idle.rows.of_gap(gap):
        cause = book.idle.rows.reason(row)
        what = cause.cause.words + (f" {safe(cause.call)}" if cause.call else "")
        phase = f" in {safe(cause.phase)}" if cause.phase else ""
        rule = " (by the gap's midpoint: no launch recorded)" if cause.by_midpoint else ""
        figures = f"{exact(cause.ns)}  {share(cause.ns, length)}"
        pairs.append(("blame" if not pairs else "", f"{figures}  {what}{phase}{rule}"))
        pairs += [("", f"  {words}") for words in told_words(book, row)]
    return pairs + preempted(index, book, gap)


def _elsewhere(index: Index, device: int, start: int, end: int) -> Pairs:
    """How long the device's engine was active all the same; no details wait for metrics to be read."""
    found = busy_elsewhere(index, device) if metrics_are_read(index) else None
    ns = 0 if found is None else found.length(start, end)
    if not ns:
        return []
    what = "the GPU works all the same: for another process, or unrecorded"
    return [("busy elsewhere", f"{exact(ns)}  {share(ns, end - start)}  {what}")]


def _awaited(index: Index, book: GapBook, gap: int, after: int) -> Pairs:
    """What the op that ends the gap waited for, if it was queued and an event tells it."""
    causes = [] if book.loading else book.idle.rows.causes(gap)
    if after < 0 or not any(cause.cause is BlameClass.QUEUED for cause in causes):
        return []
    (found,) = awaited_by_ops(index, np.array([after]))
    return [] if found is None else [("waits for", awaited_words(index, found))]


def _files(index: Index, book: GapBook, gap: int, start: int, end: int) -> Pairs:
    """What files the responsible thread read meanwhile."""
    causes = [] if book.loading else book.idle.rows.causes(gap)
    if not causes or causes[0].thread < 0:
        return []
    times = (np.array([start]), np.array([end]), np.array([causes[0].thread]))
    (reads,) = reads_by_stretch(index, *times)
    return [("files" if not number else "", read.words) for number, read in enumerate(reads[:_FILES])]


def _ranges(index: Index, book: GapBook, gap: int, middle: int) -> Pairs:
    report, pairs = index.report, Pairs()
    causes = book.idle.rows.causes(gap)
    thread = causes[0].thread if causes else -1
    if thread >= 0:
        owner = report.threads[thread]
        name = f" · {safe(owner.name)}" if owner.name else ""
        pairs.append(("thread", f"{owner.pid}/{owner.tid}{name}"))
        path = [
            path_name(report, r) if r < 0 else name_of(report, SliceId("ranges", r))
            for r in range_path(index, thread, middle)
        ]
        if path:
            pairs.append(("NVTX", " > ".join(safe(name) for name in path)))
    others = other_ranges(index, np.array([middle]), np.array([thread]))[0]
    for count, other in enumerate(others[:_OTHERS]):
        tid = "?"
        if other.thread >= 0:
            owner = report.threads[other.thread]
            tid = f"{owner.pid}/{owner.tid}"
        text = f"{safe(name_of(report, SliceId('ranges', other.range)))} on {tid}"
        if other.crosses_threads:
            text += " (starts on one thread, ends on another: owns no work)"
        pairs.append(("elsewhere" if count == 0 else "", text))
    if len(others) > _OTHERS:
        more = sum(-other.range if other.range < 0 else 1 for other in others[_OTHERS:])
        pairs.append(("", left_out(more)))
    return pairs
