"""The table of the explorer's actions, from which bindings, palette, help screen and README are made.

Keys are written as ``+``, ``{``, ``ctrl+r``, ``pagedown``. An action calls a method of a part of the main
screen or, in the side pane, the method ``action_<id>`` (dashes become underscores) of the page.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tui.browse.pages import DIGITS, TABS, Tab
from tui.errors import UsageError

SCREEN = "screen"
PANE = "pane"
RANKS = "ranks"
FLAME = "flame"


@dataclass(frozen=True)
class Action:
    """Something that a key does."""

    id: str
    keys: tuple[str, ...]
    description: str
    group: str
    call: str = ""
    """``part.method(arguments)`` of the main screen, or a method of the page; empty: the id names it."""
    context: str = SCREEN
    """Where the key works: on the main screen and the ranks view that resembles it, on the ranks view alone
    (before a key of the main screen), or only while the side pane, or the flame, has the focus."""

    @property
    def method(self) -> str:
        """The action in the notation of Textual's bindings."""
        if "." not in self.call:
            return self.call or self.id.replace("-", "_")
        part, _, called = self.call.partition(".")
        method, _, arguments = called.rstrip(")").partition("(")
        return f"do({', '.join(filter(None, (repr(part), repr(method), arguments)))})"


MOVE = "Move"
FIND = "Find"
VIEW = "View and selection"
LOOK = "Look closer"
SIDE = "Side pane"
INSIDE = "In the side pane"
APP = "Explorer"
MANY = "Ranks view"
BURN = "In the flame"

BY_DIGIT = "pane-"
BY_NAME = "tab-"
"""Prefixes of the ids of actions that show a tab."""


def tab_actions(tabs: Sequence[Tab]) -> tuple[Action, ...]:
    """Return the actions that show a tab, by its digit and by its name; a name has no key by default."""
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
    """Return whether ``action`` shows a tab by its digit."""
    return action.id.removeprefix(BY_DIGIT) in DIGITS


