"""In the ranks view: finding ranks and times, copying, what is read again, what narrow titles keep."""

# ruff: noqa: F811 - fixtures are imported

from __future__ import annotations

from pathlib import Path

from tests.app.test_rank_sets import Start, rank_report, ranks, three  # noqa: F401
from tests.app.test_ranks import Session
from tests.ranks.make import member
from tests.support.export import Export
from tui.browse.ranks.build import judged_scene
from tui.browse.ranks.overview import overview_page
from tui.browse.ranks.reasons import reasons_of
from tui.ranks.reduce import judge
from tui.ranks.runs import build_set


async def ask(session: Session, key: str, text: str) -> None:
    """Answer what ``key`` asks for with ``text``."""
    names = {" ": "space", ".": "full_stop", "-": "minus", "/": "slash"}
    await session.press(key, *(names.get(letter, letter) for letter in text), "enter")


async def test_a_rank_is_found_by_number_host_or_file_and_walked(ranks: Start, three: list[Path]) -> None:
    async with ranks(*three) as session:
        await ask(session, "slash", "2")
        assert session.title == "rank 2"
        assert "1 of 1 for '2': rank 2 on node-1" in session.status
        await ask(session, "slash", "NODE-0")
        assert session.title == "rank 0"
        assert "1 of 2 for 'NODE-0': rank 0 on node-0" in session.status
        await session.press("n")
        assert session.title == "rank 1"
        await session.press("n")
        assert session.title == "rank 0"  # round again
        await session.press("N")
        assert session.title == "rank 1"
        await ask(session, "slash", "rank2.sql")
        assert session.title == "rank 2"
        await ask(session, "slash", "nobody")
        assert "no rank, host or report contains 'nobody'" in session.status
        assert session.title == "rank 2"
        await session.press("escape", "n")
        assert "no rank searched for yet: / searches" in session.status


async def test_a_missing_rank_and_one_that_cant_be_read_are_found(ranks: Start, tmp_path: Path) -> None:
    paths = [rank_report(tmp_path / f"rank{n}.sqlite", n, ranks=4) for n in (0, 1, 2)]
    broken = tmp_path / "broken.sqlite"
    broken.write_bytes(b"nothing")
    async with ranks(*paths, broken) as session:
        await ask(session, "slash", "r3")
        assert session.title == "rank 3"
        assert "rank 3: no report: rank 3 of 4 is missing" in session.status
        await ask(session, "slash", "broken")
        assert session.title == "broken.sqlite"
        assert session.status.count("broken.sqlite") == 1  # the reason does not name it again
        lane = next(line for line in session.screen if line.startswith("   broken.sqlite "))
        assert lane.split("│")[0].count("broken.sqlite") == 1


async def test_t_goes_to_a_time_of_the_axis(ranks: Start, three: list[Path]) -> None:
    async with ranks(*three) as session:
        zero = session.browse.clock.zero
        await ask(session, "t", "4.25ms")
        assert session.view.cursor == zero + 4_250_000
        await ask(session, "t", "9s")
        assert "nothing was recorded then" in session.status
        await ask(session, "t", "soon")
        assert "'soon' is no time such as" in session.status
        assert session.view.cursor == zero + 4_250_000


async def test_keys_of_a_report_say_where_they_work(ranks: Start, three: list[Path]) -> None:
    async with ranks(*three) as session:
        for key in "eb":
            await session.press(key)
            assert "works in a report's own view: enter twice, or R, opens it" in session.status


async def test_y_copies_what_is_known_of_the_rank_here(ranks: Start, three: list[Path]) -> None:
    async with ranks(*three) as session:
        await ask(session, "t", "4.15ms")  # rank 1 idles there until 4.3 ms
        await session.press("y")
        copied = session.app.clipboard.splitlines()
        assert copied[:2] == ["rank: rank 1", "where: node-0 · GPU 0 · process 101"]
        assert f"report: {three[1]}" in copied
        assert "in the report: 4,150,000 ns" in copied
        assert "own time a step: 950.000 us" in copied
        assert any(line.startswith("what: idle") for line in copied)


async def test_a_second_click_does_what_enter_does(ranks: Start, three: list[Path]) -> None:
    async with ranks(*three) as session:
        at = session.view.line_of("gpu0", 0)
        assert at is None
        await session.pilot.double_click("RankLanes", offset=(60, 5))
        await session.until(lambda: session.browse.opened_rank is not None)


async def test_a_chosen_range_says_its_length(ranks: Start, three: list[Path]) -> None:
    async with ranks(*three) as session:
        await session.press("home", "v", "right", "right", "v", "escape", "v", "right", "v", "right")
        assert session.status.startswith(" selection ")


