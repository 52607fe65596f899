"""What a cell shows, against a brute force over every slice and cell."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.timeline.compose import INK_EDGE, NOTHING, OccupiedCells, compose
from tui.timeline.glyphs import UNICODE
from tui.timeline.slices import Row
from tui.timeline.viewport import Viewport

CELLS = 12


def row_of(slices: list[tuple[int, int]]) -> Row:
    start = np.array([s for s, _ in slices], np.int64)
    end = np.array([e for _, e in slices], np.int64)
    none = np.zeros(0, np.int64)
    return Row("ops", start, end, np.arange(len(slices)), none, none.astype(np.intp))


def composed(slices: list[tuple[int, int]], scale: int, start: int = 0) -> OccupiedCells | None:
    view = Viewport(start, scale)
    return compose(row_of(slices), view.edges(CELLS), scale, UNICODE)


@st.composite
def disjoint(draw: st.DrawFn) -> list[tuple[int, int]]:
    """Slices that do not overlap; many touch."""
    slices, at = [], draw(st.integers(-50, 50))
    for _ in range(draw(st.integers(1, 40))):
        at += draw(st.sampled_from([0, 0, 0, 1, 2, 5, 17, 60, 300]))
        length = draw(st.sampled_from([1, 1, 2, 3, 8, 20, 100, 500]))
        slices.append((at, at + length))
        at += length
    return slices


def overlap(slice_: tuple[int, int], low: int, high: int) -> int:
    return max(0, min(slice_[1], high) - max(slice_[0], low))


@given(disjoint(), st.sampled_from([1, 2, 5, 10, 20, 50, 100]), st.integers(-3, 3))
def test_occupied_cells_and_crowded_ones_are_as_counted(
    slices: list[tuple[int, int]], scale: int, first: int
) -> None:
    start = first * scale
    found = composed(slices, scale, start)
    cells = {} if found is None else dict(zip(found.at.tolist(), range(len(found.at)), strict=True))
    for cell in range(CELLS):
        low, high = start + cell * scale, start + (cell + 1) * scale
        inside = [i for i, s in enumerate(slices) if overlap(s, low, high)]
        assert (cell in cells) == bool(inside)
        if not inside:
            continue
        assert found is not None
        at = cells[cell]
        glyph, ink, paper = str(found.glyph[at]), int(found.ink[at]), int(found.paper[at])
        assert ink in (*inside, NOTHING, INK_EDGE)
        assert paper in (*inside, NOTHING)
        meets = len(inside) == 2 and slices[inside[0]][0] <= low and slices[inside[1]][1] >= high
        if len(inside) > 1 and not meets:
            covered = sum(overlap(slices[i], low, high) for i in inside)
            level = min(max(int(Fraction(covered * 8, scale) + Fraction(1, 2)), 1), 8)
            assert glyph == UNICODE.up[level]
            longest = max(overlap(slices[i], low, high) for i in inside)
            if len(inside) <= 5:
                assert overlap(slices[ink], low, high) == longest
        elif len(inside) == 1 and overlap(slices[inside[0]], low, high) == scale:
            assert glyph in (" ", UNICODE.edge)
            assert paper == inside[0]


@given(disjoint(), st.sampled_from([1, 2, 5, 10, 20, 50, 100]))
def test_nothing_present_is_invisible(slices: list[tuple[int, int]], scale: int) -> None:
    found = composed(slices, scale)
    low, high = 0, CELLS * scale
    if found is None:
        assert not any(overlap(s, low, high) for s in slices)
        return
    shown = {}
    for at, glyph, paper in zip(found.at.tolist(), found.glyph.tolist(), found.paper.tolist(), strict=True):
        shown[at] = glyph != " " or paper != NOTHING
    for s in slices:
        if overlap(s, low, high):
            cells = range(max(s[0], 0) // scale, min((s[1] - 1) // scale, CELLS - 1) + 1)
            assert any(shown[cell] for cell in cells)


@given(st.integers(0, 999), st.integers(1, 1000))
def test_a_lone_slice_is_as_wide_as_it_is_long_to_an_eighth_at_either_end(begin: int, length: int) -> None:
    scale = 100
    end = min(begin + length, CELLS * scale)
    found = composed([(begin, end)], scale)
    assert found is not None
    eighths = 0
    for glyph, ink, paper in zip(found.glyph, found.ink, found.paper, strict=True):
        level = UNICODE.left.index(str(glyph))
        eighths += 8 - level if paper != NOTHING and ink == NOTHING else level
    assert abs(eighths - (end - begin) * 8 / scale) <= 1.5


def glyphs(slices: list[tuple[int, int]], scale: int) -> str:
    found = composed(slices, scale)
    line = [" "] * CELLS
    assert found is not None
    for at, glyph, ink, paper in zip(found.at, found.glyph, found.ink, found.paper, strict=True):
        line[at] = "#" if paper != NOTHING and ink == NOTHING and glyph == " " else str(glyph)
    return "".join(line).rstrip()


@pytest.mark.parametrize(
    ("slices", "drawn"),
    [
        ([(0, 800)], "########"),
        ([(0, 250)], "##▌"),
        ([(0, 1)], "▏"),
        ([(200, 201)], "  ▏"),
        ([(299, 301)], "  ▉"),  # the last eighth of its cell: seven eighths of ground, cut out of it
        ([(100, 140), (150, 180)], " ▆"),
        ([(0, 10), (40, 41), (80, 81)], "▁"),
        ([(0, 400), (400, 800)], "####▏###"),
        ([(0, 450), (450, 800)], "####▌###"),
        ([(0, 420), (480, 800)], "####▎###"),
    ],
)
def test_cells_as_drawn(slices: list[tuple[int, int]], drawn: str) -> None:
    assert glyphs(slices, 100) == drawn


def test_one_percent_busy_is_the_lowest_block_everywhere() -> None:
    slices = [(10_000 * i, 10_000 * i + 100) for i in range(1200)]
    assert glyphs(slices, 1_000_000) == "▁" * CELLS


def test_half_busy_is_half_a_block() -> None:
    slices = [(10 * i, 10 * i + 5) for i in range(1200)]
    assert glyphs(slices, 1000) == "▄" * CELLS
