"""The user's settings in ``$XDG_CONFIG_HOME/nsystui/config.toml``; an error in it is reported in one line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tui.app.keys import Keymap, keymap_of
from tui.config import config_path, read_config
from tui.errors import UsageError

SETTINGS: Mapping[str, tuple[type, tuple[object, ...]]] = {
    "mouse": (bool, ()),
    "ascii": (bool, ()),
    "colors": (str, ("auto", "truecolor", "256", "16", "none")),
    "time": (str, ("as recorded", "since start")),
    "busy": (str, ("all", "kernels")),
    "min_gap": (str, ()),
}
"""The settings of the ``[explorer]`` table: their type and, for a choice, the values."""


@dataclass(frozen=True)
class Config:
    """The settings of the config file, checked, and the defaults of the others."""

    keymap: Keymap = field(default_factory=Keymap)
    mouse: bool = True
    ascii: bool = False
    colors: str = "auto"
    time: str = "as recorded"
    busy: str = "all"
    min_gap: str = "100us"
    diagnose: Mapping[str, Any] = field(default_factory=dict)
    """The ``[diagnose]`` table, unchecked: the diagnosis checks it."""


def load_config(path: Path | None = None) -> Config:
    """Return the settings of the file at ``path`` (default: :func:`config_path`), or defaults without one.

    Raises UsageError, naming the file, for anything that is no valid setting.
    """
    path = config_path() if path is None else path
    content = read_config(path)
    try:
        return _config_of(content)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error


def _config_of(content: Mapping[str, Any]) -> Config:
    keys = content.get("keys", {})
    explorer = content.get("explorer", {})
    limits = content.get("diagnose", {})
    if not all(isinstance(table, dict) for table in (keys, explorer, limits)):
        raise UsageError("[keys], [explorer] and [diagnose] are tables")
    for name, value in explorer.items():
        _check_setting(name, value)
    return Config(keymap=keymap_of(keys), diagnose=limits, **explorer)


def _check_setting(name: str, value: object) -> None:
    if name not in SETTINGS:
        raise UsageError(f"[explorer] has no setting {name!r}; it has {', '.join(SETTINGS)}")
    kind, choices = SETTINGS[name]
    if not isinstance(value, kind):
        raise UsageError(
            f"[explorer] {name} = {value!r} should be {'true or false' if kind is bool else 'a text'}"
        )
    if choices and value not in choices:
        raise UsageError(f"[explorer] {name} = {value!r} should be one of {', '.join(map(str, choices))}")
