"""Who made a call: the function behind OS calls and CUDA calls, whatever the numbering of backtraces."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cpu.conftest import Answer, index_of
from tests.support.export import Export
from tui.analysis.cpu.callers import cuda_backtraces
from tui.cli import main

LIBC, LIBCUDA = "/lib/libc-2.31.so", "/usr/lib/libcuda.so.525.105"
WAIT = [("__poll", LIBC), ("0x7f01", LIBCUDA), "wait_for_data", "main"]
READ = [("__libc_read", LIBC), "load", "main"]


def rows(found: dict[str, Any], *keys: str) -> list[tuple[object, ...]]:
    return [tuple(row[key] for key in keys) for row in found["rows"]]


def test_the_innermost_function_outside_the_libraries_waits(export: Export, answer: Answer) -> None:
    export.kernel(0, 1_000)
    export.chain("OSRT", 1, WAIT)
    export.chain("OSRT", 2, READ)
    export.chain("OSRT", 3, [("__poll", LIBC)])
    export.osrt("poll", 0, 300, callchainId=1)
    export.osrt("poll", 400, 600, callchainId=1, tid=2)
    export.osrt("read", 700, 800, callchainId=2)
    export.osrt("poll", 900, 910, callchainId=3)
    export.osrt("poll", 920, 927, callchainId=0)
    export.osrt("poll", 930, 940, callchainId=77)
    path = export.write()
    found = answer("samples", path, "--callers", "os")
    assert rows(found, "caller", "module", "call", "calls", "ns", "pct") == [
        ("wait_for_data", "app", "poll", 2, 500, 82.0),
        ("load", "app", "read", 1, 100, 16.4),
        (None, None, "poll", 1, 10, 1.6),
    ]
    assert found["notes"] == ["2 of 6 OS calls (17 ns) have no backtrace"]
    found = answer("samples", path, "--callers", "os", "--range", "200/450")
    assert rows(found, "caller", "calls", "ns") == [("wait_for_data", 2, 150)]


MALLOC = [("0x7f02", "/opt/libcupti.so.11"), ("cudaMalloc", "/opt/libcudart.so.11.7"), "allocate", "main"]
COPY = [("cudaMemcpy", "/opt/libcudart.so.11.7"), "upload", "main"]


@pytest.mark.parametrize("shift", [0, 1])
@pytest.mark.parametrize("apart", [False, True])
def test_cuda_backtraces_by_either_numbering(export: Export, answer: Answer, shift: int, apart: bool) -> None:
    """``apart``: the backtrace is in a row of its own, of another class, that surrounds the call."""
    export.kernel(0, 1_000)
    made = [("cudaMalloc", MALLOC), ("cudaMemcpy", COPY), ("cudaMemcpy", COPY), ("cudaMalloc", MALLOC)]
    for number, (name, stack) in enumerate(made):
        at, chain = 100 * number, {"callchainId": number}
        export.chain("CUDA", number + shift, stack)
        corr = export.runtime(f"{name}_v3020", at + 10, at + 60, **({} if apart else chain))
        if apart:
            export.runtime(name, at + 9, at + 61, corr=corr, event_class=67, **chain)
    found = answer("samples", export.write(), "--callers", "cuda", "--range", "/")
    assert rows(found, "caller", "call", "calls", "ns") == [
        ("allocate", "cudaMalloc", 2, 100),
        ("upload", "cudaMemcpy", 2, 100),
    ]
    corrected = "the ids of CUDA backtraces are off by one in this export: corrected"
    assert found["notes"] == ([corrected] if shift else [])


def test_the_line_of_python_that_calls(export: Export, answer: Answer) -> None:
    torch = ("linear", "/usr/lib/python3/site-packages/torch/nn/functional.py")
    for number, stack in enumerate(([*COPY, torch, ("step", "/home/me/train.py")], MALLOC)):
        export.chain("CUDA", number + 1, stack)
        export.runtime(
            stack[0][0] if number == 0 else "cudaMalloc", 10, 30, callchainId=number + 1, tid=number
        )
    export.kernel(0, 1_000)
    path = export.write()
    found = answer("samples", path, "--callers", "cuda", "--python", "--range", "/")
    assert rows(found, "caller", "module", "call", "ns") == [("step", "train.py", "cudaMemcpy", 20)]
    assert found["notes"] == ["1 of 2 CUDA calls (20 ns) have no Python in a backtrace"]


def test_calls_of_one_name_keep_their_own_numbers(export: Export) -> None:
    """Both numberings name these calls: nothing speaks for the one that is off."""
    for number in range(1, 5):
        export.chain("CUDA", number, COPY)
        export.runtime("cudaMemcpy_v3020", 100 * number, 100 * number + 9, callchainId=number)
    traces = cuda_backtraces(index_of(export.write()))
    assert (traces.node >= 0).tolist() == [True] * 4
    assert traces.note is None


def test_backtraces_that_name_no_call_are_left_out(
    export: Export, capsys: pytest.CaptureFixture[str]
) -> None:
    export.kernel(0, 1_000)
    export.chain("CUDA", 1, ["main"])
    export.runtime("cudaMalloc_v3020", 10, 20, callchainId=1)
    assert main(["samples", str(export.write()), "--callers", "cuda", "--no-cache"]) == 3
    why = "backtraces of CUDA calls are left out: their ids can't be matched to calls"
    assert capsys.readouterr().err == f"nsystui: capture.sqlite: {why}\n"


def test_two_processes_with_the_same_correlation_ids(export: Export, answer: Answer) -> None:
    export.kernel(0, 1_000)
    for number, (pid, name, stack) in enumerate(((100, "cudaMalloc", MALLOC), (200, "cudaMemcpy", COPY))):
        export.chain("CUDA", number + 1, stack)
        export.runtime(name, 10, 20, pid=pid, corr=5, callchainId=number + 1)
    found = answer("samples", export.write(), "--callers", "cuda", "--range", "/", "--process", "200")
    assert rows(found, "caller", "call") == [("upload", "cudaMemcpy")]
