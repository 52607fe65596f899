"""The way in: a path -> a :class:`Report`, from the store where it is kept, else by importing it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

from tui.errors import ReportError
from tui.report.assemble import ReportFacts, assemble
from tui.report.columns import ColumnSink, ColumnSource, MemoryColumns
from tui.report.exported import Exports
from tui.report.extra_source import Database, FileTables
from tui.report.identity import Stamp
from tui.report.kernels.user_rules import UserRules, user_rules
from tui.report.model import Report
from tui.report.progress import Meter, Progress
from tui.report.recognise import Candidate, examine
from tui.report.spool import Spool, give_back
from tui.report.store.columnfile import ColumnReader, ColumnWriter
from tui.report.store.folder import (
    Store,
    StoreShelf,
    StoreUnusable,
    anonymous_stream,
    default_folder,
    temporary_folder,
)

_LARGE = 64 << 20
"""A file of this size is imported through a file even when nothing is kept: memory stays bounded."""


def open_report(
    path: str | bytes | Path,
    *,
    cache_dir: Path | None = None,
    use_store: bool = True,
    use_nsys: bool = False,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    tell: Callable[[str], None] | None = None,
    partial: Callable[[Report], None] | None = None,
    rules: UserRules | None = None,
) -> Report:
    """Open an export, or a report as nsys writes it. Nothing is ever written to it or beside it.

    ``cache_dir``: folder of the store (default: :func:`~tui.report.store.folder.default_folder`).
    ``use_store`` False: import it and keep nothing. Where the store can't be used, one in the temporary
    directory is, else nothing is kept; ``tell`` gets a line about it, which is in :attr:`Report.notes` too.
    ``use_nsys``: run the `nsys` of the PATH where a .nsys-rep has no export in the store yet.
    ``progress`` and ``cancelled`` are called while importing, from this thread. So is ``partial``, after each
    stage, with a report of what is there: :attr:`Report.loading` says what is not. It stays valid whatever
    comes of the import.
    ``rules``: the user's classes of kernels; None: those of the config file.

    Raises UsageError for a config file whose rules are none, ReportError with one line that says what is
    wrong with the file and what to do (``ImportCancelled`` when asked to stop, ``NeedsExport`` for a report
    of nsys without ``use_nsys``).
    """
    rules = user_rules() if rules is None else rules
    folder, spare = cache_dir or default_folder(), temporary_folder()
    exports = Exports((Store(folder), Store(spare)), use_nsys)
    caller = _Caller(Meter(progress, cancelled), partial, exports, rules)
    candidate = examine(Path(os.fsdecode(path)))
    if not use_store:
        return _unkept(candidate, caller)
    try:
        return _stored(candidate, Store(folder), caller)
    except StoreUnusable as reason:
        note = f"{reason}: the opened report is kept in {spare}"
        try:
            report = _stored(candidate, Store(spare), caller, (note,))
        except StoreUnusable:
            note = f"{reason}: the opened report can't be kept for the next time"
            report = _unkept(candidate, caller, (note,))
    if tell is not None:
        tell(note)
    return report


def kept_report(path: Path, cache_dir: Path | None = None) -> Report | None:
    """Open a report whose columns the store holds; None where it doesn't. Imports nothing.

    Raises ReportError for a file that is no report.
    """
    candidate = examine(path)
    for folder in (cache_dir or default_folder(), temporary_folder()):
        store = Store(folder)
        if (reader := store.find(candidate.key, used=False)) is not None:
            caller = _Caller(Meter(None, None), None, Exports((store,), False), user_rules())
            return _mapped(candidate, reader, caller, (), StoreShelf(store, candidate.key))
    return None


@dataclass(frozen=True)
class _Caller:
    """How the caller of an import hears of it."""

    meter: Meter
    partial: Callable[[Report], None] | None
    exports: Exports
    rules: UserRules
    """The user's classes of kernels."""

    def database_of(self, candidate: Candidate) -> Database:
        """What gives the SQLite file of ``candidate`` again, after it has been opened."""

        @contextmanager
        def again() -> Iterator[Candidate]:
            asked = candidate if candidate.path == candidate.asked else examine(candidate.asked)
            if asked.stamp != candidate.asked_stamp:
                raise ReportError(f"{asked.path}: has changed since it was opened; open it again")
            with self.exports.database(asked, None, Meter()) as database:
                yield database

        return again


