"""CPU samples: what their functions are called, how they are added up, and which of them count."""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.schema import SCHEMAS
from tests.cpu.conftest import Answer, index_of
from tests.support.export import Export
from tui.analysis.cpu.sample_table import folded
from tui.analysis.cpu.sampling import samples
from tui.cli import main

LIBC = "/lib/x86_64-linux-gnu/libc-2.31.so"
MAIN = ["main", ("_start", "/opt/app/app")]


def rows(found: dict[str, Any], *keys: str) -> list[tuple[object, ...]]:
    return [tuple(row[key] for key in keys) for row in found["rows"]]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_leaves_share_the_time_that_their_thread_ran(tmp_path: Path, answer: Answer, schema: str) -> None:
    export = Export(tmp_path / "capture.sqlite", schema=schema)
    export.kernel(0, 10_000)
    export.on_cpu(0, 1_000)
    export.on_cpu(0, 500, tid=2)
    for at in (100, 200):
        export.sample(at, ["gemm", *MAIN])
    export.sample(300, [("memcpy", LIBC), *MAIN])
    export.sample(400, ["gemm"], tid=2)
    export.sample(500, ["gemm"], tid=3)  # nobody knows how long this one ran
    path = export.write()
    found = answer("samples", path, "--range", "/")
    assert rows(found, "name", "module", "samples", "on_cpu_ns", "pct", "threads", "class") == [
        ("gemm", "app", 4, None, 80.0, 3, "program"),
        ("memcpy", "libc-2.31.so", 1, 334, 20.0, 1, "program"),
    ]
    found = answer("samples", path, "--range", "/", "--thread", "1,2")
    assert rows(found, "name", "samples", "on_cpu_ns") == [("gemm", 3, 333 + 333 + 500), ("memcpy", 1, 334)]
    assert sum(row["on_cpu_ns"] for row in found["rows"]) == 1_500
    assert found["coverage"]["on_cpu_ns"] == 1_500


def test_what_is_no_symbol_is_named_after_its_module(export: Export, answer: Answer) -> None:
    export.kernel(0, 10_000)
    for frame in (
        ("0x7f3a10", "/usr/lib64/libcuda.so.525.105.17"),
        ("0x7f3a20", "/usr/lib64/libcuda.so.525.105.17"),
        ("0x7f3a30", "/opt/nvidia/libToolsInjection64.so"),
        ("0x7ffc11", "[vdso]"),
        ("0xffffffff8105db95", "[kernel.kallsyms]"),
        ("do_sys_poll", "[kernel.kallsyms]"),
        ("0x0", "[Unknown]"),
        ("[Max depth]", "[Max depth]"),
        ("[bold]\x1b[31m", "C:\\tools\\app.dll"),
    ):
        export.sample(100, [frame])
    export.sample(100)
    found = answer("samples", export.write(), "--range", "/")
    assert rows(found, "name", "module", "samples", "class") == [
        ("libcuda.so.525.105.17 (unresolved)", "libcuda.so.525.105.17", 2, "program"),
        (None, None, 1, "unknown"),
        ("[Max depth]", "[Max depth]", 1, "broken stack"),
        ("[Unknown]", "[Unknown]", 1, "unknown"),
        ("[bold]\x1b[31m", "app.dll", 1, "program"),
        ("clock reads (vdso)", "[vdso]", 1, "program"),
        ("do_sys_poll", "kernel", 1, "kernel"),
        ("kernel (unresolved)", "kernel", 1, "kernel"),
        ("libToolsInjection64.so (unresolved)", "libToolsInjection64.so", 1, "profiler"),
    ]
    trust = {key: found["coverage"][key] for key in ("samples", "unresolved", "broken", "profiler", "kernel")}
    assert trust == {"samples": 10, "unresolved": 6, "broken": 1, "profiler": 1, "kernel": 2}


def test_a_stack_that_reaches_its_beginning_is_whole(export: Export, answer: Answer) -> None:
    export.kernel(0, 10_000)
    broken = ("[Broken backtraces]", "[Broken backtraces]")
    for stack in (["a", "main", "_start", broken], ["a", "main", broken], ["a", "main", "_start"]):
        export.sample(10, stack)
    export.sample(20, ["a"], unwind=0)
    coverage = answer("samples", export.write(), "--range", "/")["coverage"]
    assert [coverage[key] for key in ("samples", "with_stack", "broken", "broken_pct")] == [4, 3, 1, 33.33]


def test_threads_of_the_profiler_are_the_profilers(export: Export, answer: Answer) -> None:
    export.kernel(0, 10_000)
    export.thread_name(100, 2, "[NSys Comms]")
    for tid in (1, 2):
        for _ in range(3):
            export.sample(100, [("poll", LIBC)], tid=tid)
        export.osrt("poll", 0, 10, tid=tid)
    path = export.write()
    found = answer("samples", path, "--range", "/")
    assert rows(found, "name", "samples", "class") == [("poll", 3, "program"), ("poll", 3, "profiler")]
    found = answer("threads", path, "--range", "/")
    assert rows(found, "tid", "samples", "hot") == [(1, 3, "poll"), (2, 3, None)]


