"""The first and the last line of the ranks view: the set, what is under the cursor, what to press next."""

from __future__ import annotations

from tui.browse.ranks.browse import RanksBrowse
from tui.browse.ranks.scene import Scene
from tui.browse.screen_shape import PANE_LEAST
from tui.browse.status import PANE_HINTS, Hints, fitting_hints
from tui.text import cut, safe, width
from tui.text.cells import squeeze
from tui.text.numbers import plural
from tui.text.times import brief, nearest_instant
from tui.timeline.runs import Line, Run, fit_line, line_width, spread

HINTS: Hints = (
    ("rank-slowest", "slowest"),
    ("rank-order", "order"),
    ("rank-open", "its lanes"),
    ("fold", "fold"),
    ("step-next", "step"),
    ("pane", "pane"),
    ("help", "help"),
)
NARROW_HINTS: Hints = (("pane", "pane"), *(hint for hint in HINTS if hint[0] != "pane"))
"""Where the pane is not beside the lanes: it says why a rank is late."""
LOADING_HINTS: Hints = (("quit", "quit"), ("help", "help"))


def ranks_header(browse: RanksBrowse, cells: int) -> Line:
    """Draw what the set is, and which time is in sight on which axis."""
    scene = browse.scene
    if scene is None:
        return fit_line([Run(f" {safe(browse.place.path.name)}", "header")], cells, "header")
    dot = f" {browse.drawing.glyphs.dot} "
    ranks, hosts, gpus, steps = _facts(scene)
    seen = _seen(browse, scene)
    about = "+/-" if browse.drawing.glyphs.plain else "±"
    wide = [Run(f"{seen}   ", "header"), Run(f"aligned: {_aligned(scene, about, True)} ", "header.dim")]
    short = [Run(f"{seen}{dot}{_aligned(scene, about)} ", "header.dim")]
    order = f"by {browse.order.value}" if browse.order.value != "rank" else ""
    named = [scene.name, ranks, hosts, gpus, steps, order]
    # Where room is short, the alignment loses its name first, then the set its own, then what it is made of.
    few = [ranks, hosts, " ".join(steps.split(" ")[:2])]
    choices = [(named, wide), (named, short), ([ranks, hosts, steps, order], short), (few, short)]
    choices.append(([ranks, hosts], short))
    for words, right in choices:
        left = [Run(" " + dot.join(filter(None, words)), "header")]
        if line_width(left) + line_width(right) + 2 <= cells:
            return spread(left, right, cells, "header")
    return spread([Run(f" {ranks}", "header")], short, cells, "header")


def _facts(scene: Scene) -> tuple[str, str, str, str]:
    """``15 of 16 ranks``, ``2 hosts``, ``15 x H100``, ``40 steps train_step``."""
    there = len(scene.ranks)
    if scene.arrived < scene.reports:
        ranks = f"{scene.arrived:,} of {scene.reports:,} reports"
    elif scene.expected is not None and scene.expected != there:
        ranks = f"{there:,} of {plural(scene.expected, 'rank')}"
    else:
        ranks = plural(there, "rank")
    reports = [absent for absent in scene.absent if absent.number is None]
    empty = sum(absent.readable for absent in reports)
    lacks = [(len(reports) - empty, "broken"), (empty, "without ranks")]
    name, count = scene.devices[0] if scene.devices else ("", 0)
    steps, label = scene.steps
    return (
        ", ".join([ranks, *(f"{count} {what}" for count, what in lacks if count)]),
        plural(len(scene.hosts), "host"),
        f"{count} x {_gpu(name)}" if name else "",
        f"{plural(steps, 'step')} {safe(label)}".strip() if steps else "no steps",
    )


def _gpu(name: str) -> str:
    """``H100`` for ``NVIDIA H100 80GB HBM3``."""
    return safe(next((word for word in name.split() if word.upper() != "NVIDIA"), name))


