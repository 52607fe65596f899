"""Threads and processes whose ids are extreme."""

from __future__ import annotations

import pytest

from tests.report.conftest import Opened
from tests.support.export import Export

LEAST = -(2**63)


@pytest.mark.parametrize("number", [LEAST, LEAST + 1, LEAST + (1 << 24) - 1])
def test_an_id_whose_process_can_not_be_told_from_null_is_no_thread(
    export: Export, opened: Opened, number: int
) -> None:
    export.runtime("cudaFree", 0, 10, globalTid=number)
    export.runtime("cudaFree", 20, 30, pid=100, tid=7)
    report = opened(export)
    assert report.calls.thread.tolist() == [-1, 0]
    assert [(t.pid, t.tid) for t in report.threads] == [(100, 7)]
    assert [p.pid for p in report.processes] == [100]


@pytest.mark.parametrize("number", [-1, 0, 2**63 - 1, LEAST + (1 << 24)])
def test_other_extremes_are_threads_like_any_other(export: Export, opened: Opened, number: int) -> None:
    export.runtime("cudaFree", 0, 10, globalTid=number)
    report = opened(export)
    (thread,) = report.threads
    assert thread.global_tid == number
    assert report.processes[thread.process].pid == thread.pid == (number >> 24) & 0xFFFFFF
    assert thread.tid == number & 0xFFFFFF