def test_a_recursive_function_counts_once(export: Export, answer: Answer) -> None:
    export.kernel(0, 10_000)
    export.sample(1, ["walk", "walk", "walk", "main"])
    export.sample(2, ["leaf", "walk", "main"])
    path = export.write()
    found = answer("samples", path, "--range", "/", "--by", "function")
    assert rows(found, "name", "samples", "pct") == [
        ("main", 2, 100.0),
        ("walk", 2, 100.0),
        ("leaf", 1, 50.0),
    ]
    found = answer("samples", path, "--range", "/", "--by", "stack")
    assert rows(found, "name", "samples") == [("main;walk;leaf", 1), ("main;walk;walk;walk", 1)]
    found = answer("samples", path, "--range", "/", "--by", "module")
    assert rows(found, "name", "samples") == [("app", 2)]


def test_samples_without_a_stack_count_for_leaves_alone(export: Export, answer: Answer) -> None:
    """Three samples in four are an address: the time is then that of the others."""
    export.kernel(0, 10_000)
    export.on_cpu(0, 800)
    for at in (10, 20, 30):
        export.sample(at, ["gemm"], unwind=0)
    export.sample(40, ["gemm", "main"])
    path = export.write()
    found = answer("samples", path, "--range", "/")
    assert rows(found, "name", "samples", "on_cpu_ns") == [("gemm", 4, 800)]
    found = answer("samples", path, "--range", "/", "--by", "function")
    assert rows(found, "name", "samples", "on_cpu_ns") == [("gemm", 1, 800), ("main", 1, 800)]
    assert found["notes"] == ["1 of 4 samples have a stack; the others are an address alone"]
    assert found["coverage"]["with_stack"] == 1


def test_a_sample_at_a_scheduling_event_is_no_sample_of_time(export: Export, answer: Answer) -> None:
    export.kernel(0, 10_000)
    export.sample(10, ["gemm"], cycles=0)
    export.sample(20, ["relu"])
    assert rows(answer("samples", export.write(), "--range", "/"), "name") == [("relu",)]


def test_per_phase_step_thread_and_gap(export: Export, answer: Answer) -> None:
    for step in range(2):
        at = 10_000 * step
        export.push_pop("train_step", at, at + 9_000)
        export.push_pop("forward", at + 1_000, at + 3_000)
        export.launch((at + 8_000, at + 8_100), (at + 8_200, at + 9_500))
        for offset, leaf in ((1_500, "conv"), (1_600, "conv"), (5_000, "loss")):
            export.sample(at + offset, [leaf, "main"])
        export.sample(at + 6_000, ["decode"], tid=2)
    export.osrt("read", 0, 10, tid=2)
    path = export.write()
    found = answer("samples", path, "--per", "phase")
    assert rows(found, "phase", "name", "samples", "pct") == [
        ("forward", "conv", 4, 100.0),
        (None, "decode", 2, 100.0),
        ("train_step", "loss", 2, 100.0),
    ]
    found = answer("samples", path, "--per", "step")
    assert rows(found, "pid", "step", "name", "samples") == [
        (100, step, name, count)
        for step in (1, 2)
        for name, count in (("conv", 2), ("decode", 1), ("loss", 1))
    ]
    found = answer("samples", path, "--per", "thread")
    assert rows(found, "tid", "name", "samples") == [(1, "conv", 4), (1, "loss", 2), (2, "decode", 2)]
    found = answer("samples", path, "--per", "gap", "--min-gap", "1us")
    assert rows(found, "device", "gap", "start_ns", "name", "samples") == [
        (0, 1, 0, "conv", 2),
        (0, 1, 0, "loss", 1),
        (0, 2, 9_500, "conv", 2),
        (0, 2, 9_500, "loss", 1),
    ]
    found = answer("samples", path, "--range", "step:2", "--by", "thread")
    assert rows(found, "name", "samples") == [("1", 3), ("2", 1)]


def test_python_frames(export: Export, answer: Answer) -> None:
    """Frames of Python by module, by symbol, among frames of C."""
    export.kernel(0, 10_000)
    c_code = ("_PyEval_EvalFrameDefault", "/usr/bin/python3.11")
    library = ("linear", "/usr/lib/python3/dist-packages/torch/nn/functional.py")
    for _ in range(2):
        export.sample(
            10, [c_code, library, c_code, ("forward", "/home/me/model.py"), ("run (train.py:7)", "x")]
        )
    export.sample(20, [library])
    export.sample(30, [c_code])
    export.sample(40, [c_code], unwind=0)
    export.on_cpu(0, 400)
    path = export.write()
    found = answer("samples", path, "--range", "/", "--python")
    assert rows(found, "name", "module", "samples", "on_cpu_ns") == [
        ("forward", "model.py", 2, 200),
        ("linear", "functional.py", 1, 100),
    ]
    assert found["notes"] == ["3 of 5 samples have Python in their stack"]
    assert found["coverage"]["samples"] == 5
    found = answer("samples", path, "--range", "/", "--python", "--by", "stack")
    assert rows(found, "name", "samples") == [("run (train.py:7);forward;linear", 2), ("linear", 1)]


