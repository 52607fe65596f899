"""What edits of a database share: tables, columns and rows to pick, and changes to them."""

# ruff: noqa: S608 - the SQL of these tests is their own

from __future__ import annotations

import random
import sqlite3

WATCHED = (
    "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET",
    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "CUPTI_ACTIVITY_KIND_RUNTIME", "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
    "NVTX_EVENTS", "OSRT_API", "StringIds", "ThreadNames", "PROCESSES", "TARGET_INFO_GPU",
    "TARGET_INFO_CUDA_DEVICE", "META_DATA_EXPORT", "META_DATA_CAPTURE", "ENUM_CUDA_MEMCPY_OPER",
    "ENUM_CUDA_MEM_KIND", "PROFILER_OVERHEAD", "TARGET_INFO_SESSION_START_TIME",
    "CUDA_GPU_MEMORY_USAGE_EVENTS", "CUDA_GPU_MEMORY_POOL_EVENTS", "CUDA_UM_CPU_PAGE_FAULT_EVENTS",
    "CUDA_UM_GPU_PAGE_FAULT_EVENTS", "GPU_CONTEXT_SWITCH_EVENTS", "FECS_EVENTS",
)  # fmt: skip
"""Tables that the product reads: most edits are done to these."""

OF_INTEREST = (
    "start", "end", "deviceId", "streamId", "contextId", "correlationId", "globalPid", "globalTid",
    "demangledName", "shortName", "nameId", "eventType", "eventClass", "textId", "domainId", "bytes",
    "copyKind", "id", "value", "text", "endGlobalTid", "color", "category", "graphId", "srcKind", "dstKind",
    "gpuId", "cudaId", "cuDevice", "address", "memKind", "memoryOperationType", "localMemoryPoolSize",
    "migrationCause", "virtualAddress", "numberOfPageFaults", "tag", "timestamp", "totalMemory",
)  # fmt: skip


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def tables(db: sqlite3.Connection) -> list[str]:
    rows = db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    return [name for (name,) in rows if not name.startswith("sqlite_")]


def columns(db: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in db.execute(f"PRAGMA table_info({quoted(table)})")]


def table_of(rng: random.Random, db: sqlite3.Connection, *, filled: bool = True) -> str:
    """A table, mostly one that the product reads and that has rows."""
    every = tables(db)
    known = [t for t in WATCHED if t in every]
    if filled:
        known = [t for t in known if db.execute(f"SELECT 1 FROM {quoted(t)} LIMIT 1").fetchone()]
    return rng.choice(known if known and rng.random() < 0.9 else every)


def column_of(rng: random.Random, db: sqlite3.Connection, table: str) -> str:
    names = columns(db, table)
    known = [c for c in names if c in OF_INTEREST]
    return rng.choice(known if known and rng.random() < 0.9 else names)


def some_rows(rng: random.Random) -> tuple[str, str]:
    """A condition on rowid and what it means: all rows, a share, or one of the first."""
    kind = rng.choice(("all", "share", "one", "one"))
    if kind == "all":
        return "1", "all rows"
    if kind == "share":
        step = rng.choice((2, 3, 10, 50))
        return f"rowid % {step} = {rng.randrange(step)}", f"every {step}th row"
    row = rng.randrange(1, 40)
    place = f"{row} % max(1, (SELECT count(*) FROM {{table}}))"
    return f"rowid = (SELECT rowid FROM {{table}} LIMIT 1 OFFSET {place})", "a row"


def loosen(db: sqlite3.Connection) -> None:
    """Let every column hold NULL and every id come twice, as if the schema had never said otherwise."""
    db.execute("PRAGMA writable_schema = ON")
    db.execute(
        "UPDATE sqlite_master SET sql = replace(replace(sql, ' NOT NULL', ''), ' UNIQUE', '') "
        "WHERE type = 'table'"
    )
    db.execute("PRAGMA writable_schema = RESET")


def update(db: sqlite3.Connection, table: str, change: str, where: str, *values: object) -> None:
    where = where.replace("{table}", quoted(table))
    db.execute(f"UPDATE OR IGNORE {quoted(table)} SET {change} WHERE {where}", values)


def rebuild(db: sqlite3.Connection, table: str, what: str, order: str = "rowid") -> None:
    """Replace ``table`` by what a SELECT of it gives: constraints and ids are gone."""
    db.execute(f"CREATE TABLE rebuilt_ AS SELECT {what} FROM {quoted(table)} ORDER BY {order}")
    db.execute(f"DROP TABLE {quoted(table)}")
    db.execute(f"ALTER TABLE rebuilt_ RENAME TO {quoted(table)}")
