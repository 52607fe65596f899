"""Unified memory: migrations by cause, kernels that faults held up, blocks that go back and forth."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from fixtures.memory_rows import (
    EVICTION,
    FAULT,
    PREFETCH,
    SPECULATIVE,
    UM_DTOD,
    UM_DTOH,
    cpu_fault,
    gpu_faults,
    migrate,
)
from tests.memory.conftest import Answer
from tests.support.export import Export
from tests.support.real import real_export

HTOD, DTOH = "host to device", "device to host"


def test_migrations_by_direction_and_cause(tmp_path: Path, answer: Answer) -> None:
    export = Export(tmp_path / "capture.sqlite")
    export.launch((0, 10), (20, 1_000))
    migrate(export, 100, 200, 1_000)
    migrate(export, 150, 250, 3_000)
    migrate(export, 300, 340, 2_000, cause=PREFETCH)
    migrate(export, 400, 410, 500, kind=UM_DTOH, cause=EVICTION)
    migrate(export, 500, 520, 700, kind=UM_DTOD, cause=SPECULATIVE)
    migrate(export, 600, 605, 100, cause=None)
    migrate(export, 700, 702, 100, cause=44)
    export.memcpy(800, 900, bytes=77)
    found = answer("um", export.write())
    assert [list(row.values()) for row in found["rows"]] == [
        [HTOD, "page fault", 2, 4_000, 200, 20.0],
        [HTOD, "user prefetch", 1, 2_000, 40, 50.0],
        ["device to device", "speculative prefetch", 1, 700, 20, 35.0],
        [DTOH, "eviction", 1, 500, 10, 50.0],
        [HTOD, "unknown", 1, 100, 5, 20.0],
        [HTOD, "cause 44", 1, 100, 2, 50.0],
    ]
    assert list(found["rows"][0]) == ["direction", "cause", "count", "bytes", "ns", "rate_gbps"]
    assert found["coverage"] == {
        "migrations": 7, "cpu_page_faults": None, "gpu_fault_groups": None, "gpu_page_faults": None,
    }  # fmt: skip
    assert found["notes"] == ["page faults: those of CPUs unknown, those of GPUs unknown (not traced)"]
    part = answer("um", export.path, "--range", "0/120")
    assert [row["count"] for row in part["rows"]] == [1]


def test_bytes_that_are_not_recorded_make_a_sum_unknown(tmp_path: Path, answer: Answer) -> None:
    export = Export(tmp_path / "capture.sqlite")
    export.launch((0, 10), (20, 1_000))
    migrate(export, 100, 200, 1_000)
    migrate(export, 300, 400, None)  # type: ignore[arg-type]
    migrate(export, 500, 500, 10, cause=EVICTION)
    rows = answer("um", export.write())["rows"]
    assert [(row["bytes"], row["ns"], row["rate_gbps"]) for row in rows] == [(None, 200, None), (10, 0, None)]


@pytest.mark.parametrize("damaged", [None, 1 << 62, -5])
def test_bytes_and_faults_that_nothing_can_tell_are_unknown(
    tmp_path: Path, answer: Answer, damaged: int | None
) -> None:
    export = Export(tmp_path / "capture.sqlite")
    export.launch((0, 10), (20, 1_000))
    for start in (100, 200, 300, 400, 500):
        migrate(export, start, start + 10, 1_000 if damaged is None else damaged)
        gpu_faults(export, start, start + 20, damaged)
    if damaged is None:
        export.rows["CUPTI_ACTIVITY_KIND_MEMCPY"][0]["bytes"] = None
    path = export.write()
    found = answer("um", path)
    (row,) = found["rows"]
    assert (row["count"], row["bytes"], row["rate_gbps"]) == (5, None, None)
    assert found["coverage"]["gpu_page_faults"] is None
    (row,) = answer("um", path, "--by", "kernel")["rows"]
    assert (row["fault_groups"], row["faults"], row["faults_per_ms"]) == (5, None, None)
    (row,) = answer("um", path, "--by", "address")["rows"]
    assert (row["to_device"], row["bytes"], row["gpu_faults"]) == (5, None, None)


def test_faults_of_kernels(tmp_path: Path, answer: Answer) -> None:
    """Faults are the device's: each name of kernels gets those that overlap it, once."""
    export = Export(tmp_path / "capture.sqlite")
    for device in (0, 1):
        export.device(id=device)
    export.kernel(0, 1_000_000, name="touch")
    export.kernel(2_000_000, 3_000_000, name="touch")
    export.kernel(2_500_000, 2_600_000, name="side", stream=9)
    export.kernel(5_000_000, 6_000_000, name="calm")
    export.kernel(0, 9_000_000, name="elsewhere", device=1)
    gpu_faults(export, 900_000, 2_100_000, 10)  # overlaps two kernels of a name
    gpu_faults(export, 2_550_000, 2_580_000, 7)
    gpu_faults(export, 4_000_000, 4_500_000, 99)  # no kernel ran
    gpu_faults(export, 5_000_000, 5_000_000, 1)  # no length: it happened in the kernel
    migrate(export, 2_590_000, 2_700_000)
    migrate(export, 5_100_000, 5_200_000, cause=PREFETCH)
    found = answer("um", export.write(), "--by", "kernel")
    assert [list(row.values()) for row in found["rows"]] == [
        [0, "touch", 2, 2_000_000, 2, 17, 8.5, 100_000 + 100_000 + 30_000, 1, 110_000],
        [0, "side", 1, 100_000, 1, 7, 70.0, 30_000, 1, 10_000],
        [0, "calm", 1, 1_000_000, 1, 1, 1.0, 0, 0, 0],
    ]
    assert found["coverage"]["gpu_page_faults"] == 117
    assert found["coverage"]["gpu_fault_groups"] == 4


