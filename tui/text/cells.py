"""Safe text by terminal cells: measured, cut, padded, squeezed, wrapped."""

from __future__ import annotations

import re
from functools import lru_cache

_ASCII = re.compile(r"[ -~]*")
_NARROW = re.compile("[ -~\u00b7\u2026\u2500-\u259f\u25b4\u25b8\u25bc\u25be\u25c2]*")
"""Characters of one cell: ASCII and what frames are drawn with (lines, blocks, dots, fold marks)."""


@lru_cache(maxsize=4096)
def _cells(char: str) -> int:
    from wcwidth import wcwidth  # large, and most reports' names never ask for it

    return max(wcwidth(char), 0)


def width(text: str) -> int:
    """Return how many terminal cells a :func:`safe` text fills."""
    return len(text) if _NARROW.fullmatch(text) else sum(map(_cells, text))


def cut(text: str, cells: int, ellipsis: str = "…") -> str:
    """Return ``text``, or as much of it as fits into ``cells`` with ``ellipsis`` at its end.

    A wide character is never split: the result may be a cell short. No more of a long text is read than
    is shown.
    """
    if cells <= 0:
        return ""
    if len(text) <= cells and width(text) <= cells:
        return text
    if (head := _head(text, cells + 1)) == text and width(text) <= cells:
        return text
    room = cells - width(ellipsis)
    if room < 0:
        return _head(text, cells)
    return _head(head, room) + ellipsis


def _head(text: str, cells: int) -> str:
    """Return the longest beginning of ``text`` that fits into ``cells``."""
    if _ASCII.fullmatch(text, 0, cells):
        return text[:cells]
    used = 0
    for i, char in enumerate(text):
        used += _cells(char)
        if used > cells:
            return text[:i]
    return text


def pad(text: str, cells: int, align: str = "left", ellipsis: str = "…") -> str:
    """Cut ``text`` to ``cells`` or fill it with spaces to exactly that; align: left, right, center."""
    text = cut(text, cells, ellipsis)
    room = max(cells - width(text), 0)
    left = {"left": 0, "right": room, "center": room // 2}[align]
    return " " * left + text + " " * (room - left)


def squeeze(text: str, cells: int, ellipsis: str) -> str:
    """Cut ``text`` in its middle to fit into ``cells``: names of one family differ at their ends."""
    if width(text) <= cells:
        return text
    head = cut(text, max(1, (cells - 1) * 3 // 5), "")
    room = cells - width(head) - width(ellipsis)
    tail = cut(text[::-1], room, "")[::-1]
    return cut(head + ellipsis + tail, cells, "")


def wrapped(text: str, cells: int, first: str = "", rest: str = "", *, whole: bool = False) -> list[str]:
    """Break ``text`` into lines of at most ``cells`` at its spaces.

    ``first`` begins the first line, ``rest`` the others. A word longer than a line is broken after a
    comma, ``<`` or ``:`` where that leaves no big hole, else at the line's end; ``whole`` leaves it in
    one piece, wider than a line: it is there to be copied.
    """
    lines: list[str] = []
    lead, later = first, cells - width(rest)
    while (piece := cut(text, cells - width(lead), "")) != text and piece:
        end = _line_end(text, piece, later, whole)
        lines.append(lead + text[:end].rstrip())
        text, lead = text[end:].lstrip(), rest
    if text or not lines:
        lines.append(lead + text)
    return lines


def _line_end(text: str, piece: str, cells: int, whole: bool) -> int:
    """Return where to break ``text``: ``piece`` of it fits on this line, ``cells`` of it on the next."""
    if text[len(piece)] == " ":
        return len(piece)
    start = piece.rfind(" ") + 1
    if not piece[:start].strip():
        start = 0  # nothing but an indent: no line of its own
    stop = text.find(" ", len(piece))
    word = text[start:] if stop < 0 else text[start:stop]
    if whole:
        return start or len(word)
    if start and cut(word, cells, "") == word:
        return start
    best = max(start, *(piece.rfind(mark) + 1 for mark in ",<:"))
    return best if best > len(piece) // 2 else len(piece)
