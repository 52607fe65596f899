"""Keep columns in place behind text whose width terminals disagree on.

A terminal may draw a vowel sign of Tamil in a cell of its own or in none, a symbol in one cell or two, a
consonant joined to the one before it. Whatever follows such text in a row would shift. So its cells are
blanked before it is written, for a terminal that fills fewer of them, and the cursor is placed behind it, so
that what follows overwrites what a terminal draws too much.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple
from unicodedata import category, decomposition, east_asian_width, ucd_3_2_0

from tui.text.cells import width

_SURE = re.compile("[ -~\u00b7\u2026\u2190-\u2193\u2261\u2500-\u259f\u25b4\u25b8\u25bc\u25be\u25c2]*")
"""ASCII, and what frames themselves are drawn with: no frame could be drawn if its own glyphs drifted."""
_FRAME = re.compile("[\u2500-\u259f]")
_END = re.compile(f"  +| *(?:{_FRAME.pattern}|$)")
"""Ends a name in a line: two blanks, a line or block of the frame, the end."""
_MARK = re.compile("<[^>]*>")


class Drift(NamedTuple):
    """A part of a text whose width terminals disagree on, with the blanks behind it."""

    start: int
    """The first character that belongs to it."""
    end: int
    """Behind its last character that is no blank."""
    stop: int
    """Behind its blanks."""
    column: int
    """Cells of the text before it."""
    room: int
    """Its cells, blanks included, as :func:`tui.text.width` counts them."""
    reach: int
    """Cells that it takes in the terminal that draws it widest, blanks left out."""


def is_sure(text: str) -> bool:
    """Whether all terminals draw ``text`` equally wide."""
    return _SURE.fullmatch(text) is not None or not any(map(is_unsure, text))


@lru_cache(maxsize=4096)
def is_unsure(char: str) -> bool:
    """Whether terminals disagree on the width of a character.

    They do where it joins the character before it (a mark, a vowel of a Hangul syllable, a joiner), where
    its width depends on the locale (ambiguous, private use), where it may be drawn as an emoji (symbols),
    and where a table of another version of Unicode, or of another author, says something else.
    """
    if _SURE.fullmatch(char):
        return False
    kind, cells, asian = category(char), width(char), east_asian_width(char)
    return (
        kind[0] == "M"
        or kind in ("Cf", "Cn", "Co", "Cs", "So")
        or cells != (2 if asian in "WF" else 1)
        or asian == "A"
        or ucd_3_2_0.category(char) == "Cn"
        or (ucd_3_2_0.east_asian_width(char) in "WF") != (asian in "WF")
        or _holds_mark(char)
        or _has_emoji_form(char)
    )


def _holds_mark(char: str) -> bool:
    """Whether a character stands for others with a mark among them, such as U+0E33 THAI SARA AM."""
    kind, *codes = decomposition(char).split() or [""]
    return _MARK.fullmatch(kind) is not None and any(category(chr(int(c, 16)))[0] == "M" for c in codes)


def _has_emoji_form(char: str) -> bool:
    """Whether a narrow character becomes a wide emoji before U+FE0F, in some terminals without it too."""
    from wcwidth.table_vs16 import VS16_NARROW_TO_WIDE

    return any(first <= ord(char) <= last for table in VS16_NARROW_TO_WIDE.values() for first, last in table)


def drifts(text: str) -> Iterator[Drift]:
    """Yield the drifting parts of a text, left to right.

    A part goes on to the end of the name, so that a terminal that draws it wider still shows it in one piece
    and only its end is lost, and takes in the blanks behind it, into which it may spill.
    """
    if _SURE.fullmatch(text):
        return
    done = column = 0
    for index, char in enumerate(text):
        if index < done or not is_unsure(char):
            continue
        joins = index > done and not width(char) and not _FRAME.match(text, index - 1)
        start = index - joins
        end_of_name = _END.search(text, index + 1)
        assert end_of_name is not None, "the pattern matches at the end"
        end = end_of_name.start()
        stop = end
        while text[stop : stop + 1] == " ":
            stop += 1
        column += width(text[done:start])
        room = width(text[start:stop])
        reach = sum(2 if is_unsure(c) else width(c) for c in text[start:end])
        yield Drift(start, end, stop, column, room, reach)
        column += room
        done = stop


def steadied(text: str, at: int = 0, edge: int | None = None, *, alone: bool = False) -> str:
    """Return ``text`` with control sequences that keep what is behind drifting parts in its column.

    ``at`` is the column (from 0) of its first cell. Where the terminal breaks lines at column ``edge``, parts
    that may reach it are not broken, and what is behind it stays as it is; None: it breaks none. ``alone``:
    nothing else is in the line, so what is behind a part is erased: nothing else overwrites what spills over
    the end of the text.
    """
    out: list[str] = []
    done = 0
    for part in drifts(text):
        first = at + part.column
        behind = first + part.room
        if edge is not None and behind > edge:
            break
        out.append(text[done : part.start])
        done = part.stop
        if part.room:
            name = _without_leading_marks(text[part.start : part.end])
            if edge is not None and first + part.reach > edge:
                name = f"\x1b[?7l{name}\x1b[?7h"
            out.append(f"{' ' * part.room}\x1b[{first + 1}G{name}\x1b[{behind + 1}G")
            if alone and (edge is None or behind < edge):
                out.append("\x1b[K")
    out.append(text[done:])
    return "".join(out)


def _without_leading_marks(text: str) -> str:
    """Return ``text`` without what has no cell at its beginning: it would join the cell to the left."""
    return next((text[i:] for i, char in enumerate(text) if width(char)), "")
