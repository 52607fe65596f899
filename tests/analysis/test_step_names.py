"""Steps whose names differ in numbers, that end on another thread, and how a step is asked for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.support.export import Export
from tui.analysis.index import Index
from tui.analysis.step_table import step_rows
from tui.analysis.steps import find_steps
from tui.analysis.window import make_scope
from tui.errors import UsageError
from tui.intervals import union_by_group
from tui.report import Report, open_report
from tui.text.labels import common_name, starred


def opened(export: Export) -> Report:
    return open_report(export.write(), use_store=False)


@pytest.fixture
def export(tmp_path: Path) -> Export:
    return Export(tmp_path / "steps.sqlite")


def loop(export: Export, names: list[str]) -> None:
    for i, name in enumerate(names):
        at = 1_000 * i
        export.push_pop(name, at, at + 900)
        export.push_pop("forward", at + 10, at + 400)
        export.push_pop("sample", at + 500, at + 800)
        export.launch((at + 20, at + 30), (at + 40, at + 300))


def test_numbers_anywhere_in_a_name_are_no_difference(export: Export) -> None:
    loop(export, [f"step[DECODE bs={n}]" for n in range(1, 7)])
    steps = find_steps(Index(opened(export)))
    assert steps.name == "step[DECODE bs=*]"
    assert [len(s) for s in steps.sequences] == [6]


def test_no_step_is_left_out_because_others_are_more(export: Export) -> None:
    loop(export, ["step[DECODE bs=4]"] * 40 + ["step[DECODE bs=3]"] * 20)
    index = Index(opened(export))
    assert [len(s) for s in find_steps(index).sequences] == [60]
    for asked in ("step[DECODE bs=*]", find_steps(index).name):
        assert [len(s) for s in find_steps(index, asked).sequences] == [60]
    assert [len(s) for s in find_steps(index, "step[DECODE bs=3]").sequences] == [20]


def test_a_plain_counter_is_left_out_as_ever(export: Export) -> None:
    loop(export, [f"ProfilerStep#{n}" for n in range(5, 10)])
    report = opened(export)
    index = Index(report)
    assert find_steps(index).name == "ProfilerStep"
    window = make_scope(report, "step:5", index=index).window
    assert window.label == "step 5 (ProfilerStep#9)"
    assert make_scope(report, "step:2..3", index=index).window.label == (
        "steps 2 to 3 (ProfilerStep#6 to ProfilerStep#7)"
    )
    by_name = make_scope(report, "nvtx:ProfilerStep#5", index=index).window
    assert (by_name.start, by_name.end) == (0, 900)
    with pytest.raises(UsageError, match=r"steps 1 to 5, 'ProfilerStep#5' to 'ProfilerStep#9'.*nvtx:Prof"):
        make_scope(report, "step:7", index=index)


def test_layers_that_differ_in_numbers_are_no_steps(export: Export) -> None:
    for i in range(4):
        for layer in range(3):
            at = 1_000 * i + 300 * layer
            export.push_pop(f"conv{layer}", at, at + 250)
            export.launch((at + 20, at + 30), (at + 40, at + 200))
    assert not find_steps(Index(opened(export)))


def test_ranges_that_end_on_another_thread_are_steps(export: Export) -> None:
    for i in range(4):
        at = 100 * i
        export.start_end(f"iteration {i}", at, at + 90, tid=1, end_tid=2)
        export.launch((at + 10, at + 12), (at + 20, at + 80), tid=2)
    report = opened(export)
    index = Index(report)
    for asked in (None, "iteration", "iteration *"):
        (sequence,) = find_steps(index, asked).sequences
        assert (sequence.end - sequence.start).tolist() == [90] * 4
    (rows,) = step_rows(index, find_steps(index), make_scope(report, index=index))
    assert rows.kernels is not None
    assert rows.kernels.tolist() == [1, 1, 1, 1]


def test_a_steps_communication_is_that_of_its_launches(export: Export) -> None:
    # The host is a step ahead: each all-reduce of 14 ms runs while the next step is under way.
    ms = 1_000_000
    for i in range(4):
        at = 20 * ms * i
        export.push_pop("train_step", at, at + 10 * ms)
        export.launch((at + ms, at + ms + 10), (at + 2 * ms, at + 5 * ms), name="gemm")
        reduce = (at + 6 * ms, at + 20 * ms)
        export.launch((at + 5 * ms, at + 5 * ms + 10), reduce, name="ncclDevKernel_AllReduce", stream=9)
        export.launch((at + 9 * ms, at + 9 * ms + 10), (at + 18 * ms, at + 19 * ms), name="gemm")
    report = opened(export)
    index = Index(report)
    (rows,) = step_rows(index, find_steps(index), make_scope(report, index=index))
    assert rows.comm is not None
    assert rows.exposed is not None
    assert rows.comm.tolist() == [14 * ms] * 4
    assert rows.exposed.tolist() == [13 * ms] * 4


@pytest.mark.parametrize(
    ("names", "common"),
    [
        (["step[bs=1] of 8", "step[bs=2] of 8"], "step[bs=*] of 8"),
        (["a1b2", "a1b2"], "a1b2"),
        (["plain"], "plain"),
        (["x, seq = 3, op_id = 9 1", "x, seq = 4, op_id = 8 1"], "x 1"),
    ],
)
def test_what_names_have_in_common(names: list[str], common: str) -> None:
    assert common_name(names) == common
    assert len({starred(name) for name in names}) == 1


def test_union_by_group() -> None:
    found = union_by_group(
        np.array([5, 0, 3, 0, 9, 20]), np.array([9, 4, 6, 2, 9, 30]), np.array([1, 0, 0, 1, 0, 0])
    )
    assert list(zip(*(column.tolist() for column in found), strict=True)) == [
        (0, 6, 0),
        (20, 30, 0),
        (0, 2, 1),
        (5, 9, 1),
    ]
    assert [len(column) for column in union_by_group(*(np.zeros(0, np.int64),) * 3)] == [0, 0, 0]
