"""Waits for Python's lock: a class of their own, and no phase of the program."""

from __future__ import annotations

from typing import Any

import pytest

from fixtures.trace import DOMAIN_CREATE, global_id
from tests.cpu.conftest import Answer, index_of
from tests.support.export import Export


def traced(export: Export, name: str, start: int, end: int, *, domain: int = 7) -> None:
    """A range as nsys 2023.4 records it with --trace=python-gil."""
    export.push_pop(name, start, end, domain=domain)


@pytest.fixture
def waiting(export: Export) -> Export:
    """A gap from 1,000 to 11,000 under 'forward': a read, then a wait for the lock from 4,000 to 9,000."""
    export.row(
        "NVTX_EVENTS", start=0, eventType=DOMAIN_CREATE, text="GIL Trace", domainId=7,
        globalTid=global_id(100, 1),
    )  # fmt: skip
    export.launch((0, 10), (20, 1_000))
    export.push_pop("forward", 500, 10_800)
    export.osrt("read", 2_000, 5_000)
    export.osrt("pthread_cond_timedwait", 5_500, 8_900)
    export.osrt("sem_wait", 9_500, 9_600)  # of something else
    traced(export, "Holding GIL", 600, 3_900)
    traced(export, "Waiting for GIL", 4_000, 9_000)
    traced(export, "Holding GIL", 9_000, 10_700)
    export.launch((10_500, 10_600), (11_000, 12_000))
    return export


def blame(found: dict[str, Any]) -> list[tuple[Any, ...]]:
    (device,) = found["devices"]
    assert sum(row["idle_ns"] for row in device["blame"]) == 10_000
    return [tuple(row[key] for key in ("class", "call", "phase", "idle_ns")) for row in device["blame"]]


def test_a_wait_comes_after_calls_and_before_host_code(waiting: Export, answer: Answer) -> None:
    """The wait that is done by waiting for a condition is one for the lock; the read is not."""
    assert blame(answer("gaps", waiting.write(), "--min-gap", "1us")) == [
        ("GIL", None, "forward", 4_000),
        ("OS call", "read", "forward", 3_000),
        ("host code", None, "forward", 2_400),
        ("launch latency", "cudaLaunchKernel", "forward", 500),
        ("OS call", "sem_wait", "forward", 100),
    ]


def test_a_lock_that_is_taken_a_little_earlier(export: Export, answer: Answer) -> None:
    """As recorded: the call begins before the wait is traced, and several calls do one wait."""
    export.launch((0, 10), (20, 1_000))
    traced(export, "Waiting for GIL", 2_000, 8_000)
    export.osrt("pthread_cond_timedwait", 1_990, 5_000)
    export.osrt("pthread_cond_timedwait", 5_100, 7_950)
    export.osrt("pthread_cond_signal", 7_960, 7_970)
    export.launch((10_500, 10_600), (11_000, 12_000))
    found = blame(answer("gaps", export.write(), "--min-gap", "1us"))
    sums: dict[str, int] = {}
    for kind, _, _, ns in found:
        sums[kind] = sums.get(kind, 0) + ns
    assert sums == {"host code": 3_490, "GIL": 5_990, "OS call": 20, "launch latency": 500}


@pytest.mark.parametrize("label", ["GIL wait", "gil_wait", "wait for the GIL"])
def test_other_labels(export: Export, answer: Answer, label: str) -> None:
    export.launch((0, 10), (20, 1_000))
    export.osrt(label, 2_000, 3_000)
    export.push_pop(label, 4_000, 5_000)
    export.launch((10_500, 10_600), (11_000, 12_000))
    found = blame(answer("gaps", export.write(), "--min-gap", "1us"))
    assert sum(row[3] for row in found if row[0] == "GIL") == 2_000


def test_tracing_the_lock_makes_no_steps(waiting: Export) -> None:
    from tui.analysis.steps import find_steps

    for at in range(20_000, 40_000, 1_000):
        traced(waiting, "Holding GIL", at, at + 900)
    index = index_of(waiting.write())
    assert not find_steps(index)
    assert len(index.thread_ranges) == len(index.owned_ranges) == 1


def test_without_such_rows_nothing_changes(export: Export, answer: Answer) -> None:
    export.launch((0, 10), (20, 1_000))
    export.push_pop("waiter for GILbert", 2_000, 9_000)
    export.osrt("sem_wait", 3_000, 4_000)
    export.launch((10_500, 10_600), (11_000, 12_000))
    found = blame(answer("gaps", export.write(), "--min-gap", "1us"))
    assert [(row[0], row[3]) for row in found] == [
        ("host code", 6_000), ("host code", 2_500), ("OS call", 1_000), ("launch latency", 500),
    ]  # fmt: skip
