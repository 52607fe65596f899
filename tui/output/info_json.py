"""What a report holds as JSON: devices, processes, tables, doubtful rows. Nothing about its timing."""

from __future__ import annotations

from typing import Any

import numpy as np

from tui.report.model import Device, Report


def device_streams(report: Report, device: Device) -> int:
    """How many streams did work on ``device``; a stream is (process, context, number)."""
    ops = report.ops
    mine = np.flatnonzero(ops.device == device.index)
    if not len(mine):
        return 0
    keys = np.stack([ops.process[mine].astype(np.int64), ops.context[mine], ops.stream[mine]], 1)
    return len(np.unique(keys, axis=0))


def info_document(report: Report) -> dict[str, Any]:
    """Everything as one object; unknown is None."""
    threads = [0] * len(report.processes)
    for thread in report.threads:
        threads[thread.process] += 1
    return {
        "report": str(report.path),
        "product_version": report.product_version,
        "schema_version": report.schema_version,
        "window": _bounds(report.op_span or report.span),
        "capture": _bounds(report.span),
        "session_start_utc_ns": report.session_start_utc_ns,
        "devices": [
            {
                "device": device.cuda_id,
                "name": device.name,
                "gpu_id": device.gpu_id,
                "processes": sorted({pid for pid, _ in device.owners}),
                "streams": device_streams(report, device),
                "ops": device.ops,
            }
            for device in report.devices
        ],
        "processes": [
            {"pid": process.pid, "name": process.name, "threads": count}
            for process, count in zip(report.processes, threads, strict=True)
        ],
        "tables": [{"name": t.name, "rows": t.rows, "used": t.used} for t in report.tables],
        "doubtful": [
            {"kind": d.kind, "count": d.count, "example": d.example, "excluded": d.excluded}
            for d in report.doubtful
        ],
        "notes": list(report.notes),
    }


def _bounds(span: tuple[int, int] | None) -> dict[str, int] | None:
    return None if span is None else {"start_ns": span[0], "end_ns": span[1]}
