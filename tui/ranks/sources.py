"""What the command line means: files, folders and lists of them become the reports to read, each once."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tui.errors import UsageError
from tui.text.numbers import plural

EXPORT = ".sqlite"
REPORT = ".nsys-rep"


def expand_inputs(paths: Sequence[str | Path], recursive: bool = False) -> tuple[list[Path], tuple[str, ...]]:
    """The reports that ``paths`` mean, in their order, and notes on what was left out.

    A folder means its exports, by name, with ``recursive`` those of its folders too; `@FILE` the paths that
    it lists, one a line. A report beside its own export is left out, as is a file that comes twice, by
    whatever path. What does not exist stays: opening it says so. Raises UsageError where nothing is left,
    and for a list that can't be read.
    """
    asked = list(_listed(paths))
    found, empty = _found(asked, recursive)
    beside = {path for path in found if path.suffix == REPORT and path.with_suffix(EXPORT) in set(found)}
    kept = [path for path in found if path not in beside]
    unique = list(_once(kept))
    notes = [f"{folder} holds no exports" for folder in empty]
    if beside:
        notes.append(f"{plural(len(beside), 'report')} beside an export: the export is read")
    if len(unique) < len(kept):
        notes.append(f"{plural(len(kept) - len(unique), 'file')} given twice: each is read once")
    if not unique:
        raise UsageError(f"no exports: {'; '.join(notes) or 'the list is empty'}")
    return unique, tuple(notes)


def natural(text: str) -> list[tuple[int, int, str]]:
    """A key that sorts texts as people do: numbers in them by value."""
    parts = re.split(r"([0-9]+)", text)
    return [(1, int(part), "") if part.isdecimal() else (0, 0, part.lower()) for part in parts]


def _listed(paths: Iterable[str | Path]) -> Iterator[Path]:
    """The paths, those of lists in place of the lists. A file that is there is no list, whatever its name."""
    for path in paths:
        text = os.fspath(path)
        if not text.startswith("@") or text == "@" or Path(text).exists():
            yield Path(text)
            continue
        try:
            lines = Path(text[1:]).read_bytes().split(b"\n")
        except OSError as error:
            raise UsageError(f"{text[1:]}: can't be read as a list of reports: {error.strerror}") from error
        if any(b"\0" in line for line in lines):
            raise UsageError(f"{text[1:]}: is no list of reports, one path a line")
        yield from (Path(os.fsdecode(line.strip(b"\r"))) for line in lines if line.strip())


def _found(asked: Sequence[Path], recursive: bool) -> tuple[list[Path], list[Path]]:
    """The files that are meant, and the folders that hold none."""
    files, empty = [], []
    for path in asked:
        if not path.is_dir():
            files.append(path)
            continue
        try:
            inside = list(_exports(path, recursive))
        except OSError:
            files.append(path)  # opening it says why
            continue
        files += inside
        if not inside:
            empty.append(path)
    return files, empty


def _exports(folder: Path, recursive: bool) -> Iterator[Path]:
    """The exports of a folder, and the reports that have none, by name."""
    entries = sorted(folder.iterdir(), key=lambda entry: natural(entry.name))
    for entry in entries:
        alone = entry.suffix == REPORT and not entry.with_suffix(EXPORT).exists()
        if (entry.suffix == EXPORT or alone) and not entry.is_dir():
            yield entry
    if recursive:
        for entry in entries:
            if entry.is_dir() and not entry.is_symlink():
                yield from _exports(entry, recursive)


def _once(paths: Iterable[Path]) -> Iterator[Path]:
    """Each file once, however it is reached."""
    seen: set[object] = set()
    for path in paths:
        try:
            found = path.stat()
            identity: object = (found.st_dev, found.st_ino)
        except OSError:
            identity = path.absolute()
        if identity not in seen:
            seen.add(identity)
            yield path
