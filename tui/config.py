"""The config file, ``$XDG_CONFIG_HOME/nsystui/config.toml``, unchecked: each part checks its own table."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tui.errors import UsageError


def config_path(environ: Mapping[str, str] | None = None) -> Path:
    """The path of the config file, whether or not it exists; a relative ``XDG_CONFIG_HOME`` is ignored."""
    environ = os.environ if environ is None else environ
    chosen = Path(environ.get("XDG_CONFIG_HOME", ""))
    home = chosen if chosen.is_absolute() else Path(environ.get("HOME", "~")).expanduser() / ".config"
    return home / "nsystui" / "config.toml"


def read_config(path: Path) -> dict[str, Any]:
    """The content of the file at ``path``, empty without one; UsageError where it can't be read as TOML."""
    try:
        text = path.read_text("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError) as error:
        reason = (error.strerror or error) if isinstance(error, OSError) else "it is no UTF-8"
        raise UsageError(f"{path}: can't be read ({reason})") from error
    try:
        return parse_toml(text)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error


def config_table(name: str) -> dict[str, Any]:
    """The table ``[name]`` of the user's config file; empty where there is none."""
    path = config_path()
    table = read_config(path).get(name, {})
    if not isinstance(table, dict):
        raise UsageError(f"{path}: [{name}] is no table")
    return table


def parse_toml(text: str) -> dict[str, Any]:
    """Parse TOML ``text``; the UsageError does not name the file."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"is no TOML: {error}") from error
