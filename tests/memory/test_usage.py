"""Memory that was allocated: what is alive when, by hand and by a plain walk over the rows."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixtures.memory_rows import POOL_DESTROYED, allocate, pool_event, release
from fixtures.schema import SCHEMAS
from tests.memory.conftest import Answer, index_of
from tests.support.export import NULL, Export, global_id
from tui.analysis.memory.levels import Level
from tui.analysis.memory.lifetimes import lifetimes
from tui.analysis.memory.usage import usages
from tui.analysis.scope import Scope
from tui.analysis.work_window import recorded_window

MIB = 1 << 20
PAGEABLE, PINNED, DEVICE, ARRAY, MANAGED, STATIC = 0, 1, 2, 3, 4, 5


def key(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["device"], row["pid"], row["kind"]


@pytest.mark.parametrize("schema", ["2022", "2024.6", "2026.2"])
def test_a_program_that_allocates_once(tmp_path: Path, answer: Answer, schema: str) -> None:
    """Five blocks of the device, one pinned, static variables: nothing is released."""
    export = Export(tmp_path / "capture.sqlite", schema=schema)
    export.device()
    call = export.runtime("cudaMalloc_v3020", 10, 20)
    export.push_pop("setup", 5, 30)
    export.launch((1_000, 1_010), (1_020, 2_000))
    for i in range(5):
        allocate(export, 15 + i, 67_108_864, 0x7F00_0000_0000 + i * 67_108_864, corr=call if i == 4 else NULL)
    allocate(export, 40, 67_108_864, 0x2000, kind=PINNED)
    for i in range(110):
        allocate(export, 50 + i, 944, 0x10_0000 + i * 1024, kind=STATIC, name=f"table{i}")
    found = answer("memory", export.write())
    assert [list(row.values()) for row in found["rows"]] == [
        [0, 100, "device", 5, 0, 335_544_320, 335_544_320, 19, 67_108_864, None],
        [0, 100, "device static", 110, 0, 103_840, 103_840, 159, 944, None],
        [None, 100, "pinned", 1, 0, 67_108_864, 67_108_864, 40, 67_108_864, None],
    ]
    assert list(found["rows"][0]) == [
        "device", "pid", "kind", "allocations", "frees", "live_end_bytes", "peak_bytes", "peak_at_ns",
        "largest_bytes", "growth_per_step_bytes",
    ]  # fmt: skip
    assert found["coverage"] == {"events": 116, "allocations": 116, "doubtful": 0}
    assert found["devices"] == [
        {
            "device": 0,
            "capacity_bytes": 84_942_979_072,
            "peak_bytes": 335_544_320,
            "peak_at_ns": 19,
            "peak_pct": 0.4,
            "live_end_bytes": 335_544_320,
            "growth_per_step_bytes": None,
        }
    ]
    alive = answer("memory", export.path, "--at", "peak")["rows"]
    assert [(row["bytes"], row["call"], row["phase"], row["freed_at_ns"]) for row in alive] == [
        *[(67_108_864, None, None, None)] * 4,
        (67_108_864, "cudaMalloc", "setup", None),
    ]
    everything = answer("memory", export.path, "--at", "100")["rows"]
    assert len(everything) == 5 + 1 + 51
    assert everything[-1]["variable"] == "table50"


def test_live_bytes_by_address(tmp_path: Path, answer: Answer) -> None:
    export = Export(tmp_path / "capture.sqlite")
    export.launch((0, 10), (20, 1_000))
    allocate(export, 100, 10, 0xA)
    allocate(export, 200, 20, 0xB)
    release(export, 300, 10, 0xA)
    allocate(export, 400, 5, 0xA)
    release(export, 500, 999, 0xB)  # what is released is what was allocated
    found = answer("memory", export.write(), "--series")
    assert [(row["time_ns"], row["live_bytes"]) for row in found["rows"]] == [
        (0, 0), (100, 10), (200, 30), (300, 20), (400, 25), (500, 5),
    ]  # fmt: skip
    coarse = answer("memory", export.path, "--series", "--every", "250")["rows"]
    assert [(row["time_ns"], row["live_bytes"]) for row in coarse] == [(0, 30), (250, 30), (500, 5), (750, 5)]
    part = answer("memory", export.path, "--range", "250/450")["rows"]
    assert [list(row.values())[3:] for row in part] == [[1, 1, 25, 30, 250, 20, None]]


def test_doubtful_rows_end_what_they_can(tmp_path: Path, answer: Answer) -> None:
    export = Export(tmp_path / "capture.sqlite")
    export.launch((0, 10), (20, 1_000))
    allocate(export, 100, 10, 0xA)
    allocate(export, 200, 30, 0xA)  # again while alive: the older one ends
    release(export, 300, 30, 0xA)
    release(export, 350, 30, 0xA)  # not alive
    release(export, 400, 8, 0xC)  # never allocated
    allocate(export, 500, None, 0xD)
    allocate(export, 510, -5, 0xE)
    allocate(export, 520, 1 << 60, 0xE)
    allocate(export, 530, 7, None)
    allocate(export, 540, 7, 0xF, operation=9)
    found = answer("memory", export.write())
    assert [list(row.values())[2:9] for row in found["rows"]] == [["device", 2, 3, 0, 30, 200, 30]]
    assert found["coverage"] == {"events": 5, "allocations": 2, "doubtful": 8}
    assert found["notes"][1:] == [
        "1 row: neither allocated nor released (left out), first: CUDA_GPU_MEMORY_USAGE_EVENTS row 10",
        "1 row: memory without an address (left out), first: CUDA_GPU_MEMORY_USAGE_EVENTS row 9",
        "3 rows: allocation of an impossible size (left out), first: CUDA_GPU_MEMORY_USAGE_EVENTS row 6",
        "2 rows: released without an allocation, first: CUDA_GPU_MEMORY_USAGE_EVENTS row 4",
        "1 row: allocated again while alive, first: CUDA_GPU_MEMORY_USAGE_EVENTS row 2",
    ]


def test_the_same_address_of_two_processes_and_devices(tmp_path: Path, answer: Answer) -> None:
    export = Export(tmp_path / "capture.sqlite")
    for number in (0, 1):
        export.device(id=number)
        export.kernel(20, 1_000, device=number)
    export.kernel(20, 1_000, device=1, pid=200)
    allocate(export, 100, 10, 0xA, device=0)
    allocate(export, 110, 20, 0xA, device=1)
    allocate(export, 120, 40, 0xA, device=1, pid=200)
    allocate(export, 125, 3, 0xA, device=1, pid=200, kind=PINNED)
    allocate(export, 126, 4, 0xB, device=0, pid=200, kind=PINNED)
    release(export, 130, 20, 0xA, device=1)
    release(export, 140, 4, 0xB, device=1, pid=200, kind=PINNED)
    found = answer("memory", export.write())
    assert [(*key(row), row["peak_bytes"], row["live_end_bytes"]) for row in found["rows"]] == [
        (0, 100, "device", 10, 10),
        (1, 100, "device", 20, 0),
        (1, 200, "device", 40, 40),
        (None, 200, "pinned", 7, 3),
    ]
    assert [(d["device"], d["peak_bytes"], d["peak_at_ns"]) for d in found["devices"]] == [
        (0, 10, 100),
        (1, 60, 120),
    ]
    one = answer("memory", export.path, "--device", "1")["rows"]
    assert [key(row) for row in one] == [(1, 100, "device"), (1, 200, "device"), (None, 200, "pinned")]
    other = answer("memory", export.path, "--process", "100")["rows"]
    assert [key(row) for row in other] == [(0, 100, "device"), (1, 100, "device")]
    peak = answer("memory", export.path, "--at", "peak")["rows"]
    assert [(row["device"], row["pid"], row["bytes"]) for row in peak] == [
        (1, 200, 40),
        (1, 100, 20),
        (0, 100, 10),
    ]


def test_in_use_is_device_memory_and_arrays(tmp_path: Path, answer: Answer) -> None:
    export = Export(tmp_path / "capture.sqlite")
    export.launch((0, 10), (20, 1_000))
    for number, kind in enumerate((DEVICE, ARRAY, MANAGED, STATIC, PAGEABLE, 7, 12)):
        allocate(export, 100 + number, 1 << number, 0xA0 + number, kind=kind)
    found = answer("memory", export.write())
    assert [(*key(row), row["peak_bytes"]) for row in found["rows"]] == [
        (0, 100, "device", 1),
        (0, 100, "array", 2),
        (0, 100, "managed", 4),
        (0, 100, "device static", 8),
        (0, 100, "unknown", 32),
        (0, 100, "kind 12", 64),
        (None, 100, "pageable", 16),
    ]
    assert [(d["peak_bytes"], d["capacity_bytes"]) for d in found["devices"]] == [(3, None)]


def test_changes_at_one_instant(tmp_path: Path, answer: Answer) -> None:
    """The rows' order decides what was alive together; afterwards the last one holds."""
    export = Export(tmp_path / "capture.sqlite")
    export.launch((0, 10), (20, 1_000))
    allocate(export, 100, 10, 0xA)
    allocate(export, 200, 20, 0xB)
    release(export, 200, 10, 0xA)
    found = answer("memory", export.write())
    assert [list(row.values())[5:8] for row in found["rows"]] == [[20, 30, 200]]
    peak = answer("memory", export.path, "--at", "peak")["rows"]
    assert [row["bytes"] for row in peak] == [20, 10]


