"""Blame of generated captures against a brute force that looks at every nanosecond."""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.export import Export
from tui.analysis.blame import BlameMethod, find_blame
from tui.analysis.blame_rows import blame_rows
from tui.analysis.busy import device_busy
from tui.analysis.gaps import find_gaps
from tui.analysis.index import Busy, Index
from tui.analysis.phases import Phase
from tui.analysis.scope import Scope, Window
from tui.analysis.steps import NO_STEPS
from tui.report import Report, open_report

FIRST, LAST = 10, 32
Interval = tuple[int, int]
times = st.tuples(st.integers(FIRST, LAST - 4), st.integers(1, 6)).map(lambda p: (p[0], p[0] + p[1]))
threads = st.sampled_from([1, 2])

CALLS = {
    "cudaStreamSynchronize": "synchronisation",
    "cudaMalloc": "memory management",
    "cudaMemcpy": "blocking copy",
    "cudaLaunchKernel": "launch",
    "cudaMemsetAsync": "launch",
    "cudaEventRecord": "other CUDA call",
}

OTHERS = sorted(CALLS.keys() - {"cudaLaunchKernel"})
"""Calls that give the device nothing that would have to be recorded."""


@dataclass
class Story:
    """What happened, in plain lists."""

    ops: list[tuple[str, Interval, int, int | None]] = field(default_factory=list)
    """(kind, times, device, number of its launch in `calls`)"""
    calls: list[tuple[str, Interval, int]] = field(default_factory=list)
    os_calls: list[tuple[str, Interval, int]] = field(default_factory=list)
    ranges: list[tuple[str, Interval, int]] = field(default_factory=list)


@st.composite
def stories(draw: st.DrawFn) -> Story:
    story = Story()
    for _ in range(draw(st.integers(1, 6))):
        op, device = draw(times), draw(st.sampled_from([0, 0, 1]))
        launch = None
        if draw(st.integers(0, 5)):
            story.calls.append(("cudaLaunchKernel", draw(times), draw(threads)))
            launch = len(story.calls) - 1
        story.ops.append((draw(st.sampled_from("KKM")), op, device, launch))
    for _ in range(draw(st.integers(0, 5))):
        story.calls.append((draw(st.sampled_from(OTHERS)), draw(times), draw(threads)))
    for _ in range(draw(st.integers(0, 4))):
        story.os_calls.append((draw(st.sampled_from(["poll", "read"])), draw(times), draw(threads)))
    for i in range(draw(st.integers(0, 5))):
        story.ranges.append((f"range{'abcde'[i]}", draw(times), draw(threads)))
    return story


def opened(story: Story) -> Report:
    with tempfile.TemporaryDirectory() as folder:
        export = Export(Path(folder) / "story.sqlite")
        for number, (name, (start, end), tid) in enumerate(story.calls):
            export.runtime(name, start, end, tid=tid, corr=1000 + number)
        for number, (kind, (start, end), device, launch) in enumerate(story.ops):
            corr = 1000 + launch if launch is not None else 9000 + number
            (export.kernel if kind == "K" else export.memcpy)(start, end, device=device, corr=corr)
        for name, (start, end), tid in story.os_calls:
            export.osrt(name, start, end, tid=tid)
        for name, (start, end), tid in story.ranges:
            export.push_pop(name, start, end, tid=tid)
        return open_report(export.write(), use_store=False)


# --- the brute force ---

Cause = tuple[str, str | None, str | None]


def covering(events: list[tuple[str, Interval, int]], tid: int, t: int) -> list[str]:
    """Names of one thread's events open at t, outermost first."""
    mine = [e for e in events if e[2] == tid and e[1][0] <= t < e[1][1]]
    return [e[0] for e in sorted(mine, key=lambda e: (e[1][0], -e[1][1]))]


def holding(story: Story, tid: int, call: Interval) -> str | None:
    """The innermost range of a thread around a call."""
    mine = [r for r in story.ranges if r[2] == tid and r[1][0] <= call[0] and call[1] <= r[1][1]]
    return sorted(mine, key=lambda r: (r[1][0], -r[1][1]))[-1][0] if mine else None


def range_at(story: Story, tid: int, t: int) -> str | None:
    found = covering(story.ranges, tid, t)
    return found[-1] if found else None


def by_middle(story: Story, start: int, end: int) -> tuple[str, str | None, int | None]:
    """(class, call, thread) of the first call in the file that is open at the middle."""
    for name, (low, high), tid in story.calls:
        if 2 * low <= start + end <= 2 * high:
            return CALLS[name], name, tid
    return ("host code" if story.calls else "unknown"), None, None


def owner_of(story: Story, device: int, kinds: str, t: int) -> tuple[Interval, int] | bool | None:
    """(call times, tid) of the launch that ends a gap at t; True: not recorded; None: nothing ends it."""
    starting = [o for o in story.ops if o[2] == device and o[0] in kinds and o[1][0] == t]
    if not starting:
        return None
    # of launches that begin together the first in the report's order: kernels before copies
    starting.sort(key=lambda o: "KM".index(o[0]))
    launches = [story.calls[o[3]] for o in starting if o[3] is not None]
    if not launches:
        return True
    _, call, tid = min(launches, key=lambda c: c[1][0])
    return call, tid


