"""CSV as RFC 4180 has it, and TSV likewise, read without the csv module: NULs, line breaks and all."""

from __future__ import annotations

import re

ENDS = {",": "\r\n", "\t": "\n"}
"""Separator -> how lines end."""


def tables(text: str, separator: str = ",") -> list[list[list[str]]]:
    """The tables of ``text``, which an empty line parts, as lists of rows of cells.

    ValueError where the text is not as it should be, or where rows of a table differ in length.
    """
    end = ENDS[separator]
    pattern = re.compile(rf'(?:"((?:[^"]|"")*)"|([^"{separator}\r\n]*))({separator}|{end}|\Z)')
    found: list[list[list[str]]] = []
    rows: list[list[str]] = []
    row: list[str] = []
    at = 0
    while at < len(text):
        match = pattern.match(text, at)
        if match is None:
            raise ValueError(f"no table of cells at character {at}: {text[at : at + 40]!r}")
        cell, bare, ending = match.groups()
        row.append(bare if cell is None else cell.replace('""', '"'))
        at = match.end()
        if ending == separator:
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
