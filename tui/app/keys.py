"""Every action of the explorer, once: bindings, palette, help screen and README come from here.

Keys are written as a person would (``+``, ``{``, ``ctrl+r``, ``pagedown``); :func:`textual_key`
turns them into the names that Textual uses. An action calls a method of a part of the main screen, or,
in the side pane, the method ``action_<id>`` (dashes become underscores) of the page.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tui.browse.pages import DIGITS, TABS, Tab
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
    call: str = ""
    """``part.method(arguments)`` of the main screen; without a part: of the page; empty: named by the id."""
    context: str = SCREEN
    """Where the key works: everywhere on the main screen, or while the side pane has the focus."""

    @property
    def method(self) -> str:
        """The action as Textual's bindings write it."""
        if "." not in self.call:
            return self.call or self.id.replace("-", "_")
        part, _, called = self.call.partition(".")
        method, _, arguments = called.rstrip(")").partition("(")
        return f"do({', '.join(filter(None, (repr(part), repr(method), arguments)))})"


MOVE = "Move"
FIND = "Find"
VIEW = "View and range"
TELL = "Look closer"
SIDE = "Side pane"
INSIDE = "In the side pane"
APP = "Explorer"

BY_DIGIT = "pane-"
BY_NAME = "tab-"
"""How the ids of the actions begin that show a tab."""


def tab_actions(tabs: Sequence[Tab]) -> tuple[Action, ...]:
    """The actions that show a tab: by its digit, and by its name, which has no key at first."""
    by_digit = (
        Action(f"{BY_DIGIT}{d}", (d,), f"Side pane: tab {d}", SIDE, f"pane.show_numbered({d})")
        for d in DIGITS[: len(tabs)]
    )
    by_name = (
        Action(f"{BY_NAME}{tab.name.lower()}", (), f"Side pane: {tab.name}", SIDE, f"pane.show({tab.name!r})")
        for tab in tabs
    )
    return (*by_digit, *by_name)


def shows_numbered(action: Action) -> bool:
    """Whether ``action`` shows a tab by its digit."""
    return action.id.removeprefix(BY_DIGIT) in DIGITS


