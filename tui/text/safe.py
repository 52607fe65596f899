"""Make names from a report fit for a screen or a spreadsheet: every name that is printed passes here.

A name is untrusted: it may hold control bytes, terminal escapes, direction overrides, characters
of no or double width, markup. :func:`safe` leaves one line whose width every counter agrees on;
:mod:`tui.text.cells` cuts and pads it by terminal cells. None of them reads markup.
"""

from __future__ import annotations

import re
import sys
from functools import lru_cache
from unicodedata import category

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

# C0 and DEL show as their pictures, C1 and line separators too: one cell each.
_PICTURES: dict[int, str | None] = {c: chr(0x2400 + c) for c in range(0x20)}
_PICTURES[0x7F] = "\N{SYMBOL FOR DELETE}"
_PICTURES |= dict.fromkeys(range(0x80, 0xA0), REPLACEMENT)
_PICTURES |= dict.fromkeys((0x2028, 0x2029), "\N{SYMBOL FOR NEWLINE}")
# Marks that turn the direction of what follows, and lone surrogates.
_PICTURES |= dict.fromkeys(
    (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)), REPLACEMENT
)
_PICTURES |= dict.fromkeys(range(0xD800, 0xE000), REPLACEMENT)
# Invisible joiners and selectors: terminals and libraries disagree about what they do to width.
_PICTURES |= dict.fromkeys(
    (0x00AD, 0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x200B, 0x200C, 0x200D, 0x3164,
     0xFEFF, 0xFFA0, *range(0x2060, 0x2066), *range(0x206A, 0x2070), *range(0xFE00, 0xFE10),
     *range(0xFFF9, 0xFFFC), *range(0x1F3FB, 0x1F400), *range(0xE0000, 0xE1000)),
    None,
)  # fmt: skip
# Flags are pairs of letters, one or two cells each according to whom one asks.
_PICTURES |= {0x1F1E6 + i: chr(ord("A") + i) for i in range(26)}

_PLAIN = re.compile(r"[ -~]*")
_NUMBER = re.compile(r"-?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_CSV_WITHOUT_NUL = sys.version_info < (3, 11)
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def safe(name: str) -> str:
    """Return ``name`` on one line without anything that a terminal would act on.

    Control characters become their pictures, direction marks and unassigned characters U+FFFD,
    flags their letters; invisible joiners, selectors and skin tones vanish. Plain ASCII comes back as
    it is; the result is stable under a second call.
    """
    if _PLAIN.fullmatch(name):
        return name
    return "".join([c if c.isascii() or _assigned(c) else REPLACEMENT for c in name.translate(_PICTURES)])


@lru_cache(maxsize=4096)
def _assigned(char: str) -> bool:
    return category(char) != "Cn"


def csv_cell(text: str, raw: bool = False) -> str:
    """Return the value of a CSV text cell, not yet quoted: formulas get a leading ``'`` unless ``raw``.

    A spreadsheet takes a cell for a formula when it begins with ``= + - @``, a tab or a line
    break, blanks before it ignored. A plain number is none. Python 3.10 can't write NUL into CSV:
    there it shows as its picture.
    """
    if _CSV_WITHOUT_NUL and "\0" in text:
        text = text.replace("\0", "\N{SYMBOL FOR NULL}")
    if raw or not text or not text.lstrip(" ").startswith(_FORMULA_STARTS) or _NUMBER.fullmatch(text):
        return text
    return "'" + text
