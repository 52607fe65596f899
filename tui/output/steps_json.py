"""Steps as JSON: integers in nanoseconds, unknown as null."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from tui.analysis.index import Index
from tui.analysis.metrics.beside_busy import hollow_of
from tui.analysis.scope import Scope
from tui.analysis.step_table import StepRows, step_name, step_notes
from tui.analysis.steps import Steps
from tui.output.json_text import head
from tui.report.columns import NULL, Int64


def steps_document(index: Index, scope: Scope, steps: Steps, rows: list[StepRows]) -> dict[str, Any]:
    """The steps of every process, and how evenly they run."""
    return {
        **head(index.report, scope),
        "step_name": steps.name,
        "chosen_as": steps.how,
        "notes": step_notes(index),
        "sequences": [sequence_object(index, sequence) for sequence in rows],
    }


def sequence_object(index: Index, rows: StepRows) -> dict[str, Any]:
    """The steps of one process in JSON."""
    report, thread, spread = index.report, rows.sequence.thread, rows.spread
    devices = [device for device, _ in rows.device_busy]
    empty = hollow_of(index, devices, rows.start, rows.start + rows.duration)

    def figure(values: Int64 | None, i: int) -> int | None:
        return None if values is None else int(values[i])

    return {
        "pid": report.processes[rows.sequence.process].pid,
        "tid": report.threads[thread].tid if thread >= 0 else None,
        "usual_ns": rows.sequence.usual_ns(report.ranges.unfinished),
        "spread": spread and {**asdict(spread), "outliers": rows.number[rows.outlier].tolist()},
        "steps": [
            {
                "index": int(rows.number[i]),
                "name": step_name(index, rows, i),
                "start_ns": int(rows.start[i]),
                "duration_ns": int(rows.duration[i]),
                "busy_ns": figure(rows.busy, i),
                "other_ns": figure(rows.other, i),
                "unknown_ns": figure(rows.unknown, i),
                "idle_ns": figure(rows.idle, i),
                "hollow_ns": None if empty[i] == NULL else int(empty[i]),
                "kernels": figure(rows.kernels, i),
                "launches": figure(rows.launches, i),
                "comm_ns": figure(rows.comm, i),
                "exposed_comm_ns": figure(rows.exposed, i),
                "unfinished": bool(rows.unfinished[i]),
                "outlier": bool(rows.outlier[i]),
                "devices": [
                    {"device": report.devices[device].cuda_id, "busy_ns": int(busy[i])}
                    for device, busy in rows.device_busy
                ],
            }
            for i in range(len(rows))
        ],
    }
