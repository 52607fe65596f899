"""A draft in which nsys and we differ -> the fewest rows in which they still do."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy

from tests.nsys.oracle.draft import Draft, Row


def shrink(draft: Draft, differs: Callable[[Draft], bool]) -> Draft:
    """Leave out rows, many at once and then one by one, as long as `differs` still holds."""
    rows = [(table, row) for table, members in draft.rows.items() for row in members]
    size = len(rows) // 2
    while size:
        position = 0
        while position < len(rows):
            fewer = rows[:position] + rows[position + size :]
            if differs(_draft_of(draft, fewer)):
                rows = fewer
            else:
                position += size
        size //= 2
    return _draft_of(draft, rows)


def _draft_of(draft: Draft, rows: list[tuple[str, Row]]) -> Draft:
    """The draft with these rows alone."""
    made = deepcopy(draft)
    made.rows = {}
    for table, row in rows:
        made.add(table, **row)
    return made


def show(draft: Draft) -> str:
    """The rows of a small draft as text, string ids as their strings."""
    texts = {number: text for text, number in draft.strings.items()}
    lines = []
    for table, rows in draft.rows.items():
        for row in rows:
            words = {
                name: texts.get(value, value) if name in _NAMED else value
                for name, value in row.items()
                if value is not None
            }
            lines.append(f"{table} {words}")
    return "\n".join(lines)


_NAMED = ("nameId", "textId", "demangledName", "shortName", "mangledName", "module")
