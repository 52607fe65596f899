"""CUDA events: which stream and which work queued work waits for."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.export import Export
from tests.support.real import EXPORTS, needs_real, real_export
from tui.analysis.awaited import awaited_by_call, awaited_by_ops, awaited_words
from tui.analysis.cuda_events import UNKNOWN_ID, event_waits
from tui.analysis.index import Index
from tui.cli import main
from tui.report import open_report

EVENT_SYNC, STREAM_WAIT = 1, 2


def wait(
    export: Export, at: int, event: int, stream: int | None, record: int | None = None, tid: int = 1
) -> None:
    """A stream (None: it is not told which) waits for an event from ``at`` on."""
    corr = export.runtime("cudaStreamWaitEvent_v3020", at, at + 2, tid=tid)
    number = UNKNOWN_ID if stream is None else stream
    export.sync(at, at + 1, stream=number, corr=corr, kind=STREAM_WAIT, eventId=event, eventSyncId=record)


def record(export: Export, at: int, event: int, stream: int, number: int | None = None) -> None:
    corr = export.runtime("cudaEventRecord_v3020", at, at + 2)
    export.event(event, corr, stream=stream, record=number)


def opened(export: Export) -> Index:
    return Index(open_report(export.write(), use_store=False))


def told(index: Index) -> list[str | None]:
    """Per op by start what it waited for."""
    found = awaited_by_ops(index, np.arange(len(index.report.ops)))
    return [None if one is None else awaited_words(index, one) for one in found]


@pytest.fixture
def export(tmp_path: Path) -> Export:
    """The copy of stream 13 feeds the kernel of stream 7, by event 4; the device is idle from 300 to 400."""
    made = Export(tmp_path / "x.sqlite")
    made.launch((0, 5), (20, 100), stream=7, name="first")
    made.launch((10, 15), (100, 300), stream=13, name="gather")
    record(made, 20, 4, stream=13, number=44)
    wait(made, 30, 4, stream=7, record=44)
    made.launch((40, 45), (400, 500), stream=7, name="gemm")
    return made


def test_queued_work_names_the_stream_it_waits_for(
    export: Export, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(opened(export)) == [None, None, "stream 13: gather (event 4)"]
    assert main(["gaps", str(export.path), "--no-cache", "-f", "json", "--min-gap", "0"]) == 0
    (gap,) = json.loads(capsys.readouterr().out)["devices"][0]["gaps"]
    assert [part["class"] for part in gap["blame"]] == ["queued"]
    assert gap["awaited"] == {
        "device": 0,
        "stream": 13,
        "event": 4,
        "name": "gather",
        "by": "eventSyncId",
        "assumed": False,
    }
    assert main(["gaps", str(export.path), "--no-cache", "--min-gap", "0", "--wide"]) == 0
    assert "stream 13: gather (event 4)" in capsys.readouterr().out


@pytest.mark.parametrize("schema", ["2022", "2024.6", "2026.2"])
def test_handles_that_are_used_again(tmp_path: Path, schema: str) -> None:
    """Event 4 is recorded in stream 13, waited for, recorded in 15, waited for: by number, by order."""
    export = Export(tmp_path / "x.sqlite", schema=schema)
    export.launch((0, 5), (20, 100), stream=13, name="a")
    export.launch((6, 9), (20, 100), stream=15, name="b")
    record(export, 20, 4, stream=13, number=1)
    wait(export, 30, 4, stream=7, record=1)
    export.launch((40, 45), (200, 300), stream=7, name="c")
    record(export, 50, 4, stream=15, number=2)
    wait(export, 60, 4, stream=7, record=2)
    export.launch((70, 75), (400, 500), stream=7, name="d")
    index = opened(export)
    assert told(index) == [None, None, "stream 13: a (event 4)", "stream 15: b (event 4)"]
    assert set(event_waits(index).numbered.tolist()) == {schema == "2026.2"}


def test_a_number_counts_before_the_order(tmp_path: Path) -> None:
    """The wait is for the first record of event 4, although a second one was made before it."""
    export = Export(tmp_path / "x.sqlite")
    export.launch((0, 5), (20, 100), stream=13, name="a")
    export.launch((6, 9), (20, 100), stream=15, name="b")
    record(export, 20, 4, stream=13, number=1)
    record(export, 30, 4, stream=15, number=2)
    wait(export, 40, 4, stream=7, record=1)
    export.launch((50, 55), (200, 300), stream=7, name="c")
    assert told(opened(export))[2] == "stream 13: a (event 4)"


def test_a_stream_that_is_not_told(tmp_path: Path) -> None:
    """The next launch of the thread is taken to be the one that waits; those of other threads are not."""
    export = Export(tmp_path / "x.sqlite")
    export.launch((0, 5), (20, 100), stream=13, name="a")
    record(export, 20, 4, stream=13)
    wait(export, 30, 4, stream=None)
    export.launch((35, 38), (200, 300), stream=9, name="other", tid=2)
    export.launch((40, 45), (300, 400), stream=7, name="c")
    export.launch((50, 55), (500, 600), stream=7, name="d")
    words = "stream 13: a (event 4, if its stream is the one that waits)"
    assert told(opened(export)) == [None, None, words, None]


def test_what_is_not_known_is_not_made_up(tmp_path: Path) -> None:
    """No record before the wait; a record whose call is missing; unknown events; a call that only asks."""
    export = Export(tmp_path / "x.sqlite")
    export.launch((0, 5), (20, 100), stream=13, name="a")
    wait(export, 10, 4, stream=7)
    record(export, 12, 4, stream=13)
    export.launch((14, 15), (200, 210), stream=7)
    export.event(5, 99_999, stream=13)
    wait(export, 20, 5, stream=7)
    export.launch((24, 25), (300, 310), stream=7)
    wait(export, 30, UNKNOWN_ID, stream=7)
    export.launch((34, 35), (400, 410), stream=7)
    corr = export.runtime("cudaEventQuery_v3020", 40, 41)
    export.sync(40, 41, stream=UNKNOWN_ID, corr=corr, kind=STREAM_WAIT, eventId=4)
    export.launch((44, 45), (500, 510), stream=7)
    export.kernel(600, 610, stream=7)
    assert told(opened(export)) == [None] * 6


def test_a_thread_that_waits_for_an_event(tmp_path: Path) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.launch((0, 5), (20, 100), stream=13, name="a")
    record(export, 20, 4, stream=13, number=1)
    corr = export.runtime("cudaEventSynchronize_v3020", 30, 110)
    export.sync(31, 109, stream=UNKNOWN_ID, corr=corr, kind=EVENT_SYNC, eventId=4, eventSyncId=1)
    index = opened(export)
    calls = index.report.calls
    found = [awaited_by_call(index, call) for call in range(len(calls))]
    assert [None if one is None else (one.stream, one.op, one.by) for one in found] == [
        None,
        None,
        (13, 0, "eventSyncId"),
    ]


def test_no_events_no_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.launch((0, 5), (20, 100))
    export.launch((6, 9), (200, 300))
    assert main(["gaps", str(export.write()), "--no-cache", "-f", "json", "--min-gap", "0"]) == 0
    assert "awaited" not in json.loads(capsys.readouterr().out)["devices"][0]["gaps"][0]


def test_against_a_brute_force(tmp_path: Path) -> None:
    """Random launches, records and waits of five streams; each op's wait by walking the story backwards."""
    rng = random.Random(11)
    export = Export(tmp_path / "x.sqlite")
    story: list[tuple[str, int, int, int]] = []
    for number in range(160):
        at, stream, event = 10 * number, rng.randrange(5), rng.randrange(1, 4)
        kind = rng.choice(("launch", "record", "wait"))
        story.append((kind, at, stream, event))
        if kind == "launch":
            export.launch(
                (at, at + 3), (10_000 + 10 * at, 10_005 + 10 * at), stream=stream, name=f"k{number}"
            )
        elif kind == "record":
            record(export, at, event, stream)
        else:
            wait(export, at, event, stream)
    expected: list[Any] = []
    for number, (kind, _, stream, _) in enumerate(story):
        if kind != "launch":
            continue
        found = None
        for earlier in range(number - 1, -1, -1):
            kind_then, _, stream_then, event = story[earlier]
            if stream_then == stream and kind_then == "launch":
                break
            if stream_then == stream and kind_then == "wait":
                made = [i for i in range(earlier) if story[i][0] == "record" and story[i][3] == event]
                if not made:
                    continue
                source = story[made[-1]][2]
                ran = [i for i in range(made[-1]) if story[i][0] == "launch" and story[i][2] == source]
                name = f"k{ran[-1]}" if ran else "work that was not recorded"
                found = f"stream {source}: {name} (event {event})"
                break
        expected.append(found)
    assert told(opened(export)) == expected


@needs_real
@pytest.mark.parametrize("path", EXPORTS, ids=lambda p: p.stem)
def test_recorded_events(path: Path) -> None:
    index = Index(open_report(path, use_store=False))
    found = told(index)
    assert len(found) == len(index.report.ops)
    assert not [words for words in found if words and "was not recorded" in words]


def test_a_recorded_wait_for_an_event() -> None:
    """The one event sync of the capture is for the record of call 147 (eventSyncId 2), in stream 7."""
    index = Index(open_report(real_export("osrt-2026.1"), use_store=False))
    waits = event_waits(index)
    assert (len(waits.call), waits.awaited_stream.tolist(), waits.numbered.tolist()) == (1, [7], [True])
    assert int(index.report.calls.correlation[waits.call[0]]) == 148


def test_gaps_on_the_timeline_say_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.launch((10, 15), (100_000, 300_000), stream=13, name="gather")
    record(export, 20, 4, stream=13)
    wait(export, 30, 4, stream=7)
    export.launch((40, 45), (900_000, 950_000), stream=7, name="gemm")
    command = ["view", str(export.write()), "--no-cache", "--size", "160x12"]
    assert main(command) == 0
    assert "queued for stream 13: gather" in capsys.readouterr().out