def has_changed(report: Report) -> bool:
    """Whether the file at the report's path is no longer what was opened, or is gone."""
    return not _is_still(report.path, report.stamp)


def _is_still(path: Path, stamp: tuple[int, ...] | None) -> bool:
    try:
        return Stamp.of(path) == stamp
    except OSError:
        return False


def _stored(candidate: Candidate, store: Store, caller: _Caller, notes: tuple[str, ...] = ()) -> Report:
    shelf = StoreShelf(store, candidate.key)
    if (reader := store.find(candidate.key)) is not None:
        return _mapped(candidate, reader, caller, notes, shelf)
    caller.exports.check(candidate)
    store.prepare()
    with store.building(candidate.key, lambda: caller.meter.step("waiting for another nsystui to import it")):
        if (reader := store.find(candidate.key)) is not None:
            return _mapped(candidate, reader, caller, notes, shelf)
        try:
            with (
                caller.exports.database(candidate, store, caller.meter) as database,
                store.stream(candidate.key) as (stream, publish),
            ):
                _import_into(stream, database, caller, Spool(store.folder))
                publish()
                return _mapped(candidate, ColumnReader(stream), caller, notes, shelf)
        except OSError as error:  # the report's own faults come as ReportError
            raise StoreUnusable(f"{store.folder}: {error.strerror or error}") from error


def _unkept(candidate: Candidate, caller: _Caller, notes: tuple[str, ...] = ()) -> Report:
    """Import without a store: into memory, or into a nameless temporary file where it is large."""
    with caller.exports.database(candidate, None, caller.meter) as database:
        return _imported(database, caller, notes)


def _imported(candidate: Candidate, caller: _Caller, notes: tuple[str, ...]) -> Report:
    if candidate.stamp.size >= _LARGE:
        with suppress(OSError), anonymous_stream() as stream:
            _import_into(stream, candidate, caller, Spool(Path(tempfile.gettempdir())))
            return _mapped(candidate, ColumnReader(stream), caller, notes)
    sink = MemoryColumns()
    facts = _import(candidate, sink, caller, Spool(None))
    extra = FileTables(caller.database_of(candidate))
    return assemble(
        candidate.asked, facts, sink, candidate.asked_stamp, notes, extra=extra, rules=caller.rules
    )


def _import_into(stream: BinaryIO, candidate: Candidate, caller: _Caller, spool: Spool) -> None:
    writer = ColumnWriter(stream)
    facts = _import(candidate, writer, caller, spool)
    caller.meter.step("saving")
    writer.finish(asdict(facts), candidate.asked.absolute())
    del facts
    give_back()


def _import(candidate: Candidate, sink: ColumnSink, caller: _Caller, spool: Spool) -> ReportFacts:
    # What is stored already opens without SQLite and all that reads it.
    from tui.report.importing.importer import import_report
    from tui.report.sqlite.connect import connected

    def publish(facts: ReportFacts, columns: ColumnSource, loading: frozenset[str]) -> None:
        if caller.partial is not None:
            asked, stamp = candidate.asked, candidate.asked_stamp
            extra = FileTables(caller.database_of(candidate))
            rules = caller.rules
            caller.partial(assemble(asked, facts, columns, stamp, loading=loading, extra=extra, rules=rules))

    with spool, connected(candidate, caller.meter) as source:
        facts = import_report(source, sink, caller.meter, spool, publish if caller.partial else None)
    if not _is_still(candidate.path, candidate.stamp):
        raise ReportError(
            f"{candidate.path}: changed while it was being read; open it again when it is finished"
        )
    return facts


def _mapped(
    candidate: Candidate,
    reader: ColumnReader,
    caller: _Caller,
    notes: tuple[str, ...] = (),
    shelf: StoreShelf | None = None,
) -> Report:
    facts = ReportFacts.from_json(reader.facts)
    extra = FileTables(caller.database_of(candidate), shelf)
    return assemble(
        candidate.asked, facts, reader, candidate.asked_stamp, notes, shelf, extra=extra, rules=caller.rules
    )
