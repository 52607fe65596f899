"""What has changed on disk between two readings of a set."""

from __future__ import annotations

from tui.browse.ranks.scene import Scene
from tui.ranks.judged import Judged
from tui.text import safe
from tui.text.numbers import plural

NAMED = 3
"""How many reports are named before the others are counted."""


def change_words(before: Scene, after: Scene) -> str:
    """``read again: 1 report changed (rank3.sqlite), 1 can't be read (rank1.sqlite)``."""
    old, new = _contents(before), _contents(after)
    changed = [path for path, key in new.items() if key is not None and old.get(path, key) != key]
    lost = [path for path, key in new.items() if key is None and old.get(path) is not None]
    came = [path for path, key in new.items() if key is not None and path not in old]
    parts = []
    if changed or came:
        parts.append(f"{plural(len(changed) + len(came), 'report')} changed ({_some([*changed, *came])})")
    if lost:
        parts.append(f"{len(lost):,} can't be read any more ({_some(lost)}): ! says why")
    return "read again: " + (", ".join(parts) if parts else "nothing has changed")


def _contents(scene: Scene) -> dict[str, str | None]:
    """Path -> key of the report's content; None where it can't be read."""
    if not isinstance(scene.judged, Judged):
        return {}
    members = scene.judged.rank_set.members
    return {str(m.path): m.summary.key if m.summary is not None else None for m in members}


def _some(paths: list[str]) -> str:
    names = ", ".join(safe(path.rpartition("/")[2]) for path in paths[:NAMED])
    return names + (f" and {len(paths) - NAMED:,} more" if len(paths) > NAMED else "")
