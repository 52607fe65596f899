"""What an export says of itself, and that nothing else of an environment is ever read."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from fixtures.trace import global_id
from tests.support.export import Export
from tests.support.fake_nsys import FakeNsys, report_at
from tests.support.real import real_export
from tui.cli import main
from tui.ranks.identity import read_identity
from tui.report import open_report
from tui.report.environment import is_environment

SECRET = "hunter2-and-more"


@pytest.fixture
def export(tmp_path: Path) -> Export:
    made = Export(tmp_path / "report.sqlite")
    made.kernel(100, 200)
    return made


def variable(export: Export, name: str, value: str) -> None:
    export.row("META_DATA_CAPTURE", name="PROCESS_0:ENVIRONMENT_VARIABLE", value=f'{name}="{value}"')


def system(export: Export, name: str, value: str) -> None:
    export.row(
        "TARGET_INFO_SYSTEM_ENV", globalVid=1, devStateName="Local (CLI)", name=name, nameEnum=1, value=value
    )


def said(export: Export) -> dict[str, object]:
    found = read_identity(open_report(export.write(), use_store=False))
    assert json.loads(json.dumps(found)) == found
    return found


def test_an_export_that_says_nothing(export: Export) -> None:
    assert said(export) == {
        "host": None, "variables": {}, "environment": {}, "mpi_ranks": {}, "nccl": {}, "expected": None,
        "hw_id": None, "utc_ns": None, "system_ns": None, "counter": None, "shift_ns": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("hostname", "display", "host"),
    [
        ("node7", "other", "node7"),
        (None, "node8", "node8"),
        ("", "node8", "node8"),
        (None, "Local (CLI)", None),
        (None, "", None),
        (None, None, None),
    ],
)
def test_the_host(export: Export, hostname: str | None, display: str | None, host: str | None) -> None:
    variable(export, "HOSTNAME", "submit-host")
    if hostname is not None:
        system(export, "Hostname", hostname)
    if display is not None:
        export.row("META_DATA_CAPTURE", name="DEVICE_DISPLAY_NAME", value=display)
    export.sql("INSERT INTO META_DATA_EXPORT (name, value) VALUES ('EXPORT_HOST', 'laptop')")
    assert said(export)["host"] == host


def test_variables_of_rows_and_of_the_list(export: Export) -> None:
    variable(export, "RANK", "3")
    variable(export, "SLURM_JOB_ID", "77")
    variable(export, "PMI_SHARED_SECRET", SECRET)
    listed = f"PATH=/bin;MYRANK=9;PMI_SHARED_SECRET={SECRET};RANK=8;WORLD_SIZE=4;SLURM_STEP_ID=2"
    system(export, "DeviceEnvironment", f"{listed};A=x;y;LOCAL_RANK=1")
    found = said(export)
    assert found["variables"] == {
        "RANK": "3", "SLURM_JOB_ID": "77", "LOCAL_RANK": "1", "SLURM_STEP_ID": "2", "WORLD_SIZE": "4"
    }  # fmt: skip
    assert found["environment"] == {
        "rank": {"variable": "RANK", "value": 3},
        "ranks": {"variable": "WORLD_SIZE", "value": 4},
        "local_rank": {"variable": "LOCAL_RANK", "value": 1},
        "run": {"variable": "SLURM_JOB_ID", "value": "77.2"},
    }
    assert found["expected"] == 4


def test_which_gpus_and_which_machine(export: Export) -> None:
    for name, value in (("CUDA_VISIBLE_DEVICES", "2,GPU-5"), ("NSYS_HW_ID", "abc"), ("NODE_RANK", "x")):
        variable(export, name, value)
    found = said(export)
    assert found["environment"] == {"visible": {"variable": "CUDA_VISIBLE_DEVICES", "value": "2,GPU-5"}}
    assert found["hw_id"] == "abc"


def test_the_clocks(export: Export) -> None:
    export.row(
        "TARGET_INFO_SESSION_START_TIME", utcEpochNs=10**18, utcTime="", localTime="", systemClockNs=77
    )
    export.sql("INSERT INTO META_DATA_EXPORT (name, value) VALUES ('EXPORT_CONFIG_TIME_SHIFT', '-500')")
    found = said(export)
    assert (found["utc_ns"], found["system_ns"], found["shift_ns"]) == (10**18, 77, -500)


@pytest.mark.parametrize(("normalised", "shift"), [("true", 10**18), ("false", 40)])
def test_the_shift_where_only_its_parameters_are_recorded(
    export: Export, normalised: str, shift: int
) -> None:
    export.session_start(10**18)
    for name, value in (("EXPORT_PARAM_TIME_NORMALIZE", normalised), ("EXPORT_PARAM_TIME_SHIFT", "40")):
        export.sql("INSERT INTO META_DATA_EXPORT (name, value) VALUES (?, ?)", name, value)
    assert said(export)["shift_ns"] == shift


def test_mpi_and_nccl(export: Export) -> None:
    for pid, number in ((100, 0), (200, 5), (300, 1), (300, 2), (400, -1)):
        export.row("MPI_RANKS", globalTid=global_id(pid, pid), rank=number)
    export.runtime("cudaLaunchKernel", 0, 5, pid=100, tid=9)
    export.row("ThreadNames", nameId="NCCL Progress [3/8]", priority=20, globalTid=global_id(100, 9))
    found = said(export)
    assert found["mpi_ranks"] == {"100": 0, "200": 5}
    assert found["nccl"] == {"100": [{"rank": 3, "ranks": 8}]}


@pytest.mark.parametrize(
    "payload",
    [
        '{"NCCL communicator ID": 91, "No. of ranks": 8, "Rank": 5, "CUDA device": 0}',
        '{"Payload":[{"Rank":"5","x":[1]},{"No. of ranks":"8"}]}',
    ],
)
def test_nccl_by_its_payload(payload: str, export: Export) -> None:
    for text in (
        payload,
        '{"No. of ranks": 2}',
        '{"No. of ranks": 2, "Rank": 2}',
        '{"Message size": 1}',
        None,
    ):
        export.push_pop("ncclCommInitRank", 0, 10, pid=100, jsonText=text)
    assert said(export)["nccl"] == {"100": [{"rank": 5, "ranks": 8}]}


def test_the_same_capture_with_normalised_times() -> None:
    plain, utc = (
        read_identity(open_report(real_export(f"ranks-mpi-2023.4/healthy-rank0{ending}"), use_store=False))
        for ending in ("", "-utc-times")
    )
    assert (plain["host"], plain["mpi_ranks"], plain["shift_ns"]) == ("node0", {"23740": 0}, 0)
    assert plain["utc_ns"] == utc["utc_ns"] == utc["shift_ns"] == 1_796_083_114_581_361_772


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        (b"PATH=/bin\0HOME=/root", True),
        (b"_=x\0A=1\0", True),
        (b"PATH=/bin", False),
        (b"python\0train.py\0--lr=0.1", False),
        (b"x = 1", False),
        (b"a\0b=1\0c=2", True),
        (b"\0\0", False),
        (b"", False),
    ],
)
def test_what_is_an_environment(text: bytes, is_one: bool) -> None:
    assert is_environment(text) is is_one


def test_a_name_that_is_none_stays(export: Export) -> None:
    export.mark("odd\0name", 150)
    assert "odd\0name" in open_report(export.write(), use_store=False).strings[:]


@pytest.fixture
def secretive(export: Export) -> Path:
    """An export whose environment holds a secret everywhere that one may be."""
    export.push_pop("step", 0, 300)
    variable(export, "PMI_SHARED_SECRET", SECRET)
    variable(export, "SLURM_PROCID", "0")
    export.row("META_DATA_CAPTURE", name="PROCESS_1:ENVIRONMENT_VARIABLE", value=f'X="{SECRET}"')
    export.row("META_DATA_CAPTURE", name="ENVIRONMENT_VARIABLE", value=SECRET)
    system(
        export, "DeviceEnvironment", f"A={SECRET};B=RANK={SECRET};" + ";".join(f"V{i}=x" for i in range(900))
    )
    export.string(f"_=/usr/bin/python\0PATH=/bin\0PMI_SHARED_SECRET={SECRET}\0HOME=/root", 77_000)
    export.string(f"TOKEN={SECRET}\0BASH_FUNC_f%%=() {{ :\n}}\0OLD=/", 77_001)
    return export.write()


def commands() -> Iterator[list[str]]:
    for command in ("info", "stats", "gaps", "steps", "analyze", "diagnose", "export", "view"):
        for fmt in ([], ["-f", "json"], ["-f", "csv"], ["--no-cache"], ["--debug"]):
            yield [command, *fmt]
    yield []


def test_a_secret_reaches_no_file_and_no_output(
    secretive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NSYSTUI_CACHE_DIR", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    said = io.StringIO()
    with redirect_stdout(said), redirect_stderr(said):
        for command in commands():
            main([*command[:1], str(secretive), *command[1:]])
        read_identity(open_report(secretive))
    assert SECRET not in said.getvalue()
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path != secretive]
    assert files  # the store
    for path in files:
        assert SECRET.encode() not in path.read_bytes(), path


def test_a_secret_reaches_no_crash_report(
    secretive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise ValueError("what was read can't be put together")

    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr("tui.report.importing.origin.known_variables", fail)
    assert main(["info", str(secretive), "--no-cache", "--debug"]) == 2
    (log,) = (tmp_path / "state").rglob("*.log")
    assert "put together" in log.read_text()
    assert SECRET not in log.read_text() + capsys.readouterr().err


def test_an_export_that_nsys_makes_is_kept_without_the_secret(
    secretive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NSYSTUI_CACHE_DIR", str(tmp_path / "store"))
    nsys = FakeNsys(tmp_path)
    nsys.does(f"shutil.copy({str(secretive)!r}, output)")
    monkeypatch.setenv("PATH", f"{nsys.folder}:/usr/bin:/bin")
    report = report_at(tmp_path / "run.nsys-rep")
    for _ in range(2):  # made now, and found
        assert main(["info", str(report)]) == 0
        assert read_identity(open_report(report))["variables"] == {"SLURM_PROCID": "0"}
    kept = [path for path in (tmp_path / "store").rglob("*") if path.is_file()]
    assert any(path.suffix == ".sqlite" for path in kept)
    for path in kept:
        assert SECRET.encode() not in path.read_bytes(), path


@pytest.mark.parametrize("table", ["TARGET_INFO_SYSTEM_ENV", "META_DATA_CAPTURE"])
def test_a_number_in_an_environment_is_no_doubtful_value(export: Export, table: str) -> None:
    name = "DeviceEnvironment" if table.startswith("T") else "PROCESS_0:ENVIRONMENT_VARIABLE"
    export.row(table, name=name, value="x")
    export.sql(f"DROP TABLE {table}")
    export.sql(f"CREATE TABLE {table} (name, value)")
    export.sql(f"INSERT INTO {table} VALUES (?, ?)", name, 2.0**60)  # noqa: S608
    assert open_report(export.write(), use_store=False).doubtful == ()
