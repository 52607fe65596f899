"""The sentence of a diagnosis, and when a run may be called healthy.

It may where its time is accounted for: little of it idle, copying or communicating without compute, none of
it unknown, every step busy and all steps alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

import numpy as np

from tui.analysis.blame import BlameClass
from tui.analysis.busy import DeviceBusy, communication, device_busy, joint
from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import place, stretch, usual_call, usual_label
from tui.analysis.faults.finding import Evidence, Lost
from tui.intervals import Spans, intersect, overlap_length, subtract, total, union
from tui.report.model import OpKind
from tui.text.numbers import percent, plural, share_spaced
from tui.text.times import show_duration

_PIECES = 3
"""How many pieces of lost time the verdict names."""


class Kind(Enum):
    FAULTS = "faults"
    """Something costs device time."""
    HEALTHY = "healthy"
    """Nothing does, and the time is accounted for: look inside the kernels."""
    UNCLEAR = "unclear"
    """Nothing was found, but the time is not accounted for."""
    NO_WORK = "no GPU work"


@dataclass(frozen=True)
class DeviceShare:
    """Where the time of one device goes, with what overlaps."""

    busy: DeviceBusy
    hidden_comm_ns: int
    """Communication runs, and compute beside it."""
    hidden_copy_ns: int
    """A copy or memset runs, and a kernel beside it."""


@dataclass(frozen=True)
class BusyShare:
    """How busy the devices were, in percent."""

    window_pct: float | None
    """Of the window, all devices together."""
    least_step_pct: float | None
    """In the least busy finished step after the first, which finds an idle device; None without steps."""
    devices: tuple[DeviceShare, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """The kind of a diagnosis and its sentence."""

    kind: Kind
    text: str
    left: tuple[Evidence, ...] = ()
    """The largest pieces of time that nothing explains, where the verdict rests on them."""


def busy_share(case: Case) -> BusyShare:
    """Return how busy the scope's devices were over the window and from step to step."""
    busy = [case.index.coverage(d.index, case.scope.processes) for d in case.devices]
    window = case.window
    whole = percent(sum(b.length(window.start, window.end) for b in busy), case.device_ns)
    least: list[float] = []
    for pace in case.paces:
        own = [b for d in case.devices if len(b := case.index.coverage(d.index, (pace.process,)))]
        later = pace.cycle > 0
        later[0] = len(pace) == 1
        if own and later.any():
            ran = joint(own).between(pace.opening[later], pace.end[later])
            least.append(float((100 * ran / pace.cycle[later]).min()))
    return BusyShare(whole, min(least, default=None), tuple(_device_shares(case)))


def _device_shares(case: Case) -> Iterator[DeviceShare]:
    ops, window = case.report.ops, case.window
    for row in device_busy(case.index, case.scope):
        if row.device.index not in [d.index for d in case.devices]:
            continue
        comm = communication(case.index, row.device.index, case.scope.processes).comm
        chosen = case.in_scope & np.isin(ops.kind, (OpKind.MEMCPY, OpKind.MEMSET))
        chosen &= ops.device == row.device.index
        copying = intersect(
            union(ops.start[chosen], ops.end[chosen]),
            Spans(np.array([window.start], np.int64), np.array([window.end], np.int64)),
        )
        yield DeviceShare(
            row,
            comm.length(window.start, window.end) - row.exposed_comm_ns,
            total(*copying) - row.copy_only_ns,
        )


def judge(
    case: Case,
    titles: list[str],
    explained_pct: float | None,
    busy: BusyShare,
    uneven: str | None,
    unseen: str | None,
    within: str | None = None,
) -> Verdict:
    """Return the verdict.

    ``titles``: of the findings that cost something, the costliest first. ``uneven``: how the steps differ.
    ``unseen``: what of the work was recorded as a whole only. ``within``: what is wrong inside the kernels.
    """
    if not case.devices:
        return Verdict(Kind.NO_WORK, "no GPU work was recorded: there is nothing to diagnose")
    if titles:
        others = f", and {plural(len(titles) - 1, 'other finding')}" if len(titles) > 1 else ""
        part = f" (all together at most {explained_pct:.1f} % of the device time)" if explained_pct else ""
        return Verdict(Kind.FAULTS, f"{titles[0]}{others}{part}")
    lost = [*_lost(case, busy)]
    doubts = [*lost, *_unseen(case, busy, unseen), *([f"the steps are uneven: {uneven}"] if uneven else [])]
    doubts += [within] if within else []
    if case.step_count < case.limits.steps_for_pattern and len(case.kernels) < case.limits.few_kernels:
        few = (
            "nothing in the catalogue costs a percent of the time, but "
            f"{plural(len(case.kernels), 'kernel')} in {show_duration(case.window.length)} are too little to "
            "call a run healthy"
        )
        return Verdict(Kind.UNCLEAR, "; ".join([few, *doubts]), _left(case) if lost else ())
    least = busy.least_step_pct if busy.least_step_pct is not None else busy.window_pct
    where = "in every step" if busy.least_step_pct is not None else "of the window"
    assert least is not None
    if least < case.limits.healthy_busy_pct:
        where = "in the least busy step" if busy.least_step_pct is not None else where
        lost.append(f"the GPU is busy only {least:.1f} % {where}")
        doubts.insert(len(lost) - 1, lost[-1])
    if doubts:
        return Verdict(Kind.UNCLEAR, "; ".join(doubts), _left(case) if lost else ())
    return Verdict(
        Kind.HEALTHY,
        f"healthy: the GPU is busy {least:.1f} % "
        f"{'or more ' if busy.least_step_pct is not None else ''}{where}, and nothing in the catalogue "
        "costs a percent; what is left is inside the kernels",
    )


