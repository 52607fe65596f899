"""The speeds of adapters, which no export has: what the user's configuration says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase

from tui.config import config_path, config_table
from tui.errors import UsageError

_SPEED = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kMGT]?)(bits?|b|B|bytes?)?(?:/s|ps)?\s*")
_PREFIXES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def parse_speed(text: str) -> float:
    """Bytes a second of ``400Gbit``, ``400G``, ``25 Gbit/s`` or ``50GB/s``. Raises UsageError.

    Without a unit it is bits, as links are sold.
    """
    match = _SPEED.fullmatch(text)
    if match is None or float(match[1]) == 0:
        raise UsageError(f"{text!r} is no speed such as 400Gbit or 50GB/s")
    bits = 8 if (match[3] or "").startswith(("B", "byte")) else 1
    return float(match[1]) * _PREFIXES[match[2]] * bits / 8


def configured_speeds() -> dict[str, float]:
    """Bytes a second by the name of the adapter (``mlx5_*`` for several), of ``[network] speed``."""
    table = config_table("network")
    if unknown := sorted(set(table) - {"speed"}):
        raise UsageError(f"{config_path()}: [network] {unknown[0]}: there is no such setting; there is speed")
    found = table.get("speed", {})
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        example = 'speed = {"mlx5_0" = "400Gbit"}'
        raise UsageError(f"{config_path()}: [network] speed has to be a table such as {example}")
    try:
        return {name: parse_speed(value) for name, value in found.items()}
    except UsageError as error:
        raise UsageError(f"{config_path()}: [network] {error}") from error


def speed_of(name: str, speeds: Mapping[str, float]) -> float | None:
    """The speed of an adapter in bytes a second; None: nobody says."""
    if name in speeds:
        return speeds[name]
    return next((speed for pattern, speed in speeds.items() if fnmatchcase(name, pattern)), None)
