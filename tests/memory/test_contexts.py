"""Contexts of the GPU: whose are on, and idle time in which the GPU worked for another process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixtures.memory_rows import context, context_tags
from tests.memory.conftest import Answer, index_of
from tests.support.export import LAUNCH, Export, global_id
from tui.analysis.blame import BlameClass, find_blame
from tui.analysis.contexts.owners import device_contexts, elsewhere
from tui.analysis.contexts.spans import context_spans
from tui.analysis.gaps import find_gaps
from tui.analysis.scope import Scope, Window
from tui.cli import main
from tui.errors import ReportError
from tui.report.extra.extra_table import ExtraRows, ExtraTable
from tui.report.extra.tables import CONTEXT_SWITCHES
from tui.report.model import Report

MS = 1_000_000


def a_tenant(path: Path, *, older: bool = False, pid: int = 100) -> Export:
    """Kernels at 0-10 and 30-40 ms; from 12 to 24 ms the GPU works for process 900.

    The second kernel is launched at 14 ms: until then the host is late.
    """
    export = Export(path)
    export.device()
    export.launch((0, 1_000), (2_000, 10 * MS))
    export.launch((14 * MS, 14 * MS + 1_000), (30 * MS, 40 * MS))
    context(export, 0, 12 * MS, 1, pid=pid, older=older)
    context(export, 12 * MS, 24 * MS, 2, pid=900, older=older)
    context(export, 24 * MS, 41 * MS, 1, pid=pid, older=older)
    return export


def blame_of(found: dict[str, Any]) -> dict[str, int]:
    return {row["class"]: row["idle_ns"] for row in found["devices"][0]["blame"]}


@pytest.mark.parametrize("older", [False, True])
def test_idle_on_the_devices_side_while_another_process_had_the_gpu(
    tmp_path: Path, answer: Answer, older: bool
) -> None:
    found = answer("gaps", a_tenant(tmp_path / "capture.sqlite", older=older).write())
    assert blame_of(found) == {
        "other context": 10 * MS,  # 14 to 24 ms: launched, and the GPU was elsewhere
        "launch latency": 6 * MS,
        "host code": 4 * MS,
    }
    assert found["devices"][0]["other_context_ns"] == 12 * MS
    assert found["devices"][0]["idle_ns"] == 20 * MS


def test_what_gaps_says_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export = a_tenant(tmp_path / "capture.sqlite")
    assert main(["gaps", str(export.write()), "--no-cache"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "other context: another process's context was on for 12.000 ms of the idle time" in told
    export.kernel(12 * MS, 18 * MS)
    assert main(["gaps", str(export.write()), "--no-cache"]) == 0
    assert "other context: unknown" in capsys.readouterr().out


def test_records_that_cannot_be_read_leave_blame_as_it_is(
    tmp_path: Path, answer: Answer, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = Report.extra_rows

    def damaged(report: Report, table: ExtraTable, *, keep: bool = True) -> ExtraRows:
        if table in CONTEXT_SWITCHES:
            raise ReportError("damaged or truncated")
        return read(report, table, keep=keep)

    monkeypatch.setattr(Report, "extra_rows", damaged)
    found = answer("gaps", a_tenant(tmp_path / "capture.sqlite").write())
    assert blame_of(found) == {"launch latency": 16 * MS, "host code": 4 * MS}
    assert found["devices"][0]["other_context_ns"] is None


def test_without_the_tables_nothing_changes(tmp_path: Path, answer: Answer) -> None:
    export = a_tenant(tmp_path / "capture.sqlite")
    export.drop("GPU_CONTEXT_SWITCH_EVENTS")
    found = answer("gaps", export.write())
    assert blame_of(found) == {"launch latency": 16 * MS, "host code": 4 * MS}
    assert "other_context_ns" not in found["devices"][0]


def test_the_classic_rule_knows_no_contexts(tmp_path: Path, answer: Answer) -> None:
    found = answer("gaps", a_tenant(tmp_path / "capture.sqlite").write(), "--blame", "midpoint")
    assert "other context" not in blame_of(found)


def test_numbers_of_processes_in_a_container(tmp_path: Path) -> None:
    """The machine calls process 100 by another number: its kernels tell which contexts are its own."""
    index = index_of(a_tenant(tmp_path / "capture.sqlite", pid=31_000).write())
    found = device_contexts(index, 0)
    assert found is not None
    assert found.reliable
    assert found.owner == (0, -1, 0)
    assert found.note is not None
    assert found.note.startswith("process 100 is called 31000 in the records of context switches")
    other = elsewhere(index, 0)
    assert other is not None
    assert other.total == 12 * MS


def test_kernels_outside_their_contexts_make_records_worthless(tmp_path: Path, answer: Answer) -> None:
    export = a_tenant(tmp_path / "capture.sqlite")
    export.kernel(12 * MS, 18 * MS)
    export.write()
    index = index_of(export.path)
    found = device_contexts(index, 0)
    assert found is not None
    assert not found.reliable
    assert elsewhere(index, 0) is None
    assert answer("gaps", export.path)["devices"][0]["other_context_ns"] is None


def test_a_process_of_the_report_that_was_not_chosen(tmp_path: Path, answer: Answer) -> None:
    """Two traced processes take turns: together they are nobody else's; each is the other's other."""
    export = Export(tmp_path / "capture.sqlite")
    export.device()
    for number, pid in enumerate((100, 200, 100, 200)):
        at = 10 * MS * number
        export.launch((at, at + 1_000), (at + 2 * MS, at + 8 * MS), pid=pid, tid=pid)
        context(export, at, at + 10 * MS, pid, pid=pid)
    path = export.write()
    assert answer("gaps", path)["devices"][0]["other_context_ns"] == 0
    one = answer("gaps", path, "--process", "100", "--range", "0/38ms")
    assert one["devices"][0]["other_context_ns"] == 18 * MS


def test_contexts_of_unknown_processes_are_nobodys(tmp_path: Path) -> None:
    export = a_tenant(tmp_path / "capture.sqlite")
    for row in export.rows["GPU_CONTEXT_SWITCH_EVENTS"]:
        if row["globalPid"] == global_id(900):
            row["globalPid"] = None
    other = elsewhere(index_of(export.write()), 0)
    assert other is not None
    assert other.total == 0


def test_which_gpu(tmp_path: Path) -> None:
    """By the number of the GPU; where no map tells it, by CUDA's; by the map where there is one."""
    export = a_tenant(tmp_path / "capture.sqlite")
    context(export, 0, 40 * MS, 7, pid=900, gpu=1)
    assert elsewhere(index_of(export.write()), 0).total == 12 * MS  # type: ignore[union-attr]
    for row in export.rows["GPU_CONTEXT_SWITCH_EVENTS"]:
        row["gpuId"] = 1 - row["gpuId"]
    assert elsewhere(index_of(export.write()), 0).total == 0  # type: ignore[union-attr]
    export.device_map(100, 0, 1)
    export.device(id=1)
    assert elsewhere(index_of(export.write()), 0).total == 12 * MS  # type: ignore[union-attr]


