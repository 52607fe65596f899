"""Now and then the weights are copied to the host and written to a file while the device waits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

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


class Burst(NamedTuple):
    """Copies to the host between two kernels, up to the last file write there."""

    process: int
    """Position in ``Report.processes``: the process of the first copy."""
    device: int
    start: int
    end: int
    bytes: int


def _examine(case: Case) -> Findings:
    if not len(case.report.copies):
        return
    claims: list[Claim] = []
    bursts: list[Burst] = []
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


def _of_device(case: Case, device: int) -> tuple[list[Burst], list[Claim], bool]:
    """Return the bursts of one device, the time that they cost, and whether files were written in any."""
    ops, report = case.report.ops, case.report
    out = case.copies[ops.device[case.copies] == device]
    out = out[report.copies.copy_kind[ops.row[out]] == DEVICE_TO_HOST]
    kernels = case.index.coverage(device, case.scope.processes, Busy.KERNELS)
    holes = kernels.gaps(case.window.start, case.window.end)
    if not len(holes.start):
        return [], [], False
    hole = np.searchsorted(holes.start, ops.start[out], "right") - 1
    inside = (hole >= 0) & (ops.start[out] < holes.end[np.maximum(hole, 0)])
    out = out[inside]
    hole, first = np.unique(hole[inside], return_index=True)
    size = np.add.reduceat(report.copies.bytes[ops.row[out]], first)
    last = np.maximum.reduceat(ops.end[out], first)
    written = _writes(case, device)
    # Less than that is a checkpoint, too, where steps have a file written before the next kernel.
    saved = Coverage(*written).between(ops.start[out[first]], holes.end[hole]) > 0
    saved &= (size > case.limits.big_copy_bytes) & bool(case.paces)
    big = (size >= case.limits.burst_bytes) | saved
    begin, limit = ops.start[out[first[big]]], holes.end[hole[big]]
    end = limit  # without OS calls the file may have been written up to the next kernel
    if len(report.os_calls):
        end = np.minimum(np.maximum(last[big], _last_before(written, begin, limit)), limit)
    spans = Spans(begin, end)
    wrote = bool(Coverage(*written).between(*spans).any())
    process = ops.process[out[first[big]]]
    rows = zip(process.tolist(), begin.tolist(), end.tolist(), size[big].tolist(), strict=True)
    claims = [Claim(device, lost, spans) for lost in (Lost.IDLE, Lost.SERIALISED)]
    return [Burst(of, device, *row) for of, *row in rows], claims, wrote


def _writes(case: Case, device: int) -> Spans:
    """Return the idle time of a device in which its thread wrote to a file or ran code of a saving range."""
    pieces = case.pieces
    wrote = case.in_os_calls_like(pieces, WRITE) | pieces.in_ranges(case.ranges_like(SAVING))
    mine = wrote & (pieces.device == device)
    return Spans(pieces.start[mine], pieces.end[mine])


def _last_before(written: Spans, begin: Int64, limit: Int64) -> Int64:
    """Return the end of the last write between ``begin`` and ``limit``; ``begin`` where there is none."""
    at = np.searchsorted(written.start, limit, "left")
    ends = np.append(np.iinfo(np.int64).min, written.end)[at]
    last: Int64 = np.maximum(ends, begin)
    return last


def _found(case: Case, bursts: list[Burst], claims: list[Claim], writes: bool) -> Iterator[Found]:
    steps = case.all_steps
    hit = [_steps_hit(case, bursts, number) for number in range(len(case.paces))]
    count = sum(map(len, hit))
    if steps and count >= case.limits.recurring_share * steps:
        return  # what happens in every step is no checkpoint
    if not steps and not writes:
        return
    apart = np.unique(np.concatenate([np.zeros(0, np.int64), *map(np.diff, hit)]))
    reasons = [f"up to {max(b.bytes for b in bursts) / 1e6:,.0f} MB go to the host at a time"]
    if writes:
        reasons.append("files are written in the same stretches (OS calls of the launching thread)")
    elif not len(case.report.os_calls):
        reasons.append("no OS calls were traced: whether a file was written is not known")
    if len(apart) == 1:
        reasons.append(f"it comes every {plural(int(apart[0]), 'step')}")
    evidence = []
    for _, device, start, end, _ in sorted(bursts, key=lambda b: b.start - b.end)[:4]:
        quiet = f"{case.device_name(device)} runs no kernel for {show_duration(end - start)}"
        text = f"{quiet} while data goes to the host"
        evidence.append(stretch(case, device, start, end, text, Busy.KERNELS))
    yield Found(
        title=f"{plural(len(bursts), 'burst')} of device-to-host copies"
        + (" and file writes stop the GPU" if writes else " stop the GPU")
        + (f" in {count} of {plural(steps, 'step')}" if steps else ""),
        evidence=tuple(evidence),
        confidence=Confidence.HIGH if writes else Confidence.MEDIUM,
        reasons=tuple(reasons),
        confirm=case.commands.capture("cuda,nvtx,osrt")
        + "  over two saves, with an NVTX range around the save",
        claims=tuple(claims),
    )


def _steps_hit(case: Case, bursts: list[Burst], number: int) -> Int64:
    """Return the steps of one process in which its bursts begin, as positions in its pace."""
    pace = case.paces[number]
    mine = [burst.start for burst in bursts if burst.process == pace.process or len(case.paces) == 1]
    steps = np.unique(pace.of_times(np.array(mine, np.int64)))
    return steps[(steps >= 0) & (steps < len(pace))]


FAULT = Fault(
    "checkpoint-stall",
    "checkpoints are saved while the device waits",
    _examine,
    "Kernel-free stretches around large device-to-host copies that happen only in some steps.",
    advice=(
        "Save asynchronously: `torch.distributed.checkpoint.async_save`, "
        "or copy to pinned memory on a side stream and write from a thread; "
        "in JAX `orbax.checkpoint.AsyncCheckpointer`.",
        "Shard the checkpoint over the ranks, write to local disk first, upload later.",
        "Save less often: the cost is the stall divided by the interval, against the work lost in a failure.",
    ),
    also_possible=(
        "evaluation results or samples that are copied back and logged",
        "offloading of optimizer state or activations to the host (then it recurs in every step)",
    ),
    limits=("burst_bytes", "big_copy_bytes", "recurring_share"),
)
