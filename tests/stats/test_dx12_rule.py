"""Costly operations on Direct3D 12 memory: the rows are those that nsys lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stats.conftest import rows_of
from tests.support.export import Export, global_id
from tui.analysis.index import Index
from tui.analysis.rules import choose
from tui.analysis.window import make_scope
from tui.analysis.work_window import recorded_window
from tui.report import open_report


class Operations:
    """Operations on memory and the calls that did them, a call an operation, 10 ns apart."""

    def __init__(self, path: Path) -> None:
        self.export = Export(path)
        self.export.kernel(0, 1)
        self.number = 0
        self.ids: dict[str, int] = {}

    def add(
        self, name: str, start: int | None = None, length: int = 5, tid: int = 1, **columns: int | None
    ) -> None:
        self.number += 1
        start = 10 * self.number if start is None else start
        if name not in self.ids:
            self.ids[name] = self.export.string(name, 1000 + len(self.ids))
        self.export.row(
            "DX12_API",
            id=self.number,
            start=start,
            end=start + length,
            globalTid=global_id(100, tid),
            nameId=self.ids[name],
        )
        given = {"gpu": 0, "heapType": None, "heapFlags": None, "cpuPageProperty": None, **columns}
        self.export.row("DX12_MEMORY_OPERATION", traceEventId=self.number, **given)

    def found(self, options: str = "") -> list[list[object]]:
        report = open_report(self.export.write(), use_store=False)
        (chosen,) = choose([f"dx12_mem_ops{options}"])
        answer = chosen.answer(Index(report), make_scope(report, default=recorded_window), {}, 0)
        assert answer is not None
        return rows_of(answer.finding.table)


@pytest.fixture
def operations(tmp_path: Path) -> Operations:
    return Operations(tmp_path / "x.sqlite")


@pytest.mark.parametrize(
    ("name", "columns", "warning"),
    [
        ("ID3D12Device::CreateHeap", {"heapFlags": 0}, "HEAP_CREATED_WITH_ZEROING"),
        ("ID3D12Device::CreateHeap1", {"heapFlags": 1}, "HEAP_CREATED_WITH_ZEROING"),
        ("id3d12device::createheap", {"heapFlags": 0x2000}, "HEAP_CREATED_WITH_ZEROING"),
        ("ID3D12Device::CreateHeap", {"heapFlags": 0x1000}, None),
        ("ID3D12Device::CreateHeap", {"heapFlags": 0x1FFF}, None),
        ("ID3D12Device::CreateHeap", {"heapFlags": None}, None),
        ("ID3D12Device4::CreateHeap1", {"heapFlags": 0}, None),
        (
            "ID3D12Device::CreateCommittedResource2",
            {"heapFlags": 0},
            "COMMITTED_RESOURCE_CREATED_WITH_ZEROING",
        ),
        ("ID3D12Device::CreatePlacedResource", {"heapFlags": 0}, None),
        ("ID3D12Resource::ReadFromSubresource", {"heapType": 1}, "READ_FROM_UPLOAD_HEAP_SUBRESOURCE"),
        (
            "ID3D12Resource::ReadFromSubresource",
            {"heapType": 1, "cpuPageProperty": 2},
            "READ_FROM_UPLOAD_HEAP_SUBRESOURCE",
        ),
        (
            "ID3D12Resource::ReadFromSubresource",
            {"heapType": 2, "cpuPageProperty": 2},
            "READ_FROM_SUBRESOURCE_TO_WRITE_COMBINE_PAGE",
        ),
        ("ID3D12Resource::ReadFromSubresource", {"heapType": 2, "cpuPageProperty": 3}, None),
        ("ID3D12Resource::ReadFromSubresource1", {"heapType": 1}, None),
        ("id3d12resource::readfromsubresource", {"heapType": 1}, None),
        ("ID3D12Resource::WriteToSubresource", {"heapType": 2}, "WRITE_TO_READBACK_HEAP_SUBRESOURCE"),
        (
            "ID3D12Resource::WriteToSubresource",
            {"heapType": None, "cpuPageProperty": 3},
            "WRITE_TO_SUBRESOURCE_FROM_WRITE_BACK_PAGE",
        ),
        ("ID3D12Resource::WriteToSubresource", {"heapType": 1, "cpuPageProperty": 2}, None),
        ("ID3D12Resource::Map", {"heapType": 1, "rangeStart": 0, "rangeEnd": 10}, None),
        ("ID3D12Resource::Unmap", {"heapType": 2, "rangeStart": 0, "rangeEnd": 10}, None),
    ],
)
def test_what_deserves_a_warning(
    operations: Operations, name: str, columns: dict[str, int | None], warning: str | None
) -> None:
    operations.add(name, **columns)
    assert operations.found() == ([[5, 10, 1, 0, f"D3D12_{warning}"]] if warning else [])


def test_longest_first_then_as_recorded(operations: Operations) -> None:
    for start, length, tid, gpu in ((5000, 5, 100, 0), (4000, 5, 99, 1), (6000, 9, 98, None), (-5, 7, 95, 0)):
        operations.add("ID3D12Device::CreateHeap", start, length, tid, gpu=gpu, heapFlags=0)
    operations.export.row(
        "DX12_MEMORY_OPERATION", traceEventId=1, gpu=3, heapFlags=0
    )  # a second one of a call
    operations.export.row("DX12_MEMORY_OPERATION", traceEventId=777, gpu=3, heapFlags=0)  # of no call
    zeroing = "D3D12_HEAP_CREATED_WITH_ZEROING"
    rows = [
        [9, 6000, 98, None, zeroing],
        [7, -5, 95, 0, zeroing],
        [5, 5000, 100, 0, zeroing],
        [5, 4000, 99, 1, zeroing],
        [5, 5000, 100, 3, zeroing],
    ]
    assert operations.found() == rows
    assert operations.found(":start=4005:end=6000") == rows[2:]
    assert operations.found(":start=4006:end=6001") == [rows[0], rows[2], rows[4]]
    assert operations.found(":rows=1") == rows  # so many are shown, not found


def test_an_export_without_direct3d_has_no_data(tmp_path: Path) -> None:
    export = Export(tmp_path / "none.sqlite")
    export.kernel(0, 1)
    report = open_report(export.write(), use_store=False)
    (chosen,) = choose(["dx12_mem_ops"])
    assert chosen.answer(Index(report), make_scope(report), {}, 0) is None