_BEFORE_TABS: tuple[Action, ...] = (
    Action("zoom-in", ("w", "+", "="), "Zoom in at the cursor", MOVE, "navigator.zoom(True)"),
    Action("zoom-out", ("s", "-"), "Zoom out at the cursor", MOVE, "navigator.zoom(False)"),
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
    Action(
        "gap-longest",
        ("G",),
        "Longest idle gap of the window; again: the next longest",
        FIND,
        "jumps.longest()",
    ),
    Action("go-to", ("g",), "Go to a time, 50%, step 5, gap 3, or a range by its name", FIND, "places.ask()"),
    Action(
        "launch-link",
        ("c",),
        "From a kernel to its launch and back; from an NVTX range to the work that it launched",
        FIND,
        "links.follow()",
    ),
    Action("step-compare", ("C",), "Mark this step; on another one: compare both", FIND, "steps.mark()"),
    Action("step-is", ("M",), "This range is the step; again: found by rule", FIND, "step_choice.choose()"),
    Action("search", ("/",), "Search names of slices", FIND, "search.ask()"),
    Action("search-next", ("n",), "Next match", FIND, "search.next(1)"),
    Action("search-previous", ("N",), "Previous match", FIND, "search.next(-1)"),
    Action("mark-set", ("m",), "Set a mark here: m, then a letter", FIND, "marks.set()"),
    Action("mark-go", ("'",), "Go to a mark: ', then its letter", FIND, "marks.go()"),
    Action("fit", ("f",), "Fit the selection, or the thing under the cursor", VIEW, "navigator.fit()"),
    Action("fit-all", ("0",), "Show the work window; again: everything recorded", VIEW, "view.fit_all()"),
    Action("view-back", ("u",), "Back to the view before", VIEW, "navigator.back()"),
    Action("view-forward", ("U",), "Forward again", VIEW, "navigator.forward()"),
    Action(
        "range-start",
        ("v",),
        "Start a selection; the cursor moves its other end",
        VIEW,
        "navigator.range_start()",
    ),
    Action("range-here", ("r",), "Select the thing under the cursor", VIEW, "navigator.range_here()"),
    Action("clear", ("escape",), "Clear the selection and the search", VIEW, "search.clear()"),
    Action("export", ("e",), "Write the selection's events to a CSV file", VIEW, "exporter.ask()"),
    Action("details", ("enter",), "Everything about the thing under the cursor", LOOK, "dialogs.details()"),
    Action("yank", ("y",), "Copy what is known about it to the clipboard", LOOK, "clipboard.copy_target()"),
    Action("events", ("i",), "List the events of the lane, or of the search", LOOK, "lists.events()"),
    Action("ranges", ("I",), "NVTX ranges as a tree by path", LOOK, "lists.ranges()"),
    Action("fold", ("space",), "Fold or unfold the lane's group", LOOK, "navigator.fold()"),
    Action("fold-all", ("F",), "Fold or unfold every group", LOOK, "view.toggle_fold_all()"),
    Action("row-taller", (")",), "Give a line of values one row more", LOOK, "lanes.grow(1)"),
    Action("row-lower", ("(",), "Take a row from a line of values", LOOK, "lanes.grow(-1)"),
    Action("lane-hide", ("H",), "Hide the lane under the cursor", LOOK, "lanes.hide()"),
    Action("lanes-hidden", ("p",), "The hidden lanes: bring some back", LOOK, "lanes.bring_back()"),
    Action("lane-pin", ("P",), "Put the lane first, or back to its place", LOOK, "lanes.pin()"),
    Action("lane-lower", ("J",), "Move the lane down", LOOK, "lanes.move(1)"),
    Action("lane-higher", ("K",), "Move the lane up", LOOK, "lanes.move(-1)"),
    Action("lanes-filter", ("\\",), "Show only lanes that contain a text", LOOK, "lanes.filter()"),
    Action("scale", ("S",), "Scale of values: the whole capture's, or in sight", LOOK, "navigator.scale()"),
    Action("legend", ("L",), "What colours and glyphs mean", LOOK, "dialogs.legend()"),
    Action("notices", ("!",), "Notes and doubtful rows of this report", LOOK, "dialogs.notices()"),
    Action("project", ("T",), "NVTX of the thread: in host time, or on the device", LOOK, "links.project()"),
    Action("busy", ("b",), "Busy means: all device work, kernels, or compute", LOOK, "navigator.busy()"),
    Action("time", ("t",), "Times: as recorded, or since the first device work", LOOK, "navigator.time()"),
    Action("pane", ("tab",), "To the side pane and back", SIDE, "pane.cross()"),
)
_AFTER_TABS: tuple[Action, ...] = (
    Action("pane-wider", ("<",), "Side pane wider", SIDE, "pane.widen(1)"),
    Action("pane-narrower", (">",), "Side pane narrower", SIDE, "pane.widen(-1)"),
    Action("maximise", ("z",), "Side pane over the whole screen, and back", SIDE, "pane.maximise()"),
    Action(
        "row-jump", ("enter",), "Jump to the row's longest instance, gap or step", INSIDE, "follow(0)", PANE
    ),
    Action("row-next", ("n",), "Next instance of the row", INSIDE, "follow(1)", PANE),
    Action("row-previous", ("N",), "Previous instance of the row", INSIDE, "follow(-1)", PANE),
    Action("row-details", ("space",), "The row in full", INSIDE, context=PANE),
    Action("flame", ("f",), "On Ranges: draw the flame of the window; else fit", INSIDE, context=PANE),
    Action("row-events", ("i",), "List the events of the row", INSIDE, context=PANE),
    Action(
        "rows-export",
        ("e",),
        "Write the listed events (else the selection's) to a CSV file",
        INSIDE,
        context=PANE,
    ),
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
    Action("redraw", ("ctrl+l",), "Redraw the screen", APP, "shell.redraw()"),
    Action("palette", (":",), "Every action by name", APP, "dialogs.palette()"),
    Action("help", ("?", "f1"), "This help", APP, "dialogs.help()"),
    Action(
        "suspend", ("ctrl+z",), "Suspend to the shell; fg comes back", APP, "shell.action_suspend_process()"
    ),
    Action("quit", ("q", "ctrl+c"), "Quit", APP, "shell.leave()"),
)
_OF_FLAME: tuple[Action, ...] = (
    Action("flame-left", ("left", "h"), "The range before this one", BURN, "across(-1)", FLAME),
    Action("flame-right", ("right", "l"), "The next range of the same parent", BURN, "across(1)", FLAME),
    Action("flame-up", ("up", "k"), "The range around it", BURN, "outward", FLAME),
    Action("flame-down", ("down", "j"), "The widest range inside it", BURN, "deeper", FLAME),
    Action("flame-closer", ("enter",), "Let it fill the width", BURN, "closer", FLAME),
    Action("flame-farther", ("u",), "Show what is around it again", BURN, "farther", FLAME),
    Action("flame-by", ("b",), "Host time, or time on the device", BURN, "turn", FLAME),
    Action("flame-events", ("i",), "List its instances", BURN, "node_events", FLAME),
    Action("flame-leave", ("escape", "f"), "Back to the lanes", BURN, "flame_leave", FLAME),
)
_OF_RANKS: tuple[Action, ...] = (
    Action("rank-slowest", ("x",), "To the slowest rank of the step here", MANY, "jumps.slowest()", RANKS),
    Action(
        "rank-margin",
        ("X",),
        "To the collective whose last rank was latest; again: the next",
        MANY,
        "jumps.margin()",
        RANKS,
    ),
    Action("rank-order", ("O",), "Ranks by number, lateness, own time, host", MANY, "jumps.order()", RANKS),
    Action("rank-heat", ("B",), "Below: lateness, own times, or both in short", MANY, "jumps.heat()", RANKS),
    Action(
        "rank-farther",
        ("_",),
        "A rank a row, two, or a host a row; so does - in the titles",
        MANY,
        "jumps.farther()",
        RANKS,
    ),
    Action(
        "rank-participant", ("c",), "Through the participants of a collective", MANY, "jumps.launch()", RANKS
    ),
    Action(
        "rank-open",
        ("enter",),
        "The rank's own lanes below; again: its report at the same time",
        MANY,
        "opener.open()",
        RANKS,
    ),
    Action(
        "rank-back",
        ("u",),
        "Back: the view before, or without the rank's own lanes",
        MANY,
        "opener.back()",
        RANKS,
    ),
    Action(
        "rank-notes", ("!",), "Notes on this set, missing and broken ranks", MANY, "pane.show('Notes')", RANKS
    ),
    Action("rank-gap", ("G",), "Longest idle stretch of the rank", MANY, "jumps.longest()", RANKS),
    Action("rank-search", ("/",), "Find a rank by number, host or report", MANY, "search.ask()", RANKS),
    Action("rank-search-next", ("n",), "Next one found", MANY, "search.next(1)", RANKS),
    Action("rank-search-previous", ("N",), "The one before", MANY, "search.next(-1)", RANKS),
    Action("rank-time", ("t", "g"), "Go to a time of the axis", MANY, "instants.ask()", RANKS),
    Action(
        "rank-yank", ("y",), "Copy what is known of the rank here", MANY, "clipboard.copy_target()", RANKS
    ),
    Action(
        "rank-not-here",
        ("e", "b", "C", "i", "I", "M", "T"),
        "Work in a report's own view alone",
        MANY,
        "opener.not_here()",
        RANKS,
    ),
)