def brute_blame(
    story: Story, device: int, kinds: str, gap: Interval, since: int, until: int | None
) -> Counter[Cause]:
    start, end = gap
    if until is None:
        return Counter({("no later work", None, None): end - start})
    owner = owner_of(story, device, kinds, until)
    assert owner is not None
    if owner is True:
        cause, call, tid = by_middle(story, start, end)
        phase = range_at(story, tid, (start + end) // 2) if tid else None
        return Counter({(cause, call, phase): end - start})
    assert isinstance(owner, tuple)
    (begun, returned), tid = owner
    phase = holding(story, tid, (begun, returned))
    parts: Counter[Cause] = Counter()
    for t in range(start, end):
        if begun > since and t < begun:
            cuda, system = covering(story.calls, tid, t), covering(story.os_calls, tid, t)
            open_range = range_at(story, tid, t)
            if cuda:
                parts[CALLS[cuda[0]], cuda[0], open_range] += 1
            elif system:
                parts["OS call", system[0], open_range] += 1
            else:
                parts["host code", None, open_range] += 1
        elif begun <= since and returned <= since:
            parts["queued", "cudaLaunchKernel", phase] += 1
        else:
            parts["launch latency", "cudaLaunchKernel", phase] += 1
    return parts


def brute_gaps(
    story: Story, device: int, kinds: str, window: Interval
) -> list[tuple[Interval, int, int | None]]:
    """((start, end) clipped, real start, start of the next op or None)."""
    ops = [o[1] for o in story.ops if o[2] == device and o[0] in kinds]
    busy = {t for s, e in ops for t in range(s, e)}
    holes: list[tuple[Interval, int, int | None]] = []
    t = window[0]
    while t < window[1]:
        if t in busy:
            t += 1
            continue
        end = t
        while end < window[1] and end not in busy:
            end += 1
        earlier = [e for _, e in ops if e <= t]
        later = [s for s, _ in ops if s >= end]
        holes.append(((t, end), max(earlier) if earlier else t, min(later) if later else None))
        t = end
    return holes


windows = st.tuples(st.integers(FIRST, LAST - 8), st.integers(4, 20)).map(lambda p: (p[0], p[0] + p[1]))
quick = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@quick
@given(stories(), windows, st.sampled_from(list(Busy)))
def test_blame_is_that_of_every_nanosecond(story: Story, window: Interval, busy: Busy) -> None:
    index = Index(opened(story))
    kinds = "KM" if busy is Busy.ALL else "K"
    scope = Scope(Window(*window, "test", chosen=True))
    for gaps in find_gaps(index, scope, 0, busy):
        expected = brute_gaps(story, gaps.device.cuda_id, kinds, window)
        assert [g[0] for g in expected] == list(zip(gaps.start.tolist(), gaps.end.tolist(), strict=True))
        rows = blame_rows(index, find_blame(index, gaps), Phase.INNER, NO_STEPS)
        for i, (gap, since, until) in enumerate(expected):
            found: Counter[Cause] = Counter()
            for cause in rows.causes(i):
                found[cause.cause.words, cause.call, cause.phase] += cause.ns
            assert found == brute_blame(story, gaps.device.cuda_id, kinds, gap, since, until)


@quick
@given(stories(), windows)
def test_midpoint_blame_is_that_of_the_middle(story: Story, window: Interval) -> None:
    index = Index(opened(story))
    for gaps in find_gaps(index, Scope(Window(*window, "test", chosen=True)), 0):
        rows = blame_rows(index, find_blame(index, gaps, BlameMethod.MIDPOINT), Phase.INNER, NO_STEPS)
        for i, (start, end) in enumerate(zip(gaps.start.tolist(), gaps.end.tolist(), strict=True)):
            (cause,) = rows.causes(i)
            assert (cause.cause.words, cause.call) == by_middle(story, start, end)[:2]
            assert cause.ns == end - start


@quick
@given(stories(), windows, st.integers(0, 12))
def test_shares_add_up(story: Story, window: Interval, min_gap: int) -> None:
    index = Index(opened(story))
    scope = Scope(Window(*window, "test", chosen=True))
    for busy in Busy:
        rows = device_busy(index, scope, busy)
        for row, gaps in zip(rows, find_gaps(index, scope, min_gap, busy), strict=True):
            addends = (row.kernel_ns, row.copy_only_ns, row.other_ns, row.unknown_ns, row.idle_ns)
            assert sum(addends) == row.window_ns == window[1] - window[0]
            assert row.unknown_ns == 0, "every launch owns an op"
            listed = int(gaps.duration.sum())
            without = row.idle_ns + (row.copy_only_ns if busy is not Busy.ALL else 0)
            assert listed + gaps.short_ns == without
            assert row.busy_ns + without == row.window_ns
            assert all(d >= max(min_gap, 1) for d in gaps.duration.tolist())
            blame = find_blame(index, gaps)
            assert int(blame.ns.sum()) == listed
            totals = blame_rows(index, blame, Phase.OUTER, NO_STEPS).totals()
            assert sum(t.idle_ns for t in totals) == listed
