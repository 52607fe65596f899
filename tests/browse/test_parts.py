"""What keys do, without a screen: on a capture whose every time is written at :func:`training`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.app.conftest import US
from tui.analysis.index import Busy
from tui.browse.capture import Capture
from tui.browse.inspection import inspect
from tui.browse.instance_walk import Walk
from tui.browse.jumps import Jumps
from tui.browse.linking import Linker
from tui.browse.marks import Marks
from tui.browse.name_search import NameSearch
from tui.browse.navigator import Navigator
from tui.browse.page import Instances, Section
from tui.browse.state import Browse


@pytest.fixture
def jumps(browse: Browse) -> Jumps:
    return Jumps(browse)


@pytest.fixture
def walk(browse: Browse, jumps: Jumps) -> Walk:
    return Walk(browse, jumps)


def cursor(browse: Browse) -> int:
    assert browse.view is not None
    return browse.view.cursor


def to_lane(browse: Browse, title: str) -> None:
    view = browse.view
    assert view is not None
    view.go_line(next(i for i, line in enumerate(view.lines) if line.lane.title == title))


# -- moving -----------------------------------------------------------------------------------------------


def test_directions_lead_there_and_back(browse: Browse) -> None:
    navigator, view = Navigator(browse), browse.view
    assert view is not None
    for _ in range(4):
        view.zoom(closer=True)
    before = view.viewport
    navigator.pan(1)
    assert view.viewport == before.pan(25)  # a quarter of 100 cells
    navigator.pan(-1)
    assert view.viewport == before
    navigator.lanes(1)
    assert view.line == len(view.lines) - 1
    navigator.lanes(-1)
    assert view.line == 0


def test_what_cannot_be_done_is_said(browse: Browse) -> None:
    navigator = Navigator(browse)
    navigator.back()
    assert browse.message == "no view before this one"
    navigator.forward()
    assert browse.message == "no view after this one"
    navigator.range_start()
    assert browse.message == (
        "selection starts here: move to its other end, up or down for some lanes only; <range-start> ends it"
    )


def test_the_mouse_selects_in_both_directions(browse: Browse) -> None:
    navigator, view = Navigator(browse), browse.view
    assert view is not None
    navigator.drag(20, 10)
    assert view.range == (view.viewport.time(10), view.viewport.time(21))
    navigator.click(15, 2)
    assert (view.line, view.cursor) == (2, view.viewport.time(15))
    lines = len(view.lines)
    navigator.click(-1, 0)
    assert len(view.lines) < lines


# -- jumping ----------------------------------------------------------------------------------------------


def test_gaps_and_steps_are_walked_to_their_ends(browse: Browse, jumps: Jumps) -> None:
    # From 0, in which the first gap begins; of every step 2 us before its gemm, then from its relu's end on.
    for expected in (328, 600, 1328, 1600, 2328, 2600, 2600):
        jumps.gap(1)
        assert cursor(browse) == expected * US
    assert browse.message == "no later gap on GPU 0: 7 listed gaps"
    jumps.step(-1)
    assert cursor(browse) == 2000 * US
    assert browse.message == "train_step 3 of 3 · 900 us"
    for _ in range(3):
        jumps.step(-1)
    assert browse.message == "no earlier step"


def test_g_goes_from_the_longest_gap_to_the_next_longest(browse: Browse, jumps: Jumps) -> None:
    """705 us from 600 and 1600, 305 from 0, 300 from 2600, 2 us from 328, 1328, 2328."""
    view = browse.view
    assert view is not None
    for start, said in (
        (600, "longest of 7 listed gaps · gap 3 of 7 · 705 us · host code"),
        (1600, "2nd longest of 7 listed gaps · gap 5 of 7 · 705 us · host code"),
        (0, "3rd longest of 7 listed gaps · gap 1 of 7 · 305 us · "),
    ):
        jumps.longest()
        assert cursor(browse) == start * US
        assert browse.message.startswith(said)
        assert view.viewport.start <= start * US  # framed: all of it in sight, over most of the screen
        length = 705 if start else 305
        assert view.viewport.shows((start + length) * US - 1, view.cells)
        assert length * US * 10 >= view.viewport.ns_per_cell * view.cells * 6
    view.go(2000 * US)
    jumps.longest()
    assert cursor(browse) == 600 * US  # after another move it begins anew
    view.select(2000 * US, 2900 * US)
    jumps.longest()
    assert (cursor(browse), view.chosen) == (1600 * US, (2000 * US, 2900 * US))
    assert browse.message.startswith("longest of 3 listed gaps")  # to 2305, at 2328, from 2600


def test_a_selection_that_is_a_step_or_a_gap_goes_along(browse: Browse, jumps: Jumps) -> None:
    view, navigator = browse.view, Navigator(browse)
    assert view is not None
    jumps.step(1)
    navigator.range_here()
    assert view.chosen == (1000 * US, 1900 * US)
    jumps.step(1)
    assert view.chosen == (2000 * US, 2900 * US)
    jumps.gap(-1)
    assert view.chosen == (2000 * US, 2900 * US)  # what was left is no gap
    navigator.range_here()
    jumps.gap(1)
    assert view.chosen == (2328 * US, 2330 * US)
    view.select(0, 10 * US)
    jumps.step(-1)
    assert view.chosen == (0, 10 * US)  # what the user drew stays


def test_steps_that_are_not_known_yet_are_told_from_none(browse: Browse, jumps: Jumps) -> None:
    capture = browse.capture
    assert capture is not None
    capture._steps = None
    jumps.step(1)
    assert browse.message == "still looking for steps"


def test_a_launch_is_followed_both_ways(browse: Browse, jumps: Jumps) -> None:
    links = Linker(browse, jumps)
    links.follow()
    assert browse.message.startswith("c goes from a kernel, copy or NVTX range to its other end")
    to_lane(browse, "s7")
    jumps.event(1)  # the copy is on another lane: gemm, issued at 310
    links.follow()
    assert cursor(browse) == 310 * US
    links.follow()
    assert cursor(browse) == 330 * US


# -- searching and walking --------------------------------------------------------------------------------


def test_a_search_begins_at_the_cursor_and_goes_round(browse: Browse, jumps: Jumps, walk: Walk) -> None:
    asked: list[tuple[str, str, Callable[[str], None]]] = []
    search = NameSearch(browse, jumps, walk, lambda *question: asked.append(question))
    search.ask()
    label, text, then = asked[0]
    assert (label, text) == ("/", "")
    then("RELU")
    found = []
    for _ in range(3):
        found.append((cursor(browse) // US, browse.message))
        search.next(1)
    assert found == [(t, f"match {i} of 3: relu, GPU 0 s7") for i, t in ((1, 500), (2, 1500), (3, 2500))]
    assert cursor(browse) == 500 * US
    search.clear()
    search.next(1)
    assert browse.message == "nothing searched for yet: / searches"


def section(*starts: int, walks: bool = False, words: tuple[str, ...] = ()) -> Section:
    """A section whose only row has instances of 10 us at ``starts`` (us)."""
    start = np.array(starts, np.int64) * US
    ends = start + 10 * US
    ends[1] += US  # the second is the longest
    found = Instances("span", np.arange(len(starts)), start, ends, 0, words=words)
    return Section("rows", find=lambda row: found, walks=walks)


def test_a_row_is_walked_from_its_longest_instance(browse: Browse, walk: Walk) -> None:
    rows = section(100, 200, 300)
    assert not walk.step(1)
    assert walk.follow(rows, 0, 0)
    assert cursor(browse) == 200 * US
    assert browse.message == "longest: 2 of 3 · <row-next> <row-previous> walk them"
    seen = []
    for move in (1, 1, -1):
        assert walk.step(move)
        seen.append(cursor(browse) // US)
    assert seen == [300, 100, 300]
    walk.forget()
    assert not walk.step(1)


def test_next_without_a_walk_begins_at_the_cursor(browse: Browse, walk: Walk) -> None:
    assert browse.view is not None
    browse.view.go(250 * US)
    walk.follow(section(100, 200, 300), 0, 1)
    assert cursor(browse) == 300 * US
    walk.forget()
    browse.view.go(250 * US)
    walk.follow(section(100, 200, 300), 0, -1)
    assert cursor(browse) == 200 * US


def test_evidence_is_walked_in_its_order_with_its_words(browse: Browse, walk: Walk) -> None:
    rows = section(100, 200, walks=True, words=("first", "second"))
    said = []
    for _ in range(3):
        walk.follow(rows, 0, 0)
        said.append(browse.message)
    assert said == ["1 of 2: first", "2 of 2: second", "1 of 2: first"]


def test_a_row_without_a_place_is_not_walked(browse: Browse, walk: Walk) -> None:
    assert not walk.follow(Section("rows"), 0, 0)
    assert browse.message == "this row has no place on the timeline"


def test_the_map_follows_what_counts_as_busy(capture: Capture) -> None:
    def totals(busy: Busy) -> list[int]:
        return [coverage.total for coverage in capture.coverages(busy)]

    # Per step: a copy of 23 us, kernels of 270 us.
    assert totals(Busy.ALL) == [3 * 293 * US]
    assert totals(Busy.COMPUTE) == [3 * 270 * US]  # kernels stand for it until it is measured
    capture.books(Busy.COMPUTE, 100_000)
    assert totals(Busy.COMPUTE) == [3 * 270 * US]
    assert totals(Busy.KERNELS) == [3 * 270 * US]


# -- marks and details ------------------------------------------------------------------------------------


def test_a_mark_waits_for_its_letter(browse: Browse, jumps: Jumps) -> None:
    marks = Marks(browse)
    marks.go()
    assert (browse.message, marks.waiting) == ("no marks yet: m sets one", False)
    jumps.gap(1)
    marks.set()
    assert marks.waiting
    marks.letter("q")
    assert (browse.message, marks.waiting) == ("marked q: ' q comes back", False)
    jumps.gap(1)
    marks.go()
    assert browse.message == "go to mark: q"
    marks.letter("q")
    assert cursor(browse) == 328 * US
    marks.go()
    marks.letter(None)
    assert (browse.message, marks.waiting) == ("", False)


def test_details_wait_a_moment_for_the_lookups(browse: Browse, jumps: Jumps, in_thread: InThread) -> None:
    jumps.gap(1)
    found = inspect(browse)
    assert found is not None
    assert found[0] == "Idle gap"
    assert browse.capture is not None
    with browse.capture.lookups():
        assert in_thread(lambda: inspect(browse)) is None
    assert browse.message == "figures are still being worked out: once more in a moment"


# -- the guard of the lookups -----------------------------------------------------------------------------

InThread = Callable[[Callable[[], object]], object]


@pytest.fixture
def in_thread() -> InThread:
    """Calls a function on another thread and returns its answer."""
    from concurrent.futures import ThreadPoolExecutor

    def run(call: Callable[[], object]) -> object:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(call).result(5)

    return run


def test_only_one_thread_has_the_lookups(capture: Capture, in_thread: InThread) -> None:
    def available() -> bool:
        with capture.try_lookups(0) as index:
            return index is not None

    assert in_thread(available)
    with capture.lookups() as index:
        assert index.report is capture.report
        assert not in_thread(available)
    assert in_thread(available)


def test_shares_of_a_window_wait_for_nobody(capture: Capture, in_thread: InThread) -> None:
    with capture.lookups():
        rows = in_thread(lambda: capture.busy_in(capture.home, Busy.ALL))
    # Kernels 3 x 270, copies 3 x 23, of the steps: 0 to 2900 us.
    assert [(r.kernel_ns, r.copy_only_ns, r.window_ns) for r in rows] == [  # type: ignore[attr-defined]
        (810 * US, 69 * US, 2900 * US)
    ]
    assert capture.busy_in(capture.home, Busy.KERNELS) == []  # not worked out yet


def test_clearing_says_what_went(browse: Browse, jumps: Jumps, walk: Walk) -> None:
    search, view = NameSearch(browse, jumps, walk, lambda *question: None), browse.view
    assert view is not None
    for selected, needle, said in (
        (True, "gemm", "cleared the selection and the search"),
        (True, "", "cleared the selection"),
        (False, "gemm", "cleared the search"),
        (False, "", "nothing to clear"),
    ):
        if selected:
            view.select(0, 100)
        search.needle = needle
        browse.message = "before"
        search.clear()
        assert browse.message == said
        assert view.chosen is None and not search.needle


def test_nothing_open_has_nothing_to_copy(browse: Browse) -> None:
    browse.capture = None
    assert inspect(browse) is None
    assert browse.message == "no report is open yet"
