"""Which GPU a process means by a number, whatever the export has to tell it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.report.conftest import Opened
from tests.support.export import Export, global_id
from tui.report import Report
from tui.report.model import Device
from tui.timeline.lane_building import build_lanes

BUS_A, BUS_B = "0000:1a:00.0", "0000:1b:00.0"


def on_vm(vm: int, pid: int, hardware: int = 0) -> int:
    """The globalPid of a process on another machine than the fixtures' VM 1."""
    found = hardware << 56 | vm << 48 | pid << 24
    return found - (1 << 64) if found >= 1 << 63 else found


def kernel(
    export: Export, vm: int, pid: int, start: int, end: int, *, hardware: int = 0, device: int = 0
) -> None:
    export.kernel(start, end, device=device, globalPid=on_vm(vm, pid, hardware))


def old_map(export: Export, pid: int | None, device: int, bus: object, **columns: object) -> None:
    """A row of TARGET_INFO_CUDA_GPU."""
    export.row("TARGET_INFO_CUDA_GPU", vmId=1 << 48, pid=pid, deviceId=device, pciBusId=bus, **columns)


def new_map(
    export: Export, pid: int, cuda: int, gpu: int | None, uuid: str | None = None, **columns: object
) -> None:
    """A row of TARGET_INFO_CUDA_DEVICE."""
    export.row("TARGET_INFO_CUDA_DEVICE", pid=pid, cudaId=cuda, gpuId=gpu, uuid=uuid, **columns)


def two_processes(export: Export) -> Export:
    """Both say device 0."""
    export.kernel(0, 100, device=0, pid=100)
    export.kernel(100, 200, device=0, pid=200)
    return export


def owners(report: Report) -> list[tuple[tuple[int, int], ...]]:
    return [device.owners for device in report.devices]


def numbers(report: Report) -> list[int]:
    return [device.cuda_id for device in report.devices]


APART = [((100, 0),), ((200, 0),)]
TOGETHER = [((100, 0), (200, 0))]


def test_two_buses_are_two_gpus(export: Export, opened: Opened) -> None:
    two_processes(export)
    old_map(export, 100, 0, BUS_A)
    old_map(export, 200, 0, BUS_B)
    report = opened(export)
    assert owners(report) == APART
    assert (numbers(report), [d.bus for d in report.devices]) == ([0, 1], [BUS_A, BUS_B])
    assert report.ops.device.tolist() == [0, 1]
    assert report.device_notes == ()


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [
        ("0000:1A:00.0", "0000:1a:00.0", True),
        ("00000000:1A:00.0", "0000:1a:00", True),
        ("1a:00.0", " 0000:1a:00.0", True),
        (26, 27, False),
        ("0001:1a:00.0", "0000:1a:00.0", False),
        ("0000:1a:01.0", "0000:1a:00.0", False),
        ("", "", True),
        (None, None, True),
        ("0000:00:00.0", "0000:00:00.0", True),
        ("slot one", "slot two", False),
    ],
)
def test_one_bus_has_many_spellings(
    one: object, other: object, together: bool, export: Export, opened: Opened
) -> None:
    two_processes(export)
    old_map(export, 100, 0, one)
    old_map(export, 200, 0, other)
    assert sorted(owners(opened(export))) == (TOGETHER if together else APART)


def test_one_bus_under_two_numbers_is_one_gpu(export: Export, opened: Opened) -> None:
    export.kernel(0, 100, device=0, pid=100)
    export.kernel(100, 200, device=1, pid=200)
    old_map(export, 100, 0, BUS_B)
    old_map(export, 200, 1, BUS_B)
    assert owners(opened(export)) == [((100, 0), (200, 1))]


def test_uuids_tell_gpus_apart_where_nothing_else_does(export: Export, opened: Opened) -> None:
    two_processes(export)
    new_map(export, 100, 0, None, "GPU-aaaaaaaa-0000-0000-0000-000000000001")
    new_map(export, 200, 0, None, "GPU-aaaaaaaa-0000-0000-0000-000000000002")
    report = opened(export)
    assert owners(report) == APART
    assert [d.uuid for d in report.devices] == [
        "aaaaaaaa-0000-0000-0000-000000000001",
        "aaaaaaaa-0000-0000-0000-000000000002",
    ]


