"""Summaries of generated captures against a brute force that looks at every nanosecond."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.ranks.test_summarise import GEMM, NCCL, check_exact
from tests.support.export import Export
from tui.analysis.index import Index
from tui.ranks.summarise import summarise
from tui.ranks.summary import RankSummary
from tui.report import open_report

Interval = tuple[int, int]
LAST = 60
times = st.tuples(st.integers(0, LAST - 12), st.integers(1, 12)).map(lambda p: (p[0], p[0] + p[1]))


@dataclass
class Story:
    """(kind, times, device, stream); starts and ends of steps; phases by step."""

    ops: list[tuple[str, Interval, int, int]] = field(default_factory=list)
    steps: list[Interval] = field(default_factory=list)


@st.composite
def stories(draw: st.DrawFn) -> Story:
    story = Story()
    for _ in range(draw(st.integers(1, 9))):
        story.ops.append(
            (
                draw(st.sampled_from("KKNNM")),
                draw(times),
                draw(st.sampled_from([0, 0, 1])),
                draw(st.integers(7, 9)),
            )
        )
    at = 0
    for _ in range(draw(st.integers(2, 4))):
        at += draw(st.integers(0, 5))
        length = draw(st.integers(6, 15))
        story.steps.append((at, at + length))
        at += length
    return story


def written(story: Story, path: Path) -> Path:
    export = Export(path)
    for number, (kind, (start, end), device, stream) in enumerate(story.ops):
        where = {"device": device, "stream": stream}
        call = export.runtime("cudaLaunchKernel", max(start - 3, 0), start, corr=1000 + number)
        if kind == "M":
            export.memcpy(start, end, corr=call, **where)
        else:
            export.kernel(start, end, name=GEMM if kind == "K" else NCCL, corr=call, **where)
    for number, (start, end) in enumerate(story.steps):
        export.push_pop(f"step {number}", start, end)
    return export.write()


def summarised(story: Story) -> RankSummary:
    with tempfile.TemporaryDirectory() as folder:
        path = written(story, Path(folder) / "story.sqlite")
        (rank,) = summarise(Index(open_report(path, use_store=False))).ranks
    return rank


def state_at(story: Story, t: int) -> str:
    running = {kind for kind, (start, end), _, _ in story.ops if start <= t < end}
    return "compute" if "K" in running else "exposed" if "N" in running else "copies" if running else "idle"


quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@quick
@given(stories())
def test_every_nanosecond_of_a_step(story: Story) -> None:
    rank = summarised(story)
    check_exact(rank)
    steps = rank.steps
    assert list(zip(steps.start.tolist(), steps.end.tolist(), strict=True)) == story.steps
    for k, (start, end) in enumerate(story.steps):
        seen = [state_at(story, t) for t in range(start, end)]
        for name in ("compute", "exposed", "copies", "idle"):
            assert getattr(steps, name)[k] == seen.count(name), name
        hidden = sum(
            any(o[0] == "N" and o[1][0] <= t < o[1][1] for o in story.ops) and state_at(story, t) == "compute"
            for t in range(start, end)
        )
        assert steps.hidden is not None
        assert steps.hidden[k] == hidden
        assert steps.kernels is not None
        launched = [o for o in story.ops if o[0] in "KN" and start <= max(o[1][0] - 3, 0) < end]
        assert steps.kernels[k] == len(launched)
        assert steps.class_ns is not None
        begun = [o[1][1] - o[1][0] for o in story.ops if o[0] in "KN" and start <= o[1][0] < end]
        assert steps.class_ns[k].sum() == sum(begun)
    owners = {
        t: int(c)
        for s, e, c in zip(rank.pieces.start, rank.pieces.end, rank.pieces.collective, strict=True)
        for t in range(int(s), int(e))
    }
    rows = rank.collectives
    for t in range(rank.window[0], rank.window[1]):
        assert (t in owners) == (state_at(story, t) == "exposed")
        if t in owners:
            running = [i for i in range(len(rows)) if rows.start[i] <= t < rows.end[i]]
            assert owners[t] in running
            assert rows.start[owners[t]] == min(rows.start[i] for i in running)


@quick
@given(stories())
def test_every_bin_of_a_strip(story: Story) -> None:
    """Stretched so that each nanosecond is a multiple of bins."""
    wide = 2048
    story.ops = [(k, (s * wide, e * wide), d, n) for k, (s, e), d, n in story.ops]
    story.steps = [(s * wide, e * wide) for s, e in story.steps]
    story.ops.append(("M", (0, wide), 0, 7))
    story.ops.append(("M", (127 * wide, 128 * wide), 0, 7))  # after all that a story may hold
    rank = summarised(story)
    assert rank.window == (0, 128 * wide)
    bins = 16  # to a unit
    for t in range(128):
        state = ("compute", "exposed", "copies", "other", "idle").index(state_at(story, t * wide))
        assert (rank.strip[t * bins : (t + 1) * bins, state] == 65535).all()
    assert (rank.strip.astype(np.int64).sum(axis=1) == 65535).all()
