"""Tabs beyond the ninth: reached by name, with no key of their own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.app.conftest import Session, Start
from tui.app.keys import BY_DIGIT, BY_NAME, actions_of, keymap_of
from tui.app.settings import Config
from tui.browse.pages import TABS, numbered, tab_named

MORE = (*TABS, replace(TABS[2], name="Tenth"), replace(TABS[3], name="Eleventh"))


def current(session: Session) -> str:
    return session.app.browse.tab.name


async def test_more_than_nine_tabs_are_reached_by_digit_name_and_click(report: Path, explore: Start) -> None:
    async with explore(report, tabs=MORE) as session:
        await session.press("colon", *"tenth", "enter")
        assert current(session) == "Tenth"
        assert session.page.pane.blocks[0].section.title == "Kernels by name"
        await session.press("9")
        assert current(session) == "Diagnosis"
        await session.press("colon", *"tab-eleventh", "enter")
        assert current(session) == "Eleventh"
        assert session.page.pane.blocks[0].section.title == "Copies by direction and memory"
        tabs = session.main.query_one("Tabs")
        at = session.screen[1].index("Tenth") - tabs.region.x
        await session.pilot.click("Tabs", offset=(at + 1, 0))
        assert current(session) == "Tenth"


async def test_the_palette_names_every_tab_with_its_digit(report: Path, explore: Start) -> None:
    async with explore(report, tabs=MORE, size=(160, 70)) as session:
        await session.press("colon", *"tab-")
        lines = "\n".join(session.screen)
        rows = [line.split() for line in session.screen if "Side pane:" in line]
        shown = {row[row.index("pane:") + 1]: row[row.index("pane:") + 2] for row in rows}
        assert "tab-overview" in lines
        assert [shown[name] for name in ("Overview", "Diagnosis")] == ["1", "9"]
        assert shown["Tenth"] == "tab-tenth"  # no key between its description and its name


async def test_a_tab_can_have_a_key_of_its_own(report: Path, explore: Start) -> None:
    config = Config(keymap=keymap_of({"tab-steps": "K", "pane-3": "x"}))
    async with explore(report, config=config) as session:
        await session.press("K")
        assert current(session) == "Steps"
        await session.press("3")
        assert current(session) == "Steps"
        await session.press("x")
        assert current(session) == "Kernels"


async def test_a_key_that_was_taken_away_does_nothing(report: Path, explore: Start) -> None:
    config = Config(keymap=keymap_of({"help": []}))
    async with explore(report, config=config) as session:
        await session.press("question_mark", "f1")
        assert session.app.screen is session.main


def test_every_tab_has_an_action_and_nine_have_a_digit() -> None:
    actions = {action.id: action for action in actions_of(MORE)}
    assert [actions[f"{BY_DIGIT}{d}"].keys for d in range(1, 10)] == [(str(d),) for d in range(1, 10)]
    assert [actions[f"{BY_NAME}{tab.name.lower()}"].keys for tab in MORE] == [()] * len(MORE)
    assert list(numbered(None, MORE)) == list("123456789")
    assert tab_named("eleventh", MORE) is MORE[-1]
