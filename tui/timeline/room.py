"""What a screen of lanes does with too little room, and with more than enough."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tui.timeline.lane import Heights, Lane, LaneKind, LaneLine, LaneTree
from tui.timeline.series import TALLEST, grows
from tui.timeline.slices import Summary

Lay = Callable[[frozenset[str], Heights], Sequence[LaneLine]]
"""Returns the lines with some lanes folded and some rows higher than usual."""
TALL = 3
"""Lines that a row of events takes at most."""


def folded_for_room(tree: LaneTree, lay: Lay, room: int, here: str) -> tuple[frozenset[str], bool]:
    """Which groups to fold so that ``room`` lines hold every device and every thread that issues work.

    The devices first, then the threads; the group ``here``, which is under the cursor, stays open where that
    leaves room for the others: the second value says so.
    """
    devices = [root for root in tree.roots if root.device >= 0]
    threads = [root for root in tree.roots if root.kind is LaneKind.THREAD and _issues(root)]
    wanted = {root.key for root in (*devices, *threads)}

    def fits(folded: frozenset[str]) -> bool:
        lines = lay(folded, {})
        return len(lines) <= room or not wanted & {line.lane.key for line in lines[room:]}

    nothing: frozenset[str] = frozenset()
    if len(wanted) < 2 or fits(nothing):
        return nothing, True
    of_devices = frozenset(root.key for root in devices if root.folds)
    every = of_devices | {root.key for root in threads if root.folds}
    for keys in (of_devices, every):
        if fits(keys - {here}):
            return keys, True
    return every, not fits(every)


def _issues(root: Lane) -> bool:
    return any(lane.table == "calls" for lane in root.walk())


def heights_for_room(lines: Sequence[LaneLine], room: int) -> dict[tuple[str, int], int]:
    """Rows that become higher where ``room`` lines are more than enough.

    Devices two lines, then their streams two, then devices three; all of one kind or none of them.
    """
    spare = room - len(lines)
    devices = [(line.lane.key, line.sub) for line in lines if _is_device(line)]
    streams = [(line.lane.key, line.sub) for line in lines if line.lane.shape == "stream"]
    found: dict[tuple[str, int], int] = {}
    for kind, rows in ((devices, 2), (streams, 2), (devices, TALL)):
        if len(kind) > spare:
            break
        spare -= len(kind)
        found.update(dict.fromkeys(kind, rows))
    return found


def _is_device(line: LaneLine) -> bool:
    return line.lane.kind is LaneKind.DEVICE and isinstance(line.lane.summary, Summary)


def sticky_lines(lines: Sequence[LaneLine], pinned: Sequence[str]) -> list[int]:
    """Numbers of the lines that stay in sight while others scroll: those of devices, and of pinned lanes."""
    keys = set(pinned)
    return [at for at, line in enumerate(lines) if line.lane.key in keys or _is_device(line)]


def most_rows(line: LaneLine) -> int:
    """How many lines a row may take: 1 where more would show nothing more."""
    if (series := line.series) is not None:
        return TALLEST if grows(series) else 1
    return TALL if _is_device(line) or line.row is not None else 1