def test_a_uuid_may_be_stored_as_its_bytes(export: Export, opened: Opened) -> None:
    two_processes(export)
    new_map(export, 100, 0, None, "GPU-12345678-9abc-def0-0fed-cba987654321")
    new_map(export, 200, 0, None, "GPU-aaaaaaaa-0000-0000-0000-000000000002")
    export.sql(
        "UPDATE TARGET_INFO_CUDA_DEVICE SET uuid = "
        "CASE pid WHEN 100 THEN x'123456789abcdef00fedcba987654321' ELSE CAST(uuid AS BLOB) END"
    )
    report = opened(export)
    assert owners(report) == APART
    assert [d.uuid for d in report.devices] == [
        "12345678-9abc-def0-0fed-cba987654321",
        "aaaaaaaa-0000-0000-0000-000000000002",
    ]


def test_bytes_and_text_of_one_uuid_are_one_gpu(export: Export, opened: Opened) -> None:
    two_processes(export)
    export.device("NVIDIA H100", id=0, uuid="GPU-12345678-9abc-def0-0fed-cba987654321", busLocation=BUS_A)
    export.sql("UPDATE TARGET_INFO_GPU SET uuid = x'123456789abcdef00fedcba987654321'")
    new_map(export, 100, 0, None, "GPU-12345678-9abc-def0-0fed-cba987654321")
    new_map(export, 200, 0, None, "12345678-9ABC-DEF0-0FED-CBA987654321")
    report = opened(export)
    assert owners(report) == TOGETHER
    assert [(d.name, d.bus) for d in report.devices] == [("NVIDIA H100", BUS_A)]


def test_sixteen_zero_bytes_are_no_uuid(export: Export, opened: Opened) -> None:
    two_processes(export)
    for pid, number in ((100, 3), (200, 5)):
        new_map(export, pid, 0, number, "GPU-00000000-0000-0000-0000-000000000000")
    export.sql("UPDATE TARGET_INFO_CUDA_DEVICE SET uuid = zeroblob(16)")
    assert numbers(opened(export)) == [3, 5]


@pytest.mark.parametrize(
    "how", ["CAST({} AS TEXT)", "' ' || {} || '.0'", "CAST({} AS REAL)", "CAST({} AS BLOB)"]
)
def test_numbers_of_gpus_may_be_stored_as_text(how: str, export: Export, opened: Opened) -> None:
    two_processes(export)
    export.device("first", id=0, cuDevice=0, busLocation=BUS_A)
    export.device("second", id=1, cuDevice=1, busLocation=BUS_B)
    new_map(export, 100, 0, 0)
    new_map(export, 200, 0, 1)
    for table, columns in (
        ("TARGET_INFO_GPU", ("id", "cuDevice", "vmId")),
        ("TARGET_INFO_CUDA_DEVICE", ("pid", "cudaId", "gpuId")),
    ):
        names = ", ".join(f'{how.format(f"x.{c}")} AS "{c}"' for c in columns)
        rest = "uuid, name, busLocation" if table == "TARGET_INFO_GPU" else "uuid"
        export.sql(f"CREATE TABLE made AS SELECT {names}, {rest} FROM {table} AS x")  # noqa: S608
        export.sql(f"DROP TABLE {table}")
        export.sql(f"ALTER TABLE made RENAME TO {table}")
    report = opened(export)
    assert owners(report) == APART
    assert [(d.name, d.gpu_id, d.bus) for d in report.devices] == [("first", 0, BUS_A), ("second", 1, BUS_B)]


def test_one_uuid_under_two_numbers_is_one_gpu(export: Export, opened: Opened) -> None:
    export.kernel(0, 100, device=0, pid=100)
    export.kernel(100, 200, device=1, pid=200)
    new_map(export, 100, 0, 3, "GPU-aaaaaaaa-0000-0000-0000-000000000001")
    new_map(export, 200, 1, None, "AAAAAAAA-0000-0000-0000-000000000001")
    report = opened(export)
    assert owners(report) == [((100, 0), (200, 1))]
    assert report.devices[0].gpu_id == 3


def test_zeros_and_blanks_are_no_uuid(export: Export, opened: Opened) -> None:
    two_processes(export)
    new_map(export, 100, 0, 3, "GPU-00000000-0000-0000-0000-000000000000")
    new_map(export, 200, 0, 5, "GPU-00000000-0000-0000-0000-000000000000")
    assert numbers(opened(export)) == [3, 5]


