"""What the store's folder holds, by report, and what of it goes first when there is too much."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tui.report.store.columnfile import VERSION, ColumnReader, Damaged

SUFFIX = f".{VERSION:08x}.columns"
EXPORTS = "exports"
"""The folder of the exports that were made of reports."""
DERIVED = ".derived"
LASTING = ".summary"
"""Derived files that stay when their report's columns go: they are small and save reading it again."""


@dataclass(frozen=True)
class Entry:
    """One stored report."""

    path: Path
    """Its columns; else the export that was made of it, else a lasting file."""
    size: int
    """Bytes, with those of the files derived from it."""
    used_ns: int
    """When it was last opened."""
    derived: tuple[Path, ...] = ()
    """The files of its :class:`StoreShelf`, and the export that was made of it."""
    lasting: tuple[Path, ...] = ()
    """The files of its shelf that outlive its columns."""
    lasting_size: int = 0
    """How many of the bytes are theirs."""

    def remove(self) -> None:
        """Remove its files. Raises OSError where the columns can't be removed."""
        _unlink(self.lasting)
        self.shrink()

    def shrink(self) -> None:
        """Remove all but its lasting files. Raises OSError where the columns can't be removed."""
        _unlink(self.derived)
        if self.path not in self.lasting:
            self.path.unlink()

    @property
    def stale(self) -> bool:
        """Whether another version of the program made it, which reads what this one can't."""
        of_report = self.path.suffix in (".columns", LASTING)
        return of_report and self.path.name.split(".")[1] != SUFFIX.split(".")[1]

    @property
    def key(self) -> str:
        return self.path.name.split(".")[0]

    def source(self) -> str | None:
        """The report's path when it was imported; None for the export of a report without columns."""
        try:
            with self.path.open("rb") as stream:
                return ColumnReader(stream).source
        except (Damaged, OSError, ValueError):
            return None


def find_entries(folder: Path) -> list[Entry]:
    """The reports stored in a folder, the most recently used first; those of other versions too."""
    found = []
    with suppress(OSError):
        exports = {path.stem: path for path in folder.glob(f"{EXPORTS}/*.sqlite")}
        columns: list[Path] = []
        derived: defaultdict[str, list[Path]] = defaultdict(list)
        lasting: defaultdict[str, list[Path]] = defaultdict(list)
        for path in folder.iterdir():
            name = path.name
            if name.endswith(".columns"):
                columns.append(path)
            elif name.endswith(DERIVED):
                derived[_report(name)].append(path)
            elif name.endswith(LASTING):
                lasting[_report(name)].append(path)
        current = {path.name.removesuffix(SUFFIX) for path in columns if path.name.endswith(SUFFIX)}
        for path in (*columns, *(export for key, export in exports.items() if key not in current)):
            is_export = path.parent != folder
            report = _report(f"{path.stem}{SUFFIX}" if is_export else path.name)
            more = [] if is_export else derived[report]
            if not is_export and (export := exports.get(path.name.removesuffix(SUFFIX))):
                more = [*more, export]
            with suppress(OSError):
                found.append(_entry(path, more, lasting.pop(report, [])))
        for paths in lasting.values():
            with suppress(OSError):
                found.append(_entry(paths[0], [], paths))
    return sorted(found, key=lambda e: (-e.used_ns, e.path.name))


def prune(folder: Path, limit: int, newest: str = "") -> None:
    """Remove what other versions left, then the least recently used until the rest fits ``limit`` bytes.

    Lasting files go after all columns. What belongs to the key ``newest`` stays.
    """
    total = 0
    entries = find_entries(folder)
    total = sum(entry.lasting_size for entry in entries)
    for entry in entries:
        total += entry.size - entry.lasting_size
        mine = entry.key == newest and not entry.stale
        if not mine and (entry.stale or (total > limit and entry.path not in entry.lasting)):
            total -= entry.size - (0 if entry.stale else entry.lasting_size)
            with suppress(OSError):
                entry.remove() if entry.stale else entry.shrink()
    for entry in reversed(entries):
        if total > limit and entry.lasting and not entry.stale and entry.key != newest:
            total -= entry.lasting_size
            _unlink(entry.lasting)


def _report(name: str) -> str:
    """Return the part of a file's name that it has in common with the others of its report and version."""
    return ".".join(name.split(".")[:2])


def _entry(path: Path, derived: Iterable[Path], lasting: Iterable[Path]) -> Entry:
    """Look at the files of one report. Raises OSError where one has gone."""
    derived, lasting = tuple(derived), tuple(lasting)
    info = path.stat()
    lasting_size = sum(p.stat().st_size for p in lasting)
    own = 0 if path in lasting else info.st_size
    size = own + sum(p.stat().st_size for p in derived) + lasting_size
    return Entry(path, size, info.st_mtime_ns, derived, lasting, lasting_size)


def _unlink(paths: Iterable[Path]) -> None:
    for path in paths:
        with suppress(OSError):
            path.unlink()
