"""Rows that are odd, chosen windows and processes, options: the reports on tables that few captures have."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stats.conftest import table_of
from tests.stats.test_reports import capture, records
from tests.support import rare
from tests.support.export import Export, global_id
from tui.analysis.stats import choose
from tui.cli import main
from tui.errors import UsageError
from tui.report import Report

RARE = (
    "mpi_event_trace", "um_sum", "um_cpu_page_faults_sum", "network_congestion", "opengl_khr_range_sum",
    "opengl_khr_gpu_range_sum", "vulkan_api_sum", "vulkan_api_trace", "vulkan_marker_sum",
    "vulkan_gpu_marker_sum", "dx11_pix_sum", "dx12_pix_sum", "dx12_gpu_marker_sum", "nvvideo_api_sum",
    "wddm_queue_sum",
)  # fmt: skip


@pytest.fixture
def export(tmp_path: Path) -> Export:
    """An export with one kernel, so that it holds something, of process 500."""
    export = rare.started(tmp_path / "rare.sqlite")
    export.kernel(0, 10_000, pid=500)
    export.runtime("cudaLaunchKernel", 0, 5, pid=500)
    return export


def times(report: Report, name: str, text: str | None = None, **choice: object) -> dict[str, int]:
    """The total of each name of a report, whatever the name's column is called."""
    found = records(report, name, text, **choice)
    return {list(row.values())[-1]: row["Total Time (ns)"] for row in found}