def test_mig_instances_have_uuids_of_their_own(export: Export, opened: Opened) -> None:
    two_processes(export)
    new_map(export, 100, 0, 0, "MIG-11111111-0000-0000-0000-000000000000", numMultiprocessors=14)
    new_map(export, 200, 0, 0, "MIG-22222222-0000-0000-0000-000000000000", numMultiprocessors=14)
    export.device("NVIDIA H100", id=0, uuid="GPU-33333333-0000-0000-0000-000000000000")
    report = opened(export)
    assert owners(report) == APART
    assert [d.name for d in report.devices] == ["NVIDIA H100", "NVIDIA H100"]
    assert (numbers(report), report.device_notes) == ([0, 1], ())


def test_parts_of_one_gpu_without_uuids_are_said_to_be_merged(export: Export, opened: Opened) -> None:
    two_processes(export)
    new_map(export, 100, 0, 0, numMultiprocessors=14)
    new_map(export, 200, 0, 0, numMultiprocessors=42)
    report = opened(export)
    assert owners(report) == TOGETHER
    (note,) = report.device_notes
    assert note.startswith("processes saw GPU 0 with 14 and 42 multiprocessors")


def test_two_vms_with_one_pid_are_two_processes_on_two_gpus(export: Export, opened: Opened) -> None:
    for vm, start in ((1, 0), (2, 100)):
        export.runtime("cudaLaunchKernel_v7000", start, start + 5, corr=9, globalTid=on_vm(vm, 100) | 1)
        export.kernel(start + 10, start + 50, corr=9, globalPid=on_vm(vm, 100))
    report = opened(export)
    assert [p.pid for p in report.processes] == [100, 100]
    assert [(d.cuda_id, d.owners, d.users) for d in report.devices] == [
        (0, ((100, 0),), (on_vm(1, 100),)),
        (1, ((100, 0),), (on_vm(2, 100),)),
    ]
    assert report.ops.launch.tolist() == [0, 1]
    assert report.device_notes == ()


@pytest.mark.parametrize("hardware", [1, 200])
def test_two_machines_in_one_report(hardware: int, export: Export, opened: Opened) -> None:
    for machine, start in ((0, 0), (hardware, 100)):
        for device in range(2):
            kernel(export, 1, 100, start, start + 50, hardware=machine, device=device)
            export.device(
                f"NVIDIA {machine}.{device}", id=device, vmId=on_vm(1, 0, machine), busLocation=BUS_A
            )
    report = opened(export)
    names = {d.users[0]: [] for d in report.devices}
    for device in report.devices:
        names[device.users[0]].append(device.name)
    assert sorted(numbers(report)) == [0, 1, 2, 3]
    assert names[on_vm(1, 100)] == ["NVIDIA 0.0", "NVIDIA 0.1"]
    assert names[on_vm(1, 100, hardware)] == [f"NVIDIA {hardware}.0", f"NVIDIA {hardware}.1"]


def test_one_pid_of_two_vms_in_a_map_without_vms(export: Export, opened: Opened) -> None:
    kernel(export, 1, 100, 0, 50)
    kernel(export, 2, 100, 100, 150)
    export.row("TARGET_INFO_CUDA_DEVICE", pid=100, cudaId=0, gpuId=3)
    export.row("TARGET_INFO_CUDA_DEVICE", pid=100, cudaId=0, gpuId=5)
    export.device("NVIDIA A", id=3, vmId=on_vm(1, 0))
    export.device("NVIDIA B", id=5, vmId=on_vm(2, 0))
    assert [(d.cuda_id, d.gpu_id, d.name) for d in opened(export).devices] == [
        (3, 3, "NVIDIA A"),
        (5, 5, "NVIDIA B"),
    ]


def test_ids_without_a_machine_fit_any_list(export: Export, opened: Opened) -> None:
    export.kernel(0, 10, globalPid=100 << 24)
    export.device("NVIDIA A", id=0)
    assert opened(export).devices[0].name == "NVIDIA A"


def test_each_gpu_has_the_name_of_its_own_row(export: Export, opened: Opened) -> None:
    two_processes(export)
    old_map(export, 100, 0, BUS_B, name="NVIDIA T400")
    old_map(export, 200, 0, BUS_A, name="NVIDIA H100")
    assert [(d.owners, d.name) for d in opened(export).devices] == [
        (((200, 0),), "NVIDIA H100"),
        (((100, 0),), "NVIDIA T400"),
    ]


def test_two_models_are_two_gpus_even_without_a_bus(export: Export, opened: Opened) -> None:
    two_processes(export)
    old_map(export, 100, 0, None, name="NVIDIA H100")
    old_map(export, 200, 0, None, name="NVIDIA T400")
    assert [(d.owners, d.name) for d in opened(export).devices] == [
        (((100, 0),), "NVIDIA H100"),
        (((200, 0),), "NVIDIA T400"),
    ]


