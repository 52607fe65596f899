"""Now and then the weights are copied to the host and written to a file while the device waits."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import stretch
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Claim, Confidence, Findings, Found, Lost, NotAssessable
from tui.analysis.index import Busy
from tui.intervals import Coverage, Spans
from tui.report.columns import Int64
from tui.text.numbers import plural
from tui.text.times import show_duration

DEVICE_TO_HOST = 2

WRITE = re.compile(
    r"^(p?writev?\d*\w*|fwrite\w*|fsync|fdatasync|sync\w*|ftruncate\w*|rename\w*|fclose|fflush|open\w*)$"
)
SAVING = re.compile(r"check_?point|ckpt|\bsave|state_dict|serializ", re.IGNORECASE)


def _examine(case: Case) -> Findings:
    copies = case.report.copies
    if not len(copies):
        return
    claims: list[Claim] = []
    bursts: list[tuple[int, int, int, int]] = []
    writes = False
    for device in case.devices:
        found, charged, wrote = _of_device(case, device.index)
        bursts += found
        claims += charged
        writes |= wrote
    if not len(case.report.os_calls):
        yield NotAssessable(
            "no OS calls were traced: a copy to the host is seen, the file it is written to is not",
            case.commands.capture("cuda,nvtx,osrt"),
        )
    if bursts:
        yield from _found(case, bursts, claims, writes)


def _of_device(case: Case, device: int) -> tuple[list[tuple[int, int, int, int]], list[Claim], bool]:
    """Return the bursts of one device, the time that they cost, and whether files were written in any."""
    ops, report = case.report.ops, case.report
    mine = case.copies[ops.device[case.copies] == device]
    out = mine[report.copies.copy_kind[ops.row[mine]] == DEVICE_TO_HOST]
    window = case.window
    kernels = case.index.coverage(device, case.scope.processes, Busy.KERNELS)
    holes = kernels.gaps(window.start, window.end)
    if not len(out) or not len(holes.start):
        return [], [], False
    where = np.searchsorted(holes.start, ops.start[out], "right") - 1
    inside = (where >= 0) & (ops.start[out] < holes.end[np.maximum(where, 0)])
    out, where = out[inside], where[inside]
    size = np.bincount(where, weights=report.copies.bytes[ops.row[out]], minlength=len(holes.start))
    big = np.flatnonzero(size >= case.limits.burst_bytes)
    if not len(big):
        return [], [], False
    last = np.zeros(len(holes.start), np.int64)
    first = np.full(len(holes.start), np.iinfo(np.int64).max)
    np.maximum.at(last, where, ops.end[out])
    np.minimum.at(first, where, ops.start[out])
    begin, end = first[big], last[big]
    written = _writes(case, device)
    end = np.maximum(end, _last_before(written, begin, holes.end[big]))
    if not len(report.os_calls):  # the file may have been written up to the next kernel
        end = holes.end[big]
    spans = Spans(np.maximum(holes.start[big], begin), np.minimum(holes.end[big], end))
    claims = [Claim(device, Lost.IDLE, spans), Claim(device, Lost.SERIALISED, spans)]
    wrote = bool(Coverage(written[0], written[1]).between(spans.start, spans.end).any())
    rows = zip(spans.start.tolist(), spans.end.tolist(), size[big].astype(np.int64).tolist(), strict=True)
    return [(device, s, e, b) for s, e, b in rows], claims, wrote


def _writes(case: Case, device: int) -> tuple[Int64, Int64]:
    """Return the idle time of a device in which its thread wrote to a file or ran code of a saving range."""
    pieces = case.pieces
    wrote = case.in_os_calls_like(pieces, WRITE) | pieces.in_ranges(case.ranges_like(SAVING))
    mine = wrote & (pieces.device == device)
    return pieces.start[mine], pieces.end[mine]


def _last_before(written: tuple[Int64, Int64], begin: Int64, limit: Int64) -> Int64:
    """Return the end of the last write between ``begin`` and ``limit``; ``begin`` where there is none."""
    start, end = written
    at = np.searchsorted(start, limit, "left") - 1
    ends = np.append(end, 0)[at] if len(end) else np.zeros(len(begin), np.int64)
    found = (at >= 0) & (ends > begin)
    last: Int64 = np.where(found, ends, begin)
    return last


def _found(
    case: Case, bursts: list[tuple[int, int, int, int]], claims: list[Claim], writes: bool
) -> Iterator[Found]:
    steps = case.all_steps
    hit = np.unique(_steps_of(case, bursts))
    if steps and len(hit) >= case.limits.recurring_share * steps:
        return  # what happens in every step is no checkpoint
    if not steps and not writes:
        return
    apart = np.unique(np.diff(hit))
    reasons = []
    if writes:
        reasons.append("files are written in the same stretches (OS calls of the launching thread)")
    elif not len(case.report.os_calls):
        reasons.append("no OS calls were traced: whether a file was written is not known")
    if len(hit) > 1 and len(apart) == 1:
        reasons.append(f"it comes every {plural(int(apart[0]), 'step')}")
    largest = sorted(bursts, key=lambda b: b[1] - b[2])[:4]
    evidence = []
    for device, start, end, size in largest:
        quiet = f"{case.device_name(device)} runs no kernel for {show_duration(end - start)}"
        text = f"{quiet} while {size / 1e6:,.0f} MB go to the host"
        evidence.append(stretch(case, device, start, end, text))
    yield Found(
        title=f"{plural(len(bursts), 'burst')} of device-to-host copies"
        + (" and file writes stop" if writes else " stop")
        + " the GPU"
        + (f" in {len(hit)} of {plural(steps, 'step')}" if steps else ""),
        evidence=tuple(evidence),
        confidence=Confidence.HIGH if writes else Confidence.MEDIUM,
        reasons=tuple(reasons),
        confirm=case.commands.capture("cuda,nvtx,osrt")
        + "  over two saves, with an NVTX range around the save",
        claims=tuple(claims),
    )


def _steps_of(case: Case, bursts: list[tuple[int, int, int, int]]) -> Int64:
    """The step that each burst lies in (numbers of the first pace that has it)."""
    if not case.paces:
        return np.zeros(0, np.int64)
    pace = case.paces[0]
    steps = pace.of_times(np.array([b[1] for b in bursts], np.int64))
    numbers: Int64 = steps[(steps >= 0) & (steps < len(pace))] + 1
    return numbers


FAULT = Fault(
    "checkpoint-stall",
    "checkpoints are saved while the device waits",
    _examine,
    "Kernel-free stretches around large device-to-host copies that happen only in some steps.",
    advice=(
        "Save asynchronously: `torch.distributed.checkpoint.async_save`, or copy to pinned memory on a side "
        "stream and write from a thread; in JAX `orbax.checkpoint.AsyncCheckpointer`.",
        "Shard the checkpoint over the ranks, write to local disk first, upload later.",
        "Save less often: the cost is the stall divided by the interval, against the work lost in a failure.",
    ),
    also_possible=(
        "evaluation results or samples that are copied back and logged",
        "offloading of optimizer state or activations to the host (then it recurs in every step)",
    ),
    limits=("burst_bytes", "recurring_share"),
)
