"""The environment that an export holds: what is known of it is read, and nothing of the rest is ever kept."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path

import numpy as np

from tui.report.launch_names import KNOWN
from tui.report.sqlite.texts import Texts

CAPTURE, SYSTEM = "META_DATA_CAPTURE", "TARGET_INFO_SYSTEM_ENV"
"""The tables that hold it."""
LIST = "DeviceEnvironment"
"""The row of the second that lists all variables."""
_ROW = re.compile(r"(PROCESS_\d+:)?ENVIRONMENT_VARIABLE")
_VARIABLE = re.compile(r'(\w+)="?(.*?)"?', re.DOTALL)
_BLOCK = re.compile(rb"[A-Za-z_][^=]*=")
_LONGEST = 4096
"""Characters of a value: a job's id or a list of GPUs is much shorter."""

Pairs = Iterable[tuple[str, str]]


def about_environment(name: str) -> bool:
    """Whether a row of META_DATA_CAPTURE of that name may tell the environment."""
    return "ENVIRONMENT" in name.upper()


def known_variables(capture: Pairs, system: Pairs) -> dict[str, str]:
    """The known variables: of the rows of META_DATA_CAPTURE that hold one each, else of the list of all."""
    found: dict[str, str] = {}
    for name, value in capture:
        if (one := _known_row(name, value)) is not None:
            found.setdefault(*one)
    for name, value in system:
        if name == LIST:
            for known, text in _known_in(value):
                found.setdefault(known, text)
    return found


def is_environment(text: bytes) -> bool:
    """Whether a text is the whole environment of a process: ``NAME=value`` and NUL in turns.

    Exports of some versions have such among their strings, referred to by nothing.
    """
    parts = [part for part in text.split(b"\0") if part]
    return len(parts) > 1 and 2 * sum(bool(_BLOCK.match(part)) for part in parts) >= len(parts)


def without_environments(texts: Texts) -> Texts:
    """The texts but for environments, which become no text."""
    zeros = np.flatnonzero(texts.block == 0)
    with_zero = np.searchsorted(zeros, texts.start) < np.searchsorted(zeros, texts.start + texts.size)
    found = [
        row
        for row in np.flatnonzero(with_zero & (texts.size > 0)).tolist()
        if is_environment(texts.block[texts.start[row] : texts.start[row] + texts.size[row]].tobytes())
    ]
    if not found:
        return texts
    size = texts.size.copy()
    size[found] = -1
    return texts._replace(size=size)


def strip_environment(path: Path) -> None:
    """Remove all but the known variables from an export of our own, so that no page holds the rest any more.

    What SQLite can't change stays as it is: reading it will say what is wrong with it.
    """
    with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA secure_delete = ON")
        db.execute("PRAGMA journal_mode = MEMORY")  # nothing beside the file
        db.execute("PRAGMA legacy_alter_table = ON")
        db.create_function("kept", 2, lambda name, value: _keeps(_text(name), _text(value)))
        db.create_function("known", 1, lambda value: _joined(_text(value)))
        db.create_function("environment", 1, lambda value: is_environment(value or b""))
        for table, (keep, value) in _KEPT.items():
            with suppress(sqlite3.Error), db:  # there may be no such table
                _rebuild(db, table, keep, value)


_KEPT = {
    CAPTURE: ("kept(CAST(name AS BLOB), CAST(value AS BLOB))", "value"),
    SYSTEM: ("1", f"CASE name WHEN '{LIST}' THEN known(CAST(value AS BLOB)) ELSE value END"),
    "StringIds": ("instr(CAST(value AS BLOB), x'00') = 0 OR NOT environment(CAST(value AS BLOB))", "value"),
}
"""Which rows of a table stay, and with what value, in SQL."""


def _rebuild(db: sqlite3.Connection, table: str, keep: str, value: str) -> None:
    """Write a table anew where anything of it must go: what was deleted lingers in the old one's pages."""
    change = f"SELECT 1 FROM {table} WHERE NOT ({keep}) OR value IS NOT {value} LIMIT 1"  # noqa: S608
    if db.execute(change).fetchone() is None:
        return
    names = [f'"{name}"' for _, name, *_ in db.execute(f"PRAGMA table_info({table})")]
    made = db.execute(
        "SELECT sql FROM sqlite_master WHERE tbl_name = ? AND sql IS NOT NULL ORDER BY type DESC", (table,)
    ).fetchall()
    db.execute("BEGIN")
    db.execute(f"ALTER TABLE {table} RENAME TO old_{table}")
    db.execute(made[0][0])
    values = ", ".join(value if name == '"value"' else name for name in names)
    db.execute(f"INSERT INTO {table} SELECT {values} FROM old_{table} WHERE {keep}")  # noqa: S608
    db.execute(f"DROP TABLE old_{table}")
    for (index,) in made[1:]:
        db.execute(index)


def _text(raw: bytes | None) -> str:
    return (raw or b"").decode("utf-8", "replace")


def _keeps(name: str, value: str) -> bool:
    return not about_environment(name) or _known_row(name, value) is not None


def _joined(listed: str) -> str:
    return ";".join(f"{known}={text}" for known, text in _known_in(listed))


def _known_row(name: str, value: str) -> tuple[str, str] | None:
    """The known variable that a row of META_DATA_CAPTURE holds: ``NAME="value"``."""
    match = _VARIABLE.fullmatch(value) if _ROW.fullmatch(name) else None
    return (match[1], match[2][:_LONGEST]) if match is not None and match[1] in KNOWN else None


def _known_in(listed: str) -> list[tuple[str, str]]:
    """The known variables of a list ``NAME=value;NAME=value``; values may hold semicolons themselves."""
    found = ((known, re.search(rf"(?:^|;){known}=([^;]*)", listed)) for known in sorted(KNOWN))
    return [(known, match[1][:_LONGEST]) for known, match in found if match is not None]
