"""Where results go: stdout, or a file that appears whole or not at all."""

from __future__ import annotations

import io
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from tui.errors import UsageError


@contextmanager
def stdout_sink(fmt: str) -> Iterator[TextIO]:
    """Stdout; data formats are UTF-8 with their own line ends whatever the locale says."""
    stream = sys.stdout
    if stream is None:
        raise UsageError("there is no stdout to write to; use -o FILE")
    if isinstance(stream, io.TextIOWrapper):
        if fmt == "table":
            stream.reconfigure(errors="backslashreplace")
        else:
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="")
    try:
        yield stream
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UsageError(f"can't write to stdout: {error.strerror}") from error


@contextmanager
def file_sink(path: Path, *sources: Path) -> Iterator[TextIO]:
    """The file ``path``, UTF-8; a regular file is replaced only once all of it is written."""
    for source in sources:
        refuse_report(path, source)
    target = path.resolve() if path.exists() else path
    try:
        if target.exists() and not target.is_file():
            with target.open("w", encoding="utf-8", errors="backslashreplace", newline="") as stream:
                yield stream
            return
        handle, name = tempfile.mkstemp(".part", f".{target.name}-"[:60], target.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace", newline="") as stream:
                yield stream
            Path(name).chmod(0o666 & ~umask())
            Path(name).replace(target)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except BrokenPipeError:
        raise
    except OSError as error:
        raise UsageError(f"can't write {path}: {error.strerror or error}") from error


def umask() -> int:
    """The process's umask, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def refuse_report(target: Path, source: Path) -> None:
    """Raise UsageError where ``target`` is the report ``source``."""
    with suppress(OSError):
        if target.samefile(source):
            raise UsageError(f"{target} is the report itself; nothing is ever written to a report")
