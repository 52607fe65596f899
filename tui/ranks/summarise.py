"""What one report says of each of its ranks: see `tui.ranks.summary`."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from tui.analysis.diagnostics import report_notes
from tui.analysis.index import Busy, Index
from tui.analysis.nccl.communicators import communicators
from tui.analysis.steps import find_steps
from tui.ranks.identity import read_identity
from tui.ranks.summary import DeviceFacts, RankSummary, ReportSummary
from tui.ranks.summing.accounts import ADDENDS, DeviceTime, HostTime, device_time, host_time
from tui.ranks.summing.blame import blame_rows, no_blame
from tui.ranks.summing.collectives import collectives, exposed_pieces
from tui.ranks.summing.kernels import kernel_facts, kernel_rows
from tui.ranks.summing.memory import memory_peak
from tui.ranks.summing.phases import phase_rows
from tui.ranks.summing.steps import step_columns, warm_up_steps
from tui.ranks.summing.strip import strip
from tui.ranks.summing.subject import Subject
from tui.report.model import Report


def summarise(index: Index, key: str = "", left_out: Collection[str] = ()) -> ReportSummary:
    """Return what a set keeps of a report. ``key`` names the report's content.

    ``left_out``: notes of the report that are about this opening of it, and not about the report.

    Reads tables that an import leaves alone: raises ReportError as `Report.extra_rows` does.
    """
    report = index.report
    return ReportSummary(
        key=key,
        span=report.span,
        identity=read_identity(report, communicators(index)),
        versions={"nsys": report.product_version, "schema": report.schema_version},
        doubtful=sum(d.count for d in report.doubtful if d.excluded),
        notes=tuple(note for note in report_notes(report) if note not in left_out),
        tables=tuple(table.name for table in report.tables if table.rows),
        ranks=tuple(_rank(subject, report) for subject in _subjects(index)),
        options={
            "comm": index.comm.value,
            "step": index.step,
            "classes": {rule.pattern: rule.kernel_class.value for rule in report.classes.rules},
        },
    )


def _subjects(index: Index) -> list[Subject]:
    """The ranks of a report: processes with device work; without any, those with steps or MPI calls."""
    steps, count = find_steps(index), len(index.report.processes)
    working = [
        Subject(index, p, tuple(d for d, users in enumerate(index.users) if p in users), steps)
        for p in range(count)
    ]
    found = [s for s in working if s.devices]
    return found or [s for s in working if s.sequence is not None or len(s.mpi)]


def _rank(subject: Subject, report: Report) -> RankSummary:
    process = report.processes[subject.process]
    on_device = bool(subject.devices)
    time: DeviceTime | HostTime = device_time(subject) if on_device else host_time(subject)
    window = _window(subject)
    assert report.span is not None  # a rank has ops, ranges or calls
    facts = kernel_facts(subject)
    steps = step_columns(subject, time, facts)
    warm_up = warm_up_steps(subject)
    steady = ~steps.unfinished
    steady[:warm_up] = False
    rows, lanes = collectives(subject)
    pieces = exposed_pieces(subject, time, rows, lanes)
    kernels = kernel_rows(subject, facts, steady)
    idle = steps.idle
    explained = no_blame() if isinstance(time, HostTime) or idle is None else blame_rows(subject, time, idle)
    parts = phase_rows(subject)
    return RankSummary(
        process=subject.process,
        pid=process.pid,
        process_name=process.name,
        devices=tuple(_device(subject, d, window) for d in subject.devices),
        host_only=not on_device,
        window=window,
        totals=_totals(time, window) | {"memory_peak": memory_peak(subject)},
        step_name=subject.steps.name if subject.sequence is not None else None,
        warm_up=warm_up,
        names=subject.names.all(),
        lanes=lanes,
        steps=steps,
        collectives=rows,
        pieces=pieces,
        kernels=kernels,
        blame=explained,
        phases=parts,
        strip=strip(time, report.span, window),
    )


def _window(subject: Subject) -> tuple[int, int]:
    """First device op or step to the last (finished one); without both the rank's MPI calls."""
    ops, calls, mpi = subject.index.report.ops, subject.index.mpi_calls, subject.mpi
    start, end = subject.bounds
    finished = end[~subject.unfinished]
    firsts = [ops.start[subject.ops], start]
    lasts = [ops.end[subject.ops], finished if len(finished) or len(subject.ops) else end]
    if not sum(map(len, firsts)):
        firsts, lasts = [calls.start[mpi]], [calls.end[mpi]]
    return int(np.concatenate(firsts).min()), int(np.concatenate(lasts).max())


def _totals(time: DeviceTime | HostTime, window: tuple[int, int]) -> dict[str, int | None]:
    low, high = np.array(window[:1]), np.array(window[1:])
    if isinstance(time, DeviceTime):
        return {name: int(ns[0]) for name, ns in time.addends(low, high).items()}
    found: dict[str, int | None] = dict.fromkeys(ADDENDS)
    if time.recorded:
        found["exposed"] = int(time.mpi.between(low, high)[0])
    return found


def _device(subject: Subject, device: int, window: tuple[int, int]) -> DeviceFacts:
    index, own = subject.index, (subject.process,)
    facts = index.report.devices[device]
    return DeviceFacts(
        number=facts.cuda_id,
        name=facts.name,
        uuid=facts.uuid,
        bus=facts.bus,
        useful_ns=index.coverage(device, own, Busy.COMPUTE).length(*window),
        active_ns=index.coverage(device, own).length(*window),
    )
