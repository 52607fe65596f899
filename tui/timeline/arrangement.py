"""Which lanes are on the screen and in which order, as a user wants them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from tui.timeline.lane import NO_HEIGHTS, Heights, Lane, LaneLine, LaneTree, lane_lines

ROOTS = ""
"""Stands for the owner of the roots."""


@dataclass(frozen=True)
class Arrangement:
    """Lanes by their keys. Keys of lanes that a report does not have do nothing."""

    hidden: frozenset[str] = frozenset()
    pinned: tuple[str, ...] = ()
    """Lanes that stand before all others."""
    order: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """By owner: the lanes below it, in order. Lanes that it does not name keep their place after those."""
    needle: str = ""
    """Only lanes that contain this text are shown, with what belongs to them."""

    @property
    def plain(self) -> bool:
        """Whether nothing is arranged."""
        return not (self.hidden or self.pinned or self.order or self.needle)

    def hide(self, key: str) -> Arrangement:
        """Hide a lane."""
        pinned = tuple(other for other in self.pinned if other != key)
        return replace(self, hidden=self.hidden | {key}, pinned=pinned)

    def show(self, keys: frozenset[str]) -> Arrangement:
        """Show hidden lanes again."""
        return replace(self, hidden=self.hidden - keys)

    def pin(self, key: str) -> Arrangement:
        """Put a lane before all others, or back to its place."""
        rest = tuple(other for other in self.pinned if other != key)
        return replace(self, pinned=rest if key in self.pinned else (*rest, key))

    def move(self, tree: LaneTree, lane: Lane, by: int) -> Arrangement | None:
        """Move a lane by one among those of its owner that are shown; None where it is the last there."""
        if lane.key in self.pinned:
            moved = _moved(self.pinned, lane.key, by, lambda key: True)
            return None if moved is None else replace(self, pinned=moved)
        owner = next((one for one in tree.walk() if lane in one.children), None)
        key = ROOTS if owner is None else owner.key
        siblings = self.ordered(key, tree.roots if owner is None else owner.children)
        passes = {one.key for one in siblings if one.key not in self.hidden and one.key not in self.pinned}
        moved = _moved([one.key for one in siblings], lane.key, by, passes.__contains__)
        return None if moved is None else replace(self, order={**self.order, key: moved})

    def ordered(self, owner: str, lanes: Sequence[Lane]) -> Sequence[Lane]:
        """The lanes below an owner in their order."""
        wanted = {key: place for place, key in enumerate(self.order.get(owner, ()))}
        return sorted(lanes, key=lambda lane: wanted.get(lane.key, len(wanted))) if wanted else lanes


def _moved(keys: Sequence[str], key: str, by: int, passes: Callable[[str], bool]) -> tuple[str, ...] | None:
    """``keys`` with one of them moved past the next that counts; None where there is none."""
    at = list(keys).index(key)
    others = range(at + 1, len(keys)) if by > 0 else range(at - 1, -1, -1)
    to = next((other for other in others if passes(keys[other])), None)
    if to is None:
        return None
    rest = [other for other in keys if other != key]
    rest.insert(to, key)
    return tuple(rest)


def arranged_lines(
    tree: LaneTree, arrangement: Arrangement, folded: frozenset[str], heights: Heights = NO_HEIGHTS
) -> list[LaneLine]:
    """The lines on the screen, top to bottom: see :meth:`LaneTree.lines`."""
    if arrangement.plain:
        return tree.lines(folded, heights)
    found = matching(tree, arrangement.needle)

    def lines_of(lane: Lane, owner: str = "") -> Iterator[LaneLine]:
        if lane.key in arrangement.hidden or (found is not None and lane.key not in found):
            return
        closed = lane.key in folded and not (found is not None and found[lane.key])
        lines = lane_lines(lane, closed, heights)
        yield from (line._replace(owner=owner) for line in lines) if owner else lines
        for child in () if closed else arrangement.ordered(lane.key, lane.children):
            if child.key not in arrangement.pinned:
                yield from lines_of(child)

    pinned = {lane.key: (lane, owner) for lane, owner in _with_owners(tree) if lane.key in arrangement.pinned}
    lines = [line for key in arrangement.pinned if key in pinned for line in lines_of(*pinned[key])]
    for root in arrangement.ordered(ROOTS, tree.roots):
        if root.key not in arrangement.pinned:
            lines += lines_of(root)
    return lines


def _with_owners(tree: LaneTree) -> Iterator[tuple[Lane, str]]:
    """Every lane with the title of the device or thread that it is of; "" for these themselves."""
    for root in tree.roots:
        yield root, ""
        for child in root.children:
            yield from ((lane, root.title) for lane in child.walk())


def matching(tree: LaneTree, needle: str) -> dict[str, bool] | None:
    """Keys of the lanes to show, and whether each is to be open for what is below it; None: all lanes.

    A lane that contains ``needle`` (any case) keeps what is below it; one with a match below it is a heading.
    """
    if not needle:
        return None
    text = needle.casefold()
    found: dict[str, bool] = {}

    def look(lane: Lane) -> bool:
        if any(text in words.casefold() for words in (lane.key, lane.title, lane.detail)):
            found.update((inner.key, False) for inner in lane.walk())
            return True
        below = [look(child) for child in lane.children]
        if any(below):
            found[lane.key] = True
        return any(below)

    for root in tree.roots:
        look(root)
    return found
