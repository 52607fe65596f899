"""Lanes of memory, of unified memory and of contexts: what their cells hold, and when they are read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fixtures.memory_rows import (
    EVICTION,
    FAULT,
    UM_DTOH,
    allocate,
    context,
    cpu_fault,
    gpu_faults,
    migrate,
    release,
)
from tests.memory.conftest import index_of
from tests.support.export import Export, global_id
from tui.cli import main
from tui.timeline.extra import extra_lanes
from tui.timeline.lane import Lane
from tui.timeline.series import Area, Density, Level, Sampled, Series

MIB = 1 << 20


def lanes(path: Path) -> dict[str, tuple[Series, ...]]:
    """By key the lines of each lane, gathered."""
    index = index_of(path)
    found: dict[str, tuple[Series, ...]] = {}
    for lane in extra_lanes(index.report):
        assert lane.late is not None
        found[lane.key] = tuple(row for row in lane.late(index) if isinstance(row, Series))
    return found


def small(tmp_path: Path) -> Export:
    export = Export(tmp_path / "capture.sqlite")
    export.device()
    export.launch((0, 10), (20, 1_000))
    return export


def test_no_lanes_without_rows(tmp_path: Path) -> None:
    export = small(tmp_path)
    export.empty("CUDA_GPU_MEMORY_USAGE_EVENTS", "FECS_EVENTS", "CUDA_UM_CPU_PAGE_FAULT_EVENTS")
    assert lanes(export.write()) == {}


def test_memory_by_kind(tmp_path: Path) -> None:
    export = small(tmp_path)
    allocate(export, 100, 4 * MIB, 0xA)
    allocate(export, 200, 2 * MIB, 0xB, kind=4)
    release(export, 300, 4 * MIB, 0xA)
    allocate(export, 150, MIB, 0xC, kind=1)
    found = lanes(export.write())
    assert list(found) == ["gpu0/memory", "t100/host-memory"]
    (area,) = found["gpu0/memory"]
    assert isinstance(area, Area)
    assert [part.title for part in area.parts] == ["device", "managed"]
    edges = np.array([0, 100, 200, 400, 1_000])
    device, managed = (part.values.over(edges) for part in area.parts)
    assert device.mean.tolist() == [0, 4 * MIB, 2 * MIB, 0]
    assert device.high.tolist() == [0, 4 * MIB, 4 * MIB, 0]
    assert managed.mean.tolist() == [0, 0, 2 * MIB, 2 * MIB]
    assert (area.peak, area.top) == ((200, 6 * MIB), 6 * MIB)
    assert dict(area.details)["peak"] == "6.3 MB at 0.000 000 200 s"
    assert dict(area.details)["of the GPU's"] == "84.9 GB, <0.1%"
    (host,) = found["t100/host-memory"]
    assert isinstance(host, Area)
    assert [part.title for part in host.parts] == ["pinned"]
    assert host.peak == (150, MIB)


def test_pools_together(tmp_path: Path) -> None:
    export = small(tmp_path)
    allocate(export, 100, 10, 0xA, pool=(0xF000, 64, 10))
    allocate(export, 200, 20, 0xB, pool=(0xE000, 32, 20))
    release(export, 300, 10, 0xA, pool=(0xF000, 64, 0))
    _, used, reserved = lanes(export.write())["gpu0/memory"]
    edges = np.array([0, 100, 200, 300, 400])
    assert isinstance(used, Level)
    assert isinstance(reserved, Level)
    assert used.values.over(edges).mean.tolist() == [0, 10, 30, 20]
    assert reserved.values.over(edges).mean.tolist() == [0, 64, 96, 96]


def test_a_device_without_allocations_has_no_lines(tmp_path: Path) -> None:
    export = small(tmp_path)
    export.device(id=1)
    export.kernel(20, 1_000, device=1)
    allocate(export, 100, 10, 0xA, device=1)
    found = lanes(export.write())
    assert (found["gpu0/memory"], len(found["gpu1/memory"])) == ((), 1)


def test_unified_memory_by_direction_and_cause(tmp_path: Path) -> None:
    export = small(tmp_path)
    migrate(export, 100, 200, 1_000)
    migrate(export, 150, 200, 1_000)
    migrate(export, 300, 400, 500, UM_DTOH, EVICTION)
    migrate(export, 500, 500, 500, UM_DTOH, FAULT)
    gpu_faults(export, 120, 130, 5)
    gpu_faults(export, 190, 220, None)
    cpu_fault(export, 700, 0xA)
    found = lanes(export.write())
    faults, moved, *out = found["gpu0/unified"]
    edges = np.array([0, 100, 150, 200, 300, 800])
    assert isinstance(faults, Density)
    assert dict(faults.details) == {"groups": "2", "faults": "unknown"}
    assert faults.counts.over(edges).tolist() == [0, 5, 1, 0, 0]
    assert isinstance(moved, Level)
    assert moved.title == "UM to GPU: page fault"
    assert moved.values.over(edges).mean.tolist() == pytest.approx([0, 10, 30, 0, 0])
    assert moved.words(moved.top) == "30.0 GB/s"
    assert [line.title for line in out] == ["UM to host: page fault", "UM to host: eviction"]
    (cpu,) = found["t100/cpu-faults"]
    assert isinstance(cpu, Density)
    assert cpu.counts.over(edges).tolist() == [0, 0, 0, 0, 1]


def test_contexts(tmp_path: Path) -> None:
    export = Export(tmp_path / "capture.sqlite")
    export.kernel(0, 500)
    export.kernel(720, 1_000)
    export.process(100, "python\x1b[31m")
    context(export, 0, 600, 1)
    context(export, 650, 700, 2, pid=900)
    context(export, 700, 1_000, 1)
    whose, others = lanes(export.write())["gpu0/context"]
    assert isinstance(whose, Sampled)
    edges = np.array([0, 300, 600, 640, 720, 1_000])
    cells = whose.names.over(edges)
    assert cells.seen.tolist() == [1, 1, 0, 2, 1]
    words = [whose.names.word(code) if code >= 0 else None for code in cells.code.tolist()]
    assert words == ["python␛[31m 100", "python␛[31m 100", None, "process 900", "python␛[31m 100"]
    assert cells.share.tolist()[3] == pytest.approx(50 / 70)
    assert [whose.style(code) for code in (0, 1)] == ["series.0", "series.7"]
    assert isinstance(others, Level)
    assert others.values.over(edges).mean.tolist() == [0, 0, 0, 62.5, 0]


def test_nothing_is_read_before_a_lane_is_asked_for(tmp_path: Path) -> None:
    export = small(tmp_path)
    allocate(export, 100, 10, 0xA)
    context(export, 0, 600, 1)
    index = index_of(export.write())
    found: list[Lane] = list(extra_lanes(index.report))
    assert [lane.key for lane in found] == ["gpu0/memory", "t100/host-memory", "gpu0/context"]
    assert not any(lane.loaded for lane in found)
    export.path.write_bytes(b"")  # what is read from now on is no report
    assert list(map(str, (lane.key for lane in extra_lanes(index.report)))) == [lane.key for lane in found]


def test_as_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export = small(tmp_path)
    allocate(export, 100, 4 * MIB, 0xA)
    allocate(export, 600, 4 * MIB, 0xB)
    arguments = ["view", str(export.write()), "--no-cache", "--pane", "none", "--size", "80x12", "--ascii"]
    assert main([*arguments, "--unfold"]) == 0
    text = capsys.readouterr().out
    assert "memory" in text
    assert "8.4 MB" in text


def test_graphics_memory_as_windows_counts_it(tmp_path: Path) -> None:
    """The latest value of each process and segment, added up; a budget is no use."""
    export = small(tmp_path)
    for at, pid, segment, size in (
        (100, 1, 0, 10), (200, 2, 0, 5), (300, 1, 0, 3), (400, 1, 1, 2), (500, 2, 0, -1), (600, 2, 0, None),
    ):  # fmt: skip
        export.row(
            "GPU_MEMORY_USAGE_EVENTS", timestamp=at, globalTid=global_id(pid, at), gpu=0, newUsage=size,
            segmentGroup=segment,
        )  # fmt: skip
    export.row("GPU_MEMORY_BUDGET_EVENTS", timestamp=5, globalTid=global_id(1), gpu=0, newBudget=9)
    export.row(
        "TOTAL_BYTES_RESIDENT_IN_SEGMENT_EVENTS", timestamp=5, gpu=0, totalBytesResident=7, segmentId=1
    )
    used, resident = lanes(export.write())["gpu0/windows-memory"]
    assert isinstance(used, Level)
    edges = np.array([0, 100, 200, 300, 400, 900])
    assert used.values.over(edges).mean.tolist() == [0, 10, 15, 8, 10]
    assert used.title == "Windows memory: in use"
    assert isinstance(resident, Level)
    assert resident.values.over(edges).high.tolist() == [7, 7, 7, 7, 7]
