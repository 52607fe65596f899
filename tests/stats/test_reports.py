"""The reports on small captures, with figures worked out by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.stats.conftest import rows_of, table_of
from tests.support.export import DTOH, HTOD, PAGEABLE, Export, global_id
from tui.analysis.stats import DEFAULT, REPORTS, choose
from tui.errors import UsageError
from tui.report import Report, open_report


def capture(tmp_path: Path, notation: str = "", export: Export | None = None) -> Report:
    """The report of what the notation says."""
    export = export or Export(tmp_path / "capture.sqlite")
    return open_report(export.notation(notation).write(), use_store=False)


def records(report: Report, name: str, text: str | None = None, **choice: Any) -> list[dict[str, Any]]:
    table = table_of(report, name, text, **choice)
    headers = [column.header for column in table.columns]
    return [dict(zip(headers, row, strict=True)) for row in rows_of(table)]


STD9 = ["Time (%)", "Total Time (ns)", "{}", "Avg (ns)", "Med (ns)", "Min (ns)", "Max (ns)", "StdDev (ns)"]


def test_kernels_by_name_with_half_away_from_zero(tmp_path: Path) -> None:
    # 9 of 400 is 2.25 %: nsys prints 2.3, where banker's rounding would print 2.2.
    report = capture(tmp_path, "K 0-9 name=a, K 100-200 name=b, K 300-591 name=b")
    table = table_of(report, "cuda_gpu_kern_sum")
    assert [c.header for c in table.columns] == [*(h.format("Instances") for h in STD9), "Name"]
    assert rows_of(table) == [
        [97.8, 391, 2, 195.5, 195.5, 100, 291, 135.1, "b"],
        [2.3, 9, 1, 9.0, 9.0, 9, 9, 0.0, "a"],
    ]
    assert table.note is None


def test_base_and_mangled_names_group_and_fall_back(tmp_path: Path) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.kernel(0, 10, name="k<int>(int)", short="k", mangled="_Z1kIiEvT_")
    export.kernel(20, 50, name="k<float>(float)", short="k", mangled="_Z1kIfEvT_")
    export.omit("CUPTI_ACTIVITY_KIND_KERNEL", "mangledName")
    report = capture(tmp_path, export=export)
    assert [(r["Total Time (ns)"], r["Name"]) for r in records(report, "cuda_gpu_kern_sum:base")] == [
        (40, "k")
    ]
    assert [r["Name"] for r in records(report, "cuda_gpu_kern_sum:mangled")] == [
        "k<float>(float)",
        "k<int>(int)",
    ]


def test_grid_and_block_part_what_the_name_joins(tmp_path: Path) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.kernel(0, 10, name="k", grid=(2, 1, 1), block=(64, 1, 1))
    export.kernel(20, 30, name="k", grid=(4096, 1, 1), block=(64, 1, 1))
    found = records(capture(tmp_path, export=export), "cuda_gpu_kern_gb_sum")
    assert [(r["GridXYZ"], r["BlockXYZ"], r["Instances"]) for r in found] == [
        ("   2    1    1", "  64    1    1", 1),
        ("4096    1    1", "  64    1    1", 1),
    ]


def test_a_graph_mode_capture_does_not_look_idle(tmp_path: Path) -> None:
    report = capture(tmp_path, "G 0-90 graph_id=4, G 100-190 graph_id=4")
    table = table_of(report, "cuda_gpu_kern_sum")
    assert rows_of(table) == [[100.0, 180, 2, 90.0, 90.0, 90, 90, 0.0, "[CUDA graph 4]"]]
    assert table.note is not None
    assert "2 graph launches were traced whole (180 ns)" in table.note
    assert "--cuda-graph-trace=node" in table.note
    assert records(report, "cuda_gpu_sum")[0]["Category"] == "CUDA_GRAPH"


def test_api_names_lose_six_characters_only(tmp_path: Path) -> None:
    names = (
        "cudaLaunchKernel_v7000",
        "cudaLaunchKernel",
        "cudaLaunchKernelExC_v11060",
        "cudaGraphLaunch_v10000",
    )
    report = capture(tmp_path, ", ".join(f"R {name} {10 * i}-{10 * i + 5}" for i, name in enumerate(names)))
    assert [(r["Name"], r["Num Calls"]) for r in records(report, "cuda_api_sum")] == [
        ("cudaLaunchKernel", 1),  # of two names that print alike each has its row, as in nsys
        ("cudaLaunchKernel", 1),
        ("cudaLaunchKernelExC_v11060", 1),
        ("cudaGraphLaunch_v10000", 1),
    ]


def test_sizes_are_decimal_megabytes(tmp_path: Path) -> None:
    report = capture(tmp_path, "M 0-10 bytes=1500500, M 20-30 bytes=2500, S 40-50 bytes=1000000000")
    table = table_of(report, "cuda_gpu_mem_size_sum")
    assert rows_of(table) == [
        [1000.0, 1, 1000.0, 1000.0, 1000.0, 1000.0, 0.0, "[CUDA memset]"],
        [1.503, 2, 0.751, 0.751, 0.003, 1.5, 1.059, "[CUDA memcpy Host-to-Device]"],  # 1.5005 is no tie
    ]


def test_an_unknown_size_is_left_out_and_said(tmp_path: Path) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.memcpy(0, 10, bytes=5_000_000)
    export.memcpy(20, 30, bytes=None)  # type: ignore[arg-type]
    table = table_of(capture(tmp_path, export=export), "cuda_gpu_mem_size_sum")
    assert [row[:2] for row in rows_of(table)] == [[5.0, 1]]
    assert table.note == "1 operations left out: the export does not give their size"


def test_api_and_device_work_share_one_total(tmp_path: Path) -> None:
    report = capture(tmp_path, "R cudaFree 0-60, K 0-30 name=k, M 40-50")
    assert [(r["Time (%)"], r["Category"], r["Operation"]) for r in records(report, "cuda_api_gpu_sum")] == [
        (60.0, "CUDA_API", "cudaFree"),
        (30.0, "CUDA_KERNEL", "k"),
        (10.0, "MEMORY_OPER", "[CUDA memcpy Host-to-Device]"),
    ]


def test_gpu_trace_says_what_each_op_was(tmp_path: Path) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.kernel(
        100, 200, corr=5, name="k", grid=(8, 4, 2), block=(32, 2, 1), registers=40, shared=(1500, 48_000)
    )
    export.memcpy(300, 2_000_000_300, corr=6, bytes=3_000_000_001, kind=HTOD, src=PAGEABLE, stream=9)
    first, second = records(capture(tmp_path, export=export), "cuda_gpu_trace")
    assert list(first) == [
        "Start (ns)", "Duration (ns)", "CorrId", "GrdX", "GrdY", "GrdZ", "BlkX", "BlkY", "BlkZ", "Reg/Trd",
        "StcSMem (MB)", "DymSMem (MB)", "Bytes (MB)", "Throughput (MB/s)", "SrcMemKd", "DstMemKd", "Device",
        "Ctx", "GreenCtx", "Strm", "Name",
    ]  # fmt: skip
    assert list(first.values())[:16] == [
        100, 100, 5, 8, 4, 2, 32, 2, 1, 40, 0.002, 0.048, None, None, None, None,
    ]  # fmt: skip
    assert (first["Strm"], first["Name"]) == (7, "k")
    assert (second["GrdX"], second["Reg/Trd"], second["StcSMem (MB)"]) == (None, None, None)
    assert second["Bytes (MB)"] == 3000.0
    assert second["Throughput (MB/s)"] == 1500.0  # integer division would say 1 byte a nanosecond, or 0
    assert (second["SrcMemKd"], second["DstMemKd"], second["Strm"]) == ("Pageable", "Device", 9)


def test_launch_queue_and_kernel_times(tmp_path: Path) -> None:
    report = capture(
        tmp_path,
        "R cudaLaunchKernel_v7000 0-10 corr=1, K 15-40 corr=1 name=k,"
        "R cudaLaunchKernel_v7000 100-130 corr=2, K 120-125 corr=2 name=k,"
        "K 500-600 corr=77 name=orphan",
    )
    table = table_of(report, "cuda_kern_exec_trace")
    assert table.note == "1 kernels are left out: the call that launched them was not recorded"
    queued, begun = rows_of(table)
    assert queued[:7] == [0, 10, 10, 5, 15, 25, 40]
    assert begun[:7] == [100, 30, None, None, 120, 5, 30]
    assert begun[7:] == [100, 1, 0, "cudaLaunchKernel", "   1    1    1", " 128    1    1", "k"]
    (row,) = records(report, "cuda_kern_exec_sum")
    assert (row["Count"], row["QCount"], row["TAvg (ns)"], row["AAvg (ns)"]) == (2, 1, 35.0, 20.0)
    assert (row["QAvg (ns)"], row["QStdDev (ns)"], row["KMin (ns)"], row["KMax (ns)"]) == (5.0, 0.0, 5, 25)


def test_a_group_that_never_queued_has_no_queue_times(tmp_path: Path) -> None:
    report = capture(tmp_path, "R cudaLaunchKernel 0-30 corr=1, K 20-40 corr=1")
    (row,) = records(report, "cuda_kern_exec_sum")
    assert row["QCount"] == 0
    assert {row[f"Q{figure} (ns)"] for figure in ("Avg", "Med", "Min", "Max")} == {None}
    assert row["QStdDev (ns)"] == 0.0  # as nsys prints it


def test_pushpop_trace_knows_parents_and_children(tmp_path: Path) -> None:
    report = capture(
        tmp_path, 'N(59,0-100,"a"), N(59,10-40,"b"), N(59,20-30,"c"), N(59,50-90,"b"), N(60,0-5,"x")'
    )
    found = records(report, "nvtx_pushpop_trace")
    keys = (
        "DurChild (ns)",
        "DurNonChild (ns)",
        "Lvl",
        "NumChild",
        "RangeId",
        "ParentId",
        "RangeStack",
        "NameTree",
    )
    assert [tuple(r[k] for k in keys) for r in found] == [
        (70, 30, 0, 2, 1, None, ":1", ":a"),
        (10, 20, 1, 1, 2, 1, ":1:2", "--:b"),
        (0, 10, 2, 0, 3, 2, ":1:2:3", "----:c"),
        (0, 40, 1, 0, 4, 1, ":1:4", "--:b"),
    ]


def test_projection_spans_streams_and_counts_launches(tmp_path: Path) -> None:
    report = capture(
        tmp_path,
        'N(59,0-100,"step"), N(59,10-50,"fwd"), N(59,60-70,"idle"),'
        "R cudaGraphLaunch 20-25 corr=1, K(0,7,200-210) corr=1, K(0,8,150-160) corr=1,"
        "R cudaMemcpyAsync 50-55 corr=2, M(0,9,300-400) corr=2",
    )
    found = records(report, "nvtx_gpu_proj_trace")
    keys = (
        "Name",
        "Projected Start (ns)",
        "Projected Duration (ns)",
        "Orig Duration (ns)",
        "NumGPUOps",
        "Lvl",
    )
    assert [tuple(r[k] for k in keys) for r in found] == [
        (":step", 150, 250, 100, 2, 0),
        (":fwd", 150, 60, 40, 1, 1),
    ]
    summed = records(report, "nvtx_gpu_proj_sum")
    assert [(r["Range"], r["Total Proj Time (ns)"], r["Total GPU Ops"]) for r in summed] == [
        (":step", 250, 2),
        (":fwd", 60, 1),
    ]


def test_ranges_ended_by_another_thread_own_nothing(tmp_path: Path) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.start_end("req", 0, 1000, tid=1, end_tid=2)
    report = capture(tmp_path, "R cudaLaunchKernel 10-20 corr=1, K 100-200 corr=1", export)
    assert rows_of(table_of(report, "nvtx_gpu_proj_trace")) == []
    assert [r["NVTX Range"] for r in records(report, "nvtx_kern_sum")] == [""]
    assert [(r["Style"], r["Range"]) for r in records(report, "nvtx_sum")] == [("StartEnd", ":req")]


def test_a_kernel_counts_in_every_range_around_its_launch(tmp_path: Path) -> None:
    report = capture(
        tmp_path,
        'N(59,0-100,"a"), N(59,10-50,"b"), R cudaLaunchKernel 20-25 corr=1, K 200-230 corr=1 name=k,'
        "R cudaLaunchKernel 120-125 corr=2, K 300-310 corr=2 name=k, K 400-401 corr=9 name=orphan",
    )
    table = table_of(report, "nvtx_kern_sum")
    keys = ("NVTX Range", "TID", "NVTX Inst", "Kern Inst", "Total Time (ns)", "Kernel Name")
    assert [tuple(r[k] for k in keys) for r in records(report, "nvtx_kern_sum")] == [
        ("", None, 0, 1, 1, "orphan"),
        ("", 1, 0, 1, 10, "k"),
        (":a", 1, 1, 1, 30, "k"),
        (":b", 1, 1, 1, 30, "k"),
    ]
    assert table.note is not None
    assert table.note.startswith("1 kernels have no recorded launch")


def test_domains_and_nameless_ranges(tmp_path: Path) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.nvtx(75, 5, None, "CCCL", domain=1)
    export.nvtx(59, 0, 10, "named", domain=1)
    export.nvtx(59, 20, 40, None)
    assert [r["Range"] for r in records(capture(tmp_path, export=export), "nvtx_sum")] == [":", "CCCL:named"]


def test_an_open_range_ends_with_the_latest_nvtx_timestamp(tmp_path: Path) -> None:
    report = capture(tmp_path, 'N(59,100-NULL,"epoch"), N(59,200-300,"step"), K 900-1000')
    table = table_of(report, "nvtx_sum")
    assert [(row[-1], row[1]) for row in rows_of(table)] == [(":epoch", 200), (":step", 100)]
    assert table.note is not None
    assert "1 ranges were still open" in table.note


# --- which rows ------------------------------------------------------------------------------


def test_a_window_keeps_what_overlaps_it_and_clips_nothing(tmp_path: Path) -> None:
    report = capture(tmp_path, "K 0-10 name=before, K 5-25 name=over, K 20-20 name=zero, K 30-90 name=after")
    assert {r["Name"] for r in records(report, "cuda_gpu_kern_sum", "10/30")} == {"over", "zero"}
    assert {r["Total Time (ns)"] for r in records(report, "cuda_gpu_kern_sum", "10/30")} == {20, 0}
    assert [r["Name"] for r in records(report, "cuda_gpu_kern_sum", "20/21")] == ["over", "zero"]


def test_devices_and_processes_narrow_host_tables_too(tmp_path: Path) -> None:
    report = capture(
        tmp_path,
        "K(0,7,0-10) pid=100 name=a, K(1,7,0-20) pid=200 name=b,"
        "R cudaFree 0-5 pid=100, R cudaMalloc 0-5 pid=200, O poll 0-9 pid=100, O read 0-9 pid=200",
    )
    assert [r["Name"] for r in records(report, "cuda_gpu_kern_sum", devices=[1])] == ["b"]
    assert [r["Name"] for r in records(report, "cuda_gpu_kern_sum", processes=[100])] == ["a"]
    assert [r["Name"] for r in records(report, "cuda_api_sum", devices=[1])] == ["cudaMalloc"]
    assert [r["Name"] for r in records(report, "osrt_sum", processes=[100])] == ["poll"]


def test_host_work_before_the_first_op_counts_by_default(tmp_path: Path) -> None:
    report = capture(tmp_path, "R cuInit 0-50, K 100-200")
    assert [r["Name"] for r in records(report, "cuda_api_sum")] == ["cuInit"]


# --- the list --------------------------------------------------------------------------------


def test_tables_that_are_known_by_name_only_are_summed(tmp_path: Path) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.kernel(0, 1)
    events = (
        ("MPI_P2P_EVENTS", "MPI_Send", 0, 10),
        ("MPI_P2P_EVENTS", "MPI_Send", 20, 40),
        ("MPI_COLLECTIVES_EVENTS", "MPI_Barrier", 50, 53),
        ("CUDNN_EVENTS", "cudnnConvolutionForward", 0, 7),
    )
    for number, (table, name, start, end) in enumerate(events, 900):
        column = "textId" if table.startswith("MPI") else "nameId"
        values = {
            "start": start,
            "end": end,
            "globalTid": global_id(100, 1),
            column: export.string(name, number),
        }
        export.row(table, **values)
    report = capture(tmp_path, export=export)
    sums = {name: records(report, name) for name in ("mpi_event_sum", "cudnn_api_sum", "cublas_api_sum")}
    assert [(r["Name"], r["Count"]) for r in sums["mpi_event_sum"]] == [("MPI_Send", 2), ("MPI_Barrier", 1)]
    assert [(r["Name"], r["Num Calls"]) for r in sums["cudnn_api_sum"]] == [("cudnnConvolutionForward", 1)]
    assert sums["cublas_api_sum"] == []


def test_unified_memory_in_one_row(tmp_path: Path) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.memcpy(0, 10, kind=11, bytes=2_000_000)
    export.memcpy(20, 30, kind=12, bytes=500_000)
    export.memcpy(40, 50, kind=DTOH, bytes=7)
    (row,) = records(capture(tmp_path, export=export), "um_total_sum")
    assert row["Total HtoD Migration Size (MB)"] == 2.0
    assert row["Total DtoH Migration Size (MB)"] == 0.5
    assert row["Total CPU Page Faults"] is None, "nobody traced them"
    assert row["Total GPU PageFaults"] is None
    assert row["Minimum Virtual Address"] is None


def test_page_faults_are_counted_where_they_were_traced(tmp_path: Path) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.memcpy(0, 10, kind=11, bytes=2_000_000)
    export.sql("CREATE TABLE CUDA_UM_GPU_PAGE_FAULT_EVENTS (start INTEGER, globalPid INTEGER)")
    for time in (3, 5):
        export.row("CUDA_UM_CPU_PAGE_FAULT_EVENTS", start=time, globalPid=global_id(100))
    report = capture(tmp_path, export=export)
    (row,) = records(report, "um_total_sum")
    assert (row["Total CPU Page Faults"], row["Total GPU PageFaults"]) == (2, None), "nothing to sum"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("gpukernsum", "cuda_gpu_kern_sum"),
        ("cudaapisum", "cuda_api_sum"),
        ("nvtxsum", "nvtx_sum"),
        ("gputrace", "cuda_gpu_trace"),
        ("osrtsum:", None),
    ],
)
def test_older_names_work(old: str, new: str | None) -> None:
    if new is None:
        with pytest.raises(UsageError, match="has no option ''"):
            choose(old)
    else:
        assert choose(old).report.name == new


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cuda_gpu_kern_sun", "no report 'cuda_gpu_kern_sun'; did you mean cuda_gpu_kern_sum?"),
        ("zzz", "no report 'zzz'; `nsystui stats --list` names them"),
        (
            "cuda_gpu_sum:all",
            "report cuda_gpu_sum has no option 'all'; it takes nvtx-name or base or mangled",
        ),
        ("nvtx_sum:base", "report nvtx_sum has no option 'base'; it takes none"),
    ],
)
def test_what_is_not_there_is_said(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        choose(text)
    assert str(caught.value) == message


def test_every_report_explains_itself_and_has_a_name_of_its_own() -> None:
    names = [name for report in REPORTS.values() for name in (report.name, *report.aliases)]
    assert len(names) == len(set(names))
    assert set(DEFAULT) <= set(REPORTS)
    for report in REPORTS.values():
        assert report.means.endswith(".")
        assert report.how.endswith(".")
        assert report.differs.endswith(".")
