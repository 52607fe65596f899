"""What is remembered between two runs, and what a file that is none of ours does: nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tui.browse.kept_state import (
    MOST_BYTES,
    MOST_REPORTS,
    KeptState,
    LanesOf,
    change_state,
    name_of,
    read_state,
    state_path,
)
from tui.timeline.arrangement import Arrangement

LANES = LanesOf(
    Arrangement(frozenset({"gpu0/s7"}), ("t1/2",), {"": ("t1/2", "gpu0")}, "not kept"), {("gpu0", 0): 3}
)


def test_there_and_back(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "explorer.json"
    assert read_state(path) == (KeptState(), "")
    assert change_state(path, lambda state: state.with_lanes("a", LANES)) == ""
    assert change_state(path, lambda state: KeptState(48, state.reports)) == ""
    state, word = read_state(path)
    assert (state.pane, word) == (48, "")
    kept = state.reports["a"]
    assert (kept.arrangement.hidden, kept.arrangement.pinned) == ({"gpu0/s7"}, ("t1/2",))
    assert (dict(kept.arrangement.order), kept.heights) == ({"": ("t1/2", "gpu0")}, {("gpu0", 0): 3})
    assert kept.arrangement.needle == ""
    change_state(path, lambda state: state.with_lanes("a", LanesOf()))
    assert read_state(path)[0] == KeptState(48)
    assert [file.name for file in path.parent.iterdir()] == ["explorer.json"]


def test_it_is_bounded() -> None:
    state = KeptState()
    for number in range(MOST_REPORTS + 20):
        state = state.with_lanes(str(number), LANES)
    state = state.with_lanes("50", LANES)
    assert len(state.reports) == MOST_REPORTS
    assert next(iter(state.reports)) == "20"
    assert list(state.reports)[-1] == "50"


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "7",
        '{"version":2,"pane":null,"reports":{}}',
        '{"version":1,"pane":"wide","reports":{}}',
        '{"version":1,"pane":true,"reports":{}}',
        '{"version":1,"pane":null,"reports":[]}',
        '{"version":1,"pane":null,"reports":{"a":{"hidden":"gpu0","pinned":[],"order":{},"heights":[]}}}',
        '{"version":1,"pane":null,"reports":{"a":{"hidden":[1],"pinned":[],"order":{},"heights":[]}}}',
        '{"version":1,"pane":null,"reports":{"a":{"hidden":[],"pinned":[],"order":{},"heights":[["a",1]]}}}',
        "[" * 100_000,
        json.dumps({"version": 1, "pane": None, "reports": {}, "x": "y" * MOST_BYTES}),
    ],
    ids=range(13),
)
def test_a_damaged_file_is_passed_over_with_a_word(tmp_path: Path, content: str) -> None:
    path = tmp_path / "explorer.json"
    path.write_text(content, "utf-8")
    state, word = read_state(path)
    assert state == KeptState()
    assert "damaged" in word
    assert change_state(path, lambda state: state.with_lanes("a", LANES)) == ""
    assert list(read_state(path)[0].reports) == ["a"]


def test_heights_have_bounds(tmp_path: Path) -> None:
    path = tmp_path / "explorer.json"
    change_state(path, lambda state: state.with_lanes("a", LanesOf(heights={("a", 0): 99, ("b", 1): -4})))
    assert read_state(path)[0].reports["a"].heights == {("a", 0): 8, ("b", 1): 1}


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    word = change_state(tmp_path / "file" / "explorer.json", lambda state: state)
    assert word.startswith("can't remember")


def test_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert state_path({"XDG_STATE_HOME": "/s", "HOME": "/h"}) == Path("/s/nsystui/explorer.json")
    assert state_path({"XDG_STATE_HOME": "s", "HOME": "/h"}) == Path("/h/.local/state/nsystui/explorer.json")
    monkeypatch.chdir(tmp_path)
    assert name_of(Path("x.sqlite")) == name_of(tmp_path / "x.sqlite")
    assert name_of(Path("y.sqlite")) != name_of(Path("x.sqlite"))