_BEFORE_TABS: tuple[Action, ...] = (
    Action("zoom-in", ("w", "+", "="), "Zoom in at the cursor", MOVE, "view.zoom(True)"),
    Action("zoom-out", ("s", "-"), "Zoom out at the cursor", MOVE, "view.zoom(False)"),
    Action("pan-left", ("a", "h"), "Pan left by a quarter", MOVE, "navigator.pan(-1)"),
    Action("pan-right", ("d", "l"), "Pan right by a quarter", MOVE, "navigator.pan(1)"),
    Action("page-left", ("A",), "A screen to the left", MOVE, "view.page(-1)"),
    Action("page-right", ("D",), "A screen to the right", MOVE, "view.page(1)"),
    Action("cursor-left", ("left",), "Cursor one cell left", MOVE, "view.move_cursor(-1)"),
    Action("cursor-right", ("right",), "Cursor one cell right", MOVE, "view.move_cursor(1)"),
    Action("lane-up", ("up", "k"), "Lane above", MOVE, "view.move_line(-1)"),
    Action("lane-down", ("down", "j"), "Lane below", MOVE, "view.move_line(1)"),
    Action("lanes-up", ("pageup",), "A screen of lanes up", MOVE, "navigator.lanes(-1)"),
    Action("lanes-down", ("pagedown",), "A screen of lanes down", MOVE, "navigator.lanes(1)"),
    Action("to-start", ("home",), "Start of the capture", MOVE, "navigator.start()"),
    Action("to-end", ("end",), "End of the capture", MOVE, "navigator.end()"),
    Action("event-previous", (",",), "Previous event of the lane", FIND, "jumps.event(-1)"),
    Action("event-next", (".",), "Next event of the lane", FIND, "jumps.event(1)"),
    Action("step-previous", ("[",), "Previous step", FIND, "jumps.step(-1)"),
    Action("step-next", ("]",), "Next step", FIND, "jumps.step(1)"),
    Action("gap-previous", ("{",), "Previous idle gap of the device", FIND, "jumps.gap(-1)"),
    Action("gap-next", ("}",), "Next idle gap of the device", FIND, "jumps.gap(1)"),
    Action("launch-link", ("c",), "From a kernel to its launch call, and back", FIND, "jumps.launch()"),
    Action("search", ("/",), "Search names of slices", FIND, "search.ask()"),
    Action("search-next", ("n",), "Next match", FIND, "search.next(1)"),
    Action("search-previous", ("N",), "Previous match", FIND, "search.next(-1)"),
    Action("mark-set", ("m",), "Set a mark here: m, then a letter", FIND, "marks.set()"),
    Action("mark-go", ("'",), "Go to a mark: ', then its letter", FIND, "marks.go()"),
    Action("fit", ("f",), "Fit the range, or the thing under the cursor", VIEW, "navigator.fit()"),
    Action("fit-all", ("0",), "Show the whole capture", VIEW, "view.fit_all()"),
    Action("view-back", ("u",), "Back to the view before", VIEW, "navigator.back()"),
    Action("view-forward", ("U",), "Forward again", VIEW, "navigator.forward()"),
    Action(
        "range-start",
        ("v",),
        "Start a range here; the cursor moves its other end",
        VIEW,
        "navigator.range_start()",
    ),
    Action("range-here", ("r",), "Range := the thing under the cursor", VIEW, "navigator.range_here()"),
    Action("clear", ("escape",), "Clear the range, the search, the message", VIEW, "search.clear()"),
    Action("export", ("e",), "Write the range's events to a CSV file", VIEW, "exporter.ask()"),
    Action("details", ("enter",), "Everything about the thing under the cursor", TELL, "dialogs.details()"),
    Action("yank", ("y",), "Copy what is known about it to the clipboard", TELL, "clipboard.copy_target()"),
    Action("fold", ("space",), "Fold or unfold the lane's group", TELL, "navigator.fold()"),
    Action("fold-all", ("F",), "Fold or unfold every group", TELL, "view.toggle_fold_all()"),
    Action("legend", ("L",), "What colours and glyphs mean", TELL, "dialogs.legend()"),
    Action("notices", ("!",), "Notes and doubtful rows of this report", TELL, "dialogs.notices()"),
    Action("busy", ("b",), "Busy means: all device work, or kernels only", TELL, "navigator.busy()"),
    Action("time", ("t",), "Times: as recorded, or since the first device work", TELL, "navigator.time()"),
    Action("pane", ("tab",), "To the side pane and back", SIDE, "pane.cross()"),
)
_AFTER_TABS: tuple[Action, ...] = (
    Action("maximise", ("z",), "Side pane over the whole screen, and back", SIDE, "pane.maximise()"),
    Action(
        "row-jump", ("enter",), "Jump to the row's longest instance, gap or step", INSIDE, "follow(0)", PANE
    ),
    Action("row-next", ("n",), "Next instance of the row", INSIDE, "follow(1)", PANE),
    Action("row-previous", ("N",), "Previous instance of the row", INSIDE, "follow(-1)", PANE),
    Action("row-details", ("space",), "The row in full", INSIDE, context=PANE),
    Action("row-up", ("up", "k"), "Row above", INSIDE, "move(-1)", PANE),
    Action("row-down", ("down", "j"), "Row below", INSIDE, "move(1)", PANE),
    Action("rows-up", ("pageup",), "A page of rows up", INSIDE, "move_pages(-1)", PANE),
    Action("rows-down", ("pagedown",), "A page of rows down", INSIDE, "move_pages(1)", PANE),
    Action("row-first", ("home",), "First row", INSIDE, context=PANE),
    Action("row-last", ("end",), "Last row", INSIDE, context=PANE),
    Action("sort-next", ("o",), "Sort by the next column", INSIDE, context=PANE),
    Action("sort-reverse", ("O",), "Turn the order round", INSIDE, context=PANE),
    Action("filter", ("/",), "Show only rows that contain a text", INSIDE, context=PANE),
    Action("pane-leave", ("escape",), "Clear the filter, then back to the timeline", INSIDE, context=PANE),
    Action("next-report", ("R",), "Next report of those on the command line", APP, "shell.next_report()"),
    Action("reload", ("ctrl+r",), "Open the report again (after it changed on disk)", APP, "shell.reload()"),
    Action("redraw", ("ctrl+l",), "Paint the screen anew", APP, "shell.redraw()"),
    Action("palette", (":",), "Every action by name", APP, "dialogs.palette()"),
    Action("help", ("?", "f1"), "This help", APP, "dialogs.help()"),
    Action("suspend", ("ctrl+z",), "Suspend to the shell; fg comes back", APP, "shell.suspend_explorer()"),
    Action("quit", ("q", "ctrl+c"), "Quit", APP, "shell.leave()"),
)


def actions_of(tabs: Sequence[Tab]) -> tuple[Action, ...]:
    """Every action of an explorer with these tabs."""
    return (*_BEFORE_TABS, *tab_actions(tabs), *_AFTER_TABS)


ACTIONS = actions_of(TABS)

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
        if action.id == f"{BY_DIGIT}1":
            names = ", ".join(tab.name for tab in TABS)
            group.append((_digits(keymap, ascii_only), f"Side pane: {names}"))
        elif not shows_numbered(action) and (keys or not action.id.startswith(BY_NAME)):
            group.append((keys, action.description))
    return found


def _digits(keymap: Keymap, ascii_only: bool) -> list[str]:
    """``1-9``, or one by one where the user changed some."""
    actions = [action for action in ACTIONS if shows_numbered(action)]
    keys = [shown_key(key, ascii_only) for action in actions for key in keymap.keys(action)]
    standard = [key for action in actions for key in action.keys]
    return [f"{standard[0]}-{standard[-1]}"] if keys == standard else keys


def markdown(keymap: Keymap | None = None) -> str:
    """The README's table of keys: a row a group."""
    lines = ["| | keys |", "|---|---|"]
    for group, listed in entries(keymap or Keymap()).items():
        cells = (
            f"{' '.join(f'`{key}`' for key in keys)} {text[0].lower()}{text[1:]}" for keys, text in listed
        )
        lines.append(f"| **{group}** | {' · '.join(cells)} |")
    return "\n".join(lines) + "\n"