def test_labels_of_the_export_decide(tmp_path: Path) -> None:
    export = a_tenant(tmp_path / "capture.sqlite")
    context_tags(export)
    for row in export.rows["GPU_CONTEXT_SWITCH_EVENTS"]:
        row["tag"] += 20
    for row in export.rows["ENUM_GPU_CTX_SWITCH"]:
        row["id"] += 20
    assert elsewhere(index_of(export.write()), 0).total == 12 * MS  # type: ignore[union-attr]
    export.drop("ENUM_GPU_CTX_SWITCH")
    assert elsewhere(index_of(export.write()), 0) is None


def spans(export: Export) -> list[tuple[int, int, int]]:
    found = context_spans(index_of(export.write()))
    return [tuple(row) for row in np.stack((found.start, found.end, found.context), axis=1).tolist()]


def test_from_the_first_restore_to_the_save(tmp_path: Path) -> None:
    """As in NVIDIA's own example, restores repeat; other tags say nothing."""
    export = Export(tmp_path / "capture.sqlite")
    export.kernel(0, 1_000)
    for at, tag, number in (
        (10, 8, 1), (20, 8, 1), (25, 2, 1), (30, 8, 1), (40, 7, 1), (50, 8, 2), (55, 8, 2), (60, 7, 2),
        (70, 8, 1),
    ):  # fmt: skip
        export.row(
            "GPU_CONTEXT_SWITCH_EVENTS", tag=tag, vmId=0, seqNo=at, contextId=number, timestamp=at,
            globalPid=global_id(100), gpuId=0,
        )  # fmt: skip
    assert spans(export) == [(10, 40, 1), (50, 60, 2), (70, 1_000, 1)]