def test_kernels_without_traced_faults(tmp_path: Path, answer: Answer) -> None:
    export = Export(tmp_path / "capture.sqlite")
    export.kernel(0, 1_000, name="touch")
    migrate(export, 100, 300)
    (row,) = answer("um", export.write(), "--by", "kernel")["rows"]
    assert (row["fault_groups"], row["faults"], row["fault_ns"], row["migration_ns"]) == (
        None,
        None,
        None,
        200,
    )


def test_numbers_of_faults_that_are_not_recorded(tmp_path: Path, answer: Answer) -> None:
    export = Export(tmp_path / "capture.sqlite")
    export.kernel(0, 1_000, name="touch")
    gpu_faults(export, 100, 200, None)
    gpu_faults(export, 300, 400, 5)
    found = answer("um", export.write(), "--by", "kernel")
    assert [(row["fault_groups"], row["faults"], row["fault_ns"]) for row in found["rows"]] == [
        (2, None, 200)
    ]
    assert found["coverage"]["gpu_page_faults"] is None


@pytest.mark.parametrize(("turns", "pong"), [(2, "no"), (3, "yes")])
def test_blocks_that_go_back_and_forth(tmp_path: Path, answer: Answer, turns: int, pong: str) -> None:
    export = Export(tmp_path / "capture.sqlite")
    export.launch((0, 10), (20, 100_000))
    block = 0xFFFF_8000_0020_0000 - (1 << 64)  # an address of the upper half is negative
    for number in range(turns + 1):
        kind = (11, UM_DTOH)[number % 2]
        migrate(export, 1_000 * number, 1_000 * number + 10, 100, kind, FAULT, block + 4096 * number)
    migrate(export, 50_000, 50_010, 100, UM_DTOD, FAULT, block)  # between devices: no turn
    migrate(export, 60_000, 60_010, 999, 11, FAULT, 0x40_0000)
    migrate(export, 60_000, 60_010, 999, 11, FAULT, None)
    cpu_fault(export, 70_000, 0x40_0010)
    gpu_faults(export, 71_000, 71_010, 6, 0x5F_FFFF)
    found = answer("um", export.write(), "--by", "address")
    to_device = (turns + 2) // 2
    assert [list(row.values()) for row in found["rows"]] == [
        ["0xFFFF800000200000", 100, to_device, turns + 1 - to_device, 100 * (turns + 2), turns, pong, 0, 0],
        ["0x400000", 100, 1, 0, 999, 0, "no", 1, 6],
    ]
    assert any("1 block of 2 MiB went back and forth" in note for note in found["notes"]) is (pong == "yes")


def test_real_migrations(answer: Answer) -> None:
    """As plain SQL counts and adds them up."""
    path = real_export("opengl-2024.2")
    with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as db:
        truth = db.execute(
            "SELECT migrationCause, count(*), sum(bytes), sum(end - start) FROM CUPTI_ACTIVITY_KIND_MEMCPY "
            "WHERE copyKind = 12 GROUP BY 1 ORDER BY 4 DESC"
        ).fetchall()
    found = answer("um", path)
    words = {2: "page fault", 3: "speculative prefetch"}
    assert [tuple(row.values())[1:5] for row in found["rows"]] == [
        (words[cause], count, size, ns) for cause, count, size, ns in truth
    ]
    assert [row["count"] for row in found["rows"]] in ([54, 32], [32, 54])
    assert {row["direction"] for row in found["rows"]} == {DTOH}
