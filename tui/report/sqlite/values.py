"""What a column of integers or texts holds where another program wrote it: whole REALs, digits, bytes.

A whole number is that integer whatever its storage class. What is none is NULL, and told as :class:`Odd`.
Both readers judge by what is here: SQLite through :func:`integer_sql` and :func:`integers`, the quick one
through :func:`whole_floats` and :func:`whole_text`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tui.report.columns import NULL, Bool, Int64

FRACTION = "a fraction where a whole number belongs"
TOO_LARGE = "a number beyond 64 bits"
TEXT = "text where a number belongs"
BYTES = "bytes where a number belongs"
NUMBER = "a number where text belongs"
NO_TEXT = "bytes that are no text"
ROUNDED = "stored as REAL beyond 2**53: its last digits may be lost"
"""The value counts as it is."""

LONGEST_NUMBER = 64
"""Bytes of the longest text that is looked at as a number."""
EXACT = 2.0**53
"""From here on a REAL does not hold every whole number."""
_NUMBER = re.compile(rb"[ \t\n\v\f\r]*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[ \t\n\v\f\r]*")


class Odd(NamedTuple):
    """Values of a column that are not what belongs there: what is wrong, in which rows, the first of them."""

    column: str
    what: str
    rows: Int64
    """Positions in the chunk, ascending."""
    example: str


class OddValues:
    """Collects the odd values of one chunk."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], tuple[list[Int64], list[tuple[int, str]]]] = {}

    def add(self, column: str, what: str, rows: Int64, example: object) -> None:
        """``example``: the value in the first of ``rows``."""
        if len(rows):
            parts, examples = self._found.setdefault((column, what), ([], []))
            parts.append(rows)
            examples.append((int(rows[0]), shown(example)))

    def take(self, odd: Odd, rows: Int64) -> None:
        """Add what was found in another chunk, whose rows are these ``rows`` here."""
        parts, examples = self._found.setdefault((odd.column, odd.what), ([], []))
        parts.append(rows)
        examples.append((int(rows[0]), odd.example))

    def listed(self) -> list[Odd]:
        """By column and what is wrong."""
        return [
            Odd(column, what, np.sort(np.concatenate(parts)), min(examples)[1])
            for (column, what), (parts, examples) in sorted(self._found.items())
        ]


def shown(value: object) -> str:
    """A value as an example in one short line."""
    text = value[:40].decode("utf-8", "replace") if isinstance(value, bytes) else value
    return repr(text[:40]) if isinstance(text, str) else str(text)


def integer_sql(q: str) -> str:
    """SQL for the integer in ``q``, NULL as :data:`NULL`; what is doubtful is a text for :func:`integers`."""
    whole = f"{q} >= -9223372036854775808.0 AND {q} < 9223372036854775808.0 AND {q} = CAST({q} AS INTEGER)"
    exact = f"abs({q}) < 9007199254740992.0"
    real = (
        f"CASE WHEN {whole} THEN iif({exact}, CAST({q} AS INTEGER), 'w' || CAST({q} AS INTEGER)) "
        f"ELSE 'r' || printf('%!.17g', {q}) END"
    )
    text = (
        f"CASE WHEN CAST(CAST({q} AS INTEGER) AS TEXT) = {q} THEN CAST({q} AS INTEGER) "
        f"WHEN instr({q}, char(0)) THEN 't?' ELSE 't' || substr({q}, 1, {LONGEST_NUMBER + 1}) END"
    )
    return (
        f"CASE typeof({q}) WHEN 'integer' THEN {q} WHEN 'null' THEN {NULL} "
        f"WHEN 'real' THEN {real} WHEN 'text' THEN {text} ELSE 'b' END"
    )