def _seen(browse: RanksBrowse, scene: Scene) -> str:
    """``6.148 s .. 7.008 s``: what is in sight, on the axis."""
    view = browse.view
    if view is None:
        return ""
    first, last = view.viewport.start, view.viewport.end(view.cells)
    zero, step = browse.clock.zero, max((last - first) // 100, 1)
    return f"{nearest_instant(first - zero, step)} .. {nearest_instant(last - zero, step)}"


def _aligned(scene: Scene, about: str, long: bool = False) -> str:
    """``collectives, ± 64 us``; without the mode where room is short."""
    if not scene.uncertainty:
        return scene.alignment
    exactly = f"{about} {brief(scene.uncertainty)}"
    return f"{scene.alignment}, {exactly}" if long else exactly


def ranks_status(browse: RanksBrowse, cells: int, lines: int, *, in_pane: bool = False) -> list[Line]:
    """Draw what is under the cursor and the keys to press next."""
    ellipsis = browse.drawing.glyphs.ellipsis
    usual = HINTS if cells >= PANE_LEAST else NARROW_HINTS
    hints = PANE_HINTS if in_pane else usual if browse.view is not None else LOADING_HINTS
    keys = [(browse.hint(action), words) for action, words in hints]
    covered = in_pane and cells < PANE_LEAST  # what is under the cursor is not in sight
    text = " " + (browse.message if covered else _text(browse, cells))
    if lines > 1:
        below = [Run(" ", "status"), *fitting_hints(keys, cells - 1)]
        return [fit_line([Run(cut(text, cells, ellipsis), "status")], cells, "status"),
                fit_line(below, cells, "status")]  # fmt: skip
    if browse.message and width(text) + 1 > cells * 3 // 4:  # it is there for one key only
        return [fit_line([Run(cut(text, cells, ellipsis), "status")], cells, "status")]
    right = fitting_hints(keys, max(cells - min(width(text), cells * 3 // 4) - 2, 8))
    room = cells - line_width(right) - 2
    return [spread([Run(cut(text, max(1, room), ellipsis), "status")], right, cells, "status")]


def _text(browse: RanksBrowse, cells: int) -> str:
    """The message, or the instant, the rank, what it does there and how late it is."""
    view, scene, lane = browse.view, browse.scene, browse.lane
    if browse.message:
        return browse.message
    if view is None or scene is None:
        return "loading"
    dot = f" {browse.drawing.glyphs.dot} "
    parts = [] if cells < 100 else [f"cursor {browse.clock.at(view.cursor, view.viewport.ns_per_cell // 10)}"]
    if view.chosen is not None:
        parts.insert(0, f"selection {brief(view.chosen[1] - view.chosen[0])}")
    if lane is not None and lane.reason:
        return dot.join([*parts, lane.title, lane.reason])
    if lane is not None and len(lane.ranks) > 1:
        parts.append(f"{lane.title}: {plural(len(lane.ranks), 'rank')}")
        if lane.slowest >= 0:
            slow = scene.ranks[lane.slowest]
            own = f", own {brief(slow.own_ns)} a step" if slow.own_ns is not None else ""
            parts.append(f"slowest {safe(slow.title)}{own}")
    target = browse.target
    if target is not None:
        name, *rest = target.words
        if lane is None or len(lane.ranks) == 1:
            name = lane.title if lane is not None else name
            parts.append(squeeze(name, max(20, cells // 3), browse.drawing.glyphs.ellipsis))
        parts += [word for word in rest if word]
    elif lane is not None and len(lane.ranks) == 1:
        parts += [lane.title, "no data here"]
    return dot.join([*parts, *lateness(browse)])


def lateness(browse: RanksBrowse) -> list[str]:
    """``last of 15 by 61.2 ms`` where the cursor is on a collective, or in a step before one."""
    from tui.browse.ranks.moves import collective_at

    view, scene, lane = browse.view, browse.scene, browse.lane
    if scene is None or view is None or lane is None or len(lane.ranks) != 1 or not scene.complete:
        return []
    found = collective_at(scene, lane.middle, view.cursor)
    if found is None:
        return []
    group = scene.communicators[found.communicator]
    last, margin = int(group.last[found.instance]), int(group.margin[found.instance])
    if last == lane.middle and margin >= 0:
        return [f"last of {len(group.ranks)} by {brief(margin)}"]
    if found.wait >= 0 and last >= 0:
        return [f"waits {brief(found.wait)} for {safe(scene.ranks[last].title)}"]
    return []