def test_a_bus_leads_to_the_listed_gpu(export: Export, opened: Opened) -> None:
    two_processes(export)
    old_map(export, 100, 0, "0000:41:00.0")
    old_map(export, 200, 0, "0000:03:00.0")
    export.device("NVIDIA at 41", id=2, cu_device=1, busLocation="0000:41:00.0")
    export.device("NVIDIA at 03", id=3, cu_device=0, busLocation="0000:03:00.0")
    assert [(d.cuda_id, d.gpu_id, d.name, d.owners) for d in opened(export).devices] == [
        (2, 2, "NVIDIA at 41", ((100, 0),)),
        (3, 3, "NVIDIA at 03", ((200, 0),)),
    ]


def test_rows_that_repeat_say_nothing_new(export: Export, opened: Opened) -> None:
    two_processes(export)
    for _ in range(3):
        new_map(export, 100, 0, 3)
        new_map(export, 200, 0, 3)
        export.device("NVIDIA A", id=3, cu_device=0)
    report = opened(export)
    assert (owners(report), report.devices[0].name, report.device_notes) == (TOGETHER, "NVIDIA A", ())


def test_rows_with_nulls_say_nothing(export: Export, opened: Opened) -> None:
    two_processes(export)
    export.row("TARGET_INFO_CUDA_DEVICE", pid=100, cudaId=0, gpuId=None)
    export.row("TARGET_INFO_CUDA_DEVICE", pid=None, cudaId=0, gpuId=4)
    export.row("TARGET_INFO_CUDA_DEVICE", pid=200, cudaId=None, gpuId=5)
    export.row("TARGET_INFO_GPU", vmId=None, id=None, name=None, busLocation=None, uuid=None, cuDevice=None)
    report = opened(export)
    assert (owners(report), report.devices[0].gpu_id, report.devices[0].name) == (TOGETHER, None, None)


def test_missing_columns_are_as_nulls(export: Export, opened: Opened) -> None:
    two_processes(export)
    old_map(export, 100, 0, BUS_A, name="NVIDIA A")
    old_map(export, 200, 0, BUS_B, name="NVIDIA A")
    export.omit("TARGET_INFO_CUDA_GPU", "pid", "pciBusId")
    export.device("NVIDIA A", id=0)
    export.omit("TARGET_INFO_GPU", "busLocation", "uuid", "cuDevice", "vmId")
    report = opened(export)
    assert (owners(report), report.devices[0].name) == (TOGETHER, "NVIDIA A")


def test_rows_of_a_map_that_contradict_each_other_say_nothing(export: Export, opened: Opened) -> None:
    export.kernel(0, 100, device=0, pid=100)
    new_map(export, 100, 0, 3)
    new_map(export, 100, 0, 5)
    assert [(d.cuda_id, d.gpu_id) for d in opened(export).devices] == [(0, None)]


def test_one_uuid_or_bus_for_all_gpus_of_a_list_identifies_none(export: Export, opened: Opened) -> None:
    two_processes(export)
    new_map(export, 100, 0, 3)
    new_map(export, 200, 0, 5)
    for number in (3, 5):
        export.device(f"NVIDIA {number}", id=number, uuid="GPU-77777777", busLocation=BUS_A)
    assert [(d.gpu_id, d.name, d.bus) for d in opened(export).devices] == [
        (3, "NVIDIA 3", None),
        (5, "NVIDIA 5", None),
    ]


def test_two_numbers_of_one_process_are_one_gpu_if_the_map_says_so(export: Export, opened: Opened) -> None:
    export.kernel(0, 100, device=0, pid=100)
    export.kernel(0, 100, device=1, pid=100)
    new_map(export, 100, 0, 3)
    new_map(export, 100, 1, 3)
    report = opened(export)
    assert owners(report) == [((100, 0), (100, 1))]
    assert report.device_notes == (
        "the export says that devices 0 and 1 of process 100 are one GPU (GPU 0 here): they count as one, "
        "but may be parts of it (MIG)",
    )


def test_a_device_that_the_map_lacks_is_a_gpu_of_its_own(export: Export, opened: Opened) -> None:
    export.kernel(0, 100, device=0, pid=100)
    export.kernel(0, 100, device=1, pid=100)
    new_map(export, 100, 0, 1)
    export.device("NVIDIA A", id=0, cu_device=0)
    export.device("NVIDIA B", id=1, cu_device=1)
    report = opened(export)
    assert [(d.owners, d.gpu_id, d.name) for d in report.devices] == [
        (((100, 0),), 1, "NVIDIA B"),
        (((100, 1),), None, None),
    ]
    (note,) = report.device_notes
    assert note.startswith("which GPU device 1 of process 100 is, the export does not tell")


