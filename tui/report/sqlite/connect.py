"""Open a file that looks like SQLite as the :class:`Source` of an nsys export."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tui.errors import ReportError
from tui.report.progress import Meter
from tui.report.recognise import Candidate
from tui.report.sqlite.catalog import FAULTS
from tui.report.sqlite.pages import Pages, Unreadable
from tui.report.sqlite.source import Source, damaged, uri_of

PATIENCE = 2.0
"""Seconds to wait for a writer that has locked the file."""
_PAUSE = 0.05

_OURS = ("StringIds", "META_DATA_EXPORT", "EXPORT_META_DATA", "NVTX_EVENTS", "OSRT_API", "ANALYSIS_DETAILS")
_OUR_PREFIXES = ("CUPTI_ACTIVITY_KIND_", "TARGET_INFO_", "ENUM_NSYS_")
_NVPROF = ("CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL", "CUPTI_ACTIVITY_KIND_DRIVER", "StringTable")


@contextmanager
def connected(
    candidate: Candidate,
    meter: Meter,
    *,
    patience: float = PATIENCE,
    sleep: Callable[[float], None] = time.sleep,
    quick: bool = True,
) -> Iterator[Source]:
    """Open a source. A shared lock keeps it from changing if the file system has locks.

    ``quick``: read tables straight from their pages if possible; else all through SQLite.

    A file in WAL mode is read as immutable: SQLite would otherwise create its -shm and -wal beside
    the file. That is safe because a pending -wal has been refused before.
    """
    try:
        pages: Pages | None = Pages(candidate.path) if quick else None
    except (Unreadable, OSError):
        pages = None
    connection = _open(candidate, immutable=candidate.wal_mode)
    try:
        if not candidate.wal_mode and not _lock(connection, candidate, meter, patience, sleep):
            connection.close()
            connection = _open(candidate, immutable=True)
        source = Source(candidate.path, connection, pages)
        _check_kind(source)
        yield source
    finally:
        connection.close()
        if pages is not None:
            pages.close()


def _open(candidate: Candidate, *, immutable: bool) -> sqlite3.Connection:
    uri = uri_of(candidate.path, immutable=immutable)
    try:
        return sqlite3.connect(uri, uri=True, timeout=0, isolation_level=None, check_same_thread=False)
    except FAULTS as error:
        raise damaged(candidate.path, error) from error


def _lock(
    connection: sqlite3.Connection,
    candidate: Candidate,
    meter: Meter,
    patience: float,
    sleep: Callable[[float], None],
) -> bool:
    """Begin a read transaction. False if the file system can't lock; ReportError if a writer stays."""
    for _ in range(max(1, round(patience / _PAUSE))):
        try:
            connection.execute("BEGIN")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            return True
        except sqlite3.OperationalError as error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            text = str(error)
            if "locked" in text or "busy" in text:
                meter.step("waiting for the writer")
                sleep(_PAUSE)
                continue
            if "malformed" in text:
                raise damaged(candidate.path, error) from error
            return False
        except FAULTS as error:
            raise damaged(candidate.path, error) from error
    raise ReportError(
        f"{candidate.path}: still being written: another process has locked it; try again later"
    )


def _check_kind(source: Source) -> None:
    """Refuse databases that are not nsys's."""
    tables = {*source.tables, *source.refused}
    path = source.path
    if "StringTable" in tables and "StringIds" not in tables and any(t in tables for t in _NVPROF):
        raise ReportError(f"{path}: an nvprof database; profile again with `nsys profile`")
    if any(t in _OURS or t.upper().startswith(_OUR_PREFIXES) for t in tables):
        return
    if not tables:
        raise ReportError(
            f"{path}: an SQLite file without tables: the export did not get that far; export it again"
        )
    if {"slice", "thread_track"} & tables or ("metadata" in tables and "thread" in tables):
        raise ReportError(f"{path}: a Perfetto database, not an Nsight Systems export")
    shown = ", ".join(sorted(tables)[:3])
    raise ReportError(f"{path}: SQLite, but not an Nsight Systems export (its tables: {shown}, ...)")
