"""CSV as RFC 4180 has it, read without the csv module: NULs, line breaks in cells and all."""

from __future__ import annotations

import re

_CELL = re.compile(r'(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\Z)')


def tables(text: str) -> list[list[list[str]]]:
    """The tables of ``text``, which an empty line parts, as lists of rows of cells.

    ValueError where the text is not RFC 4180 with CRLF line ends, or where rows of a table differ in length.
    """
    found: list[list[list[str]]] = []
    rows: list[list[str]] = []
    row: list[str] = []
    at = 0
    while at < len(text):
        match = _CELL.match(text, at)
        if match is None:
            raise ValueError(f"no CSV at character {at}: {text[at : at + 40]!r}")
        cell, bare, ending = match.groups()
        row.append(bare if cell is None else cell.replace('""', '"'))
        at = match.end()
        if ending == ",":
            continue
        if not ending:
            raise ValueError("the last line does not end")
        if row == [""] and cell is None:
            found.append(rows)
            rows = []
        else:
            rows.append(row)
        row = []
    if row:
        raise ValueError("the last line does not end")
    found.append(rows)
    for table in found:
        if not table or len({len(r) for r in table}) != 1:
            raise ValueError(f"rows of {sorted({len(r) for r in table})} cells in one table")
    return found