def test_a_process_that_the_map_lacks_counts_as_cuda_does(export: Export, opened: Opened) -> None:
    export.kernel(0, 100, device=0, pid=100)
    export.kernel(0, 100, device=0, pid=300)
    new_map(export, 100, 0, 1)
    export.device("NVIDIA A", id=0, cu_device=1)
    export.device("NVIDIA B", id=1, cu_device=0)
    report = opened(export)
    assert [(d.owners, d.name) for d in report.devices] == [(((100, 0), (300, 0)), "NVIDIA B")]
    assert len(report.device_notes) == 2
    assert "processes 100, 300 say device 0" in report.device_notes[0]
    assert "which GPU device 0 of process 300 is, the export does not tell" in report.device_notes[1]


@pytest.mark.parametrize(
    ("schema", "listed", "processes", "noted"),
    [
        ("2026.2", 4, 2, True),
        ("2022", 4, 2, True),
        ("2020", 4, 2, True),
        ("2026.2", 1, 2, False),
        ("2026.2", 0, 2, False),
        ("2026.2", 4, 1, False),
    ],
)
def test_several_gpus_and_one_number_without_a_map(
    schema: str, listed: int, processes: int, noted: bool, tmp_path: Path, opened: Opened
) -> None:
    export = Export(tmp_path / "capture.sqlite", schema)
    for pid in (100, 200)[:processes]:
        export.kernel(0, 100, device=0, pid=pid)
    for number in range(listed):
        export.device("NVIDIA H100", id=number)
    report = opened(export)
    assert len(report.devices) == 1
    notes = [note for note in report.notes if "does not tell which of them" in note]
    assert list(report.device_notes) == notes
    assert len(notes) == noted
    if noted:
        assert f"lists {listed} GPUs" in notes[0]
        assert "processes 100, 200 say device 0, which counts as one GPU" in notes[0]


def test_a_number_for_each_process_is_no_doubt(export: Export, opened: Opened) -> None:
    for device in range(2):
        export.kernel(0, 100, device=device, pid=100 + device)
        export.device("NVIDIA H100", id=device)
    assert opened(export).device_notes == ()


def test_another_vendors_adapter_makes_no_doubt(export: Export, opened: Opened) -> None:
    two_processes(export)
    export.device("NVIDIA H100", id=0)
    export.device("Intel(R) UHD Graphics 770", id=1)
    assert opened(export).device_notes == ()


def test_rows_that_are_no_ops_find_their_gpu_too(export: Export, opened: Opened) -> None:
    two_processes(export)
    export.sync(0, 50, device=0, pid=200)
    export.sync(60, 70, device=0, pid=300)
    new_map(export, 100, 0, 3)
    new_map(export, 200, 0, 5)
    new_map(export, 300, 0, 3)
    report = opened(export)
    assert report.syncs.device.tolist() == [1, 0]


def test_rows_of_no_process_join_the_only_machine(export: Export, opened: Opened) -> None:
    two_processes(export)
    export.kernel(300, 400, device=0, globalPid=None)
    (device,) = opened(export).devices
    assert device.ops == 3


def test_a_thousand_processes_are_quick(export: Export, opened: Opened) -> None:
    for pid in range(1000):
        export.kernel(pid, pid + 1, device=0, pid=100 + pid)
        for cuda in range(8):
            new_map(export, 100 + pid, cuda, (pid + cuda) % 8)
    report = opened(export)
    assert [d.ops for d in report.devices] == [125] * 8
    assert isinstance(report.devices[0], Device)


def test_a_globalpid_is_what_the_fixtures_say() -> None:
    assert on_vm(1, 100) == global_id(100)


def test_threads_of_two_vms_have_lanes_of_their_own(export: Export, opened: Opened) -> None:
    for vm in (1, 2):
        export.runtime("cudaFree_v3020", 0, 5, globalTid=on_vm(vm, 100) | 1)
    lanes = build_lanes(opened(export)).roots
    assert [(lane.key, lane.title) for lane in lanes] == [
        ("t100-on-VM-1/1", "thread 1 on VM 1 · API"),
        ("t100-on-VM-2/1", "thread 1 on VM 2 · API"),
    ]
