"""A frame of `view` and the explorer's screen of the same size and tab are the same cells."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.style import Style

from fixtures.registry import find
from tests.app.conftest import Session, Start
from tests.support.real import EXPORTS
from tui.app.looks import Looks
from tui.browse.pages import TABS, tab_named
from tui.commands import view
from tui.commands.lookup import parser_of
from tui.text import width
from tui.timeline.runs import Frame
from tui.timeline.style_colours import Depth

SIZES = [(160, 48), (80, 24)]
GENERATED = ("finetune", "ddp", "resnet", "decode-graph")
FEW = ("Blame", "Diagnosis", "Events")
"""The tabs that are compared at sizes beside those: they differ most in how they are drawn."""
Colours = tuple[object, object]


def frame_of(*arguments: str) -> Frame:
    """What the command ``view`` draws with these arguments."""
    parser = parser_of("view")
    args = parser.parse_args([*arguments, "--no-cache"])
    return view.draw(view.browse_of(args), args)


def colours(style: Style | None) -> Colours:
    """Ink and paper; what a blank shows is its paper."""
    return (style.color, style.bgcolor) if style is not None else (None, None)


def cells_of(frame: Frame) -> list[list[tuple[str, Colours]]]:
    """Every character of a frame with its colours."""
    looks = Looks(Depth.TRUE)
    return [
        [(char, colours(looks.style(style))) for text, style in row for char in text] for row in frame.rows
    ]


def screen_cells(session: Session) -> list[list[tuple[str, Colours]]]:
    """Every character on the explorer's screen with its colours."""
    strips = session.app.screen._compositor.render_strips()
    return [[(char, colours(s.style)) for s in strip for char in s.text] for strip in strips]


def same(frame: Frame, session: Session, where: str) -> None:
    """Fail where a cell differs, blanks by their paper alone."""
    drawn, shown = cells_of(frame), screen_cells(session)
    assert len(drawn) == len(shown), where
    for y, (left, right) in enumerate(zip(drawn, shown, strict=True)):
        text = ["".join(char for char, _ in row) for row in (left, right)]
        assert text[0] == text[1], f"{where}, line {y}"
        assert width(text[0]) == frame.width, f"{where}, line {y}"
        for x, ((char, (ink, paper)), (_, (other_ink, other_paper))) in enumerate(
            zip(left, right, strict=True)
        ):
            assert paper == other_paper, f"{where}, line {y}, cell {x}: paper"
            assert char == " " or ink == other_ink, f"{where}, line {y}, cell {x}: ink of {char!r}"


async def compare(path: Path, explore: Start, size: tuple[int, int]) -> None:
    shape = f"{size[0]}x{size[1]}"
    async with explore(path, size=size) as session:
        same(frame_of(str(path), "--size", shape), session, f"{path.stem} {shape}")
        for tab in TABS[1:] if size in SIZES else map(tab_named, FEW):
            assert tab is not None
            # By its name: its digit, if it has one, moves the focus to the pane, too.
            await session.main.run_action(f"do('pane', 'show', {tab.name!r})")
            await session.settle()
            frame = frame_of(str(path), "--size", shape, "--tab", tab.name)
            same(frame, session, f"{path.stem} {shape} {tab.name}")


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("path", EXPORTS, ids=lambda path: path.stem)
async def test_of_every_real_export(path: Path, size: tuple[int, int], explore: Start) -> None:
    await compare(path, explore, size)


@pytest.mark.parametrize(
    "size", [*SIZES, (120, 34), (119, 15), (100, 9)], ids=lambda size: f"{size[0]}x{size[1]}"
)
@pytest.mark.parametrize("name", GENERATED)
async def test_of_generated_reports(name: str, size: tuple[int, int], explore: Start, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.sqlite"
    find(name).build(path)
    await compare(path, explore, size)