def test_what_an_export_does_not_hold_is_skipped(export: Export, capsys: pytest.CaptureFixture[str]) -> None:
    path = export.write()
    assert main(["stats", str(path), "-r", ",".join(RARE), "-f", "csv", "--no-cache"]) == 3
    skipped = [line for line in capsys.readouterr().err.splitlines() if line.startswith("SKIPPED: ")]
    assert [line.rsplit("(", 1)[1] for line in skipped] == [f"{name})." for name in RARE]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("um_sum:rows=", "um_sum has no option 'rows='; it takes rows=N"),
        ("um_sum:rows=ten", "um_sum has no option 'rows=ten'; it takes rows=N"),
        ("um_sum:rows", "um_sum has no option 'rows'; it takes rows=N"),
        ("um_sum:=3", "um_sum has no option '=3'; it takes rows=N"),
        ("um_sum:rows=" + "9" * 30, "um_sum has no option"),
        (
            "network_congestion:rows=3",
            "network_congestion has no option 'rows=3'; it takes ticks_threshold=N",
        ),
        ("wddm_queue_sum:rows=1", "wddm_queue_sum has no option 'rows=1'; it takes none"),
    ],
)
def test_options_that_a_report_does_not_take(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        choose(name)


def test_an_end_closes_the_latest_open_begin_of_its_number(export: Export) -> None:
    for text, start in (("outer", 0), ("inner", 100), (None, 150), (None, 300), (None, 400), ("open", 500)):
        rare.debug_call(export, "VULKAN_DEBUG_API", text, start, 7)
    report = capture(export.path.parent, export=export)
    assert times(report, "vulkan_marker_sum") == {"outer": 297, "inner": 47}
    assert table_of(report, "vulkan_marker_sum").note == "1 ranges were never closed and are left out"


def test_begins_and_ends_without_a_number_or_a_thread_are_not_paired(export: Export) -> None:
    for thread, number in ((None, 7), (rare.RENDER, None)):
        for text, start in (("range", 0), (None, 100)):
            values = {"nameId": "f", "textId": text, "globalTid": thread, "correlationId": number}
            export.row("D3D11_PIX_DEBUG_API", start=start, end=start + 1, **values)
    assert times(capture(export.path.parent, export=export), "dx11_pix_sum") == {}


def test_a_window_keeps_the_ranges_that_overlap_it(tmp_path: Path) -> None:
    report = capture(tmp_path, export=rare.graphics(tmp_path / "rare.sqlite"))
    assert times(report, "vulkan_gpu_marker_sum", "12/40") == {"frame": 20, "shadow": 8}
    assert times(report, "vulkan_marker_sum", "290/300") == {"loading": 996, "frame": 197}
    assert times(report, "opengl_khr_range_sum", "200/310") == {"open": 320, "frame": 79}
    assert times(report, "vulkan_api_sum", "52/62") == {"vkQueueSubmit": 5, "vkX": 1}
    assert times(report, "nvvideo_api_sum", "200/210") == {"decode": 200}
    assert [row["Start (ns)"] for row in records(report, "vulkan_api_trace", "9/20")] == [9, 10]


def test_a_process_keeps_its_rows(tmp_path: Path) -> None:
    report = capture(tmp_path, export=rare.wddm(tmp_path / "rare.sqlite"))
    (row, dma) = records(report, "wddm_queue_sum", processes=[600])
    assert (row["Utilization (%)"], row["PID"], row["Instances"]) == (12.8, 600, 2)
    assert (dma["Utilization (%)"], dma["Q Name"]) == (3.2, "dma")
    ranks = capture(tmp_path, export=rare.mpi(tmp_path / "mpi.sqlite"))
    found = records(ranks, "mpi_event_trace", processes=[800])
    assert [row["Event"] for row in found] == ["MPI_Recv", "MPI_Wait", "MPI_Comm_rank", "MPI_Allgather"]


def test_a_call_without_an_end_overlaps_every_later_window(tmp_path: Path) -> None:
    report = capture(tmp_path, export=rare.mpi(tmp_path / "rare.sqlite"))
    found = records(report, "mpi_event_trace", "420/430")
    assert [row["Event"] for row in found] == ["MPI_Irecv", "MPI_Bcast", "MPI_Allgather"]


def test_a_device_keeps_its_migrations_and_the_faults_of_its_processes(tmp_path: Path) -> None:
    export = rare.started(tmp_path / "rare.sqlite")
    for device in (0, 1):
        export.kernel(0, 10, pid=500 + 100 * device, device=device)
        export.memcpy(
            0,
            10,
            pid=500 + 100 * device,
            device=device,
            kind=11,
            bytes=1000,
            virtualAddress=16 * (device + 1),
        )
        values = {"globalPid": global_id(500 + 100 * device), "address": 16 * (device + 1)}
        export.row("CUDA_UM_CPU_PAGE_FAULT_EVENTS", start=5, CpuInstruction=f"f{device}", **values)
        export.row(
            "CUDA_UM_GPU_PAGE_FAULT_EVENTS", start=5, end=6, deviceId=device, numberOfPageFaults=2, **values
        )
    report = capture(tmp_path, export=export)
    assert [row["Virtual Address"] for row in records(report, "um_sum")] == ["0x10", "0x20"]
    (row,) = records(report, "um_sum", devices=[1])
    assert (row["Virtual Address"], row["CPU Page Faults"], row[" GPU Page Faults"]) == ("0x20", 1, 2)
    (row,) = records(report, "um_total_sum", devices=[1])
    assert (row["Total CPU Page Faults"], row["Minimum Virtual Address"]) == (1, "0x20")
    (row,) = records(report, "um_cpu_page_faults_sum", processes=[500])
    assert (row["CPU Page Faults"], row["CPU Instruction Address"]) == (1, "f0")


def test_throughput_is_exact_and_addresses_have_no_sign(export: Export) -> None:
    # 262144 bytes in 350 ns are 748982.857... MB/s; 10**9 / 350 cut to an integer gives 748982.632.
    export.memcpy(0, 350, pid=500, kind=11, bytes=262_144, virtualAddress=-16)
    report = capture(export.path.parent, export=export)
    (row,) = records(report, "um_sum")
    assert row["Migration Throughput (MB/s)"] == 748982.857
    assert row["Virtual Address"] == "0xFFFFFFFFFFFFFFF0"
    (total,) = records(report, "um_total_sum")
    assert total["Minimum Virtual Address"] == total["Maximum Virtual Address"] == "0xFFFFFFFFFFFFFFF0"
    assert total["Total CPU Page Faults"] is None, "they were not traced"


def test_a_copy_whose_size_is_not_known_moves_nothing(export: Export) -> None:
    export.memcpy(0, 350, pid=500, kind=11, bytes=1000, virtualAddress=16)
    export.memcpy(400, 450, pid=500, kind=11, bytes=1000, virtualAddress=32)
    export.sql("UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET bytes = 'x' WHERE virtualAddress = 32")
    (row,) = records(capture(export.path.parent, export=export), "um_sum")
    assert row["Virtual Address"] == "0x10"


def test_rows_of_impossible_times_are_left_out_and_counted(export: Export) -> None:
    rare.khr(export, 62, "sound", 10, 20)
    rare.khr(export, 62, "ends early", 30, 20)
    report = capture(export.path.parent, export=export)
    assert times(report, "opengl_khr_range_sum") == {"sound": 10}
    assert table_of(report, "opengl_khr_range_sum").note == "1 rows whose times can't be true are left out"


def test_a_name_that_is_not_there_has_a_placeholder(export: Export) -> None:
    values = {"globalTid": rare.RENDER, "textId": 4711, "nameId": "f"}
    export.row("DX12_WORKLOAD", start=0, end=10, eventClass=42, **values)
    assert times(capture(export.path.parent, export=export), "dx12_gpu_marker_sum") == {
        "(name 4711 is not in the export)": 10
    }


def test_adapters_of_unknown_models_have_their_own_name(tmp_path: Path) -> None:
    export = rare.network(tmp_path / "rare.sqlite")
    export.drop("ENUM_NET_DEVICE_ID", "NET_IB_SWITCH_METRIC")
    rare.metric(export, "NET_NIC_METRIC", 333, 1, 1, 60_000, 70_000)
    found = records(capture(tmp_path, export=export), "network_congestion")
    assert [(row["GUID"], row["Device name"]) for row in found] == [
        ("c42a10300aabbcc", "mlx5_1"),
        ("c42a10300aabbcc", "mlx5_1"),
        ("fffffffffffffffd", "mlx5_2"),
        ("fffffffffffffffd", "mlx5_2"),
        (None, None),
    ]


def test_adapters_may_have_their_global_id_beside_their_name(tmp_path: Path) -> None:
    export = rare.network(tmp_path / "rare.sqlite")
    export.drop("NIC_ID_MAP")
    export.add_column("TARGET_INFO_NIC_INFO", "globalId")
    export.sql("UPDATE TARGET_INFO_NIC_INFO SET globalId = 111 * nicId")
    found = records(capture(tmp_path, export=export), "network_congestion")
    assert [row["Device name"] for row in found if row["GUID"] == "fffffffffffffffd"] == ["ConnectX-7"] * 2


def test_samples_of_one_start_stand_as_nsys_joins_them(tmp_path: Path) -> None:
    """Adapters in the order of their table, switches by metric, and in each the sample that ends first."""
    export = rare.network(tmp_path / "rare.sqlite")
    shared = {"start": 70_000, "metricsListId": 1, "metricsIdx": 1, "value": 50_000}
    for device, end in ((222, 71_000), (111, 73_000), (111, 72_000)):
        export.row("NET_NIC_METRIC", **shared | {"globalId": device, "end": end})
    for number, end in ((2, 70_100), (1, 70_300), (1, 70_200)):
        export.row("NET_IB_SWITCH_METRIC", **shared | {"globalId": 9, "end": end, "metricsListId": number})
    found = records(capture(tmp_path, export=export), "network_congestion")
    assert [(row["GUID"], row["End (ns)"]) for row in found if row["Start (ns)"] == 70_000] == [
        ("c42a10300aabbcc", 72_000),
        ("c42a10300aabbcc", 73_000),
        ("fffffffffffffffd", 71_000),
        ("9", 70_200),
        ("9", 70_300),
        ("9", 70_100),
    ]


def test_a_packet_number_that_comes_again_is_another_packet(export: Export) -> None:
    for start, stop in ((1000, 2000), (3000, 3500), (5000, 5000)):
        values = {"globalTid": rare.RENDER, "gpu": 0, "context": 10, "submitSequence": 1, "engineType": 1}
        export.row("WDDM_QUEUE_PACKET_START_EVENTS", start=start, end=start, **values)
        export.row("WDDM_QUEUE_PACKET_STOP_EVENTS", start=stop, end=stop, **values)
    (row,) = records(capture(export.path.parent, export=export), "wddm_queue_sum")
    # 1500 ns of the 4000 ns from the first start to the last stop.
    assert (row["Utilization (%)"], row["Instances"], row["Max (ns)"]) == (37.5, 3, 1000)
    assert row["Node Ord"] is None, "its context is not in the export"


def test_queues_stand_by_the_utilization_that_is_printed(export: Export) -> None:
    """Of 2.04 and 2.00 %, both printed as 2.0, the one of the lower process id comes first, as in nsys."""
    for pid, whole in ((200, 49_000), (100, 50_000)):
        for context, start, stop in ((10, 0, 1000), (20, 0, whole)):
            values = {"globalTid": pid << 24 | pid, "gpu": 0, "context": context, "engineType": 1}
            number = {"submitSequence": pid}
            export.row("WDDM_QUEUE_PACKET_START_EVENTS", start=start, end=start, **values, **number)
            export.row("WDDM_QUEUE_PACKET_STOP_EVENTS", start=stop, end=stop, **values, **number)
    found = records(capture(export.path.parent, export=export), "wddm_queue_sum")
    assert [(row["Utilization (%)"], row["PID"]) for row in found] == [
        (100.0, 100), (100.0, 200), (2.0, 100), (2.0, 200),
    ]  # fmt: skip


def test_one_packet_without_length_has_no_utilization(export: Export) -> None:
    values = {"globalTid": rare.RENDER, "gpu": 0, "context": 10, "submitSequence": 1, "engineType": 1}
    export.row("WDDM_QUEUE_PACKET_START_EVENTS", start=5, end=5, **values)
    export.row("WDDM_QUEUE_PACKET_STOP_EVENTS", start=5, end=5, **values)
    (row,) = records(capture(export.path.parent, export=export), "wddm_queue_sum")
    assert row["Utilization (%)"] is None


@pytest.mark.parametrize("make", [rare.graphics, rare.unified, rare.mpi, rare.network, rare.wddm])
def test_any_column_may_be_missing(make: object, tmp_path: Path) -> None:
    export: Export = make(tmp_path / "full.sqlite")  # type: ignore[operator]
    tables = {table: {name for row in rows for name in row} for table, rows in export.rows.items()}
    for table, columns in tables.items():
        for column in sorted(columns - {"start", "end"}):
            one: Export = make(tmp_path / "one.sqlite")  # type: ignore[operator]
            one.omit(table, column)
            report = capture(tmp_path, export=one)
            for name in RARE:
                len(table_of(report, name))


def test_a_rank_is_known_by_its_thread(tmp_path: Path) -> None:
    export = rare.mpi(tmp_path / "rare.sqlite")
    export.drop("MPI_RANKS")
    found = records(capture(tmp_path, export=export), "mpi_event_trace")
    assert len(found) == 10
    assert {row["Rank"] for row in found} == {None}


def test_of_an_option_given_twice_the_last_counts() -> None:
    assert choose("um_sum:rows=1:rows=2").options == {"rows=2"}


def test_the_list_and_the_help_say_that_a_number_follows(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", "--list"]) == 0
    listed = capsys.readouterr().out.splitlines()
    assert "um_sum[:rows=N]  (default)" in listed
    assert "network_congestion[:ticks_threshold=N]" in listed
    assert main(["help", "um_sum"]) == 0
    assert "options  um_sum:rows=N" in capsys.readouterr().out
    assert main(["help", "network_congestion"]) == 0
    assert "also" not in capsys.readouterr().out, "it has no older name"
