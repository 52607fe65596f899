"""Every action of the explorer, once: bindings, palette, help screen and README come from here.

Keys are written as a person would (``+``, ``{``, ``ctrl+r``, ``pagedown``); :func:`textual_key`
turns them into the names that Textual uses. An action runs the method ``action_<id>`` (dashes
become underscores) of the widget or screen that its context names.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tui.errors import UsageError

SCREEN = "screen"
PANE = "pane"


@dataclass(frozen=True)
class Action:
    """Something that a key does."""

    id: str
    keys: tuple[str, ...]
    description: str
    group: str
    context: str = SCREEN
    """Where the key works: everywhere on the main screen, or while the side pane has the focus."""

    call: str = ""
    """The action with its argument; empty: the id, dashes as underscores."""

    @property
    def method(self) -> str:
        return self.call or self.id.replace("-", "_")


MOVE = "Move"
FIND = "Find"
VIEW = "View and range"
TELL = "Look closer"
SIDE = "Side pane"
INSIDE = "In the side pane"
APP = "Explorer"

TAB_NAMES = ("Overview", "Blame", "Kernels", "Copies", "NVTX", "API", "OS", "Steps", "Diagnosis")
TABS = tuple(
    Action(f"pane-{i}", (str(i),), f"Side pane: {name}", SIDE) for i, name in enumerate(TAB_NAMES, start=1)
)
ACTIONS: tuple[Action, ...] = (
    Action("zoom-in", ("w", "+", "="), "Zoom in at the cursor", MOVE),
    Action("zoom-out", ("s", "-"), "Zoom out at the cursor", MOVE),
    Action("pan-left", ("a", "h"), "Pan left by a quarter", MOVE),
    Action("pan-right", ("d", "l"), "Pan right by a quarter", MOVE),
    Action("page-left", ("A",), "A screen to the left", MOVE),
    Action("page-right", ("D",), "A screen to the right", MOVE),
    Action("cursor-left", ("left",), "Cursor one cell left", MOVE),
    Action("cursor-right", ("right",), "Cursor one cell right", MOVE),
    Action("lane-up", ("up", "k"), "Lane above", MOVE),
    Action("lane-down", ("down", "j"), "Lane below", MOVE),
    Action("lanes-up", ("pageup",), "A screen of lanes up", MOVE),
    Action("lanes-down", ("pagedown",), "A screen of lanes down", MOVE),
    Action("to-start", ("home",), "Start of the capture", MOVE),
    Action("to-end", ("end",), "End of the capture", MOVE),
    Action("event-previous", (",",), "Previous event of the lane", FIND),
    Action("event-next", (".",), "Next event of the lane", FIND),
    Action("step-previous", ("[",), "Previous step", FIND),
    Action("step-next", ("]",), "Next step", FIND),
    Action("gap-previous", ("{",), "Previous idle gap of the device", FIND),
    Action("gap-next", ("}",), "Next idle gap of the device", FIND),
    Action("launch-link", ("c",), "From a kernel to its launch call, and back", FIND),
    Action("search", ("/",), "Search names of slices", FIND),
    Action("search-next", ("n",), "Next match", FIND),
    Action("search-previous", ("N",), "Previous match", FIND),
    Action("mark-set", ("m",), "Set a mark here: m, then a letter", FIND),
    Action("mark-go", ("'",), "Go to a mark: ', then its letter", FIND),
    Action("fit", ("f",), "Fit the range, or the thing under the cursor", VIEW),
    Action("fit-all", ("0",), "Show the whole capture", VIEW),
    Action("view-back", ("u",), "Back to the view before", VIEW),
    Action("view-forward", ("U",), "Forward again", VIEW),
    Action("range-start", ("v",), "Start a range here; the cursor moves its other end", VIEW),
    Action("range-here", ("r",), "Range := the thing under the cursor", VIEW),
    Action("clear", ("escape",), "Clear the range, the search, the message", VIEW),
    Action("export", ("e",), "Write the range's events to a CSV file", VIEW),
    Action("details", ("enter",), "Everything about the thing under the cursor", TELL),
    Action("yank", ("y",), "Copy what is known about it to the clipboard", TELL),
    Action("fold", ("space",), "Fold or unfold the lane's group", TELL),
    Action("fold-all", ("F",), "Fold or unfold every group", TELL),
    Action("legend", ("L",), "What colours and glyphs mean", TELL),
    Action("notices", ("!",), "Notes and doubtful rows of this report", TELL),
    Action("busy", ("b",), "Busy means: all device work, or kernels only", TELL),
    Action("time", ("t",), "Times: as recorded, or since the first device work", TELL),
    Action("pane", ("tab",), "To the side pane and back", SIDE),
    *TABS,
    Action("maximise", ("z",), "Side pane over the whole screen, and back", SIDE),
    Action(
        "row-jump", ("enter",), "Jump to the row's longest instance, gap or step", INSIDE, PANE, "follow(0)"
    ),
    Action("row-next", ("n",), "Next instance of the row", INSIDE, PANE, "follow(1)"),
    Action("row-previous", ("N",), "Previous instance of the row", INSIDE, PANE, "follow(-1)"),
    Action("row-details", ("space",), "The row in full", INSIDE, PANE),
    Action("row-up", ("up", "k"), "Row above", INSIDE, PANE, "row(-1)"),
    Action("row-down", ("down", "j"), "Row below", INSIDE, PANE, "row(1)"),
    Action("rows-up", ("pageup",), "A page of rows up", INSIDE, PANE, "rows(-1)"),
    Action("rows-down", ("pagedown",), "A page of rows down", INSIDE, PANE, "rows(1)"),
    Action("row-first", ("home",), "First row", INSIDE, PANE),
    Action("row-last", ("end",), "Last row", INSIDE, PANE),
    Action("sort-next", ("o",), "Sort by the next column", INSIDE, PANE),
    Action("sort-reverse", ("O",), "Turn the order round", INSIDE, PANE),
    Action("filter", ("/",), "Show only rows that contain a text", INSIDE, PANE),
    Action("pane-leave", ("escape",), "Clear the filter, then back to the timeline", INSIDE, PANE),
    Action("next-report", ("R",), "Next report of those on the command line", APP),
    Action("reload", ("ctrl+r",), "Open the report again (after it changed on disk)", APP),
    Action("redraw", ("ctrl+l",), "Paint the screen anew", APP),
    Action("palette", (":",), "Every action by name", APP),
    Action("help", ("?", "f1"), "This help", APP),
    Action("suspend", ("ctrl+z",), "Suspend to the shell; fg comes back", APP),
    Action("quit", ("q", "ctrl+c"), "Quit", APP),
)

NAMED_KEYS = frozenset(
    {
        *("escape", "enter", "tab", "space", "backspace", "delete", "insert", "home", "end"),
        *("pageup", "pagedown", "up", "down", "left", "right"),
        *(f"f{i}" for i in range(1, 13)),
    }
)
MODIFIERS = frozenset({"ctrl", "alt", "shift"})
_TEXTUAL_NAMES = {",": "comma"}
"""Characters that a comma-separated list of keys can't hold as themselves."""
_SHOWN = {
    "escape": "esc", "pageup": "PgUp", "pagedown": "PgDn", "home": "Home", "end": "End",
    "up": "↑", "down": "↓", "left": "←", "right": "→", "enter": "enter", "f1": "F1",
}  # fmt: skip
_SHOWN_ASCII = {"↑": "Up", "↓": "Down", "←": "Left", "→": "Right"}


