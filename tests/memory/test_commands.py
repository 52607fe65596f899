"""The commands memory and um as they are run: failures, and names that nobody can trust."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fixtures.memory_rows import allocate, context, gpu_faults
from tests.support.export import Export
from tui.cli import main

Capsys = pytest.CaptureFixture[str]
NOT_CAPTURED = {
    ("memory",): "memory allocations: not captured; nsys profile --cuda-memory-usage=true adds it",
    (
        "memory",
        "--at",
        "peak",
    ): "memory allocations: not captured; nsys profile --cuda-memory-usage=true adds it",
    ("memory", "--pools"): "memory pools: not captured; nsys profile --cuda-memory-usage=true adds it",
    ("um",): (
        "no unified memory moved; page faults were not captured: nsys profile "
        "--cuda-um-cpu-page-faults=true --cuda-um-gpu-page-faults=true adds them"
    ),
}


def run(capsys: Capsys, *arguments: str) -> tuple[int, str, str]:
    code = main([*arguments, "--no-cache"])
    done = capsys.readouterr()
    return code, done.out, done.err


@pytest.mark.parametrize("arguments", NOT_CAPTURED)
def test_what_is_not_there_is_said_with_what_adds_it(
    tmp_path: Path, capsys: Capsys, arguments: tuple[str, ...]
) -> None:
    export = Export(tmp_path / "capture.sqlite")
    export.launch((0, 10), (20, 1_000))
    told = f"nsystui: capture.sqlite: {NOT_CAPTURED[arguments]}\n"
    assert run(capsys, arguments[0], str(export.write()), *arguments[1:]) == (3, "", told)


def test_tables_without_rows_were_captured(tmp_path: Path, capsys: Capsys) -> None:
    export = Export(tmp_path / "capture.sqlite")
    export.launch((0, 10), (20, 1_000))
    export.empty("CUDA_GPU_MEMORY_USAGE_EVENTS", "CUDA_UM_CPU_PAGE_FAULT_EVENTS")
    path = str(export.write())
    assert run(capsys, "memory", path) == (
        3, "", "nsystui: capture.sqlite: memory allocations: captured, no rows\n",
    )  # fmt: skip
    code, out, told = run(capsys, "um", path)
    assert (code, out) == (3, "")
    assert told.startswith("nsystui: capture.sqlite: no unified memory moved and no page faulted in")


@pytest.fixture
def path(tmp_path: Path) -> str:
    export = Export(tmp_path / "capture.sqlite")
    export.launch((0, 10), (20, 1_000), name="[red]=touch\x1b[31m()")
    allocate(export, 100, 10, 0xA, name="=[b]buffer\x1b[31m")
    gpu_faults(export, 50, 60)
    return str(export.write())


REFUSED = {
    ("memory", "--at", "never"): "'never' is no time",
    ("memory", "--at", "5s"): "--at 5s is outside everything recorded; the capture runs from",
    ("memory", "--every", "1ms"): "--every goes with --series",
    ("memory", "--series", "--every", "0"): "--every 0 is no length of time",
    ("memory", "--top", "3"): "--top goes with --at",
    ("memory", "--at", "peak", "--top", "-1"): "--top -1 is negative",
    ("memory", "--at", "peak", "--series"): "argument --series: not allowed with argument --at",
    ("um", "--top", "-1"): "--top -1 is negative",
    ("um", "--by", "day"): "argument --by: invalid choice: 'day'",
}


@pytest.mark.parametrize("arguments", REFUSED)
def test_what_cannot_be_asked_for(path: str, capsys: Capsys, arguments: tuple[str, ...]) -> None:
    code, out, told = run(capsys, arguments[0], path, *arguments[1:])
    assert (code, out) == (2, "")
    assert told.startswith(f"nsystui: {REFUSED[arguments]}")
    assert told.count("\n") == 1


@pytest.mark.parametrize("fmt", ["table", "csv", "tsv", "json"])
@pytest.mark.parametrize("command", [("memory", "--at", "peak"), ("um", "--by", "kernel")])
def test_names_are_not_trusted(path: str, capsys: Capsys, command: tuple[str, ...], fmt: str) -> None:
    code, out, _ = run(capsys, command[0], path, *command[1:], "-f", fmt)
    assert code == 0
    assert fmt in ("csv", "tsv") or "\x1b" not in out
    assert ("buffer" if command[0] == "memory" else "touch") in out
    if fmt in ("csv", "tsv"):
        assert not any(cell.startswith("=") for line in out.splitlines() for cell in line.split(","))


def test_info_says_what_there_is(tmp_path: Path, capsys: Capsys) -> None:
    """Context switches are found under their older name, too."""
    export = Export(tmp_path / "capture.sqlite")
    export.launch((0, 10), (20, 1_000))
    allocate(export, 100, 10, 0xA)
    context(export, 5, 900, older=True)
    export.empty("CUDA_GPU_MEMORY_POOL_EVENTS")
    _, out, _ = run(capsys, "info", str(export.write()), "-f", "json")
    found = {row["data"]: (row["rows"], row["gives"]) for row in json.loads(out)["captured"]}
    assert found["memory allocations"] == (1, "how much memory is in use, by whom: memory")
    assert found["memory pools"] == (0, "captured, no rows")
    assert found["CPU page faults"][0] is None
    assert found["GPU context switches"][0] == 2
