"""Everything about what a rank does under the cursor, as labels and values."""

from __future__ import annotations

from tui.browse.details import times
from tui.browse.page import Pairs
from tui.browse.ranks.browse import RanksBrowse, opened_words
from tui.browse.ranks.status import lateness
from tui.text import safe
from tui.text.times import exact


def inspect_rank(browse: RanksBrowse) -> tuple[str, Pairs] | None:
    """The title of the rank under the cursor and what is known of it there; else None, and a message."""
    lane, facts, view = browse.lane, browse.facts, browse.view
    if lane is not None and lane.reason:
        return lane.title, [("rank", lane.title), ("status", lane.reason)]
    if facts is None or view is None:
        browse.message = "no rank under the cursor"
        return None
    pairs: Pairs = [
        ("rank", safe(facts.title)),
        ("where", opened_words(facts)),
        ("report", safe(str(facts.path))),
    ]
    pairs += [
        ("time on the axis", browse.clock.at(view.cursor)),
        ("in the report", f"{facts.recorded(view.cursor):,} ns"),
    ]
    if facts.own_ns is not None:
        pairs.append(("own time a step", exact(facts.own_ns)))
    target = browse.target
    if target is not None and (lane is None or len(lane.ranks) == 1):
        pairs.append(("what", ", ".join(word for word in target.words[int(lane is not None) :] if word)))
        pairs += times(browse.clock, target.start, target.end)
    pairs += [("collective", words) for words in lateness(browse)]
    return safe(facts.title), pairs