async def test_what_was_read_again_is_said_and_stays_where_nothing_can_be_read(
    ranks: Start, three: list[Path]
) -> None:
    async with ranks(*three) as session:
        await session.press("ctrl+r")
        assert "read again: nothing has changed" in session.status
        rank_report(three[2], 2, 250)
        three[0].unlink()
        await session.press("ctrl+r")
        said = (
            "read again: 1 report changed (rank2.sqlite), 1 can't be read any more (rank0.sqlite): ! says why"
        )
        assert said in session.status
        assert session.browse.scene is not None
        shown = session.browse.scene
        assert [facts.title for facts in shown.ranks] == ["rank 1", "rank 2"]
        for path in three[1:]:
            path.unlink()
        await session.press("ctrl+r")
        assert "none of 3 reports can be read: what is shown was read before" in session.status
        assert session.browse.scene is shown
        # A report that is gone can't be opened, and u comes back from there.
        await session.press("R")
        await session.until(
            lambda: session.app.screen is session.app.main and session.app.browse.place.failed
        )
        await session.press("u")
        assert session.app.screen is not session.app.main


async def test_narrow_titles_keep_what_tells_ranks_apart(ranks: Start, three: list[Path]) -> None:
    async with ranks(*three, size=(40, 12)) as session:
        text = "\n".join(session.screen)
        for number in range(3):
            assert f" r{number} " in text


async def test_the_narrow_screen_says_why_a_rank_is_late_and_where_the_rest_is(
    ranks: Start, three: list[Path]
) -> None:
    async with ranks(*three, size=(80, 24)) as session:
        assert "pinned: rank 1, 200.0 us a step: idle" in "\n".join(session.screen)
        assert "tab pane" in session.status


async def test_help_is_whole_on_a_narrow_screen(ranks: Start, three: list[Path]) -> None:
    async with ranks(*three, size=(60, 48)) as session:
        await session.press("question_mark")
        words = " ".join(" ".join(line.strip(" │") for line in session.screen).split())
        assert "Who waits for nobody is who the others wait for." in words
        assert "The rank's own lanes below; again: its report at the same time" in words


def test_the_table_of_a_window_is_no_step() -> None:
    """Without steps figures are those of a window, and its last row says so."""
    scene = judged_scene(judge(build_set([member("a.sqlite"), member("b.sqlite", key="b")])), "two", 2, 3)
    sections = [section for section in overview_page(scene) if section.title.startswith("The median rank's")]
    assert [section.title.split(":")[0] for section in sections] == ["The median rank's window"]
    assert sections[0].table is not None
    assert sections[0].table.columns[0].values[-1] == "window"


async def test_a_cause_is_not_its_own_call(ranks: Start, three: list[Path]) -> None:
    """Launch latency has no call but itself."""
    async with ranks(*three) as session:
        assert session.browse.scene is not None
        reasons = [
            reason for facts in session.browse.scene.ranks for reason in reasons_of(facts.rank.summary)
        ]
        assert "launch latency" in {reason.cause for reason in reasons}
        assert not [reason for reason in reasons if reason.call == reason.cause]


async def test_a_report_without_ranks_is_not_called_broken(
    ranks: Start, three: list[Path], tmp_path: Path
) -> None:
    export = Export(tmp_path / "idle.sqlite")
    export.push_pop("note", 0, 10)
    async with ranks(*three, export.write()) as session:
        assert " 3 ranks, 1 without ranks " in session.screen[0]
        assert "broken" not in session.screen[0]


async def test_who_is_late_goes_before_what_glyphs_mean(ranks: Start, three: list[Path]) -> None:
    async with ranks(*three, size=(44, 14)) as session:
        assert " pinned: rank 1, 200.0 us a step" in session.screen


async def test_a_pane_over_the_lanes_says_how_to_leave_it(ranks: Start, three: list[Path]) -> None:
    async with ranks(*three, size=(80, 24)) as session:
        await session.press("tab")
        assert "esc timeline" in session.status


async def test_ranks_of_several_runs_say_which_where_they_are_not_grouped(
    ranks: Start, tmp_path: Path
) -> None:
    paths = []
    for job in ("7001", "7002"):
        (tmp_path / job).mkdir()
        for number in range(2):
            paths.append(rank_report(tmp_path / job / f"rank{number}.sqlite", number, ranks=2, job=job))
    async with ranks(*paths) as session:
        assert [line.lane.title for line in session.view.lines][:3] == ["run 7001", "node-0", "rank 0"]
        await ask(session, "slash", "1")
        assert "1 of 2 for '1': rank 1 on node-0, run 7001" in session.status
        await session.press("O")
        titles = {line.lane.title for line in session.view.lines}
        assert titles == {f"rank {number}, run {job}" for number in range(2) for job in ("7001", "7002")}
        assert session.title == "rank 1, run 7001"
        session.browse.message = ""
        await session.press("right")
        assert "rank 1, run 7001 · " in session.status
        await session.press("_", "_")
        assert {line.lane.title for line in session.view.lines} == {"node-0, run 7001", "node-0, run 7002"}
