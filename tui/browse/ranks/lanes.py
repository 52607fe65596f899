"""From a scene to its lanes: run, host, rank; in a chosen order, and at a chosen distance."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from tui.browse.ranks.scene import Absent, RankFacts, Scene
from tui.text import safe
from tui.timeline.lane import Lane, LaneKind, LaneTree
from tui.timeline.slice_labels import Catalogue

MANY = 64
"""With more ranks than this, hosts open folded."""
CLOSEST, PAIRS, GROUPS = 1, 2, 3
"""Distances: a rank a row, two ranks a row, a host (or as many ranks as fit the screen) a row."""
OPENED = "opened"
"""The key of the lane that holds an opened rank's own lanes."""


class Order(Enum):
    """What ranks are sorted by, in the order in which a key goes through them."""

    RANK = "rank"
    LATENESS = "lateness"
    OWN = "own time"
    HOST = "host"


@dataclass(eq=False)
class RankLane(Lane):
    """A lane that stands for ranks of the scene."""

    ranks: tuple[int, ...] = ()
    """Positions in `Scene.ranks` of all that it stands for."""
    middle: int = -1
    """The rank whose state it shows."""
    lower: int = -1
    """The one that it shows as a second half-row, where it is folded; -1 none."""
    slowest: int = -1
    """The one of several that has most own time; -1 where that is not known, or it is one rank."""
    marked: bool = False
    count: int = 0
    """How many ranks its title says it has; 0: says nothing."""
    reason: str = ""
    """Why nothing can be drawn."""
    short: str = ""
    """Its title where room is short: ``r11``; empty: none."""


def build_ranks(
    scene: Scene,
    order: Order,
    distance: int,
    rows: int,
    opened: tuple[Lane, ...] = (),
    catalogue: Catalogue | None = None,
) -> LaneTree:
    """The lanes of ``scene``. ``rows``: how many the screen has.

    ``opened``: lanes of one rank's report to put below them, with names from ``catalogue``.
    """
    if distance >= GROUPS:
        roots = list(_far(scene, order, rows))
    elif distance == PAIRS:
        roots = list(_pairs(scene, order))
    elif order in (Order.RANK, Order.HOST):
        roots = list(_runs(scene, order))
    else:
        roots = [_rank_lane(scene, at, 0, True) for at in _sorted(scene, range(len(scene.ranks)), order)]
        roots += [_absent_lane(absent, 0) for absent in scene.absent]
    hosts = [lane for root in roots for lane in root.walk() if lane.children]
    folded = {lane.key for lane in hosts if lane.key.startswith("host")} if len(scene.ranks) > MANY else set()
    return LaneTree((*roots, *opened), catalogue, frozenset(folded))


def _runs(scene: Scene, order: Order) -> Iterator[Lane]:
    """Run, host, rank; a set of one run begins with its hosts."""
    if len(scene.runs) == 1:
        yield from _hosts(scene, 0, 0, order)
        return
    for run in range(len(scene.runs)):
        members = [at for at, facts in enumerate(scene.ranks) if facts.run == run]
        title = run_title(scene, run)
        children = tuple(_hosts(scene, run, 1, order))
        yield _group(scene, f"run{run}", title, members, 0, children)


def _hosts(scene: Scene, run: int, depth: int, order: Order) -> Iterator[Lane]:
    members = [at for at, facts in enumerate(scene.ranks) if facts.run == run]
    hosts: dict[str, list[int]] = {}
    for at in members:
        hosts.setdefault(scene.ranks[at].host, []).append(at)
    missing = [absent for absent in scene.absent if absent.run == run]
    names = sorted(hosts) if order is Order.HOST else list(hosts)
    placed = {id(absent): _host_of(scene, hosts, absent) for absent in missing}
    for name in names:
        here = [absent for absent in missing if placed[id(absent)] == name]
        lanes = [_rank_lane(scene, at, depth + 1) for at in hosts[name]]
        lanes += [_absent_lane(absent, depth + 1) for absent in here]
        if order is Order.RANK:
            lanes.sort(key=lambda lane: _number(scene, lane))
        key = f"host{run}/{name}"
        yield _group(scene, key, safe(name), hosts[name], depth, tuple(lanes), len(lanes))
    yield from (_absent_lane(absent, depth) for absent in missing if placed[id(absent)] is None)


def _host_of(scene: Scene, hosts: dict[str, list[int]], absent: Absent) -> str | None:
    """The host among whose ranks a missing number lies; None where it lies among none, or has no number."""
    if absent.host in hosts:
        return absent.host
    if absent.number is None:
        return None
    for name, members in hosts.items():
        numbers = [n for at in members if (n := scene.ranks[at].rank.number) is not None]
        if numbers and min(numbers) <= absent.number <= max(numbers):
            return name
    return None


def _number(scene: Scene, lane: RankLane) -> tuple[bool, int]:
    """Known numbers first, a missing rank at its own place."""
    number: int | None
    if lane.ranks:
        number = scene.ranks[lane.ranks[0]].rank.number
    else:
        number = int(lane.key.rpartition("/")[2]) if lane.key.rpartition("/")[2].isdecimal() else None
    return number is None, number or 0


