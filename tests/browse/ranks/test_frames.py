"""Whole frames of the ranks view, kept as text and looked at by people.

After a wanted change: UPDATE_GOLDENS=1 python -m pytest tests/browse/ranks/test_frames.py
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.rank_scene import judged_sixteen, sixteen
from tui.app.keys import Keymap
from tui.browse.drawing import Drawing
from tui.browse.ranks.browse import Lower, RanksBrowse
from tui.browse.ranks.frame import draw_ranks, ranks_shape
from tui.browse.ranks.lanes import GROUPS, PAIRS, Order
from tui.browse.ranks.scene import Absent, Scene
from tui.text import width
from tui.timeline.glyphs import ASCII, UNICODE
from tui.timeline.runs import text_of

GOLDENS = Path(__file__).parent / "goldens"


def browse_of(scene: Scene, *, plain: bool = False, fill: bool = True) -> RanksBrowse:
    keymap = Keymap()
    drawing = Drawing(ASCII if plain else UNICODE, fill)
    browse = RanksBrowse(Path("ranks"), drawing, lambda action: keymap.hint(action, plain))
    browse.show(scene)
    return browse


def frame(browse: RanksBrowse, size: tuple[int, int]) -> list[str]:
    drawn = draw_ranks(browse, ranks_shape(*size))
    lines = [text_of(row) for row in drawn.rows]
    assert len(lines) == size[1]
    assert {width(line) for line in lines} == {size[0]}
    return lines


def check(lines: list[str], name: str) -> None:
    text = "\n".join(line.rstrip() for line in lines) + "\n"
    path = GOLDENS / f"{name}.txt"
    if os.environ.get("UPDATE_GOLDENS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8")


@pytest.mark.parametrize("size", [(160, 48), (120, 34), (80, 24)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_sixteen_ranks_of_which_one_is_late_and_one_is_missing(size: tuple[int, int]) -> None:
    check(frame(browse_of(judged_sixteen()), size), f"sixteen-{size[0]}x{size[1]}")


def test_in_plain_ascii_without_colours() -> None:
    lines = frame(browse_of(judged_sixteen(), plain=True, fill=False), (80, 24))
    assert "\n".join(lines).isascii()
    check(lines, "sixteen-80x24-ascii")


def test_two_ranks_a_row() -> None:
    browse = browse_of(sixteen())
    browse.distance = PAIRS
    browse.arrange()
    check(frame(browse, (80, 24)), "pairs-80x24")


def test_a_thousand_ranks_from_far_by_lateness() -> None:
    browse = browse_of(sixteen(707, count=1000))
    browse.distance, browse.order = GROUPS, Order.LATENESS
    browse.arrange()
    lines = frame(browse, (80, 24))
    check(lines, "thousand-80x24")
    assert "node-088" in lines[4]
    assert "r707  512 ms" in lines[4]


@pytest.mark.parametrize("lower", [Lower.LATENESS, Lower.OWN])
def test_heat_of_every_rank(lower: Lower) -> None:
    browse = browse_of(sixteen())
    browse.lower = lower
    check(frame(browse, (120, 34)), f"heat-{lower.name.lower()}-120x34")


def test_a_thousand_ranks_open_with_their_hosts_folded() -> None:
    lines = frame(browse_of(sixteen(707, count=1000)), (80, 24))
    folded = [line for line in lines if line.startswith(" ▸")]
    assert len(folded) > 8
    late = next(line for line in lines if line.startswith("    rank 707"))
    assert "*" in late  # the late rank's host is unfolded for it


def test_a_broken_report_has_a_lane_that_says_why() -> None:
    scene = sixteen(missing=None)
    broken = Absent(0, None, None, "rank16.sqlite", "rank16.sqlite: not a database")
    lines = frame(browse_of(replace(scene, absent=(broken,))), (160, 48))
    assert any("rank16.sqlite: not a database" in line for line in lines)
    assert "16 ranks, 1 broken" in lines[0]


def test_while_summaries_arrive_the_header_says_of_how_many() -> None:
    scene = sixteen()
    partial = replace(scene, reports=1000, arrived=412, judged=None, communicators=(), headline="")
    assert "412 of 1,000 reports" in frame(browse_of(partial), (160, 48))[0]