def _lost(case: Case, busy: BusyShare) -> Iterator[str]:
    """Yield how much time is idle, or copies or communicates alone, where that is too much."""
    whole = case.device_ns
    edges = total(*case.edges)
    rows = [share.busy for share in busy.devices]
    lost = {
        "idle": sum(r.idle_ns for r in rows) - sum(_edge_idle(case, r.device.index) for r in rows),
        "exposed communication": sum(r.exposed_comm_ns for r in rows),
        "copies with no kernel beside them": sum(r.copy_only_ns for r in rows),
    }
    counted = whole - len(rows) * edges
    if 100 * sum(lost.values()) > case.limits.healthy_lost_pct * counted:
        parts = [
            f"{share_spaced(ns, whole)} {word}"
            for word, ns in sorted(lost.items(), key=lambda i: -i[1])
            if ns
        ]
        yield f"nothing in the catalogue explains {_listed(parts)}"


def _unseen(case: Case, busy: BusyShare, whole_graphs: str | None) -> Iterator[str]:
    """Yield what the capture does not show of the device's time."""
    unknown = sum(row.busy.unknown_ns for row in busy.devices)
    if unknown:
        part = share_spaced(unknown, case.device_ns)
        yield f"{part} of the window is unknown: launches whose work was not recorded"
    if whole_graphs:
        yield whole_graphs


def _edge_idle(case: Case, device: int) -> int:
    """Return the idle time of a device before the first op and after the last, ns."""
    return overlap_length(case.ledger.lost(device, Lost.IDLE), case.edges)


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _left(case: Case) -> tuple[Evidence, ...]:
    """Return the largest stretches in which a device was idle, or copied or communicated alone."""
    found = [*_short_gaps(case)]
    for piece in (*_idle_pieces(case), *_serialised_pieces(case)):
        found.append((piece.end_ns - piece.start_ns, piece))
    found.sort(key=lambda pair: -pair[0])
    return tuple(piece for _, piece in found[:_PIECES])


def _short_gaps(case: Case) -> Iterator[tuple[int, Evidence]]:
    """Yield for each device the idle time in gaps that are too short to have a cause, and how much it is."""
    pieces, window = case.pieces, case.window
    for device in case.devices:
        mine = pieces.device == device.index
        inside = union(pieces.start[mine], pieces.end[mine])
        idle = Spans(*subtract(case.ledger.lost(device.index, Lost.IDLE), case.edges)[:2])
        short = Spans(*subtract(idle, inside)[:2])
        ns = total(*short)
        if ns:
            text = (
                f"{case.device_name(device.index)} idle for {show_duration(ns)} in "
                f"{plural(len(short.start), 'gap')} shorter than "
                f"{show_duration(case.limits.blame_floor_ns)}: its own pace between queued kernels"
            )
            command = case.commands.gaps(window.start, window.end, device.index)
            yield ns, Evidence(text, None, "", command, int(short.start[0]), int(short.end[-1]), device.index)


def _idle_pieces(case: Case) -> Iterator[Evidence]:
    """Yield the longest gaps, each with its main cause and its place."""
    pieces = case.pieces
    if not len(pieces):
        return
    gaps, first = np.unique(pieces.gap, return_index=True)
    length = pieces.gap_end[first] - pieces.gap_start[first]
    at_edge = np.isin(pieces.gap_start[first], case.edges.start)
    order = np.argsort(np.where(at_edge, 1, -length), kind="stable")[:_PIECES]
    for i in order[~at_edge[order]].tolist():
        mine = pieces.where(pieces.gap == gaps[i])
        main = mine.where(mine.cause == mine.cause[int(np.argmax(mine.ns))])
        cause = BlameClass(int(main.cause[0])).words
        call, label = usual_call(case, main), usual_label(case, main.range, main.ns)
        why = cause + (f" ({call})" if call else "") + (f" under {label!r}" if label else "")
        device, at = int(mine.device[0]), place(case, mine, 0)
        text = f"{case.device_name(device)} idle for {show_duration(int(length[i]))} {at}".rstrip()
        yield stretch(case, device, int(mine.gap_start[0]), int(mine.gap_end[0]), f"{text}: {why}")


def _serialised_pieces(case: Case) -> Iterator[Evidence]:
    """Yield the longest stretches in which a device copied or communicated and computed nothing."""
    for device in case.devices:
        alone = case.ledger.lost(device.index, Lost.SERIALISED)
        communicating = communication(case.index, device.index, case.scope.processes).comm
        order = np.argsort(alone.start - alone.end, kind="stable")[:_PIECES]
        for start, end in zip(alone.start[order].tolist(), alone.end[order].tolist(), strict=True):
            what = "communicates" if 2 * communicating.length(start, end) >= end - start else "copies"
            text = f"{case.device_name(device.index)} {what} for {show_duration(end - start)}"
            text += " and computes nothing"
            yield stretch(case, device.index, start, end, text)
