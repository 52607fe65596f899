"""The order of rows that a report's first key leaves open, and what one row is: as nsys prints them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stats.test_reports import capture, records
from tests.support.export import DTOD, DTOH, HTOD, Export, global_id


@pytest.fixture
def export(tmp_path: Path) -> Export:
    """Kernels, copies, a memset and calls: of each name 12 ns in all, but in one to four pieces."""
    export, at = Export(tmp_path / "x.sqlite"), 1000
    for name, pieces in (("b", 1), ("d", 1), ("a", 2), ("c", 3), ("e", 4), ("a2", 3)):
        for _ in range(pieces):
            export.kernel(at, at + 12 // pieces, name=name)
            at += 100
    for kind, pieces in ((HTOD, 2), (DTOH, 1), (DTOD, 3)):
        for _ in range(pieces):
            export.memcpy(at, at + 12 // pieces, kind=kind, bytes=12 // pieces)
            at += 100
    export.memset(at, at + 12, bytes=12)
    for name, pieces in (("cudaZ_v3020", 2), ("cudaB_v3020", 1), ("cudaA_v3020", 3)):
        for _ in range(pieces):
            at += 100
            export.runtime(name, at, at + 12 // pieces)
    return export


MEMORY = [
    f"[CUDA {op}]"
    for op in ("memcpy Device-to-Device", "memcpy Device-to-Host", "memcpy Host-to-Device", "memset")
]


@pytest.mark.parametrize(
    ("report", "column", "names"),
    [
        ("cuda_gpu_kern_sum", "Name", ["b", "d", "a", "a2", "c", "e"]),  # fewer first, then by name
        ("cuda_gpu_kern_gb_sum", "Name", ["b", "d", "a", "a2", "c", "e"]),
        ("cuda_gpu_mem_time_sum", "Operation", MEMORY),  # by name alone
        ("cuda_gpu_mem_size_sum", "Operation", MEMORY),
        ("cuda_gpu_sum", "Operation", [*MEMORY, "a", "a2", "b", "c", "d", "e"]),
        (
            "cuda_api_gpu_sum",
            "Operation",
            [*MEMORY, "a", "a2", "b", "c", "cudaA", "cudaB", "cudaZ", "d", "e"],
        ),
        ("cuda_api_sum", "Name", ["cudaZ", "cudaB", "cudaA"]),  # as in the file's string table
    ],
)
def test_equal_totals(tmp_path: Path, export: Export, report: str, column: str, names: list[str]) -> None:
    assert [row[column] for row in records(capture(tmp_path, export=export), report)] == names


def test_equal_grids_and_blocks_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    export = Export(tmp_path / "x.sqlite")
    for grid, block in ((100_000, 1), (20_000, 1), (3_000, 20), (3_000, 1000), (3_000, 3)):
        export.kernel(0, 10, grid=(grid, 1, 1), block=(block, 1, 1))
    rows = records(capture(tmp_path, export=export), "cuda_gpu_kern_gb_sum")
    assert [(int(r["GridXYZ"].split()[0]), int(r["BlockXYZ"].split()[0])) for r in rows] == [
        (3_000, 3),
        (3_000, 20),
        (3_000, 1000),
        (20_000, 1),
        (100_000, 1),
    ]


def test_os_calls_of_one_total_are_as_in_the_string_table(tmp_path: Path) -> None:
    export = Export(tmp_path / "x.sqlite")
    for number, name in enumerate(("mm", "zz", "aa", "qq"), 1000):
        export.string(name, number)
    for number, length, pieces in ((1003, 6, 2), (1002, 12, 1), (1001, 4, 3), (1000, 12, 1)):
        for at in range(pieces):
            export.osrt(number, 100 * at, 100 * at + length)
    rows = records(capture(tmp_path, export=export), "osrt_sum")
    assert [(row["Num Calls"], row["Name"]) for row in rows] == [(1, "mm"), (3, "zz"), (1, "aa"), (2, "qq")]


def test_each_kind_of_openmp_event_has_rows_of_its_own(tmp_path: Path) -> None:
    export = Export(tmp_path / "x.sqlite")
    ids = {name: export.string(name, number) for number, name in enumerate(("zz", "b2", "aa"), 1000)}
    for table in ("OPENMP_EVENT_KIND_TASK", "OPENMP_EVENT_KIND_FLUSH"):
        for name, length, pieces in (("zz", 6, 2), ("b2", 12, 1), ("aa", 12, 1)):
            for at in range(pieces):
                columns = {"nameId": ids[name], "globalTid": global_id(100, 1)}
                export.row(table, start=100 * at, end=100 * at + length, eventClass=1, **columns)
    rows = records(capture(tmp_path, export=export), "openmp_sum")
    assert [(row["Count"], row["Name"]) for row in rows] == [(2, "zz"), (1, "b2"), (1, "aa")] * 2


def test_openacc_events_are_named_by_their_place_in_the_source(tmp_path: Path) -> None:
    export = Export(tmp_path / "x.sqlite")
    texts = ("launch", "wait", "enter", "a.c", "b.c", "")
    ids = {text: export.string(text, number) for number, text in enumerate(texts, 1000)}
    for name, file, line in (
        ("launch", "b.c", 7),
        ("launch", "b.c", 7),
        ("launch", "a.c", 0),
        ("wait", None, 5),
        ("enter", "", 3),
    ):
        columns = {
            "nameId": ids[name],
            "globalTid": global_id(100, 1),
            "eventKind": 1,
            "srcFile": None if file is None else ids[file],
            "lineNo": line,
        }
        export.row("CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH", start=1, end=11, **columns)
    rows = records(capture(tmp_path, export=export), "openacc_sum")
    assert [(row["Num Calls"], row["Name"]) for row in rows] == [
        (2, "launch@b.c:7"),
        (1, "enter@:3"),
        (1, "launch@a.c:0"),
        (1, "wait"),
    ]
