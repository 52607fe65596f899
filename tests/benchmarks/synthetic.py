"""A report of any number of ops made in memory: what drawing it costs does not depend on the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from tui.report.columns import Columns
from tui.report.data import Origin
from tui.report.event_tables import COLUMN_TABLES
from tui.report.model import Device, Kernels, Ops, Process, Report, Strings

DEVICES, STREAMS = 4, 9
PERIOD = 10_000
NAMES = 16

T = TypeVar("T", bound=Columns)


def strings(names: Sequence[str]) -> Strings:
    """All names in one blob."""
    encoded = [name.encode() for name in names]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    return Strings(np.frombuffer(b"".join(encoded), np.uint8), offsets)


def _filled(kind: type[T], size: int, columns: dict[str, Any]) -> T:
    """A table whose other columns are zero throughout."""
    rest = {f.name: np.broadcast_to(np.int64(0), size) for f in fields(kind)}
    return kind(**{**rest, **columns})


def report(ops: int) -> Report:
    """``ops`` kernels on 4 devices of 9 streams: with the devices' own lines 40 lanes.

    Kernel k starts at 10 us * (k / 4) and runs 9 us, or 6 us where k % 7 = 0: a report ten times as
    large lasts ten times as long.
    """
    number = np.arange(ops, dtype=np.int64)
    device = (number % DEVICES).astype(np.int32)
    order = number // DEVICES
    start = order * PERIOD
    end = start + np.where(number % 7 == 0, 6_000, 9_000)
    end[order % 1000 == 999] -= 5_000
    table = _filled(
        Ops,
        ops,
        {
            "start": start,
            "end": end,
            "kind": np.zeros(ops, np.uint8),
            "device": device,
            "process": device,
            "stream": 7 + order % STREAMS,
            "name": (number % NAMES).astype(np.int32),
            "row": number.astype(np.int32),
            "launch": np.broadcast_to(np.int32(-1), ops),
        },
    )
    kernels = _filled(Kernels, ops, {"short_name": table.name})
    tables: dict[str, Columns] = {name: _filled(kind, 0, {}) for name, kind in COLUMN_TABLES.items()}
    span = (int(start[0]), int(end.max())) if ops else None
    return Report(
        path=Path("synthetic.sqlite"),
        product_version=None,
        schema_version=None,
        capture={},
        session_start_utc_ns=None,
        origin=Origin(),
        strings=strings([f"some_kernel_{i}<float, {i}>" for i in range(NAMES)]),
        devices=tuple(Device(d, "GPU", d, d, ((100 + d, d),), ops // DEVICES) for d in range(DEVICES)),
        processes=tuple(Process(p, p << 24, 100 + p, "python") for p in range(DEVICES)),
        threads=(),
        tables=(),
        doubtful=(),
        diagnostics=(),
        notes=(),
        device_notes=(),
        enums={},
        span=span,
        op_span=span,
        nvtx_end=None,
        events={**tables, "ops": table, "kernels": kernels},
    )
