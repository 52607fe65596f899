"""Which kind of file a path leads to, before SQLite sees it: near misses get a line that says what to do."""

from __future__ import annotations

import difflib
import os
import shlex
import stat
import struct
from dataclasses import dataclass
from pathlib import Path

from tui.errors import ReportError
from tui.report.identity import Stamp, content_key

SQLITE_MAGIC = b"SQLite format 3\0"
REPORT_MAGIC = b"NVIDIA Tegra Profiler Report"
REPORT_SUFFIXES = (".nsys-rep", ".qdrep")
_JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")

_MAGICS = (
    (b"\x89HDF\r\n", "an HDF5 file"),
    (b"ARROW1", "an Arrow file"),
    (b"PAR1", "a Parquet file"),
    (b"\x1f\x8b", "gzip-compressed"),
    (b"\x28\xb5\x2f\xfd", "zstd-compressed"),
    (b"\xfd7zXZ", "xz-compressed"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x7fELF", "a program"),
)
_SUFFIXES = {
    ".ncu-rep": "an Nsight Compute report: it holds single kernels, not a timeline",
    ".ncu-repz": "an Nsight Compute report: it holds single kernels, not a timeline",
    ".nvvp": "an nvprof profile: profile again with `nsys profile`",
    ".nvprof": "an nvprof profile: profile again with `nsys profile`",
    ".qdstrm": "a raw capture that was not finished: open it once with Nsight Systems, or run QdstrmImporter",
    ".pftrace": "a Perfetto trace, not an Nsight Systems export",
    ".perfetto-trace": "a Perfetto trace, not an Nsight Systems export",
    ".arrow": "one table of an Arrow export",
    ".parquet": "one table of a Parquet export",
    ".h5": "an HDF5 export",
}
_AGAIN = "export it again: nsys export --type sqlite"


class NeedsExport(ReportError):
    """A report as nsys writes it; ``command`` turns it into what this program reads.

    ``why`` says why this program doesn't run it, where there is more to say than that nsys isn't there.
    """

    def __init__(self, path: Path, why: str = "") -> None:
        self.path = path
        self.command = export_command(path)
        what = f"{path}: a report, not its SQLite export"
        super().__init__(f"{what}{why and f', and {why}'}; run: {shlex.join(self.command)}")


@dataclass(frozen=True)
class Candidate:
    """A regular file that begins like a whole SQLite database, or a report as nsys writes it."""

    path: Path
    stamp: Stamp
    key: str
    wal_mode: bool
    asked: Path
    """What the user named: the file itself, or the .nsys-rep that it is an export of."""
    asked_stamp: Stamp
    is_report: bool = False
    """Whether nsys has to export it before it can be read."""


def export_command(path: Path, output: Path | None = None) -> list[str]:
    """The `nsys` call that exports ``path`` to SQLite, as an argument list."""
    target = output or path.with_suffix(".sqlite")
    if target == path:  # a report that is called .sqlite must not be written over
        target = path.with_suffix(".export.sqlite")
    return ["nsys", "export", "--type", "sqlite", "--output", _argument(target), _argument(path)]


def _argument(path: Path) -> str:
    """Return a path as a program's argument: one that begins with a dash would be read as an option."""
    return f"./{path}" if str(path).startswith("-") else str(path)


def examine(path: Path) -> Candidate:
    """Check everything that needs no SQLite. Reads some blocks, follows symlinks, creates nothing.

    Raises ReportError for whatever can be neither an export nor a report.
    """
    try:
        _refuse(path, _special(path, path.stat().st_mode))
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        raise ReportError(f"{path}: {_missing(path)}") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ReportError(f"{path}: can't be read: {reason}") from None
    try:
        found = os.fstat(descriptor)
        _refuse(path, _special(path, found.st_mode))
        head = os.pread(descriptor, 4096, 0)
        is_report = _is_report(path, head)
        _refuse(path, "" if is_report else _not_whole(path, head, found.st_size) or _unfinished(path))
        stamp = Stamp.from_stat(found)
        in_wal_mode = not is_report and (head[18] == 2 or head[19] == 2)
        return Candidate(path, stamp, content_key(descriptor), in_wal_mode, path, stamp, is_report)
    except OSError as error:
        raise ReportError(f"{path}: can't be read: {error.strerror or error}") from None
    finally:
        os.close(descriptor)


def _is_report(path: Path, head: bytes) -> bool:
    """Whether a file is a report as nsys writes it: by its content, or by its name where that is unknown."""
    if head.startswith(REPORT_MAGIC):
        return True
    known = (SQLITE_MAGIC, *(magic for magic, _ in _MAGICS))
    return bool(head) and path.suffix.lower() in REPORT_SUFFIXES and not head.startswith(known)


def _refuse(path: Path, fault: str) -> None:
    if fault:
        raise ReportError(f"{path}: {fault}")


def _special(path: Path, mode: int) -> str:
    """Say what a path leads to that is no regular file; empty for a regular file."""
    if stat.S_ISREG(mode):
        return ""
    if stat.S_ISDIR(mode):
        return _directory(path)
    kind = "a pipe" if stat.S_ISFIFO(mode) else "a socket" if stat.S_ISSOCK(mode) else "a device"
    return f"{kind}, not a file: an export must be on disk to be read in any order"


def _directory(path: Path) -> str:
    try:
        names = sorted(p.name for p in path.iterdir())
    except OSError:
        return "a directory; name the export in it"
    for suffix in (".parquet", ".arrow"):
        if any(n.endswith(suffix) for n in names):
            return f"a directory of {suffix[1:]} tables; {_AGAIN}"
    exports = [n for n in names if n.endswith((".sqlite", ".db", *REPORT_SUFFIXES))]
    if exports:
        shown = ", ".join(exports[:3]) + (", ..." if len(exports) > 3 else "")
        return f"a directory; name the export in it ({shown})"
    return "a directory, and there is no export in it"


def _missing(path: Path) -> str:
    if path.is_symlink():
        return "a link to a file that does not exist"
    try:
        names = sorted(p.name for p in path.parent.iterdir())
    except OSError:
        return "no such file"
    close = difflib.get_close_matches(path.name, names, n=1, cutoff=0.8)
    return f"no such file; did you mean {path.with_name(close[0])}?" if close else "no such file"


def _not_whole(path: Path, head: bytes, size: int) -> str:
    """Say why a file that begins with ``head`` is not a whole SQLite database; empty where it may be one."""
    if not size:
        if path.suffix.lower() in REPORT_SUFFIXES:
            return "empty: the capture did not get that far; profile again"
        return f"empty: the export did not get that far; {_AGAIN}"
    if head.startswith(SQLITE_MAGIC):
        return _cut_short(head, size)
    if kind := _SUFFIXES.get(path.suffix.lower()):
        return kind
    for magic, kind in _MAGICS:
        if head.startswith(magic):
            advice = "unpack it first" if "compressed" in kind or "zip" in kind else _AGAIN
            return f"{kind}, not an SQLite export; {advice}"
    if path.name.endswith(("-wal", "-shm", "-journal")):
        return "a companion of an SQLite file; open the file itself"
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text[:1] in (b"{", b"["):
        return "JSON (a Chrome, Perfetto or PyTorch trace?), not an SQLite export of nsys"
    return f"incomplete or not SQLite; {_AGAIN}"


def _cut_short(head: bytes, size: int) -> str:
    """Compare the header's page count with the file's length, where the header vouches for it."""
    if len(head) < 100:
        return f"damaged or truncated: {size} bytes; {_AGAIN}"
    (page,) = struct.unpack_from(">H", head, 16)
    page = 65536 if page == 1 else page
    (changes,), (pages,), (valid_for,) = (struct.unpack_from(">I", head, at) for at in (24, 28, 92))
    if page < 512 or page & (page - 1):
        return f"damaged: its header makes no sense; {_AGAIN}"
    if size % page or (pages and changes == valid_for and size < pages * page):
        expected = f"{pages * page} bytes expected, {size} there" if size < pages * page else f"{size} bytes"
        return f"damaged or truncated: {expected}; {_AGAIN}"
    return ""


def _unfinished(path: Path) -> str:
    """Say which file beside it, a -wal or -journal, still has the latest content; empty where none has."""
    real = path.resolve()  # SQLite keeps them beside the file itself, not beside a link to it
    wal, journal = (real.with_name(real.name + ending) for ending in ("-wal", "-journal"))
    if _size(wal) > 0:
        return (
            f"its latest changes are still in {wal.name}: it is being written, or its writer died; "
            f"wait, or merge them: sqlite3 {shlex.quote(str(path))} 'PRAGMA wal_checkpoint(TRUNCATE)'"
        )
    if _size(journal) > 0:
        with journal.open("rb") as stream:
            if stream.read(8) == _JOURNAL_MAGIC:
                which = f"{journal.name} is pending"
                return f"still being written, or its writer died ({which}); wait, or {_AGAIN}"
    return ""


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
