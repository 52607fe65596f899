"""The store: a private folder with a file of columns for each report that was opened."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from tui.config import config_path, read_config
from tui.errors import UsageError
from tui.report.columns import Array
from tui.report.store.columnfile import VERSION, ColumnReader, ColumnWriter, Damaged
from tui.report.store.entries import DERIVED, EXPORTS, LASTING, SUFFIX, Entry, find_entries, prune
from tui.text.numbers import parse_size

_UNFINISHED = ".unfinished"
_LOCK = ".lock"
_PAUSE = 0.1
_DAY = 24 * 3600 * 10**9
DEFAULT_LIMIT = 20 * 10**9


class StoreUnusable(Exception):
    """The folder can't hold a store; the text says why."""


class _Cancelled(Exception):
    """The result of a derivation is no longer wanted."""


def default_folder() -> Path:
    """``$NSYSTUI_CACHE_DIR``, else ``$XDG_CACHE_HOME/nsystui``, else ``~/.cache/nsystui``."""
    if chosen := os.environ.get("NSYSTUI_CACHE_DIR"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME", "")
    if base.startswith("/"):
        return Path(base) / "nsystui"
    try:
        return Path.home() / ".cache" / "nsystui"
    except RuntimeError:  # a container's user without a home
        return temporary_folder()


def temporary_folder() -> Path:
    """A folder of this user's own in the temporary directory."""
    return Path(tempfile.gettempdir()) / f"nsystui-{os.geteuid()}"


def cache_limit(environ: Mapping[str, str] | None = None) -> int:
    """Bytes that stored reports may take: ``NSYSTUI_CACHE_LIMIT``, else ``cache_limit`` of the config file.

    Raises UsageError for what is no size; it says where the value was found.
    """
    environ = os.environ if environ is None else environ
    if chosen := environ.get("NSYSTUI_CACHE_LIMIT"):
        return parse_size(chosen)
    path = config_path(environ)
    try:
        value = read_config(path).get("cache_limit")
    except UsageError:
        value = None  # whatever needs the rest of the file reports what is wrong with it
    if value is None:
        return DEFAULT_LIMIT
    try:
        return parse_size(str(value))
    except UsageError as error:
        raise UsageError(f"{path}: cache_limit: {error}") from None


class Store:
    """A folder of column files. Private to its user: made 0700, files 0600, another's folder is not used."""

    def __init__(self, folder: Path, limit: int | None = None) -> None:
        """``limit``: bytes beyond which the least recently used files go; None: :func:`cache_limit`."""
        self.folder = folder
        self._limit = limit

    def prepare(self) -> None:
        """Make the folder. Raises :class:`StoreUnusable` if it can't be made, written to or trusted."""
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            found = self.folder.stat()
            if self.folder == temporary_folder() and self.folder.is_symlink():
                raise StoreUnusable(f"{self.folder} is a link")  # another user may have put it there
        except OSError as error:
            raise StoreUnusable(f"{self.folder}: {error.strerror or error}") from error
        if found.st_uid != os.geteuid():
            raise StoreUnusable(f"{self.folder} belongs to another user")
        if stat.S_IMODE(found.st_mode) & 0o022:
            raise StoreUnusable(f"{self.folder} can be written to by other users")
        if not os.access(self.folder, os.W_OK | os.X_OK):
            raise StoreUnusable(f"{self.folder} is read-only")

    def find(self, key: str, suffix: str = SUFFIX, *, used: bool = True) -> ColumnReader | None:
        """The stored columns of a report; None if there are none that can be trusted.

        ``used`` False: it is only looked at, which does not keep it from being removed.
        Works in a folder that can't be written to, as long as its files are this user's own.
        """
        path = self.folder / (key + suffix)
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            return None
        with os.fdopen(descriptor, "rb") as stream:
            if os.fstat(descriptor).st_uid != os.geteuid():
                return None
            try:
                reader = ColumnReader(stream)
            except (Damaged, OSError, ValueError):
                return None
        if used:
            with suppress(OSError):
                os.utime(path)
        return reader

    @contextmanager
    def building(self, key: str, wait: Callable[[], None]) -> Iterator[None]:
        """Have the sole right to build ``key``; ``wait`` is called now and then while another process has it.

        The right ends with the process, however that ends. If the file system has no locks, two processes
        may build at once: each renames a whole file into place, so only work is lost.
        """
        path = self.folder / (key + _LOCK)
        descriptor = self._acquire(path, wait)
        try:
            for left in self.folder.glob(f"{key}.*{_UNFINISHED}"):
                if descriptor is not None:
                    with suppress(OSError):
                        _discard(left)
            yield
        finally:
            if descriptor is not None:
                with suppress(OSError):
                    path.unlink()
                os.close(descriptor)

    def _acquire(self, path: Path, wait: Callable[[], None]) -> int | None:
        while True:
            try:
                descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            except OSError as error:
                raise StoreUnusable(f"{self.folder}: {error.strerror or error}") from error
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                # The one before may have removed the file between our open and our lock.
                if os.fstat(descriptor).st_ino == path.stat().st_ino:
                    return descriptor
                os.close(descriptor)
            except FileNotFoundError:
                os.close(descriptor)
            except BlockingIOError:
                os.close(descriptor)
                wait()
                time.sleep(_PAUSE)
            except OSError as error:
                os.close(descriptor)
                if error.errno in (errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS):
                    return None
                raise

    @contextmanager
    def stream(self, key: str, suffix: str = SUFFIX) -> Iterator[tuple[BinaryIO, Callable[[], None]]]:
        """A new file, and the function that moves it into place once it is whole. Else it is removed."""
        descriptor, name = tempfile.mkstemp(_UNFINISHED, f"{key}.", self.folder)  # made 0600
        unfinished = Path(name)
        try:
            with os.fdopen(descriptor, "w+b") as stream:
                yield stream, lambda: self._publish(unfinished, key, suffix)
        finally:
            with suppress(OSError):
                unfinished.unlink()

    @contextmanager
    def work_folder(self, key: str) -> Iterator[Path]:
        """A new folder for another program to write to, removed with all that it has left there."""
        folder = Path(tempfile.mkdtemp(_UNFINISHED, f"{key}.", self.folder))  # made 0700
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def export_of(self, key: str) -> Path | None:
        """The export that was made of a report; None if there is none that can be trusted."""
        path = self.folder / EXPORTS / f"{key}.sqlite"
        try:
            found = path.lstat()
        except OSError:
            return None
        return path if stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() else None

    def keep_export(self, key: str, whole: Path) -> Path:
        """Move the export of a report into place; returns where it is. Raises OSError."""
        place = self.folder / EXPORTS / f"{key}.sqlite"
        place.parent.mkdir(mode=0o700, exist_ok=True)
        descriptor = os.open(whole, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            os.fchmod(descriptor, 0o600)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        self._move(whole, place, key)
        return place

    def _publish(self, unfinished: Path, key: str, suffix: str) -> None:
        self._move(unfinished, self.folder / (key + suffix), key)

    def _move(self, unfinished: Path, place: Path, key: str) -> None:
        unfinished.replace(place)
        with suppress(OSError):
            folder = os.open(place.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        self._prune(key)

    def entries(self) -> list[Entry]:
        """The stored reports, the most recently used first; those of other versions too."""
        return find_entries(self.folder)

    def clear(self) -> list[Entry]:
        """Remove everything that this program put into the folder; return the entries that are gone."""
        gone = []
        for entry in self.entries():
            with suppress(OSError):
                entry.remove()
                gone.append(entry)
        self._sweep(0)
        return gone

    def _sweep(self, older_ns: int) -> None:
        """Remove what killed builders left; a living one would only have to build again."""
        for pattern in (f"*{_UNFINISHED}", f"*{_LOCK}"):
            for path in self.folder.glob(pattern):
                with suppress(OSError):
                    if time.time_ns() - path.stat().st_mtime_ns >= older_ns:
                        _discard(path)

    def prune(self, newest: str = "") -> None:
        """Remove what is stale, and the least recently used beyond the limit; what is of ``newest`` stays."""
        self._sweep(_DAY)
        prune(self.folder, cache_limit() if self._limit is None else self._limit, newest)

    def _prune(self, newest: str) -> None:
        """Prune, unless it is for :func:`pruning_rarely` to say and it has just been done."""
        global _due
        if _due is None or time.monotonic() >= _due:
            self.prune(newest)
            _due = None if _due is None else time.monotonic() + _RARELY


_RARELY = 1.0
_due: float | None = None
"""When a store is next pruned, while that is done rarely."""


@contextmanager
def pruning_rarely() -> Iterator[None]:
    """Prune about once a second: for a process that stores many reports, of which each looks at all."""
    global _due
    before, _due = _due, 0.0
    try:
        yield
    finally:
        _due = before


@dataclass(frozen=True)
class StoreShelf:
    """What higher layers derive from one report, kept in the store beside its columns.

    The store knows neither what it is nor how it is made: arrays by name and some facts, under a name
    and a version of the caller's.
    """

    store: Store
    key: str

    def find(self, name: str, version: int) -> ColumnReader | None:
        """What was kept as ``name``: ``facts`` and ``get(array's name)``; None where nothing was."""
        return self.store.find(self.key, self._suffix(name, version))

    def keep(
        self,
        name: str,
        version: int,
        derive: Callable[[Callable[[str, Array], None]], dict[str, Any]],
        cancelled: Callable[[], bool],
    ) -> ColumnReader | None:
        """Keep what ``derive`` hands to the function that it gets, and the facts that it returns.

        None where the store can't take it (the disk is full, the folder can't be written to, the
        report's own columns are gone) and where ``cancelled``, asked before each array, says so.
        """

        def put(name: str, values: Array) -> None:
            if cancelled():
                raise _Cancelled
            writer.put(name, values)

        if self.store.find(self.key) is None:
            return None
        with (
            suppress(OSError, StoreUnusable, _Cancelled),
            self.store.stream(self.key, self._suffix(name, version)) as (stream, publish),
        ):
            writer = ColumnWriter(stream)
            writer.finish(derive(put), self.store.folder)
            publish()
            return ColumnReader(stream)
        return None

    def find_lasting(self, name: str, version: int) -> ColumnReader | None:
        """What was kept as ``name`` by :meth:`keep_lasting`; None where nothing was."""
        return self.store.find(self.key, self._suffix(name, version, LASTING))

    def lasting_path(self, name: str, version: int) -> Path:
        """Where :meth:`keep_lasting` puts it."""
        return self.store.folder / (self.key + self._suffix(name, version, LASTING))

    def keep_lasting(self, name: str, version: int, data: bytes) -> ColumnReader | None:
        """Keep a whole column file under ``name``, beyond the life of the report's columns.

        None where the store can't take it.
        """
        with suppress(OSError, StoreUnusable):
            self.store.prepare()
        with (
            suppress(OSError, StoreUnusable),
            self.store.stream(self.key, self._suffix(name, version, LASTING)) as (stream, publish),
        ):
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
            publish()
            return ColumnReader(stream)
        return None

    def _suffix(self, name: str, version: int, kind: str = DERIVED) -> str:
        return f".{VERSION:08x}.{name}-{version}{kind}"


def _discard(path: Path) -> None:
    """Remove a file or a whole folder of the store's own."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def anonymous_stream() -> BinaryIO:
    """A private temporary file without a name, which lives as long as its last map. Raises OSError."""
    return tempfile.TemporaryFile(prefix="nsystui-")
