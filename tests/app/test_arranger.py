"""Keys that arrange lanes, and that they are as they were when the report is opened again."""

from __future__ import annotations

from pathlib import Path

from tests.app.conftest import Session, Start


def titles(session: Session) -> list[str]:
    return [line.title for line in session.view.lines if line.part == 0]


async def go(session: Session, key: str) -> None:
    assert session.view.reveal_lane(key)
    session.main.refresh_view()
    await session.settle()


EVERY = ["GPU 0", "s7", "copies", "thread", "NVTX", "API", "OS"]


async def test_hide_and_bring_back(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("p")
        assert "no lane is hidden: H hides" in session.status
        await go(session, "gpu0/copies")
        await session.press("H")
        assert titles(session) == [t for t in EVERY if t != "copies"]
        assert "hidden: p brings lanes back" in session.status
        await session.press("p", "enter")
        assert titles(session) == EVERY
        assert session.view.at is not None
        assert session.view.at.title == "copies"
        await session.press("H", "p", *["backspace"] * 3, *"nosuch", "enter")
        assert "no hidden lane is called like 'nosuch'" in session.status


async def test_pin_and_move(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await go(session, "gpu0/copies")
        await session.press("K")
        assert titles(session)[:3] == ["GPU 0", "copies", "s7"]
        await session.press("K")
        assert "is the first here" in session.status
        await session.press("P")
        assert titles(session)[:3] == ["GPU 0 copies", "GPU 0", "s7"]
        assert session.view.line == 0
        await session.press("P")
        assert titles(session)[:3] == ["GPU 0", "copies", "s7"]
        await session.press("J")
        assert titles(session) == EVERY


async def test_filter(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("backslash", *"nvtx", "enter")
        assert titles(session) == ["thread", "NVTX"]
        await session.press("backslash", *"zz", "enter")
        assert "no lane is called like 'nvtxzz'" in session.status
        await session.press("backslash", *["backspace"] * 4, "enter")
        assert titles(session) == EVERY


async def test_it_is_remembered(report: Path, tmp_path: Path, explore: Start) -> None:
    async with explore(report) as session:
        await go(session, "gpu0/copies")
        await session.press("H")
        await go(session, "gpu0")
        await session.press("J", "<", "<")
        width = session.main.query_one("#pane").size.width
        order = titles(session)
    assert order == ["thread", "NVTX", "API", "OS", "GPU 0", "s7"]
    async with explore(report) as session:
        assert titles(session) == order
        assert session.main.query_one("#pane").size.width == width
        await session.press(">")
        assert session.main.query_one("#pane").size.width == width - 4


async def test_what_was_remembered_may_be_damaged(report: Path, tmp_path: Path, explore: Start) -> None:
    state = tmp_path / "XDG_STATE_HOME" / "nsystui"
    state.mkdir(parents=True)
    (state / "explorer.json").write_text("{")
    async with explore(report) as session:
        assert titles(session) == EVERY
        assert "what was remembered of lanes is damaged" in session.status


async def test_the_pane_has_bounds(report: Path, explore: Start) -> None:
    async with explore(report, size=(120, 30)) as session:
        await session.press(*["<"] * 30)
        assert session.main.query_one("#pane").size.width == 80
        assert "as wide as it can be" in session.status
        await session.press(*[">"] * 30)
        assert session.main.query_one("#pane").size.width == 30
    async with explore(report, size=(80, 24)) as session:
        await session.press("<")
        assert "no pane beside the timeline" in session.status


async def test_a_filter_of_hidden_lanes_says_so(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await go(session, "gpu0/copies")
        await session.press("H", "backslash", *"copies", "enter")
        assert "lanes with 'copies' are hidden: p brings lanes back" in session.status
        assert titles(session) == [title for title in EVERY if title != "copies"]


async def test_escape_ends_a_filter_of_lanes(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("backslash", *"nvtx", "enter")
        assert "or esc, shows all again" in session.status
        await session.press("escape")
        assert titles(session) == EVERY
        assert "all lanes" in session.status
        await session.press("escape")
        assert "nothing to clear" in session.status