def test_growth_is_the_median_slope(tmp_path: Path, answer: Answer) -> None:
    """Each step keeps 1 MiB more; one step that keeps 500 MiB for a while moves nothing."""
    export = Export(tmp_path / "capture.sqlite")
    for step in range(12):
        at = step * 1_000
        export.push_pop("train_step", at, at + 900)
        export.launch((at + 10, at + 20), (at + 30, at + 800))
        allocate(export, at + 100, MIB, 0x10_0000 + step)
        if step == 5:
            allocate(export, at + 200, 500 * MIB, 0xB)
            release(export, at + 1_200, 500 * MIB, 0xB)
    found = answer("memory", export.write())
    assert found["rows"][0]["growth_per_step_bytes"] == MIB
    assert found["devices"][0]["growth_per_step_bytes"] == MIB
    few = answer("memory", export.path, "--range", "step:1..9")
    assert few["rows"][0]["growth_per_step_bytes"] is None


@pytest.mark.parametrize("schema", ["2024.6", "2026.2"])
def test_pools(tmp_path: Path, answer: Answer, schema: str) -> None:
    export = Export(tmp_path / "capture.sqlite", schema=schema)
    export.launch((0, 10), (20, 1_000))
    pool_event(export, 50, 0xF000, reserved=0, used=0)
    allocate(export, 100, 10, 0xA, pool=(0xF000, 32, 10))
    allocate(export, 200, 20, 0xB, pool=(0xF000, 64, 30))
    release(export, 300, 10, 0xA, pool=(0xF000, 64, 20))
    pool_event(export, 400, 0xF000, POOL_DESTROYED)
    found = answer("memory", export.write(), "--pools")
    expected = {
        "device": 0, "pid": 100, "pool": "0xF000", "events": 5, "in_use_peak_bytes": 30,
        "reserved_peak_bytes": 64, "in_use_end_bytes": 0, "reserved_end_bytes": 0,
        "release_threshold_bytes": 0,
    }  # fmt: skip
    assert found["rows"] == [expected]
    assert answer("memory", export.path)["pools"] == [expected]