def test_lost_records(tmp_path: Path) -> None:
    """A context that is never saved ends at the next one; one that is only saved was on from the start."""
    export = Export(tmp_path / "capture.sqlite")
    export.kernel(0, 1_000)
    context(export, None, 100, 1)
    context(export, 200, None, 2)
    context(export, 300, 400, 3)
    context(export, None, 500, 4)  # nobody knows since when
    context(export, 600, None, 5)
    export.row("GPU_CONTEXT_SWITCH_EVENTS", tag=8, contextId=6, timestamp=None, gpuId=0)
    assert spans(export) == [(0, 100, 1), (200, 300, 2), (300, 400, 3), (600, 1_000, 5)]
    assert context_spans(index_of(export.path)).cut == 1


EVENTS = st.lists(
    st.tuples(st.integers(0, 60), st.sampled_from([7, 8, 8]), st.sampled_from([1, 2, 3])), max_size=25
)


@settings(max_examples=60, deadline=None)
@given(EVENTS)
def test_against_a_walk_over_the_records(
    tmp_path_factory: pytest.TempPathFactory, events: list[tuple[int, int, int]]
) -> None:
    export = Export(tmp_path_factory.mktemp("walk") / "capture.sqlite")
    export.kernel(0, 100)
    export.empty("GPU_CONTEXT_SWITCH_EVENTS")
    events = sorted(events, key=lambda event: event[0])
    for number, (at, tag, which) in enumerate(events):
        export.row(
            "GPU_CONTEXT_SWITCH_EVENTS", tag=tag, vmId=0, seqNo=number, contextId=which, timestamp=at,
            globalPid=global_id(100), gpuId=0,
        )  # fmt: skip
    found: list[list[int]] = []  # when it came on, and when it was saved
    open_: dict[int, list[int]] = {}
    for number, (at, tag, which) in enumerate(events):
        if tag == 8 and which not in open_:
            open_[which] = [at, 100]
            found.append(open_[which])
        elif tag == 7 and which in open_:
            open_.pop(which)[1] = at
        elif tag == 7 and not number:
            found.append([0, at])
    begins = [start for start, _ in found]
    cut = [(start, min([end, *begins[place + 1 :]])) for place, (start, end) in enumerate(found)]
    expected = [(start, end) for start, end in cut if end > start]
    assert [(s, e) for s, e, _ in spans(export)] == expected


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 8)), max_size=5), st.integers(0, 29))
def test_blame_is_only_divided(
    tmp_path_factory: pytest.TempPathFactory, turns: list[tuple[int, int]], launched: int
) -> None:
    """Class by class the sums are those without contexts, but for what other contexts take of them."""
    export = Export(tmp_path_factory.mktemp("divide") / "capture.sqlite")
    export.device()
    export.kernel(0, 10)
    export.runtime(LAUNCH, launched, launched + 1, corr=77)
    export.kernel(30, 40, corr=77)
    context(export, 0, 10, 1)
    at = 10
    for pause, length in turns:
        if at + pause + length > 30:
            break
        context(export, at + pause, at + pause + length, 2, pid=900)
        at += pause + length
    context(export, 30, 40, 1)
    window = Scope(Window(0, 40))

    def sums(path: Path) -> tuple[dict[int, int], int]:
        index = index_of(path)
        (gaps,) = find_gaps(index, window, 1)
        blame = find_blame(index, gaps)
        other = elsewhere(index, 0)
        return (
            {int(c): int(blame.ns[blame.cause == c].sum()) for c in np.unique(blame.cause)},
            0 if other is None else other.length(10, 30),
        )

    divided, foreign = sums(export.write())
    export.drop("GPU_CONTEXT_SWITCH_EVENTS")
    whole, _ = sums(export.write())
    assert sum(divided.values()) == sum(whole.values()) == 20
    taken = divided.pop(int(BlameClass.OTHER_CONTEXT), 0)
    assert taken <= foreign
    lost = {cause: whole[cause] - divided.get(cause, 0) for cause in whole}
    assert sum(lost.values()) == taken
    assert all(n >= 0 for n in lost.values())
    assert all(not n for cause, n in lost.items() if cause == BlameClass.HOST_CODE)
