"""Which call issued which op, which process is whose, which device is which."""

from __future__ import annotations

import numpy as np
import pytest

from tests.report.conftest import Opened
from tests.support.export import NULL, Export
from tests.support.real import real_export
from tui.report import CallClass, open_report
from tui.report.classify import base_api_name, call_class
from tui.report.importing import sorting
from tui.report.importing.launch_join import join_launches


def test_same_correlation_id_in_two_processes(export: Export, opened: Opened) -> None:
    export.launch((0, 5), (10, 20), device=0, pid=100, corr=1)
    export.launch((0, 5), (10, 20), device=1, pid=200, corr=1)
    report = opened(export)
    assert report.ops.launch.tolist() == [0, 1]
    pids = [report.threads[report.calls.thread[i]].pid for i in report.ops.launch]
    assert pids == [100, 200]


def test_no_launch_recorded(opened: Opened) -> None:
    report = opened("K 10-20 corr=77, R cudaLaunchKernel_v7000 0-5 corr=78")
    assert report.ops.launch.tolist() == [-1]


def test_null_correlation_joins_nothing(export: Export, opened: Opened) -> None:
    export.runtime("cudaLaunchKernel_v7000", 0, 5, corr=NULL)
    export.kernel(10, 20, corr=NULL)
    assert opened(export).ops.launch.tolist() == [-1]


def test_one_graph_launch_owns_many(export: Export, opened: Opened) -> None:
    export.runtime("cudaGraphLaunch_v10000", 0, 5, corr=9)
    for start, end in ((10, 20), (20, 30), (35, 40)):
        export.kernel(start, end, corr=9)
    report = opened(export)
    assert report.ops.launch.tolist() == [0, 0, 0]
    assert len(report.calls) == 1


def test_launch_before_its_inner_driver_call(export: Export, opened: Opened) -> None:
    export.runtime("cudaStreamSynchronize_v3020", 0, 100, corr=5)
    export.driver("cuLaunchKernel", 12, 18, corr=5)
    export.runtime("cudaLaunchKernel_v7000", 10, 20, corr=5)
    export.kernel(30, 40, corr=5)
    report = opened(export)
    assert report.strings[report.calls.name[report.ops.launch[0]]] == "cudaLaunchKernel_v7000"


def test_clock_skew_is_linked(opened: Opened) -> None:
    report = opened("R cudaLaunchKernel_v7000 1000-1010 corr=1, K 995-1100 corr=1")
    assert report.ops.launch.tolist() == [0]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("block", [7, 1000])
def test_join_against_every_pair(seed: int, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sorting, "BLOCK", block)
    rng = np.random.default_rng(seed)
    n, m = 200, 150
    op_process, op_corr = rng.integers(-1, 3, n).astype(np.int32), rng.integers(0, 60, n)
    process, corr = rng.integers(-1, 3, m).astype(np.int32), rng.integers(0, 60, m)
    kind = rng.integers(0, 5, m).astype(np.uint8)
    start = np.sort(rng.integers(0, 50, m))
    end = start + rng.integers(0, 9, m)
    rank = {
        CallClass.LAUNCH: 0,
        CallClass.BLOCKING_COPY: 1,
        CallClass.MEMORY_MANAGEMENT: 2,
        CallClass.OTHER: 3,
    }
    expected = []
    for i in range(n):
        callers = [j for j in range(m) if process[j] == op_process[i] and corr[j] == op_corr[i]]
        callers.sort(key=lambda j: (rank.get(CallClass(kind[j]), 4), start[j], -end[j], j))
        expected.append(callers[0] if callers else -1)
    for scale in (1, 2**56):  # usual ids, and some that fill all bits
        joined = join_launches(op_process, op_corr * scale, process, corr * scale, kind, start, end)
        assert np.concatenate([*joined]).tolist() == expected


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("cudaMemcpy_v3020", CallClass.BLOCKING_COPY),
        ("cudaMemcpy2D_ptds_v7000", CallClass.BLOCKING_COPY),
        ("cudaMemcpyToSymbol_v3020", CallClass.BLOCKING_COPY),
        ("cuMemcpyHtoD_v2", CallClass.BLOCKING_COPY),
        ("cuMemcpyHtoD_v2_ptds", CallClass.BLOCKING_COPY),
        ("cudaMemcpyAsync_v3020", CallClass.LAUNCH),
        ("cudaMemcpyAsync_ptsz_v7000", CallClass.LAUNCH),
        ("cuMemcpyDtoHAsync_v2", CallClass.LAUNCH),
        ("cudaMemset_v3020", CallClass.LAUNCH),
        ("cudaMemPrefetchAsync_v8000", CallClass.LAUNCH),
        ("cudaLaunchKernel_v7000", CallClass.LAUNCH),
        ("cudaLaunchKernelExC_v11060", CallClass.LAUNCH),
        ("cudaLaunchCooperativeKernel_v9000", CallClass.LAUNCH),
        ("cuLaunchKernelEx", CallClass.LAUNCH),
        ("cudaGraphLaunch_v10000", CallClass.LAUNCH),
        ("cuGraphLaunch", CallClass.LAUNCH),
        ("cudaStreamSynchronize_v3020", CallClass.SYNCHRONISATION),
        ("cudaStreamSynchronize_ptsz_v7000", CallClass.SYNCHRONISATION),
        ("cudaDeviceSynchronize_v3020", CallClass.SYNCHRONISATION),
        ("cudaEventSynchronize_v3020", CallClass.SYNCHRONISATION),
        ("cuCtxSynchronize", CallClass.SYNCHRONISATION),
        ("cuEventSynchronize", CallClass.SYNCHRONISATION),
        ("cudaStreamWaitEvent_v3020", CallClass.OTHER),
        ("cudaEventRecord_v3020", CallClass.OTHER),
        ("cudaEventQuery_v3020", CallClass.OTHER),
        ("cudaMalloc_v3020", CallClass.MEMORY_MANAGEMENT),
        ("cudaMallocAsync_v11020", CallClass.MEMORY_MANAGEMENT),
        ("cudaMallocHost_v3020", CallClass.MEMORY_MANAGEMENT),
        ("cudaFree_v3020", CallClass.MEMORY_MANAGEMENT),
        ("cudaFreeHost_v3020", CallClass.MEMORY_MANAGEMENT),
        ("cudaHostAlloc_v3020", CallClass.MEMORY_MANAGEMENT),
        ("cudaHostRegister_v4000", CallClass.MEMORY_MANAGEMENT),
        ("cuMemAlloc_v2", CallClass.MEMORY_MANAGEMENT),
        ("cuMemFree_v2", CallClass.MEMORY_MANAGEMENT),
        ("cuMemCreate", CallClass.MEMORY_MANAGEMENT),
        ("cudaGetDeviceCount_v3020", CallClass.OTHER),
        ("cudaGraphInstantiate_v12000", CallClass.OTHER),
        ("", CallClass.OTHER),
    ],
)
def test_call_classes(name: str, kind: CallClass) -> None:
    assert call_class(name) is kind


