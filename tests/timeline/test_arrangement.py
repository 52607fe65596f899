"""Lanes hidden, pinned, moved and filtered."""

from __future__ import annotations

from dataclasses import replace

from tui.timeline.arrangement import ROOTS, Arrangement, arranged_lines
from tui.timeline.lane import Lane, LaneKind, LaneTree


def lane(key: str, *children: Lane, depth: int = 0, detail: str = "") -> Lane:
    for child in children:
        child.depth = depth + 1
    kind = LaneKind.EVENTS if depth else LaneKind.THREAD
    return Lane(key, kind, key.upper(), detail, depth, children=children, loader=tuple)


TREE = LaneTree(
    (
        lane("gpu", lane("gpu/s7"), lane("gpu/s9"), lane("gpu/copies")),
        lane("main", lane("main/nvtx"), lane("main/os", detail="OS calls of 4242")),
        lane("worker", lane("worker/os")),
    )
)
EVERY = ["GPU", "GPU/S7", "GPU/S9", "GPU/COPIES", "MAIN", "MAIN/NVTX", "MAIN/OS", "WORKER", "WORKER/OS"]
FOLDED = frozenset({"worker"})


def titles(arrangement: Arrangement, folded: frozenset[str] = frozenset()) -> list[str]:
    return [line.title for line in arranged_lines(TREE, arrangement, folded)]


def find(key: str) -> Lane:
    return next(lane for lane in TREE.walk() if lane.key == key)


def test_nothing_arranged() -> None:
    assert Arrangement().plain
    assert titles(Arrangement()) == EVERY
    assert titles(Arrangement(hidden=frozenset({"gone"}), pinned=("no",), order={"gpu": ("gone",)})) == EVERY


def test_hidden_lanes_take_what_is_below_them_along() -> None:
    hidden = Arrangement().hide("main").hide("gpu/s9")
    assert titles(hidden) == ["GPU", "GPU/S7", "GPU/COPIES", "WORKER", "WORKER/OS"]
    assert titles(hidden.show(frozenset({"main"}))) == [t for t in EVERY if t != "GPU/S9"]


def test_pinned_lanes_stand_first_with_the_name_of_their_owner() -> None:
    pinned = Arrangement().pin("main/os").pin("worker")
    assert titles(pinned, FOLDED) == [
        "MAIN MAIN/OS", "WORKER", "GPU", "GPU/S7", "GPU/S9", "GPU/COPIES", "MAIN", "MAIN/NVTX",
    ]  # fmt: skip
    assert titles(pinned.pin("main/os").pin("worker")) == EVERY
    assert titles(pinned.hide("worker"))[:2] == ["MAIN MAIN/OS", "GPU"]
    up = pinned.move(TREE, find("worker"), -1)
    assert up is not None
    assert titles(up, FOLDED)[:2] == ["WORKER", "MAIN MAIN/OS"]


def test_lanes_move_among_those_beside_them_that_are_shown() -> None:
    moved = Arrangement(hidden=frozenset({"gpu/s9"})).move(TREE, find("gpu/copies"), -1)
    assert moved is not None
    assert titles(moved)[:3] == ["GPU", "GPU/COPIES", "GPU/S7"]
    assert moved.order == {"gpu": ("gpu/copies", "gpu/s7", "gpu/s9")}
    assert moved.move(TREE, find("gpu/copies"), -1) is None
    assert moved.move(TREE, find("gpu/s7"), 1) is None
    down = Arrangement().move(TREE, find("gpu"), 1)
    assert down is not None
    assert down.order == {ROOTS: ("main", "gpu", "worker")}
    assert titles(down, frozenset({"gpu", "main", "worker"})) == ["MAIN", "GPU", "WORKER"]


def test_a_lane_that_an_order_does_not_name_comes_after_those_it_does() -> None:
    assert titles(Arrangement(order={"gpu": ("gpu/copies",)}))[:4] == [
        "GPU",
        "GPU/COPIES",
        "GPU/S7",
        "GPU/S9",
    ]


def test_a_filter_keeps_matches_with_what_they_belong_to() -> None:
    def filtered(needle: str) -> list[str]:
        return titles(replace(Arrangement(), needle=needle), FOLDED)

    assert filtered("nvtx") == ["MAIN", "MAIN/NVTX"]
    assert filtered("/OS") == ["MAIN", "MAIN/OS", "WORKER", "WORKER/OS"]  # what is folded opens
    assert filtered("worker") == ["WORKER"]  # a match itself stays folded
    assert filtered("4242") == ["MAIN", "MAIN/OS"]
    assert filtered("none such") == []
