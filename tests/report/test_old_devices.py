"""Which GPU it was, in files older than the tables that tell it today."""

from __future__ import annotations

from pathlib import Path

from tests.report.conftest import Opened
from tests.support.export import Export


def test_in_2020_adapters_were_listed_by_device_id(tmp_path: Path, opened: Opened) -> None:
    export = Export(tmp_path / "capture.sqlite", "2020")
    export.kernel(0, 10, device=1)
    export.device("NVIDIA A", id=0)
    export.device("NVIDIA B", id=1)
    export.omit("TARGET_INFO_GPU", "cuDevice")
    (device,) = opened(export).devices
    assert (device.cuda_id, device.name) == (1, "NVIDIA B")


def test_some_have_only_the_table_by_process(tmp_path: Path, opened: Opened) -> None:
    export = Export(tmp_path / "capture.sqlite", "2020")
    export.kernel(0, 10, device=0, pid=100)
    for pid, name in ((100, "NVIDIA of 100"), (200, "NVIDIA of 200")):
        export.row("TARGET_INFO_CUDA_GPU", vmId=1, name=name, deviceId=0, pid=pid)
    (device,) = opened(export).devices
    assert device.name == "NVIDIA of 100"


def test_adapters_that_contradict_each_other_have_no_name(tmp_path: Path, opened: Opened) -> None:
    export = Export(tmp_path / "capture.sqlite", "2020")
    export.kernel(0, 10, device=0)
    export.device("NVIDIA A", id=0)
    export.device("NVIDIA B", id=0)
    assert opened(export).devices[0].name is None