def _pairs(scene: Scene, order: Order) -> Iterator[Lane]:
    """Two neighbours of the order a row."""
    by = _sorted(scene, range(len(scene.ranks)), order)
    for first in range(0, len(by), 2):
        pair = by[first : first + 2]
        names = ", ".join(scene.ranks[at].rank.name for at in pair)
        title = f"ranks {names}" if len(pair) == 2 else scene.ranks[pair[0]].title
        title += _of_run(scene, {scene.ranks[at].run for at in pair})
        yield RankLane(
            f"pair/{pair[0]}/{pair[-1]}", LaneKind.RANKS, safe(title), loader=tuple, ranks=tuple(pair),
            middle=pair[0], lower=pair[1] if len(pair) == 2 else -1,
            slowest=middle_and_slowest(scene, pair)[1],
            marked=any(scene.ranks[at].marked for at in pair),
            short=safe(", ".join(scene.ranks[at].short for at in pair)),
        )  # fmt: skip


def _far(scene: Scene, order: Order, rows: int) -> Iterator[Lane]:
    """A row a host, or 2^k ranks where one host has them all."""
    groups: dict[tuple[int, str], list[int]] = {}
    for at, facts in enumerate(scene.ranks):
        groups.setdefault((facts.run, facts.host), []).append(at)
    named: list[tuple[str, str, list[int]]]
    if len(groups) > 1:
        named = [
            (f"far/{run}/{host}", safe(host) + _of_run(scene, {run}), members)
            for (run, host), members in groups.items()
        ]
    else:
        size = 4
        while -(-len(scene.ranks) // size) > rows:
            size *= 2
        by = _sorted(scene, range(len(scene.ranks)), order)
        parts = [by[first : first + size] for first in range(0, len(by), size)]
        named = [(f"far/{part[0]}", f"{_short(scene, part)}", part) for part in parts]
    lanes = [_group(scene, key, title, members, 0, ()) for key, title, members in named]
    if order in (Order.LATENESS, Order.OWN):
        figure = _figure(scene, order)
        worst = {lane.key: max(map(figure, lane.ranks)) for lane in lanes}
        lanes.sort(key=lambda lane: worst[lane.key], reverse=True)
    elif order is Order.HOST:
        lanes.sort(key=lambda lane: lane.title)
    yield from lanes


def _short(scene: Scene, members: Sequence[int]) -> str:
    return safe(f"{scene.ranks[members[0]].short}-{scene.ranks[members[-1]].rank.name}")


def _group(
    scene: Scene, key: str, title: str, members: Sequence[int], depth: int, children: tuple[Lane, ...],
    count: int | None = None,
) -> RankLane:  # fmt: skip
    middle, slowest = middle_and_slowest(scene, members)
    return RankLane(
        key, LaneKind.RANKS, title, depth=depth, children=children, loader=tuple, ranks=tuple(members),
        middle=middle, lower=slowest, slowest=slowest, marked=any(scene.ranks[at].marked for at in members),
        count=len(members) if count is None else count,
    )  # fmt: skip


def _rank_lane(scene: Scene, at: int, depth: int, alone: bool = False) -> RankLane:
    """``alone``: outside its run's group, so that its title has to tell which run it is of."""
    facts = scene.ranks[at]
    of = _of_run(scene, {facts.run}) if alone else ""
    return RankLane(
        rank_key(facts), LaneKind.RANK, safe(facts.title) + of, depth=depth, loader=tuple, ranks=(at,),
        middle=at, marked=facts.marked, process=at, short=safe(facts.short) + of.replace(", run", ""),
    )  # fmt: skip


def run_title(scene: Scene, run: int) -> str:
    """``run 7001``: by the launcher's id, else by its number."""
    return f"run {safe(scene.runs[run])}" if scene.runs[run] else f"run {run + 1}"


def _of_run(scene: Scene, runs: set[int]) -> str:
    """``, run 7001`` in a set of several runs; of two ranks of different runs both."""
    if len(scene.runs) < 2:
        return ""
    return ", " + " + ".join(run_title(scene, run) for run in sorted(runs))


def rank_key(facts: RankFacts) -> str:
    """The key of a rank's lane, the same in every scene of the set."""
    return f"rank{facts.run}/{facts.path}/{facts.rank.summary.process}"


def absent_key(absent: Absent) -> str:
    """The key of the lane of what can't be drawn."""
    return f"absent{absent.run}/{absent.title if absent.number is None else absent.number}"


def _absent_lane(absent: Absent, depth: int) -> RankLane:
    return RankLane(
        absent_key(absent), LaneKind.RANK, safe(absent.title), depth=depth, loader=tuple,
        reason=safe(absent.reason), short="" if absent.number is None else f"r{absent.number}",
    )  # fmt: skip


def middle_and_slowest(scene: Scene, members: Sequence[int]) -> tuple[int, int]:
    """The members with the median and with the largest own time; before that is known, the first and none."""
    if not members:
        return -1, -1
    known = [at for at in members if scene.ranks[at].own_ns is not None]
    if not known:
        return members[0], -1
    known.sort(key=lambda at: scene.ranks[at].own_ns or 0)
    return known[(len(known) - 1) // 2], known[-1] if len(known) > 1 else -1


def _figure(scene: Scene, order: Order) -> Callable[[int], tuple[int, bool, int]]:
    """What a rank is sorted by, most first: what the others waited for it, then own time."""

    def figure(at: int) -> tuple[int, bool, int]:
        if at < 0:
            return 0, False, 0
        facts = scene.ranks[at]
        known = facts.own_ns is not None, facts.own_ns or 0
        return (facts.caused or 0, *known) if order is Order.LATENESS else (0, *known)

    return figure


def _sorted(scene: Scene, members: Sequence[int], order: Order) -> list[int]:
    if order is Order.HOST:
        return sorted(members, key=lambda at: (scene.ranks[at].run, scene.ranks[at].host))
    if order is Order.RANK:
        return list(members)
    figure = _figure(scene, order)
    return sorted(members, key=figure, reverse=True)
