"""Generated exports through the commands against a brute force: sums, events, busy time, gaps, launches."""

from __future__ import annotations

import contextlib
import io
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz import answers, delimited, oracle
from tests.fuzz.judge import GOOD, Outcome, complaints, document
from tests.fuzz.nasty import TEXTS
from tests.fuzz.runner import ALWAYS
from tests.support.export import Export
from tui.cli import main

names = st.sampled_from([text for text in TEXTS if len(text) < 200])
instants = st.integers(-30, 400)
spans = st.tuples(instants, st.sampled_from([0, 0, 1, 7, 30, 120])).map(lambda p: (p[0], p[0] + p[1]))
impossible = st.sampled_from([(0, 0), (9, 3), (2**63 - 1, 2**63 - 1), (-(2**63) + 5, 4)])
times = st.one_of(spans, spans, spans, spans, spans, spans, impossible)
processes, threads, devices = st.sampled_from([100, 200]), st.integers(1, 2), st.integers(0, 2)
OPS = ("kernel", "memcpy", "memset", "graph")


@dataclass
class Story:
    """What a generated export holds, in plain lists."""

    ops: list[tuple[str, tuple[int, int], int, int, int]] = field(default_factory=list)
    """(kind, times, device, pid, correlation id)"""
    calls: dict[tuple[int, int], tuple[tuple[int, int], int, bytes]] = field(default_factory=dict)
    """(pid, correlation id) -> (times, tid, name)"""
    ranges: list[tuple[tuple[int, int | None], int, int, bytes]] = field(default_factory=list)
    os_calls: list[tuple[tuple[int, int], int, int, bytes]] = field(default_factory=list)
    gpus: dict[tuple[int, int], int] = field(default_factory=dict)
    """(pid, deviceId) -> GPU, where the export tells."""
    kernel_names: list[bytes] = field(default_factory=list)

    def write(self, path: Path) -> None:
        export = Export(path)
        for (pid, corr), ((start, end), tid, name) in self.calls.items():
            export.runtime(name, start, end, pid=pid, tid=tid, corr=corr)
        for number, (kind, (start, end), device, pid, corr) in enumerate(self.ops):
            more = {"name": self.kernel_names[number % len(self.kernel_names)]} if kind == "kernel" else {}
            getattr(export, kind)(start, end, device=device, pid=pid, corr=corr, **more)
        for (start, end), pid, tid, name in self.ranges:
            export.push_pop(name, start, end, pid=pid, tid=tid)
        for (start, end), pid, tid, name in self.os_calls:
            export.osrt(name, start, end, pid=pid, tid=tid)
        for (pid, device), gpu in self.gpus.items():
            export.device_map(pid, device, gpu)
        export.write()

    def intervals(self) -> dict[tuple[str, int], list[tuple[int, int]]]:
        """The countable ops of each GPU: by its own number where the export tells it, else by deviceId."""
        found: dict[tuple[str, int], list[tuple[int, int]]] = {}
        for _, (start, end), device, pid, _ in self.ops:
            if oracle.countable(start, end):
                gpu = self.gpus.get((pid, device))
                found.setdefault(("ordinal", device) if gpu is None else ("gpu", gpu), []).append(
                    (start, end)
                )
        return found


@st.composite
def stories(draw: st.DrawFn) -> Story:
    story = Story(kernel_names=draw(st.lists(names, min_size=1, max_size=3)))
    for _ in range(draw(st.integers(0, 8))):
        story.ops.append(
            (draw(st.sampled_from(OPS)), draw(times), draw(devices), draw(processes), draw(st.integers(1, 6)))
        )
    for _ in range(draw(st.integers(0, 5))):
        key = draw(processes), draw(st.integers(1, 6))
        story.calls[key] = draw(times), draw(threads), draw(names)
    for _ in range(draw(st.integers(0, 3))):
        start, end = draw(spans)
        story.ranges.append(
            ((start, draw(st.sampled_from([end, end, None]))), draw(processes), draw(threads), draw(names))
        )
        story.os_calls.append((draw(times), draw(processes), draw(threads), draw(names)))
    if draw(st.booleans()):
        story.gpus = {(pid, d): draw(st.integers(0, 3)) for pid in (100, 200) for d in range(3)}
    return story


def run(path: Path, *arguments: str) -> Outcome:
    """A command in this process."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([arguments[0], str(path), *arguments[1:], "--no-cache"])
    return Outcome(code, *(stream.detach().getvalue() for stream in (out, err)))  # type: ignore[attr-defined]


def holes(intervals: list[tuple[int, int]], start: int, end: int) -> list[tuple[int, int]]:
    """Where between ``start`` and ``end`` no interval is, found nanosecond by nanosecond."""
    covered = [any(s <= t < e for s, e in intervals) for t in range(start, end)]
    edges = [t for t in range(1, len(covered)) if covered[t] != covered[t - 1]]
    stretches = zip([0, *edges], [*edges, len(covered)], strict=True)
    return [(start + a, start + b) for a, b in stretches if b > a and not covered[a]]


@settings(max_examples=60, deadline=None)
@given(stories())
def test_every_figure_of_a_generated_export(story: Story) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "story.sqlite"
        story.write(path)
        outcomes = {
            name: run(path, *ALWAYS[name][0], *(("--min-gap", "5") if name == "gaps" else ()))
            for name in ALWAYS
        }
        truth = oracle.truth(path)
    for name, outcome in outcomes.items():
        assert complaints(outcome, ALWAYS[name][1]) == []
    assert answers.wrong(outcomes, truth) == []
    if outcomes["gaps"].code == GOOD:
        check_devices(document(outcomes["gaps"].text()), story)
    if outcomes["export"].code == GOOD:
        check_launches(outcomes["export"], story)


def check_devices(document: dict, story: Story) -> None:  # type: ignore[type-arg]
    """Busy time and gaps of each GPU, as a multiset: which number a GPU is shown under is not the point."""
    work = story.intervals()
    start, end = document["window"]["start_ns"], document["window"]["end_ns"]
    everything = [edge for intervals in work.values() for edge in intervals]
    assert (start, end) == (min(s for s, _ in everything), max(e for _, e in everything))
    got, right = [], []
    for device in document["devices"]:
        gaps = [(gap["start_ns"], gap["end_ns"]) for gap in device["gaps"]]
        got.append((device["busy_ns"], device["short_gaps"]["idle_ns"], gaps))
    for intervals in work.values():
        inside = holes(intervals, start, end)
        long = [(s, e) for s, e in inside if e - s >= 5]
        short = sum(e - s for s, e in inside if e - s < 5)
        right.append((oracle.union(intervals), short, long))
    assert sorted(got) == sorted(right)


def check_launches(outcome: Outcome, story: Story) -> None:
    """Each op names the thread of the one call with its process and correlation id, where there is one."""
    (table,) = delimited.tables(outcome.text())
    head, *rows = table
    at = {name: head.index(name) for name in ("kind", "pid", "tid", "correlation_id", "start_ns")}
    got = Counter(
        (row[at["kind"]], int(row[at["start_ns"]]), row[at["pid"]], row[at["correlation_id"]], row[at["tid"]])
        for row in rows
        if row[at["kind"]] in OPS
    )
    right: Counter[tuple[str, int, str, str, str]] = Counter()
    for kind, (start, end), _, pid, corr in story.ops:
        if oracle.countable(start, end):
            call = story.calls.get((pid, corr))
            known = call is not None and oracle.countable(*call[0])
            right[kind, start, str(pid), str(corr), str(call[1]) if call and known else ""] += 1
    assert got == right