def integers(column: str, values: Sequence[int | bytes], odd: OddValues) -> Int64:
    """What :func:`integer_sql` gave, as integers."""
    try:
        return np.fromiter(values, np.int64, len(values))
    except ValueError:  # as int() raises of the marked texts
        pass
    out = np.empty(len(values), np.int64)
    rows: dict[str, list[int]] = {}
    examples: dict[str, object] = {}
    for i, value in enumerate(values):
        what: str | None = None
        shown: object = value
        if not isinstance(value, bytes):
            out[i] = value
            continue
        mark, rest = value[:1], value[1:]
        found = NULL
        if mark == b"w":
            found, what, shown = int(rest), ROUNDED, float(rest)
        elif mark == b"r":
            shown = float(rest)
            what = no_integer(shown)
        elif mark == b"t":
            found, what = whole_text(rest)
            shown = rest
        else:
            what, shown = BYTES, b"..."
        out[i] = found
        if what is not None:
            rows.setdefault(what, []).append(i)
            examples.setdefault(what, shown)
    for what, at in rows.items():
        odd.add(column, what, np.array(at, np.int64), examples[what])
    return out


def no_integer(value: float) -> str:
    """What is wrong with a number that is no integer."""
    return FRACTION if abs(value) < 2.0**63 else TOO_LARGE


def whole_text(text: bytes) -> tuple[int, str | None]:
    """The integer that SQLite's INTEGER affinity would make of ``text``; else NULL and what is wrong."""
    if len(text) < 19 and text.isdigit():
        return int(text), None
    match = _NUMBER.fullmatch(text) if len(text) <= LONGEST_NUMBER else None
    if match is None:
        return NULL, TEXT
    number = Decimal(match[1].decode())
    if number and number.adjusted() > 19:
        return NULL, TOO_LARGE
    if (number and number.adjusted() < -40) or number != number.to_integral_value():
        return NULL, FRACTION
    return (int(number), None) if -(2**63) <= number < 2**63 else (NULL, TOO_LARGE)


def whole_floats(column: str, values: NDArray[np.float64], rows: Int64, odd: OddValues) -> Int64:
    """Floating-point numbers as integers; ``rows``: their places in the chunk. NaN is NULL, as for SQLite."""
    there: Bool = ~np.isnan(values)
    inside = there & (values >= -(2.0**63)) & (values < 2.0**63)
    out = np.full(len(values), NULL, np.int64)
    kept = np.where(inside, values, 0.0)
    whole = inside & (np.floor(kept) == kept)
    out[whole] = kept[whole].astype(np.int64)
    rounded = whole & (np.abs(kept) >= EXACT)
    for what, bad in ((FRACTION, inside & ~whole), (TOO_LARGE, there & ~inside), (ROUNDED, rounded)):
        if bad.any():
            odd.add(column, what, rows[bad], float(values[int(np.argmax(bad))]))
    return out


def whole_texts(column: str, values: Iterable[bytes], rows: Int64, odd: OddValues) -> Int64:
    """Texts as integers, as :func:`whole_text` reads them; ``rows``: their places in the chunk."""
    pairs = [(*whole_text(text), text) for text in values]
    for wrong in dict.fromkeys(what for _, what, _ in pairs if what is not None):
        bad = np.array([what == wrong for _, what, _ in pairs])
        odd.add(column, wrong, rows[bad], pairs[int(np.argmax(bad))][2])
    return np.array([value for value, _, _ in pairs], np.int64)


def spelled_texts(
    column: str,
    values: Sequence[object],
    are_bytes: Sequence[object],
    odd: OddValues,
    rows: Int64 | None = None,
) -> list[bytes | None]:
    """Values as texts: bytes are the text that they spell in UTF-8, numbers are none.

    ``rows``: their places in the chunk, where they are not all of it.
    """
    out: list[bytes | None] = []
    wrong: dict[str, list[int]] = {}
    for i, value in enumerate(values):
        found = value if isinstance(value, bytes) else None
        if value is not None and found is None:
            wrong.setdefault(NUMBER, []).append(i)
        elif are_bytes[i] and found is not None and not _is_text(found):
            wrong.setdefault(NO_TEXT, []).append(i)
            found = None
        out.append(found)
    for what, at in wrong.items():
        places = np.array(at, np.int64)
        odd.add(column, what, places if rows is None else rows[places], values[at[0]])
    return out


def _is_text(value: bytes) -> bool:
    try:
        return (b"\0" not in value and bool(value.decode())) or not value
    except UnicodeDecodeError:
        return False
