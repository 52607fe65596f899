"""The table of actions, and what a user may change about it."""

from __future__ import annotations

import inspect
import os
from pathlib import Path

import pytest
from textual.actions import parse

from tests.app.conftest import Start
from tests.support.export import Export
from tui.app.keys import (
    ACTIONS,
    FLAME,
    PANE,
    RANKS,
    Keymap,
    action_named,
    actions_in,
    check_key,
    entries,
    keymap_of,
    shown_key,
)
from tui.app.screens.ranks import RanksScreen
from tui.app.screens.text import help_lines
from tui.app.settings import Config, load_config
from tui.app.widgets.flame import FlameView
from tui.app.widgets.page_view import PageView
from tui.app.widgets.scrolling import Lines
from tui.browse.drawing import Drawing
from tui.browse.ranks.browse import RanksBrowse
from tui.config import config_path
from tui.errors import UsageError
from tui.text import width


async def test_every_action_has_a_method_and_says_what_it_does(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        browse = RanksBrowse(report, Drawing())
        ranks = RanksScreen(browse, session.main.looks, Keymap(), session.app)
        for action in ACTIONS:
            _, name, arguments = parse(action.method)
            if action.context in (PANE, FLAME):
                owner = PageView if action.context == PANE else FlameView
                inspect.signature(getattr(owner, f"action_{name}")).bind(None, *arguments)
            else:
                part, method, *rest = arguments
                screen = ranks if action.context == RANKS else session.main
                inspect.signature(getattr(getattr(screen, str(part)), str(method))).bind(*rest)
            assert action.description[0].isupper()


def test_no_key_is_given_twice_in_one_place() -> None:
    for context in {action.context for action in ACTIONS}:
        keys = [key for action in ACTIONS if action.context == context for key in action.keys]
        assert len(keys) == len(set(keys))


async def test_what_the_ranks_view_shares_with_the_main_screen_works_there(
    report: Path, explore: Start
) -> None:
    async with explore(report) as session:
        screen = RanksScreen(RanksBrowse(report, Drawing()), session.main.looks, Keymap(), session.app)
        for action in actions_in(RANKS):
            _, _, arguments = parse(action.method)
            part, method, *rest = arguments
            if part != "view":  # there is none yet
                inspect.signature(getattr(getattr(screen, str(part)), str(method))).bind(*rest)


def test_a_key_of_the_ranks_view_goes_before_one_of_the_main_screen() -> None:
    by_key = {key: action.id for keys, action in Keymap().bindings(RANKS) for key in keys.split(",")}
    assert (by_key["enter"], by_key["u"], by_key["c"]) == ("rank-open", "rank-back", "rank-participant")
    assert (by_key["w"], by_key["]"]) == ("zoom-in", "step-next")
    assert "search" not in by_key.values()


def test_ids_are_unique() -> None:
    assert len({action.id for action in ACTIONS}) == len(ACTIONS)


@pytest.mark.parametrize("key", ["a", "+", ",", "ctrl+x", "f5", "pagedown", "ctrl++", "é"])
def test_what_is_a_key(key: str) -> None:
    assert check_key(key) == key


@pytest.mark.parametrize("key", ["ab", "ctrl+", "hyper+x", "", " ", "\n", "page down"])
def test_what_is_no_key(key: str) -> None:
    with pytest.raises(UsageError):
        check_key(key)


def test_the_users_keys_replace_and_take_away() -> None:
    keymap = keymap_of({"zoom-in": ["x", "q"], "help": []})
    assert keymap.keys(action_named("zoom-in")) == ("x", "q")
    assert keymap.keys(action_named("quit")) == ("ctrl+c",)
    assert keymap.keys(action_named("help")) == ()
    assert keymap.keys(action_named("row-jump")) == ("enter",)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"zoomin": "x"}, "did you mean 'zoom-in'"),
        ({"zoom-in": 3}, "a key is a text"),
        ({"zoom-in": "ab"}, "'ab' is no key"),
        ({"zoom-in": "x", "zoom-out": ["x"]}, "both 'zoom-in' and 'zoom-out'"),
    ],
)
def test_faults_in_the_key_table_are_named(changes: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        keymap_of(changes)


def test_config_file_sets_keys_and_settings(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('[keys]\nquit = "x"\n[explorer]\nmouse = false\nmin_gap = "50us"\nbusy = "kernels"\n')
    config = load_config(path)
    assert config.keymap.keys(action_named("quit")) == ("x",)
    assert (config.mouse, config.min_gap, config.busy) == (False, "50us", "kernels")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[keys", "no TOML"),
        ("keys = 3", "tables"),
        ("[explorer]\ncolour = 1", "no setting 'colour'"),
        ('[explorer]\nmouse = "yes"', "should be true or false"),
        ('[explorer]\nbusy = "most"', "should be one of all, kernels"),
    ],
)
def test_faults_in_the_config_file_are_one_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=message) as caught:
        load_config(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_config_file_means_defaults(tmp_path: Path) -> None:
    assert load_config(tmp_path / "none.toml") == Config()


def test_config_path_follows_the_environment() -> None:
    assert config_path({"XDG_CONFIG_HOME": "/c"}) == Path("/c/nsystui/config.toml")
    assert config_path({"HOME": "/h"}) == Path("/h/.config/nsystui/config.toml")


def markdown() -> str:
    """The README's table of keys: a row for each group."""
    lines = ["| | keys |", "|---|---|"]
    for group, listed in entries(Keymap()).items():
        cells = (
            f"{' '.join(f'`{key}`' for key in keys)} {text[0].lower()}{text[1:]}" for keys, text in listed
        )
        lines.append(f"| **{group}** | {' · '.join(cells)} |")
    return "\n".join(lines) + "\n"


def test_readme_lists_the_keys_as_they_are() -> None:
    """After a change: UPDATE_GOLDENS=1 python -m pytest tests/app/test_keys.py"""
    text = markdown()
    for action in ACTIONS:
        if not action.id.startswith(("pane-", "tab-")):
            assert action.description[1:] in text
    readme = Path(__file__).parents[2] / "README.md"
    before, begin, rest = readme.read_text("utf-8").partition("<!-- keys: begin -->\n")
    written, end, after = rest.partition("<!-- keys: end -->")
    assert begin and end
    if os.environ.get("UPDATE_GOLDENS"):
        readme.write_text(before + begin + text + end + after, "utf-8")
    else:
        assert written == text


def test_shown_keys_are_plain_where_only_ascii_shows() -> None:
    assert shown_key("up") == "↑"
    assert shown_key("up", ascii_only=True) == "Up"
    assert all(
        shown_key(key, ascii_only=True).isascii() for action in ACTIONS for key in Keymap().keys(action)
    )


async def test_remapped_keys_work_and_old_ones_do_not(report: Path, explore: Start) -> None:
    config = Config(keymap=keymap_of({"zoom-in": ["x", ","], "gap-next": "w"}))
    async with explore(report, config=config) as session:
        scale = session.view.viewport.ns_per_cell
        await session.press("x", "comma")
        closer = session.view.viewport.ns_per_cell
        assert closer < scale
        await session.press("w")
        assert session.view.cursor == 328_000  # the gap of 2 us before the first gemm
        assert "w next gap" in session.status


async def test_palette_finds_and_runs_an_action(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("colon", *"next idle", "enter")
        assert session.app.screen is session.main
        assert session.view.cursor == 328_000
        await session.press("colon", *"zzz")
        assert "no action called 'zzz'" in "\n".join(session.screen)
        await session.press("escape")
        assert session.app.screen is session.main


async def test_help_names_the_keys_as_they_are(report: Path, explore: Start) -> None:
    config = Config(keymap=keymap_of({"zoom-in": "x"}))
    async with explore(report, config=config, size=(160, 90)) as session:
        await session.press("question_mark")
        text = "\n".join(session.screen)
        assert " x  " in text
        for description in ("Zoom in at the cursor", "Next idle gap of the device", "Quit"):
            assert description in text


@pytest.mark.parametrize("room", [60, 114, 140])
def test_help_cuts_nothing(room: int) -> None:
    """Long texts are wrapped in their column: nothing leaves the box, and no tab goes unnamed."""
    lines = help_lines(Keymap(), room, ascii_only=False)
    texts = ["".join(run.text for run in line) for line in lines]
    assert max(width(text) for text in texts) <= room
    whole = " ".join(" ".join(texts).split())
    assert "Network," in whole
    assert "Classes," in whole


@pytest.mark.parametrize("size", [(40, 10), (80, 24), (160, 48)])
async def test_help_fits_beside_its_scroll_bar(report: Path, explore: Start, size: tuple[int, int]) -> None:
    async with explore(report, size=size) as session:
        await session.press("question_mark")
        shown = session.app.screen.query_one(Lines)
        assert max(sum(width(run.text.rstrip()) for run in line) for line in shown.lines) <= shown.size.width


async def test_legend_and_notices_open_and_close(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("L")
        assert "idle gap" in "\n".join(session.screen)
        await session.press("escape", "exclamation_mark")
        assert "Doubtful rows" in "\n".join(session.screen)
        await session.press("escape")
        assert session.app.screen is session.main


async def test_notices_are_those_of_info(explore: Start, tmp_path: Path) -> None:
    export = Export(tmp_path / "run.sqlite")
    export.launch((0, 10), (50, 90))
    async with explore(export.write()) as session:
        await session.press("exclamation_mark")
        assert "no OS calls recorded: host code includes waiting in them" in "\n".join(session.screen)


async def test_a_key_without_use_says_where_keys_are_listed(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        for key, said in (("%", "%"), ("f9", "f9"), ("ctrl+g", "ctrl+g")):
            await session.press(key)
            assert f"no such key: {said}; ? lists them" in session.status, key
        await session.press("right")
        assert "no such key" not in session.status
        await session.press("m")
        await session.press("%")  # the letter of a mark, if a bad one
        assert "no such key" not in session.status
        await session.press("slash")
        for key in ("x", "%", "enter"):
            await session.press(key)
        assert "no such key" not in session.status