def check_key(key: str) -> str:
    """``key`` if it names a key; raises UsageError with what a key looks like."""
    *modifiers, last = key.split("+") if len(key) > 1 else [key]
    if key.endswith("++"):
        modifiers, last = key[:-2].split("+"), "+"
    named = last in NAMED_KEYS or (len(last) == 1 and last.isprintable() and last != " ")
    if not named or not MODIFIERS.issuperset(modifiers):
        raise UsageError(f"{key!r} is no key: write a character, ctrl+x, space, enter, pagedown, f5 ...")
    return key


def textual_key(key: str) -> str:
    """The name by which Textual binds ``key``."""
    return _TEXTUAL_NAMES.get(key, key)


def shown_key(key: str, ascii_only: bool = False) -> str:
    """``key`` as help and status line write it."""
    text = _SHOWN.get(key, key)
    return _SHOWN_ASCII.get(text, text) if ascii_only else text


@dataclass(frozen=True)
class Keymap:
    """Which keys run which action, after the user's changes."""

    overrides: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def keys(self, action: Action) -> tuple[str, ...]:
        """The keys of ``action``: the user's, else the built-in ones that no other action took."""
        if action.id in self.overrides:
            return self.overrides[action.id]
        taken = {
            key
            for other in ACTIONS
            if other.context == action.context
            for key in self.overrides.get(other.id, ())
        }
        return tuple(key for key in action.keys if key not in taken)

    def hint(self, action_id: str, ascii_only: bool = False) -> str:
        """The first key of an action, as shown; empty if it has none."""
        keys = self.keys(action_named(action_id))
        return shown_key(keys[0], ascii_only) if keys else ""

    def shown(self, action: Action, ascii_only: bool = False) -> str:
        """All keys of ``action``, as help lists them."""
        return " ".join(shown_key(key, ascii_only) for key in self.keys(action))

    def bound(self, context: str) -> Iterable[tuple[str, Action]]:
        """(Textual's key names joined by commas, action) for every action of ``context`` that has keys."""
        for action in ACTIONS:
            if action.context == context and (keys := self.keys(action)):
                yield ",".join(textual_key(key) for key in keys), action


