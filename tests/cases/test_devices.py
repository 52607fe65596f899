"""Which GPU is which, and that every answer says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cases.conftest import Capture
from tests.support.export import Export
from tui.analysis.busy import device_busy
from tui.analysis.index import Index
from tui.analysis.window import make_scope
from tui.cli import main
from tui.errors import UsageError
from tui.report.event_tables.ops import OPS

BUSES = {100: "0000:1a:00.0", 200: "0000:1b:00.0"}


@pytest.fixture
def two_buses(export: Export) -> Export:
    """Two processes that both say device 0, on two GPUs."""
    for pid, start in ((100, 0), (200, 100)):
        export.push_pop("step", start, start + 100, pid=pid)
        export.launch((start, start + 1), (start, start + 100), pid=pid)
        export.row("TARGET_INFO_CUDA_GPU", pid=pid, deviceId=0, pciBusId=BUSES[pid], name=f"NVIDIA {pid}")
    return export


@pytest.fixture
def no_map(export: Export) -> Export:
    """Two processes that both say device 0, on a machine with two GPUs."""
    for pid, first in ((100, 0), (200, 200)):
        for start in (first, first + 100):
            export.push_pop("step", start, start + 100, pid=pid)
            export.launch((start, start + 1), (start, start + 100), pid=pid)
        export.device(id=pid // 100)
    return export


def document(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> dict[str, Any]:
    assert main([*map(str, arguments), "-f", "json", "--no-cache"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_two_buses_are_each_half_busy(two_buses: Export, capture: Capture) -> None:
    report = capture(two_buses)
    rows = device_busy(Index(report), make_scope(report))
    assert [(r.device.cuda_id, r.busy_ns, r.window_ns, r.busy_pct) for r in rows] == [
        (0, 100, 200, 50.0),
        (1, 100, 200, 50.0),
    ]


@pytest.mark.parametrize("command", ["gaps", "stats", "steps", "diagnose", "analyze", "export"])
def test_a_chosen_number_says_which_gpu_it_is(
    command: str, two_buses: Export, capsys: pytest.CaptureFixture[str]
) -> None:
    options = {"stats": ["-r", "cuda_gpu_kern_sum"], "analyze": ["-r", "gpu_gaps"]}.get(command, [])
    main([command, str(two_buses.write()), "--device", "1", "--no-cache", *options])
    assert "GPU 1 is device 0 of process 200 (NVIDIA 200, 0000:1b:00.0)" in capsys.readouterr().err


def test_the_json_of_a_chosen_number_says_it_too(
    two_buses: Export, capsys: pytest.CaptureFixture[str]
) -> None:
    found = document(capsys, "gaps", two_buses.write(), "--device", "0", "--range", "0/200")
    assert found["window"]["note"] == "GPU 0 is device 0 of process 100 (NVIDIA 100, 0000:1a:00.0)"


def test_numbers_that_all_processes_agree_on_need_no_words(capture: Capture) -> None:
    report = capture("K(0,7,0-10) K(1,7,0-10) pid=200")
    assert make_scope(report, devices=[1]).window.note is None


def test_an_unknown_number_lists_the_gpus(two_buses: Export, capture: Capture) -> None:
    report = capture(two_buses)
    with pytest.raises(UsageError) as failure:
        make_scope(report, devices=[7])
    assert str(failure.value) == (
        "no work on device 7 in the report; it has 0 (device 0 of process 100), 1 (device 0 of process 200)"
    )


def test_gpus_numbered_by_the_list_are_not_what_processes_say(export: Export, capture: Capture) -> None:
    for pid, gpu in ((100, 3), (200, 5)):
        export.kernel(0, 10, pid=pid)
        export.device_map(pid, 0, gpu)
    with pytest.raises(
        UsageError, match=r"it has 3 \(device 0 of process 100\), 5 \(device 0 of process 200\)"
    ):
        make_scope(capture(export), devices=[0])


def test_one_pid_of_two_vms_is_named_with_its_vm(export: Export, capture: Capture) -> None:
    for vm in (1, 2):
        export.kernel(0, 10, globalPid=vm << 48 | 100 << 24)
    scope = make_scope(capture(export), devices=[1])
    assert scope.window.note == "GPU 1 is device 0 of process 100 on VM 2"


def test_info_lists_what_processes_call_a_gpu(two_buses: Export, capsys: pytest.CaptureFixture[str]) -> None:
    path = two_buses.write()
    found = document(capsys, "info", path)
    assert found["device_numbers_ambiguous"] is True
    assert [(d["device"], d["pci_bus"], d["called"]) for d in found["devices"]] == [
        (0, "0000:1a:00.0", [{"pid": 100, "device": 0}]),
        (1, "0000:1b:00.0", [{"pid": 200, "device": 0}]),
    ]
    assert main(["info", str(path), "-f", "csv", "--no-cache"]) == 0
    assert capsys.readouterr().out.splitlines()[:3] == [
        "Device,Name,Processes,Streams,Ops,Called",
        "0,NVIDIA 100,100,1,1,0 by 100",
        "1,NVIDIA 200,200,1,1,0 by 200",
    ]


@pytest.mark.parametrize("command", ["info", "gaps", "steps", "diagnose"])
def test_what_can_not_be_told_is_said(
    command: str, no_map: Export, capsys: pytest.CaptureFixture[str]
) -> None:
    path = no_map.write()
    note = (
        "the export lists 2 GPUs and does not tell which of them each process used: processes 100, 200 say "
        "device 0, which counts as one GPU here (GPU 0) but may be several, as with CUDA_VISIBLE_DEVICES"
    )
    assert note in document(capsys, command, path)["notes"]
    assert main([command, str(path), "--no-cache"]) == 0
    assert "does not tell which of them each process used" in " ".join(capsys.readouterr().out.split())


def test_a_host_process_of_another_vm_is_not_in_scope(export: Export, capture: Capture) -> None:
    from tui.analysis.stats.select import host_processes

    for vm in (1, 2):
        export.kernel(0, 10, globalPid=vm << 48 | 100 << 24)
    report = capture(export)
    assert host_processes(report, make_scope(report, devices=[1])) == [1]


def test_a_copy_names_the_gpus_that_its_process_numbers(export: Export, capture: Capture) -> None:
    for pid, gpu in ((100, 3), (200, 5)):
        export.kernel(0, 10, pid=pid)
        export.device_map(pid, 0, gpu)
    export.memcpy(20, 30, pid=200, srcDeviceId=0, dstDeviceId=6)
    report = capture(export)
    details = dict(OPS.details(report, 2))
    assert details["source device"] == "GPU 5 (device 0 of the process)"
    assert details["target device"] == "6"
