"""Why a rank was idle in its steps, added up by step, class, call and phase."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tui.analysis.blame import BlameClass, find_blame
from tui.analysis.gaps import DeviceGaps, every_gap
from tui.analysis.grouping import combined
from tui.analysis.phases import Phase, phases
from tui.analysis.scope import Scope, Window
from tui.intervals import Coverage, overlaps
from tui.ranks.summary import BlameRows
from tui.ranks.summing.accounts import DeviceTime
from tui.ranks.summing.subject import Subject
from tui.report.classify import base_api_name
from tui.report.columns import Int32, Int64, UInt8

MOST_REASONS = 128
"""So many reasons are told apart; they are those of most time."""


class _Parts(NamedTuple):
    """Idle time by reason; arrays of one length."""

    step: Int64
    cause: UInt8
    call: Int32
    phase: Int32
    ns: Int64


def blame_rows(subject: Subject, time: DeviceTime, idle: Int64) -> BlameRows:
    """Explain the ``idle`` time of each step (ns), exactly.

    Where the rank has several devices the one with most ops speaks for all.
    """
    start, end = subject.bounds
    if not len(start):
        return no_blame()
    ops = subject.index.report.ops
    count = np.bincount(ops.device[subject.ops], minlength=1)
    device = subject.index.report.devices[int(np.argmax(count))]
    low, high = int(start.min()), int(end.max())
    scope = Scope(Window(low, high, chosen=True), processes=(subject.process,))
    holes = Coverage.of(*time.busy.gaps(low, high))
    parts = [_explained(subject, gaps, holes) for gaps in every_gap(subject.index, scope, device)]
    known = _added(_joined([*parts, _no_parts()]))
    left = idle - np.bincount(known.step, known.ns, len(start)).astype(np.int64)
    open_ = np.flatnonzero(left)
    none = np.full(len(open_), -1, np.int32)
    unknown = np.full(len(open_), BlameClass.UNKNOWN, np.uint8)
    return _rows(_added(_fewest(_joined([known, _Parts(open_, unknown, none, none, left[open_])]))))


def _explained(subject: Subject, gaps: DeviceGaps, holes: Coverage) -> _Parts:
    """The parts of some gaps of a device in which the whole rank is idle, by step."""
    index = subject.index
    strings = index.report.strings
    blame = find_blame(index, gaps)
    within = overlaps((blame.start, blame.end), (holes.start, holes.end))
    found = overlaps(subject.bounds, (within.start, within.end))
    source = within.left[found.right]
    number, labels = phases(index, blame.range, Phase.OUTER, subject.steps)
    call = subject.names.of(blame.call, lambda n: base_api_name(strings[n]) if n >= 0 else None)
    phase = subject.names.of(number, lambda n: labels[n])
    return _added(
        _Parts(found.left, blame.cause[source], call[source], phase[source], found.end - found.start)
    )


def no_blame() -> BlameRows:
    """Return no reason at all, of a rank without device work."""
    return _rows(_no_parts())


def _no_parts() -> _Parts:
    none = np.zeros(0, np.int32)
    return _Parts(np.zeros(0, np.int64), np.zeros(0, np.uint8), none, none, np.zeros(0, np.int64))


def _joined(parts: list[_Parts]) -> _Parts:
    return _Parts(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _added(parts: _Parts) -> _Parts:
    """Add up what has one reason in one step; by step, class, call and phase."""
    if not len(parts.ns):
        return parts
    group, first = combined(*parts[:4])
    ns = np.bincount(group, parts.ns, len(first)).astype(np.int64)
    return _Parts(parts.step[first], parts.cause[first], parts.call[first], parts.phase[first], ns)


def _fewest(parts: _Parts) -> _Parts:
    """Put the reasons beyond :data:`MOST_REASONS` down to nothing in particular."""
    if not len(parts.ns):
        return parts
    group, first = combined(*parts[1:4])
    total = np.bincount(group, parts.ns, len(first)).astype(np.int64)
    rare = np.ones(len(first), bool)
    rare[np.lexsort((np.arange(len(first)), -total))[:MOST_REASONS]] = False
    lost = rare[group]
    return _Parts(
        parts.step,
        np.where(lost, np.uint8(BlameClass.UNKNOWN), parts.cause).astype(np.uint8),
        np.where(lost, -1, parts.call).astype(np.int32),
        np.where(lost, -1, parts.phase).astype(np.int32),
        parts.ns,
    )


def _rows(parts: _Parts) -> BlameRows:
    return BlameRows(parts.step.astype(np.int32), *parts[1:])
