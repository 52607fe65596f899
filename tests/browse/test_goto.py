"""Go to a place in words, on the capture whose every time is written at :func:`training`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.conftest import US
from tests.support.export import Export
from tui.browse.capture import open_capture
from tui.browse.drawing import Drawing
from tui.browse.goto import GoTo
from tui.browse.jumps import Jumps
from tui.browse.state import Browse, ReportPlace


@pytest.fixture
def places(browse: Browse) -> GoTo:
    return GoTo(browse, Jumps(browse), lambda *question: None)


def cursor(browse: Browse) -> int:
    assert browse.view is not None
    return browse.view.cursor


@pytest.mark.parametrize(
    ("text", "us"),
    [
        ("1.5ms", 1500),
        ("1.5 ms", 1500),
        ("500us", 500),
        ("0.0012", 1200),  # as the ruler writes it: seconds
        ("0.001 200 s", 1200),
        ("0.001 200 000 s", 1200),
        ("50%", 1450),  # of the work window, 0 to 2900
        ("100 %", 2900),
        (" 0% ", 0),
    ],
)
def test_times_and_shares(browse: Browse, places: GoTo, text: str, us: int) -> None:
    places.go(text)
    assert cursor(browse) == us * US


def test_a_sign_counts_from_the_cursor(browse: Browse, places: GoTo) -> None:
    places.go("1ms")
    places.go("+200us")
    assert cursor(browse) == 1200 * US
    places.go("-0.0011")
    assert cursor(browse) == 100 * US


def test_times_are_those_of_the_ruler(browse: Browse, places: GoTo) -> None:
    browse.absolute = False  # since the window's start, which is 0 here
    places.go("700us")
    assert cursor(browse) == 700 * US


def test_steps_and_gaps_by_number(browse: Browse, places: GoTo) -> None:
    places.go("step 2")
    assert (cursor(browse), browse.message) == (1000 * US, "train_step 2 of 3 · 900 us")
    places.go("gap:3")
    assert cursor(browse) == 600 * US
    assert browse.message == "gap 3 of 7 · 705 us · host code in train_step"
    places.go("GAP 1")
    assert cursor(browse) == 0


def test_ranges_by_name_from_the_cursor_on(browse: Browse, places: GoTo) -> None:
    seen = []
    places.go("forward")
    for _ in range(3):
        seen.append((cursor(browse) // US, browse.message))
        places.go("+1ns")
        places.go("FORW")
    assert seen == [(310, "forward · 1 of 3"), (1310, "forward · 2 of 3"), (2310, "forward · 3 of 3")]
    assert cursor(browse) == 310 * US
    places.go("data#3")
    assert (cursor(browse), browse.message) == (2010 * US, "data · 3 of 3")
    places.go("train")
    assert browse.message == "train_step · 1 of 3"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("step 4", "no step 4: there are steps 1 to 3"),
        ("step", "which step? step 3, for example"),
        ("gap 0", "no gap 0: there are gaps 1 to 7"),
        ("gap 99", "no gap 99: there are gaps 1 to 7"),
        ("101%", "101 % lies beyond the end: 0 % to 100 % of steps 1-3 + GPU work"),
        ("1h", "nothing was recorded then: only 0.000 000 000 s to 0.002 900 000 s"),
        ("-1s", "nothing was recorded then: only 0.000 000 000 s to 0.002 900 000 s"),
        ("data#9", "there are 3 ranges of that name, no 9"),
        (
            "fordward",
            "'fordward' is no time, step or gap, and no range is called so; did you mean 'forward'?",
        ),
        ("12 parsecs", "'12 parsecs' is no time, step or gap, and no range is called so"),
    ],
)
def test_errors_say_what_there_is(browse: Browse, places: GoTo, text: str, message: str) -> None:
    places.go(text)
    assert browse.message == message
    assert cursor(browse) == 0


def test_nothing_is_no_place(browse: Browse, places: GoTo) -> None:
    places.go("  ")
    assert (cursor(browse), browse.message) == (0, "")


def test_without_gpu_work_and_steps(tmp_path: Path) -> None:
    export = Export(tmp_path / "host.sqlite")
    export.osrt("read", 0, 100 * US)
    capture = open_capture(export.write(), use_store=False)
    assert not capture.steps.sequences
    browse = Browse(ReportPlace(capture.report.path), Drawing(), min_gap_ns=100_000)
    browse.open(capture)
    places = GoTo(browse, Jumps(browse), lambda *question: None)
    for text, message in (
        ("step 1", "no steps found in this report"),
        ("gap 1", "no GPU work recorded: no gaps"),
        ("anything", "'anything' is no time, step or gap, and no range is called so"),
    ):
        places.go(text)
        assert browse.message == message


def test_what_is_typed_is_completed(places: GoTo) -> None:
    assert places.completed("FO") == "forward"
    assert places.completed("x") is None
    assert places.completed("") is None
