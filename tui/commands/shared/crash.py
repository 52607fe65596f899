"""An exception that nobody foresaw: one line for the user, the whole of it in a log file."""

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
    """Tell ``error`` on stderr in one line and keep its traceback in a file that the line names."""
    details = "".join(traceback.format_exception(error))
    what = f"{type(error).__name__}: {error}".strip().rstrip(":")
    if isinstance(error, MemoryError):
        what = "out of memory"
    log = write_log(details)
    where = f"details in {log}" if log else "run again with --debug for details"
    talk.tell(f"nsystui: unexpected error: {what} ({where})")
    if debug:
        sys.stderr.write(details)


def write_log(details: str) -> Path | None:
    """Write ``details`` to a new private file and return its path; None where nothing is writable."""
    header = (
        f"nsystui {__version__}, Python {platform.python_version()}, {platform.system()}\narguments: "
        f"{sys.argv[1:]!r}\n\n"
    )
    for folder in log_folders():
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(".log", time.strftime("crash-%Y%m%d-%H%M%S-"), folder)
            with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(header + details)
        except OSError:
            continue
        return Path(name)
    return None


def log_folders() -> list[Path]:
    """Where a log may go, best first."""
    state = os.environ.get("XDG_STATE_HOME")
    folders = [Path(state) / "nsystui"] if state and Path(state).is_absolute() else []
    with contextlib.suppress(RuntimeError):  # no home directory to be found
        folders.append(Path.home() / ".local" / "state" / "nsystui")
    return [*folders, Path(tempfile.gettempdir())]
