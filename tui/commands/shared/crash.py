"""An unexpected exception: one line for the user, its traceback in a log file."""

from __future__ import annotations

import contextlib
import os
import platform
import sys
import tempfile
import time
import traceback
from pathlib import Path

from tui import __version__
from tui.commands.shared import talk


def report(error: BaseException, *, debug: bool) -> None:
    """Say ``error`` on stderr in one line and write its traceback to a file that the line names."""
    details = "".join(traceback.format_exception(error))
    named = f"{type(error).__name__}: {error}".strip().rstrip(":")
    what = "out of memory" if isinstance(error, MemoryError) else named
    log = write_log(details)
    where = f"details in {log}" if log else "run again with --debug for details"
    talk.tell(f"nsystui: unexpected error: {what} ({where})")
    if debug:
        sys.stderr.write(details)


def write_log(details: str) -> Path | None:
    """Write ``details`` to a new private file and return its path; None where nothing is writable."""
    versions = f"nsystui {__version__}, Python {platform.python_version()}, {platform.system()}"
    for folder in log_folders():
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(".log", time.strftime("crash-%Y%m%d-%H%M%S-"), folder)
            with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(f"{versions}\narguments: {sys.argv[1:]!r}\n\n{details}")
        except OSError:
            continue
        return Path(name)
    return None


def log_folders() -> list[Path]:
    """The folders where a log may go, best first."""
    state = os.environ.get("XDG_STATE_HOME")
    folders = [Path(state) / "nsystui"] if state and Path(state).is_absolute() else []
    with contextlib.suppress(RuntimeError):  # no home directory to be found
        folders.append(Path.home() / ".local" / "state" / "nsystui")
    return [*folders, Path(tempfile.gettempdir())]
