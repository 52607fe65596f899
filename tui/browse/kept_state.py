"""What the explorer remembers from one run to the next: how lanes are arranged, and how wide the pane is.

One small file, ``$XDG_STATE_HOME/nsystui/explorer.json``. What it says of a report goes with the
report's path, so that a new capture in its place looks as the last one did.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from tui.timeline.arrangement import Arrangement
from tui.timeline.series import TALLEST

VERSION = 1
MOST_REPORTS = 100
"""Of more reports the ones that were changed last are remembered."""
MOST_BYTES = 1 << 20
"""A larger file is none of ours."""

Heights = dict[tuple[str, int], int]


@dataclass(frozen=True)
class LanesOf:
    """How the lanes of one report are arranged, and the heights that the user gave to rows."""

    arrangement: Arrangement = field(default_factory=Arrangement)
    heights: Heights = field(default_factory=dict)

    @property
    def plain(self) -> bool:
        """Whether there is nothing to remember."""
        return replace(self.arrangement, needle="").plain and not self.heights


@dataclass(frozen=True)
class KeptState:
    """Everything that is remembered. ``reports``: the one that was changed last stands last."""

    pane: int | None = None
    reports: Mapping[str, LanesOf] = field(default_factory=dict)

    def with_lanes(self, report: str, lanes: LanesOf) -> KeptState:
        """Remember the lanes of a report."""
        rest = {name: kept for name, kept in self.reports.items() if name != report}
        if not lanes.plain:
            rest[report] = lanes
        return replace(self, reports=dict(list(rest.items())[-MOST_REPORTS:]))


def state_path(environ: Mapping[str, str] | None = None) -> Path:
    """The path of the file, whether or not it exists; a relative ``XDG_STATE_HOME`` is ignored."""
    environ = os.environ if environ is None else environ
    chosen = Path(environ.get("XDG_STATE_HOME", ""))
    home = Path(environ.get("HOME", "~")).expanduser() / ".local" / "state"
    return (chosen if chosen.is_absolute() else home) / "nsystui" / "explorer.json"


def name_of(report: Path) -> str:
    """What the report at a path is called in the file."""
    return hashlib.sha256(os.fsencode(report.resolve())).hexdigest()[:32]


def read_state(path: Path) -> tuple[KeptState, str]:
    """What the file at ``path`` remembers, and a word where it can't be used; without one: nothing."""
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return KeptState(), ""
    except OSError as error:
        return KeptState(), f"what was remembered of lanes can't be read: {error.strerror}"
    try:
        if len(content) > MOST_BYTES:
            raise ValueError
        return _state_of(json.loads(content)), ""
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return KeptState(), "what was remembered of lanes is damaged: it starts empty"


def change_state(path: Path, change: Callable[[KeptState], KeptState]) -> str:
    """Change what the file at ``path`` remembers; return a word where it can't be written."""
    content = json.dumps(_content_of(change(read_state(path)[0])), separators=(",", ":"))
    made: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as file:
            made = Path(file.name)
            file.write(content)
        made.replace(path)
    except OSError as error:
        if made is not None:
            with suppress(OSError):
                made.unlink()
        return f"can't remember how lanes are arranged: {error.strerror}"
    return ""


def _content_of(state: KeptState) -> dict[str, Any]:
    reports = {
        name: {
            "hidden": sorted(lanes.arrangement.hidden),
            "pinned": list(lanes.arrangement.pinned),
            "order": {owner: list(keys) for owner, keys in lanes.arrangement.order.items()},
            "heights": [[key, sub, rows] for (key, sub), rows in lanes.heights.items()],
        }
        for name, lanes in state.reports.items()
    }
    return {"version": VERSION, "pane": state.pane, "reports": reports}


def _state_of(content: Any) -> KeptState:
    """The state of parsed JSON; raises ValueError and its like where that is of another form."""
    if content["version"] != VERSION:
        raise ValueError
    pane = None if content["pane"] is None else _number(content["pane"])
    reports = {_text(name): _lanes_of(lanes) for name, lanes in content["reports"].items()}
    return KeptState(pane, reports)


def _lanes_of(lanes: Any) -> LanesOf:
    order = {_text(owner): _texts(keys) for owner, keys in lanes["order"].items()}
    arrangement = Arrangement(frozenset(_texts(lanes["hidden"])), _texts(lanes["pinned"]), order)
    heights = {
        (_text(key), _number(sub)): min(max(_number(rows), 1), TALLEST) for key, sub, rows in lanes["heights"]
    }
    return LanesOf(arrangement, heights)


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list):
        raise TypeError
    return tuple(map(_text, values))


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _number(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError
    return value