NOT_OF_RANKS = frozenset(
    {"search", "search-next", "search-previous", "export", "busy", "time", "yank", "details", "launch-link",
     "notices", "view-back", "gap-longest", "events", "go-to", "row-taller", "row-lower", "scale",
     "lane-hide", "lanes-hidden", "lane-pin", "lane-lower", "lane-higher", "lanes-filter", "pane-wider",
     "pane-narrower", "project", "ranges", "step-is"}
)  # fmt: skip
"""Actions of the main screen that the ranks view lacks, or has of its own."""


def actions_of(tabs: Sequence[Tab]) -> tuple[Action, ...]:
    """Return every action of an explorer with these tabs."""
    return (*_BEFORE_TABS, *tab_actions(tabs), *_AFTER_TABS, *_OF_FLAME, *_OF_RANKS)


ACTIONS = actions_of(TABS)

NAMED_KEYS = {
    "escape", "enter", "tab", "space", "backspace", "delete", "insert", "home", "end", "pageup", "pagedown",
    "up", "down", "left", "right", *(f"f{i}" for i in range(1, 13)),
}  # fmt: skip
MODIFIERS = {"ctrl", "alt", "shift"}
_SHOWN = {
    "escape": "esc", "pageup": "PgUp", "pagedown": "PgDn", "home": "Home", "end": "End",
    "up": "↑", "down": "↓", "left": "←", "right": "→", "enter": "enter", "f1": "F1",
}  # fmt: skip
_SHOWN_ASCII = {"↑": "Up", "↓": "Down", "←": "Left", "→": "Right"}


def check_key(key: str) -> str:
    """Return ``key`` if it names a key; raise UsageError with examples of keys if not."""
    *modifiers, last = key.split("+") if len(key) > 1 else [key]
    if key.endswith("++"):
        modifiers, last = key[:-2].split("+"), "+"
    named = last in NAMED_KEYS or (len(last) == 1 and last.isprintable() and last != " ")
    if not named or not MODIFIERS.issuperset(modifiers):
        raise UsageError(f"{key!r} is no key: write a character, ctrl+x, space, enter, pagedown, f5 ...")
    return key


def shown_key(key: str, ascii_only: bool = False) -> str:
    """Return ``key`` as help and status line write it."""
    text = _SHOWN.get(key, key)
    return _SHOWN_ASCII.get(text, text) if ascii_only else text


