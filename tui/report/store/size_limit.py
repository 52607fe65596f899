"""How much room the store may take: ``NSYSTUI_CACHE_LIMIT``, else ``cache_limit`` of the config file."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tui.errors import UsageError

DEFAULT_LIMIT = 20 * 10**9
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?\s*", re.IGNORECASE)
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


def config_file(environ: Mapping[str, str] | None = None) -> Path:
    """``$XDG_CONFIG_HOME/nsystui/config.toml``, else under ``~/.config``, whether or not it exists."""
    environ = os.environ if environ is None else environ
    base = environ.get("XDG_CONFIG_HOME", "")
    home = Path(base) if base.startswith("/") else Path(environ.get("HOME") or "/") / ".config"
    return home / "nsystui" / "config.toml"


def parse_size(text: str) -> int:
    """``"500 MB"``, ``"20G"``, ``"1000"`` as bytes (decimal units). Raises UsageError."""
    match = _SIZE.fullmatch(text)
    if match is None:
        raise UsageError(f"{text!r} is no size such as 500MB or 20GB")
    return int(float(match[1]) * _UNITS[match[2].lower()])


def cache_limit(environ: Mapping[str, str] | None = None) -> int:
    """Bytes that stored reports may take. Raises UsageError, naming the place, for what is no size."""
    environ = os.environ if environ is None else environ
    if chosen := environ.get("NSYSTUI_CACHE_LIMIT"):
        return parse_size(chosen)
    path = config_file(environ)
    value = _from_config(path)
    if value is None:
        return DEFAULT_LIMIT
    try:
        return parse_size(str(value))
    except UsageError as error:
        raise UsageError(f"{path}: cache_limit: {error}") from None


def _from_config(path: Path) -> object:
    """The setting, None where the file does not have it; what else is wrong with it is not said here."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        content: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return content.get("cache_limit")
