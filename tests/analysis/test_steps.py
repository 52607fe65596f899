"""Which range is the step: the rule, case by case."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.export import Export
from tui.analysis.index import Index
from tui.analysis.steps import find_steps, is_step_label
from tui.report import open_report


@pytest.fixture
def export(tmp_path: Path) -> Export:
    return Export(tmp_path / "steps.sqlite")


def found(export: Export) -> tuple[str | None, list[int]]:
    steps = find_steps(Index(open_report(export.write(), use_store=False)))
    return steps.name, [len(s) for s in steps.sequences]


def loop(export: Export, name: str, count: int = 5, length: int = 900, **who: int) -> None:
    """Ranges every 1000 ns, each with a launch in its first half."""
    for i in range(count):
        at = 1000 * i
        export.push_pop(name.format(i), at, at + length, **who)
        export.launch((at + 10, at + 12), (at + 20, at + 100), **who)


def test_numbered_names_are_one_name(export: Export) -> None:
    loop(export, "step {}")
    assert found(export) == ("step", [5])


def test_a_name_that_says_nothing_must_hold_most_of_the_work(export: Export) -> None:
    loop(export, "decode")
    assert found(export) == ("decode", [5])


def test_phases_side_by_side_are_no_steps(export: Export) -> None:
    for i in range(6):
        at = 1000 * i
        export.push_pop("forward", at, at + 400)
        export.push_pop("backward", at + 400, at + 1000)
        export.launch((at + 10, at + 12), (at + 20, at + 100))
        export.launch((at + 510, at + 512), (at + 520, at + 600))
    assert found(export) == (None, [])


def test_the_step_inside_epochs(export: Export) -> None:
    for epoch in range(3):
        export.push_pop(f"epoch {epoch}", 10_000 * epoch, 10_000 * epoch + 9_990)
    loop(export, "train_step", count=29)
    assert found(export) == ("train_step", [29])


def test_the_outer_of_two_steps(export: Export) -> None:
    loop(export, "torch_step")
    for i in range(5):
        export.push_pop("batch_wait", 1000 * i + 1, 1000 * i + 700)
        export.push_pop("micro_batch", 1000 * i + 5, 1000 * i + 890)
    assert found(export) == ("torch_step", [5])


def test_nested_reuse_of_the_name_is_a_child(export: Export) -> None:
    loop(export, "step")
    for i in range(5):
        export.push_pop("step", 1000 * i + 300, 1000 * i + 400)
    assert found(export) == ("step", [5])


def test_steps_within_a_capture_window(export: Export) -> None:
    export.push_pop("capture_window", 0, 10_000)
    loop(export, "train_step")
    assert found(export) == ("train_step", [5])


def test_a_loader_thread_is_not_the_training_thread(export: Export) -> None:
    for i in range(50):
        export.push_pop("fetch", 100 * i, 100 * i + 99, tid=2)
    loop(export, "train_step", tid=1)
    assert found(export) == ("train_step", [5])


def test_a_busy_helper_thread_alone_is_no_step(export: Export) -> None:
    for i in range(50):
        export.push_pop("collate", 100 * i, 100 * i + 99, tid=2)
        export.launch((100 * i + 10, 100 * i + 12), (100 * i + 20, 100 * i + 40), tid=1)
    assert found(export) == (None, [])


def test_data_loading_between_short_steps(export: Export) -> None:
    loop(export, "train_step", length=200)
    assert found(export) == ("train_step", [5])


def test_two_named_steps_are_enough_and_one_is_not(export: Export) -> None:
    loop(export, "iteration {}", count=2)
    assert found(export) == ("iteration", [2])


def test_one_range_is_no_repetition(export: Export) -> None:
    loop(export, "step", count=1)
    assert found(export) == (None, [])


def test_an_optimizer_step_is_a_part(export: Export) -> None:
    loop(export, "Optimizer.step#Adam.step", length=300)
    for i in range(5):
        export.push_pop("forward", 1000 * i + 300, 1000 * i + 900)
        export.launch((1000 * i + 310, 1000 * i + 312), (1000 * i + 320, 1000 * i + 400))
    assert found(export) == (None, [])


def test_each_process_has_its_own_sequence(export: Export) -> None:
    loop(export, "step", pid=100)
    loop(export, "step", count=4, pid=200)
    assert found(export) == ("step", [5, 4])


def test_an_unfinished_step_is_a_step(export: Export) -> None:
    loop(export, "step")
    export.push_pop("step", 5000, None)
    assert found(export) == ("step", [6])


@pytest.mark.parametrize(
    "name", ["step", "train_step", "TrainStep", "ProfilerStep", "iteration", "iter", "batch", "training_step"]
)
def test_names_that_say_step(name: str) -> None:
    assert is_step_label(name)


@pytest.mark.parametrize(
    "name", ["optimizer_step", "load_batch", "batch_wait", "forward", "stepper", "data_load", "get_batch"]
)
def test_names_that_do_not(name: str) -> None:
    assert not is_step_label(name)
