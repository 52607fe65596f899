"""Export a .nsys-rep with the user's own `nsys`, into the store."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tui.errors import ReportError
from tui.report.identity import content_key
from tui.report.recognise import export_command
from tui.report.store.folder import Store, StoreUnusable, default_folder

FOLDER = "exports"


def nsys_program() -> str | None:
    """Find `nsys` on the PATH."""
    return shutil.which("nsys")


def export_of(report: Path, cache_dir: Path | None = None) -> Path | None:
    """Return the export that was made of ``report`` before, if it is still that report's."""
    try:
        made = _place(report, cache_dir or default_folder())
        return made if made.is_file() else None
    except OSError:
        return None


def make_export(
    report: Path,
    cache_dir: Path | None = None,
    run: Callable[[list[str]], int] = lambda command: (
        subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode
    ),
) -> Path:
    """Run `nsys export` on ``report``; return the export's path. ``run`` gets the argument list.

    The report and its folder stay untouched: nsys writes into the store, under a temporary name until it is
    done. Raises ReportError where it fails.
    """
    folder = cache_dir or default_folder()
    program = nsys_program()
    if program is None:
        raise ReportError(f"{report}: there is no nsys on the PATH to export it with")
    try:
        Store(folder).prepare()
        made = _place(report, folder)
        made.parent.mkdir(mode=0o700, exist_ok=True)
        part = made.with_name(f"{made.stem}.{os.getpid()}.unfinished.sqlite")
        command = [program, *export_command(report.absolute(), part)[1:]]
        try:
            status = run(command)
            if status or not part.is_file():
                raise ReportError(f"{report}: nsys export failed (exit code {status})")
            part.chmod(0o600)
            part.replace(made)
        finally:
            with suppress(OSError):
                part.unlink()
    except (OSError, StoreUnusable) as error:
        raise ReportError(f"{report}: can't be exported: {error}") from error
    return made


def _place(report: Path, folder: Path) -> Path:
    descriptor = os.open(report, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return folder / FOLDER / f"{content_key(descriptor)}.sqlite"
    finally:
        os.close(descriptor)