def test_segments_of_a_caching_allocator(tmp_path: Path, answer: Answer) -> None:
    export = Export(tmp_path / "capture.sqlite")
    export.launch((0, 10), (20, 1_000))
    for number in range(10):
        allocate(export, 100 + number, 20 * MIB, number + 1)
    said = "segments of a caching allocator, not tensors"
    assert any(said in note for note in answer("memory", export.write())["notes"])
    for number in range(2):
        release(export, 200 + number, 20 * MIB, number + 1)
    assert not any(said in note for note in answer("memory", export.write())["notes"])


def test_columns_that_are_missing_are_unknown(tmp_path: Path, answer: Answer) -> None:
    export = Export(tmp_path / "capture.sqlite")
    export.launch((0, 10), (20, 1_000))
    allocate(export, 100, 10, 0xA)
    export.omit("CUDA_GPU_MEMORY_USAGE_EVENTS", "memKind", "correlationId", "name", "deviceId", "globalPid")
    found = answer("memory", export.write(), "--at", "100")
    assert [(row["device"], row["pid"], row["kind"], row["bytes"], row["call"]) for row in found["rows"]] == [
        (None, None, "unknown", 10, None)
    ]


def test_who_allocated_by_backtrace(tmp_path: Path, answer: Answer) -> None:
    """The innermost function outside CUDA's and C's libraries; the outermost of two calls of one id."""
    export = Export(tmp_path / "capture.sqlite")
    export.launch((0, 10), (20, 1_000))
    call = export.runtime("cudaMalloc_v3020", 90, 120, callchainId=1, corr=77)
    export.driver("cuMemAlloc_v2", 95, 115, corr=77)
    stack = [("cudaMalloc", "/lib/libcudart.so"), ("grow_cache()", "/opt/app/app"), ("main", "/opt/app/app")]
    export.chain("CUDA", 1, stack)
    export.runtime("cudaMalloc_v3020", 90, 120, pid=200, tid=2, corr=77)
    allocate(export, 100, 10, 0xA, corr=call)
    allocate(export, 101, 10, 0xB, corr=999)
    rows = answer("memory", export.write(), "--at", "peak")["rows"]
    assert [(row["call"], row["caller"], row["thread"]) for row in rows] == [
        ("cudaMalloc", "grow_cache()", "1"),
        (None, None, None),
    ]