@dataclass(frozen=True)
class Keymap:
    """Which keys run which action, after the user's changes."""

    overrides: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def keys(self, action: Action) -> tuple[str, ...]:
        """Return the user's keys of ``action``, else its own without those that the user gave to others."""
        if action.id in self.overrides:
            return self.overrides[action.id]
        others = [self.overrides.get(a.id, ()) for a in ACTIONS if a.context == action.context]
        return tuple(key for key in action.keys if not any(key in keys for keys in others))

    def hint(self, action_id: str, ascii_only: bool = False) -> str:
        """Return the first key of an action, as shown; empty if it has none."""
        keys = self.keys(action_named(action_id))
        return shown_key(keys[0], ascii_only) if keys else ""

    def shown(self, action: Action, ascii_only: bool = False) -> str:
        """Return all keys of ``action``, as help lists them."""
        return " ".join(shown_key(key, ascii_only) for key in self.keys(action))

    def bindings(self, context: str) -> Iterator[tuple[str, Action]]:
        """Yield (Textual's key names joined by commas, action) for the actions of ``context`` with keys."""
        taken: set[str] = set()
        for action in actions_in(context):
            keys = [key for key in self.keys(action) if key not in taken]
            taken |= set(keys)
            if keys:
                yield ",".join("comma" if key == "," else key for key in keys), action


def actions_in(context: str) -> Iterator[Action]:
    """Yield the actions of a context; after those of the ranks view what it shares with the main screen."""
    yield from (action for action in ACTIONS if action.context == context)
    if context == RANKS:
        shared = (a for a in ACTIONS if a.context == SCREEN and a.id not in NOT_OF_RANKS)
        yield from (action for action in shared if not action.id.startswith(BY_NAME))


def action_named(action_id: str) -> Action:
    """Return the action ``action_id``; raise UsageError with the nearest name."""
    for action in ACTIONS:
        if action.id == action_id:
            return action
    near = difflib.get_close_matches(action_id, [a.id for a in ACTIONS], n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise UsageError(f"no action {action_id!r}{hint}")


def keymap_of(changes: Mapping[str, object]) -> Keymap:
    """Return a keymap from the ``[keys]`` table of the config file.

    A value is a key, a list of keys, or an empty list (no key). Raises UsageError for an unknown action,
    for something that is no key, and for one key given to two actions of the same context.
    """
    overrides: dict[str, tuple[str, ...]] = {}
    owner: dict[tuple[str, str], str] = {}
    for action_id, value in changes.items():
        action = action_named(action_id)
        keys: list[Any] = value if isinstance(value, list) else [value]
        if not all(isinstance(key, str) and key for key in keys):
            raise UsageError(f'{action_id}: a key is a text such as "w", or a list of them')
        for key in keys:
            other = owner.setdefault((action.context, check_key(key)), action_id)
            if other != action_id:
                raise UsageError(f"key {key!r} is given to both {other!r} and {action_id!r}")
        overrides[action_id] = tuple(keys)
    return Keymap(overrides)


def entries(
    keymap: Keymap, ascii_only: bool = False, actions: Iterable[Action] | None = None
) -> dict[str, list[tuple[list[str], str]]]:
    """Return group -> (keys as shown, description) for help and README, the pane's tabs in one entry.

    ``actions``: default all of them.
    """
    found: dict[str, list[tuple[list[str], str]]] = {}
    for action in ACTIONS if actions is None else actions:
        group = found.setdefault(action.group, [])
        keys = [shown_key(key, ascii_only) for key in keymap.keys(action)]
        if action.id == f"{BY_DIGIT}1":
            names = ", ".join(tab.name for tab in TABS)
            group.append(
                (_digits(keymap, ascii_only), f"Side pane: the first nine that have data of {names}")
            )
        elif not shows_numbered(action) and (keys or not action.id.startswith(BY_NAME)):
            group.append((keys, action.description))
    return found


def listed_at(action: Action) -> tuple[bool, int]:
    """Where help lists an action: in the order of the table, what the ranks view alone has first."""
    return action.context != RANKS, ACTIONS.index(action)


def _digits(keymap: Keymap, ascii_only: bool) -> list[str]:
    """Return ``1-9``, or the keys one by one where the user has changed some."""
    actions = [action for action in ACTIONS if shows_numbered(action)]
    keys = [shown_key(key, ascii_only) for action in actions for key in keymap.keys(action)]
    standard = [key for action in actions for key in action.keys]
    return [f"{standard[0]}-{standard[-1]}"] if keys == standard else keys