def action_named(action_id: str) -> Action:
    """The action ``action_id``; raises UsageError with the nearest name."""
    for action in ACTIONS:
        if action.id == action_id:
            return action
    near = difflib.get_close_matches(action_id, [a.id for a in ACTIONS], n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise UsageError(f"no action {action_id!r}{hint}")


def keymap_of(changes: Mapping[str, object]) -> Keymap:
    """A keymap from the ``[keys]`` table of the config file.

    A value is a key, a list of keys, or an empty list (no key). Raises UsageError for an unknown
    action, something that is no key, and one key given to two actions of the same place.
    """
    overrides: dict[str, tuple[str, ...]] = {}
    owner: dict[tuple[str, str], str] = {}
    for action_id, value in changes.items():
        action = action_named(action_id)
        keys: Sequence[object] = value if isinstance(value, list) else [value]
        if not all(isinstance(key, str) and key for key in keys):
            raise UsageError(f'{action_id}: a key is a text such as "w", or a list of them')
        for key in keys:
            check_key(str(key))
            other = owner.setdefault((action.context, str(key)), action_id)
            if other != action_id:
                raise UsageError(f"key {key!r} is given to both {other!r} and {action_id!r}")
        overrides[action_id] = tuple(str(key) for key in keys)
    return Keymap(overrides)


def entries(keymap: Keymap, ascii_only: bool = False) -> dict[str, list[tuple[list[str], str]]]:
    """What help and README list: group -> (keys as shown, description); the pane's tabs in one entry."""
    found: dict[str, list[tuple[list[str], str]]] = {}
    for action in ACTIONS:
        group = found.setdefault(action.group, [])
        keys = [shown_key(key, ascii_only) for key in keymap.keys(action)]
        if action in TABS:
            if action is TABS[0]:
                group.append((_tab_keys(keymap, ascii_only), f"Side pane: {', '.join(TAB_NAMES)}"))
        else:
            group.append((keys, action.description))
    return found


def _tab_keys(keymap: Keymap, ascii_only: bool) -> list[str]:
    """``1-8``, or one by one where the user changed some."""
    keys = [shown_key(key, ascii_only) for tab in TABS for key in keymap.keys(tab)]
    standard = [str(i) for i in range(1, len(TABS) + 1)]
    return [f"1-{len(TABS)}"] if keys == standard else keys


def markdown(keymap: Keymap | None = None) -> str:
    """The README's table of keys: a row a group."""
    lines = ["| | keys |", "|---|---|"]
    for group, listed in entries(keymap or Keymap()).items():
        cells = (
            f"{' '.join(f'`{key}`' for key in keys)} {text[0].lower()}{text[1:]}" for keys, text in listed
        )
        lines.append(f"| **{group}** | {' · '.join(cells)} |")
    return "\n".join(lines) + "\n"
