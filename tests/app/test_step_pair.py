"""Two steps side by side: C marks one, C on another compares both."""

from __future__ import annotations

from pathlib import Path

from tests.app.conftest import US, Start
from tests.support.export import Export


def three_steps(path: Path) -> Path:
    """Steps of 1,000, 1,000 and 1,500 us: the last has a kernel of 500 us more."""
    export = Export(path)
    for number, (begin, end) in enumerate(((0, 1000), (1000, 2000), (2000, 3500))):
        export.push_pop(f"step {number}", begin * US, end * US)
        call = ((begin + 10) * US, (begin + 20) * US)
        export.launch(call, ((begin + 100) * US, (begin + 400) * US), name="gemm")
    export.launch((2030 * US, 2040 * US), (2500 * US, 3000 * US), name="relu[bold]")
    return export.write()


async def test_two_steps_are_compared_with_four_keys(explore: Start, tmp_path: Path) -> None:
    async with explore(three_steps(tmp_path / "three.sqlite")) as session:
        await session.settle()
        session.view.go(500 * US)
        await session.press("C")
        assert session.app.browse.message == "step 0 is marked: C on another step compares both"
        await session.press("]", "]", "C")
        await session.settle()
        text = "\n".join(session.screen)
        assert "step 0 against step 2" in text
        rows = [" ".join(line.strip(" │▕▏").split()) for line in session.screen]
        for row in (
            "+500 us 300 us 800 us compute",
            "0 ns 700 us 700 us idle",
            "+500 us 1.00 ms 1.50 ms step",
            "+500 us 0 ns 500 us 0 -> 1 relu[bold]",
            "0 ns 300 us 300 us 1 -> 1 gemm",
            "+500 us 300 us 800 us together",
        ):
            assert any(row in found for found in rows), (row, text)
        await session.press("escape")
        assert "against" not in "\n".join(session.screen)


async def test_a_mark_is_taken_back_and_outside_steps_there_is_nothing_to_mark(
    explore: Start, tmp_path: Path
) -> None:
    async with explore(three_steps(tmp_path / "three.sqlite")) as session:
        await session.settle()
        session.view.go(1500 * US)
        await session.press("C", "C")
        assert session.app.browse.message == "step 1 is no longer marked"
        session.view.go(session.view.span[1])
        session.view.cursor = 3501 * US
        await session.press("C")
        assert session.app.browse.message == "no step under the cursor: ] goes to the next"


async def test_without_steps_it_says_so(explore: Start, tmp_path: Path) -> None:
    path = Export(tmp_path / "none.sqlite").notation("K 0-100 K 300-400", 1000).write()
    async with explore(path) as session:
        await session.settle()
        await session.press("C")
        assert session.app.browse.message == "no steps found in this report"