EVENT = st.tuples(
    st.integers(0, 30),  # time
    st.sampled_from([0, 0, 0, 1, 1, 2]),  # operation
    st.sampled_from([1, 2, 3]),  # address
    st.integers(0, 50),  # bytes
    st.sampled_from([(0, 100), (1, 100), (0, 200)]),  # device, pid
)


@settings(max_examples=60, deadline=None)
@given(st.lists(EVENT, max_size=40))
def test_against_a_walk_over_the_rows(tmp_path_factory: pytest.TempPathFactory, events: list[Any]) -> None:
    export = Export(tmp_path_factory.mktemp("walk") / "capture.sqlite")
    for device in (0, 1):
        export.kernel(0, 40, device=device)
    export.empty("CUDA_GPU_MEMORY_USAGE_EVENTS")
    for time, operation, address, size, (device, pid) in sorted(events, key=lambda event: event[0]):
        allocate(export, time, size, address, device=device, pid=pid, operation=operation)
    index = index_of(export.write())
    scope = Scope(recorded_window(index))
    with closing(sqlite3.connect(export.path)) as db:
        rows = db.execute(
            "SELECT start, deviceId, (globalPid >> 24) & 16777215, address, bytes, memoryOperationType "
            "FROM CUDA_GPU_MEMORY_USAGE_EVENTS ORDER BY start, rowid"
        ).fetchall()
    live: dict[tuple[int, int], dict[int, int]] = {}
    peak: dict[tuple[int, int], int] = {}
    at: dict[tuple[int, int], list[int]] = {}
    for time, device, pid, address, size, operation in rows:
        if operation == 2:
            continue
        mine = live.setdefault((device, pid), {})
        steps = at.setdefault((device, pid), [0] * 41)
        if operation == 0:
            mine[address] = size
        else:
            mine.pop(address, None)
        total = sum(mine.values())
        peak[device, pid] = max(peak.get((device, pid), 0), total)
        steps[time:] = [total] * (41 - time)
    found = {(u.group.place.number, u.pid): u for u in usages(index, scope)}
    assert set(found) == set(live)
    for place, usage in found.items():
        assert usage.peak.value == peak[place]
        assert usage.end == sum(live[place].values())
        assert usage.level.at(np.arange(41)).tolist() == at[place]
        assert (usage.level.values >= 0).all()
    assert (lifetimes(index).end >= lifetimes(index).start).all()


CHANGES = st.lists(st.tuples(st.integers(0, 300), st.integers(0, 99)), max_size=300)


@settings(max_examples=80, deadline=None)
@given(CHANGES, st.lists(st.integers(-5, 320), min_size=2, max_size=12, unique=True))
def test_cells_of_a_level(changes: list[tuple[int, int]], edges: list[int]) -> None:
    """Mean, least and greatest of each cell, nanosecond by nanosecond."""
    changes.sort(key=lambda change: change[0])
    edges.sort()
    level = Level(*(np.array([c[i] for c in changes], np.int64) for i in (0, 1)))
    mean, low, high = level.over(np.array(edges, np.int64))
    held = {time: [0, *(v for t, v in changes if t <= time)][-1] for time in range(-5, 321)}
    for i, (start, end) in enumerate(pairwise(edges)):
        inside = [held[time] for time in range(start, end)]
        between = [v for t, v in changes if start < t < end]
        assert mean[i] == pytest.approx(sum(inside) / len(inside))
        assert low[i] == min(inside + between)
        assert high[i] == max(inside + between)


def test_level_of_many_changes() -> None:
    """Blocks of blocks of changes: as a plain minimum and maximum."""
    random = np.random.default_rng(7)
    times = np.sort(random.integers(0, 1_000_000, 20_000))
    values = random.integers(0, 1 << 40, 20_000)
    level = Level(times, values)
    edges = np.array([-10, 0, 3, 17_000, 17_001, 500_000, 999_000, 1_000_001, 1_000_500])
    _, low, high = level.over(edges)
    for i in range(len(edges) - 1):
        first = np.searchsorted(times, edges[i], "right")
        last = max(first, np.searchsorted(times, edges[i + 1], "left"))
        seen = np.append(level.at(edges[i : i + 1]), values[first:last])
        assert (low[i], high[i]) == (seen.min(), seen.max())


def test_the_schemas_have_the_table(tmp_path: Path) -> None:
    assert set(SCHEMAS) >= {"2022", "2024.6", "2026.2"}
    export = Export(tmp_path / "capture.sqlite", schema="2022")
    allocate(export, 1, 2, 3)
    assert [c.name for c in export.layout("CUDA_GPU_MEMORY_USAGE_EVENTS")] == [
        "start", "globalPid", "deviceId", "contextId", "address", "pc", "bytes", "memKind",
        "memoryOperationType", "name", "correlationId",
    ]  # fmt: skip
    assert global_id(1) == 281474993487872
