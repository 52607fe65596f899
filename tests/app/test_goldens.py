"""What a newcomer sees who only presses ] } f enter and ?: the screens as text.

After a wanted change: UPDATE_GOLDENS=1 python -m pytest tests/app/test_goldens.py
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fixtures import registry
from tests.app.conftest import Session, Start
from tui.timeline.style_colours import Depth

GOLDENS = Path(__file__).parent / "goldens"
FOOTNOTE = "finetune.sqlite"


@pytest.fixture(scope="module")
def finetune(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The input-bound fine-tune of the README."""
    path = tmp_path_factory.mktemp("golden") / FOOTNOTE
    registry.find("finetune").build(path)
    return path


def check(session: Session, name: str) -> None:
    """Compare the screen with the golden ``name``, or write it where that is asked for."""
    text = "\n".join(session.screen) + "\n"
    path = GOLDENS / f"{name}.txt"
    if os.environ.get("UPDATE_GOLDENS"):
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8")


async def test_why_does_the_gpu_idle(finetune: Path, explore: Start) -> None:
    async with explore(finetune) as session:
        check(session, "1-opens")
        await session.press("]")
        check(session, "2-next-step")
        await session.press("}")
        check(session, "3-next-gap")
        await session.press("f")
        check(session, "4-fit")
        await session.press("enter")
        check(session, "5-details")
        await session.press("escape", "question_mark")
        check(session, "6-help")


async def test_blame_and_diagnosis(finetune: Path, explore: Start) -> None:
    async with explore(finetune) as session:
        await session.press("2")
        check(session, "7-blame")
        await session.press("9")
        check(session, "8-diagnosis")


async def test_a_small_plain_terminal(finetune: Path, explore: Start) -> None:
    async with explore(finetune, size=(80, 24), depth=Depth.NONE, ascii_only=True) as session:
        await session.press("}", "f")
        check(session, "9-small-ascii")
        await session.press("tab")
        check(session, "10-small-pane")
        assert "\n".join(session.screen).isascii()