@pytest.mark.parametrize("missing", ["kernelMode", "unwindMethod", "unresolved", "originalIP", "symbol"])
def test_columns_may_be_missing(export: Export, answer: Answer, missing: str) -> None:
    export.kernel(0, 10_000)
    export.sample(10, ["gemm", "main"])
    export.omit("SAMPLING_CALLCHAINS", missing)
    found = answer("samples", export.write(), "--range", "/", "--by", "stack")
    names = {"symbol": "app (unresolved);app (unresolved)"}
    assert rows(found, "name", "samples") == [(names.get(missing, "main;gemm"), 1)]


def test_samples_whose_stacks_are_not_in_the_file(export: Export, answer: Answer) -> None:
    export.kernel(0, 10_000)
    export.sample(10, ["gemm"])
    export.drop("SAMPLING_CALLCHAINS")
    found = answer("samples", export.write(), "--range", "/")
    assert rows(found, "name", "samples", "class") == [(None, 1, "unknown")]


FRAMES = st.sampled_from(["a", "b", "c", "0x1"])


@given(st.lists(st.lists(FRAMES, min_size=1, max_size=5), min_size=1, max_size=12))
def test_any_stacks_come_back_as_they_were(stacks: list[list[str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        export = Export(Path(folder) / "x.sqlite")
        export.kernel(0, 100)
        for at, stack in enumerate(stacks):
            export.sample(at, stack)
        found = samples(index_of(export.write()))
    shown = [[{"0x1": "app (unresolved)"}.get(frame, frame) for frame in stack] for stack in stacks]
    assert [folded(found, node) for node in found.node.tolist()] == [";".join(s[::-1]) for s in shown]
    assert [found.tree.frames.name[leaf] for leaf in found.leaf.tolist()] == [stack[0] for stack in shown]
    assert len(found.tree.frame) == len({tuple(s[::-1][: k + 1]) for s in shown for k in range(len(s))})
    which, frame = found.tree.functions(found.node)
    expected = Counter(name for stack in shown for name in set(stack))
    assert Counter(found.tree.frames.name[f] for f in frame.tolist()) == expected
    assert Counter(which.tolist()) == Counter({i: len(set(stack)) for i, stack in enumerate(shown)})


HOT = {
    "most samples of three": (["a", "a", "b"], "a"),
    "a third of three, as two others": (["a", "b", "c"], None),
    "two samples": (["a", "a"], None),
    "less than three in ten": (["a", "a", "b", "c", "d", "e", "f"], None),
    "the profiler's own": ([("0x1", "/opt/libcupti.so")] * 3 + ["a"] * 2, "a"),
    "no function": ([("0x1", "[Unknown]")] * 3, None),
}


@pytest.mark.parametrize("case", HOT)
def test_a_hot_function_is_one_that_is_sure(export: Export, answer: Answer, case: str) -> None:
    leaves, hot = HOT[case]
    export.kernel(0, 10_000)
    export.osrt("read", 0, 1)
    for leaf in leaves:
        export.sample(10, [leaf])
    assert rows(answer("threads", export.write(), "--range", "/"), "hot") == [(hot,)]


def made(path: Path) -> Export:
    export = Export(path)
    export.kernel(0, 10_000)
    for at, stack in enumerate(
        (["a", "b", "main"], ["c", "b", "main"], ["a"], ["é\x1b[0m", ("0x1", "[vdso]")])
    ):
        export.sample(at, stack)
    return export


def test_rows_of_stacks_may_come_in_any_order(tmp_path: Path, answer: Answer) -> None:
    found = []
    for number in range(4):
        export = made(tmp_path / "x.sqlite")
        if number:
            random.Random(number).shuffle(export.rows["SAMPLING_CALLCHAINS"])
        found.append(answer("samples", export.write(), "--range", "/", "--by", "stack")["rows"])
    assert [row["name"] for row in found[0]] == ["a", "clock reads (vdso);é\x1b[0m", "main;b;a", "main;b;c"]
    assert found[1:] == [found[0]] * 3


def test_what_is_kept_says_the_same(
    tmp_path: Path, store_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = made(tmp_path / "x.sqlite").write()
    command = ["samples", str(path), "--range", "/", "-f", "json", "--by"]
    for by in ("leaf", "function", "module", "stack"):
        texts = []
        for store in (["--no-cache"], ["--cache-dir", str(store_dir)], ["--cache-dir", str(store_dir)]):
            assert main([*command, by, *store]) == 0
            texts.append(capsys.readouterr().out)
        assert texts[1:] == [texts[0]] * 2
    assert len(list(store_dir.glob("*stacks-sampling_callchains-*"))) == 1
    assert not list(store_dir.glob("*extra-sampling*"))
