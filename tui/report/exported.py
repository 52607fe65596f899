"""The SQLite file to read for what the user named: itself, or the export that nsys makes of a report."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from tui.errors import ReportError
from tui.report.identity import Stamp
from tui.report.progress import ImportCancelled, Meter
from tui.report.recognise import Candidate, NeedsExport, examine
from tui.report.store.folder import Store, default_folder, temporary_folder


@dataclass(frozen=True)
class Exports:
    """Where the exports of reports are found, and whether nsys may make one."""

    stores: tuple[Store, ...]
    use_nsys: bool

    @contextmanager
    def database(self, asked: Candidate, keep: Store | None, meter: Meter) -> Iterator[Candidate]:
        """Give the SQLite file of ``asked``. An export that is made now is kept in ``keep``; None: nowhere.

        An export that turns out to be no good is removed, so that the next opener makes it anew. Whoever has
        a place to keep it holds the lock of its key. Raises ReportError (:class:`NeedsExport` where nsys may
        not or can't be run), ImportCancelled, and OSError where ``keep`` can't take it.
        """
        if not asked.is_report:
            yield asked
            return
        # What needs no nsys does without these modules.
        from tui.report.environment import strip_environment
        from tui.report.nsys import ending_cleanly, run_nsys

        with ending_cleanly():
            if (found := self._found(asked)) is not None:
                with _blaming_nsys(asked, found.path):
                    yield found
                return
            program = self._program(asked)
            with _scratch(asked) if keep is None else keep.work_folder(asked.key) as folder:
                made = folder / "export.sqlite"
                said = run_nsys(program, asked.path, made, meter)
                _check_unchanged(asked)
                with _blaming_nsys(asked, made, said):
                    examine(made)
                strip_environment(made)
                checked = examine(made if keep is None else keep.keep_export(asked.key, made))
                with _blaming_nsys(asked, checked.path, said):
                    yield _in_place_of(asked, checked)

    def check(self, asked: Candidate) -> None:
        """Raise NeedsExport where there is no way to an export of ``asked``. Makes nothing."""
        if asked.is_report and self._found(asked) is None:
            self._program(asked)

    def _found(self, asked: Candidate) -> Candidate | None:
        """The export that was made of a report before."""
        for store in self.stores:
            if (path := store.export_of(asked.key)) is not None:
                try:
                    return _in_place_of(asked, examine(path))
                except ReportError:
                    _remove(path)
        return None

    def _program(self, asked: Candidate) -> str:
        from tui.report.nsys import find_nsys

        if not self.use_nsys:
            raise NeedsExport(asked.path)
        program, why_not = find_nsys()
        if program is None:
            raise NeedsExport(asked.path, why_not)
        return program


def may_need_nsys(path: Path, cache_dir: Path | None = None, *, use_store: bool = True) -> bool:
    """Whether ``path`` is a report that only nsys can make readable, and nsys is there to do it."""
    try:
        asked = examine(path)
    except ReportError:
        return False
    from tui.report.nsys import find_nsys

    if not asked.is_report or find_nsys()[0] is None:
        return False
    stores = (Store(cache_dir or default_folder()), Store(temporary_folder()))
    return not any((use_store and s.find(asked.key)) or s.export_of(asked.key) for s in stores)


def _in_place_of(asked: Candidate, export: Candidate) -> Candidate:
    """Return the export as what is read for ``asked``: its columns are stored under the report's own key."""
    return replace(export, key=asked.key, asked=asked.path, asked_stamp=asked.stamp)


def _check_unchanged(asked: Candidate) -> None:
    with suppress(OSError):
        if Stamp.of(asked.path) == asked.stamp:
            return
    raise ReportError(f"{asked.path}: changed while nsys exported it; open it again when it is finished")


@contextmanager
def _blaming_nsys(asked: Candidate, export: Path, said: str = "") -> Iterator[None]:
    """Have what is wrong with an export said of its report, with what nsys ``said``; remove the export."""
    try:
        yield
    except ImportCancelled:
        raise
    except ReportError as error:
        _remove(export)
        what = str(error).removeprefix(f"{export}: ")
        told = said and f" (nsys said: {said})"
        raise ReportError(f"{asked.path}: what nsys exported can't be read: {what}{told}") from error


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()


@contextmanager
def _scratch(asked: Candidate) -> Iterator[Path]:
    """A temporary folder for an export that is not kept."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="nsystui-"))
    except OSError as error:
        raise ReportError(f"{asked.path}: there is no place to export it to: {error}") from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