def test_base_names() -> None:
    assert base_api_name("cudaMemcpyAsync_ptsz_v7000") == "cudaMemcpyAsync"
    assert base_api_name("cuMemcpyHtoD_v2_ptds") == "cuMemcpyHtoD"
    assert base_api_name("cudaFree") == "cudaFree"


def test_two_gpus_of_two_processes(export: Export, opened: Opened) -> None:
    export.kernel(0, 10, device=0, pid=100)
    export.kernel(0, 10, device=0, pid=200)
    export.row("TARGET_INFO_CUDA_DEVICE", gpuId=3, cudaId=0, pid=100)
    export.row("TARGET_INFO_CUDA_DEVICE", gpuId=5, cudaId=0, pid=200)
    export.device("NVIDIA A", id=3, cu_device=9)
    export.device("NVIDIA B", id=5, cu_device=8)
    report = opened(export)
    assert [(d.cuda_id, d.gpu_id, d.name, d.owners) for d in report.devices] == [
        (3, 3, "NVIDIA A", ((100, 0),)),
        (5, 5, "NVIDIA B", ((200, 0),)),
    ]
    assert report.ops.device.tolist() == [0, 1]


def test_one_gpu_of_two_processes_under_two_numbers(export: Export, opened: Opened) -> None:
    export.kernel(0, 10, device=0, pid=100)
    export.kernel(0, 10, device=1, pid=200)
    export.row("TARGET_INFO_CUDA_DEVICE", gpuId=3, cudaId=0, pid=100)
    export.row("TARGET_INFO_CUDA_DEVICE", gpuId=3, cudaId=1, pid=200)
    report = opened(export)
    (device,) = report.devices
    assert (device.gpu_id, device.owners, device.ops) == (3, ((100, 0), (200, 1)), 2)


def test_device_name_by_ordinal_not_by_id(export: Export, opened: Opened) -> None:
    export.kernel(0, 10, device=0)
    export.device("NVIDIA at 1", id=0, cu_device=1)
    export.device("NVIDIA at 0", id=1, cu_device=0)
    (device,) = opened(export).devices
    assert (device.name, device.gpu_id) == ("NVIDIA at 0", None)


def test_other_vendors_adapters_never_match(export: Export, opened: Opened) -> None:
    export.kernel(0, 10, device=0)
    export.device("Intel(R) UHD Graphics 770", id=0, cu_device=0)
    export.device("NVIDIA GeForce RTX 3060", id=1, cu_device=0)
    assert opened(export).devices[0].name == "NVIDIA GeForce RTX 3060"


def test_unknown_device_name_is_none(opened: Opened) -> None:
    assert opened("K(2,7,0-10)").devices[0].name is None


def test_only_devices_with_work(opened: Opened) -> None:
    report = opened(" ".join(f"K({d},7,0-10)" for d in range(1, 8)))
    assert [d.cuda_id for d in report.devices] == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("name", ["ddp-2gpu-2026.2", "ddp-before-2026.2", "ddp-after-2026.2"])
def test_no_op_of_a_real_export_is_launched_by_another_process(name: str) -> None:
    report = open_report(real_export(name), use_store=False)
    launched = np.flatnonzero(report.ops.launch >= 0)
    owner = np.array([t.process for t in report.threads])
    calls = report.ops.launch[launched]
    assert np.array_equal(owner[report.calls.thread[calls]], report.ops.process[launched])
    assert np.array_equal(report.calls.correlation[calls], report.ops.correlation[launched])
