"""An export being made up: a seeded source of chance, rows by table, and what all rows draw from."""

from __future__ import annotations

import random
import sqlite3
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.nsys.oracle.schema import ENUMS, columns, tables

Row = dict[str, Any]

ODD = (
    "", " ", 'say "hi"', "a,b", "two\nlines", "a\ttab", "naïve 火", "=1+1", "'quoted'", "back\\slash",
    "[bold]x[/]", "%s {0}", "NULL", "--", "x" * 300, "a:b", ":", "-5", "1e3",
)  # fmt: skip
"""Names that a careless reader or writer of tables trips over."""


@dataclass(frozen=True)
class Process:
    """A process: its globalPid, its threads as globalTid, its CUDA device numbers."""

    global_pid: int
    threads: tuple[int, ...]
    devices: tuple[int, ...]


@dataclass
class Draft:
    """Tables that grow. Every choice comes from `rng`: one seed, one export."""

    seed: int
    rng: random.Random = field(init=False)
    rows: dict[str, list[Row]] = field(default_factory=dict)
    strings: dict[str, int] = field(default_factory=dict)
    processes: list[Process] = field(default_factory=list)
    unit: int = 1
    first: int = 0
    ids: int = 0

    def __post_init__(self) -> None:
        self.rng = random.Random(f"export {self.seed}")

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def pick(self, *choices: Any) -> Any:
        return self.rng.choice(choices)

    def some(self, most: int) -> range:
        """As many as chance says, `most` at most."""
        return range(self.rng.randint(0, most))

    def add(self, table: str, **row: Any) -> None:
        self.rows.setdefault(table, []).append(row)

    def string(self, text: str) -> int:
        """The id of `text` in StringIds."""
        return self.strings.setdefault(text, len(self.strings) + 1)

    def name(self, *usual: str) -> str:
        """One of the usual names, or now and then an odd one."""
        return self.pick(*ODD) if self.chance(0.1) else self.pick(*usual)

    def number(self) -> int:
        """A number that no other row has."""
        self.ids += 1
        return self.ids

    def moment(self, low: int = 0, high: int = 60) -> int:
        """A time in ns on the export's grid, so that times coincide often."""
        return self.first + self.unit * self.rng.randint(low, high)

    def span(self, low: int = 0, high: int = 60, longest: int = 12) -> tuple[int, int]:
        """A start and an end in ns, not in this order by accident; of no length now and then."""
        start = self.rng.randint(low, high)
        length = self.rng.randint(0, min(longest, high - start))
        return self.first + self.unit * start, self.first + self.unit * (start + length)

    def thread(self) -> int:
        """The globalTid of one of the threads."""
        return int(self.rng.choice(self.rng.choice(self.processes).threads))

    def write(self, path: Path) -> Path:
        """The export as a file: tables without a row are there or not, as chance has it."""
        lazy = self.seed % 3 != 0
        needed = {"StringIds", "META_DATA_EXPORT", "ThreadNames", "TARGET_INFO_GPU"}
        if any(table.startswith("MPI_") for table in self.rows):
            needed.add("MPI_RANKS")
        rows = dict(self.rows)
        rows["StringIds"] = [{"id": number, "value": text} for text, number in self.strings.items()]
        for name, members in ENUMS.items():
            rows[name] = [{"id": i, "name": constant, "label": label} for i, constant, label in members]
        db = sqlite3.connect(path)
        with db:
            for table in dict.fromkeys((*tables(), *rows)):
                if rows.get(table) or table in needed or not (lazy or table.endswith("GRAPH_TRACE")):
                    _write_table(db, table, rows.get(table, []))
        db.close()
        return path


def _write_table(db: sqlite3.Connection, table: str, rows: list[Row]) -> None:
    layout = columns(table)
    key = "id" if layout[0].name == "id" else None
    specs = [column.sql() + (" PRIMARY KEY" if column.name == key else "") for column in layout]
    db.execute(f'CREATE TABLE "{table}" ({", ".join(specs)})')
    unknown = {name for row in rows for name in row} - {column.name for column in layout}
    if unknown:
        raise ValueError(f"{table} has no {', '.join(sorted(unknown))}")
    marks = ", ".join("?" * len(layout))
    filled = [[_value(row, column.name, column.not_null) for column in layout] for row in rows]
    db.executemany(f'INSERT INTO "{table}" VALUES ({marks})', filled)  # noqa: S608 - names of the schema


def _value(row: Row, name: str, not_null: bool) -> Any:
    return row.get(name, 0 if not_null else None)
