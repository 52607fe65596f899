"""Payloads that an export keeps as JSON: the members of an object, however deep it nests."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from tui.analysis.payloads.blob import ALONE, DoesNotFit, Fields, Value

_GROUPED = re.compile(r"[+-]?\d{1,3}(,\d{3})+|[+-]?\d+")
_HEXADECIMAL = re.compile(r"0[xX][0-9a-fA-F]+")
_REAL = re.compile(r"[+-]?(\d+\.\d*|\.\d+|\d+)([eE][+-]?\d+)?")
_LONGEST = 64
"""Characters of the longest text that is looked at as a number."""
_MOST = 1000
"""Members of a payload that are looked at."""


def members(text: str) -> Fields:
    """The members of all objects in a JSON text, by name; of equal names the outermost, then the first.

    Texts that spell a number are numbers, thousands separators removed. Raises :class:`DoesNotFit` for what
    is no JSON.
    """
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DoesNotFit("a text that is no JSON") from error
    found: Fields = {}
    level: list[Any] = [whole]
    if not isinstance(whole, dict | list):
        value = _value(whole)
        return {} if value is None else {ALONE: value}
    while level and len(found) < _MOST:
        below: list[Any] = []
        for node in level:
            pairs = node.items() if isinstance(node, dict) else ((None, one) for one in node)
            for name, item in pairs:
                if isinstance(item, dict | list):
                    below.append(item)
                elif name is not None and (value := _value(item)) is not None:
                    found.setdefault(name, value)
        level = below
    return found


def _value(item: Any) -> Value | None:
    if isinstance(item, bool):
        return int(item)
    if isinstance(item, int):
        return item
    if isinstance(item, float):
        return item if math.isfinite(item) else None
    if not isinstance(item, str):
        return None
    text = item.strip()
    if len(text) > _LONGEST:
        return item
    if _GROUPED.fullmatch(text):
        return int(text.replace(",", ""))
    if _HEXADECIMAL.fullmatch(text):
        return int(text, 16)
    return float(text) if _REAL.fullmatch(text) else item
