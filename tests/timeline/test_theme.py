"""Colours: readable, told apart by colour-blind eyes too, and never more than the terminal has."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest

from tui.report.kernels.families import MEANINGS, SHADES
from tui.timeline.glyphs import ASCII
from tui.timeline.style_colours import FILLS, PLAIN, YELLOWS, Depth, Paint, Theme
from tui.timeline.terminal_colours import (
    GROUND,
    RGB,
    contrast,
    distance,
    luminance,
    nearest_256,
    rgb_of_256,
    visible,
)

SLICES = [name for name in FILLS if name not in ("select", "point", "edge", "selected")]
FAMILIES = [f"{family}.0" for family, _ in MEANINGS]
CATEGORIES = ["busy", "comm.0", "copy.h2d", "graph", "range.0", "api.sync"]
"""Those that stand beside each other and mean different things."""


@pytest.mark.parametrize("depth", list(Depth))
def test_every_style_has_a_look(depth: Depth) -> None:
    theme = Theme(depth)
    pairs = [f"{a}|{b}" for a in (*SLICES, "edge", "point", "") for b in ("", "select", "kernel.gemm.0")]
    for style in (*FILLS, *PLAIN, *pairs, "nvtx.33", "nvtx.33|", "", "no.such.style"):
        paint = theme.paint(style)
        assert isinstance(paint, Paint)
        if depth is Depth.NONE:
            assert (paint.ink, paint.paper) == (None, None)
        if depth is Depth.P16:
            assert all(i is None or 0 <= i < 16 for i in (paint.ink_index, paint.paper_index))
        if depth is Depth.P256:
            assert (paint.ink is None) == (paint.ink_index is None)


@pytest.mark.parametrize("depth", [Depth.TRUE, Depth.P256])
@pytest.mark.parametrize("style", SLICES)
def test_names_are_readable_on_their_slices(depth: Depth, style: str) -> None:
    paint = Theme(depth).paint(style)
    assert paint.ink is not None
    assert paint.paper is not None
    assert contrast(paint.ink, paint.paper) >= 4.5


@pytest.mark.parametrize("style", sorted(PLAIN))
def test_texts_are_readable(style: str) -> None:
    paint = Theme().paint(style)
    least = 3.0 if style in ("pane.edge", "minimap.frame", "gap", "minimap", "minimap.view") else 4.5
    if style == "pane.edge":
        least = 1.5  # a rule, no text
    assert contrast(paint.ink or (255, 255, 255), paint.paper or GROUND) >= least


@pytest.mark.parametrize("style", SLICES)
def test_thin_glyphs_stand_out_from_the_ground(style: str) -> None:
    paint = Theme().paint(f"{style}|")
    assert paint.ink is not None
    assert contrast(paint.ink, GROUND) >= 2.5


def seen_by(colour: RGB, matrix: tuple[tuple[float, ...], ...]) -> RGB:
    """The colour to an eye that lacks one kind of cones (Machado et al. 2009, full severity)."""
    linear = [(c / 255) ** 2.2 for c in colour]
    mixed = [sum(m * v for m, v in zip(row, linear, strict=True)) for row in matrix]
    r, g, b = (round(255 * min(max(v, 0), 1) ** (1 / 2.2)) for v in mixed)
    return r, g, b


DEUTERANOPIA = ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969))
PROTANOPIA = ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052))
GREY = ((0.2126, 0.7152, 0.0722),) * 3


@pytest.mark.parametrize("matrix", [DEUTERANOPIA, PROTANOPIA])
@pytest.mark.parametrize(
    ("one", "other"), [*combinations(CATEGORIES, 2), *combinations([*FAMILIES, "graph"], 2)]
)
def test_categories_are_told_apart_by_colour_blind_eyes(
    one: str, other: str, matrix: tuple[tuple[float, ...], ...]
) -> None:
    theme = Theme()
    a, b = (theme.paint(style).paper for style in (one, other))
    assert a is not None
    assert b is not None
    assert distance(seen_by(a, matrix), seen_by(b, matrix)) > 0.07


def test_lightness_tells_compute_from_communication_and_copies_by_direction() -> None:
    theme = Theme()
    light = {style: luminance(theme.paint(style).paper or GROUND) for style in SLICES}
    assert light["comm.0"] > 1.5 * light["busy"]
    assert light["copy.h2d"] > 2 * light["copy.d2h"]
    for family, _ in MEANINGS:  # names of one family
        shades = sorted(light[f"{family}.{shade}"] for shade in range(SHADES))
        assert all(b > 1.2 * a for a, b in pairwise(shades)), family


@pytest.mark.parametrize("style", SLICES)
def test_sixteen_colours_have_no_white_on_yellow(style: str) -> None:
    for shown in (style, f"point|{style}"):
        paint = Theme(Depth.P16).paint(shown)
        assert paint.paper_index not in YELLOWS or paint.ink_index == 0
    for name in PLAIN:
        paint = Theme(Depth.P16).paint(name)
        assert paint.paper_index not in YELLOWS or paint.ink_index == 0, name


def test_the_nearest_entry_of_the_palette() -> None:
    assert [nearest_256(c) for c in ((0, 0, 0), (255, 255, 255), (255, 0, 0), (95, 135, 175))] == [
        16,
        231,
        196,
        67,
    ]
    assert all(
        nearest_256(rgb_of_256(i)) == i or rgb_of_256(nearest_256(rgb_of_256(i))) == rgb_of_256(i)
        for i in range(16, 256)
    )


def test_dark_colours_of_an_application_are_lightened() -> None:
    assert visible((255, 200, 0), GROUND) == (255, 200, 0)
    assert contrast(visible((0, 0, 255), GROUND), GROUND) >= 3
    assert contrast(visible((0, 0, 0), GROUND), GROUND) >= 3


def test_without_a_known_ground_blocks_are_cut_out_by_reverse_video() -> None:
    assert Theme(Depth.P256).paint("|kernel.gemm.0").reverse
    assert not Theme(Depth.P256, GROUND).paint("|kernel.gemm.0").reverse


@pytest.mark.parametrize("sign", "+=#")
def test_without_colours_a_height_looks_like_nothing_else(sign: str) -> None:
    others = ASCII.states + ASCII.shades + ASCII.counts + ASCII.kinds + ASCII.point + ASCII.gap + ASCII.bar
    assert sign not in others + "".join(fill for _, fill in ASCII.fills)
    assert ASCII.up.index(sign) == ASCII.levels.index(sign)
