"""`nsystui info` and `nsystui cache`: what they say, and in which shape."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.export import Export
from tests.support.real import EXPORTS, needs_real
from tui.cli import main

H100 = "NVIDIA H100 80GB HBM3"


@pytest.fixture
def store(store_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NSYSTUI_CACHE_DIR", str(store_dir))
    return store_dir


@pytest.fixture
def file(export: Export, store: Path) -> Path:
    export.launch((0, 5), (1_000, 2_000), name="gemm")
    export.launch((6, 9), (3_000, 4_000), name="gemm", stream=9)
    export.kernel(0, 0)
    export.kernel(5_000, 6_000, name=777, short=778)
    export.memcpy(100, 900, device=1, pid=200)
    export.push_pop("step", 0, 9_000)
    export.process(100, "python3")
    export.device(H100, id=0, cu_device=0)
    export.empty("OSRT_API")
    return export.write()


def document(path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main(["info", str(path), "--format", "json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_info_lists_no_empty_table_unless_asked(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(file)]) == 0
    assert "OSRT_API" not in capsys.readouterr().out
    assert main(["info", str(file), "--all"]) == 0
    assert "OSRT_API" in capsys.readouterr().out


def test_info_as_json(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(file, capsys)
    assert found["report"] == str(file)
    assert found["schema_version"] == "3.25.0"
    assert found["window"] == {"start_ns": 100, "end_ns": 6_000, "label": "GPU work"}
    assert found["capture"] == {"start_ns": 0, "end_ns": 9_000}
    assert found["devices"] == [
        {
            "device": 0,
            "name": "NVIDIA H100 80GB HBM3",
            "gpu_id": None,
            "uuid": None,
            "pci_bus": "0000:1a:00.0",
            "called": [{"pid": 100, "device": 0}],
            "processes": [100],
            "streams": 2,
            "ops": 3,
        },
        {
            "device": 1,
            "name": None,
            "gpu_id": None,
            "uuid": None,
            "pci_bus": None,
            "called": [{"pid": 200, "device": 1}],
            "processes": [200],
            "streams": 1,
            "ops": 1,
        },
    ]
    assert found["processes"] == [
        {"pid": 100, "name": "python3", "threads": 1, "ranges": 1},
        {"pid": 200, "name": None, "threads": 0, "ranges": 0},
    ]
    tables = {t["name"]: (t["rows"], t["used"]) for t in found["tables"]}
    assert tables["CUPTI_ACTIVITY_KIND_KERNEL"] == (4, True)
    assert tables["OSRT_API"] == (0, True)
    assert tables["TARGET_INFO_GPU"] == (1, True)
    assert found["doubtful"] == [
        {
            "kind": "no timestamp",
            "count": 1,
            "example": "CUPTI_ACTIVITY_KIND_KERNEL row 3: start 0, end 0",
            "excluded": True,
        },
        {
            "kind": "name not in the export",
            "count": 1,
            "example": "CUPTI_ACTIVITY_KIND_KERNEL row 4: demangledName 777",
            "excluded": False,
        },
    ]
    assert found["notes"] == []


def test_info_for_people(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(file)]) == 0
    text = capsys.readouterr().out
    assert re.search(r"work window: 0\.000 000 100 s to 0\.000 006 000 s, 5\.900 us", text)
    assert re.search(r"^ +0 +NVIDIA H100 80GB HBM3 +100 +2 +3$", text, re.MULTILINE)
    assert re.search(r"no timestamp +1 +left out", text)
    assert re.search(r"name not in the export +1 +counted", text)


def test_info_of_a_report_without_anything(
    export: Export, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = document(export.write(), capsys)
    assert (found["window"], found["devices"], found["doubtful"]) == (None, [], [])
    assert "no GPU work recorded (no kernel table)" in found["notes"]
    assert main(["info", str(export.path)]) == 0
    assert "work window: none recorded" in capsys.readouterr().out


def test_info_as_csv(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(file), "--format", "csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Device,Name,Processes,Streams,Ops"
    assert lines[1] == "0,NVIDIA H100 80GB HBM3,100,2,3"


@needs_real
@pytest.mark.parametrize("path", EXPORTS, ids=lambda p: p.stem)
def test_info_of_every_real_export(path: Path, store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = document(path, capsys)
    assert sum(d["ops"] for d in found["devices"]) == sum(
        t["rows"]
        for t in found["tables"]
        if t["name"].rpartition("_")[2] in ("KERNEL", "MEMCPY", "MEMSET", "TRACE")
    )
    assert main(["info", str(path)]) == 0


def test_errors_are_one_line(tmp_path: Path, store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad\n\x1b[31m.sqlite"
    path.touch()
    assert main(["info", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "\x1b" not in err
    assert "empty: the export did not get that far" in err


def test_cache_list_and_clear(
    file: Path, store: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["cache", "list"]) == 0
    assert "nothing is kept" in capsys.readouterr().err
    document(file, capsys)
    assert main(["cache", "list", "-f", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["folder"] == str(store)
    assert [r["report"] for r in found["stored"]] == [str(file)]
    assert found["total_bytes"] == found["stored"][0]["bytes"] > 0
    monkeypatch.setenv("COLUMNS", "40")  # said by the shell of a terminal that this does not go to
    assert main(["cache", "list"]) == 0
    assert str(file) in capsys.readouterr().out
    assert main(["cache", "clear"]) == 0
    assert "removed 1 reports" in capsys.readouterr().err
    assert list(store.iterdir()) == []


def test_no_cache_keeps_nothing(file: Path, store: Path) -> None:
    assert main(["info", str(file), "--no-cache"]) == 0
    assert not store.exists()
