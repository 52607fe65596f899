"""What a worker of a cluster does with a report. Runs there, from the worker's own installation."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from tui import __version__
from tui.errors import ReportError
from tui.ranks import summary_file
from tui.ranks.one_report import Choices, Outcome, content_key, summarise_report
from tui.report.store import columnfile

MESSAGE_BYTES = 8 << 20
"""Up to so many bytes go through the scheduler."""


@dataclass(frozen=True)
class Remote:
    """What came of a report on a worker."""

    outcome: Outcome | None
    """None: the report is not there, or is another there."""
    why: str = ""
    """Why there is no outcome, in words."""
    file: str | None = None
    """The summary's file in the shared folder, where it is too large for a message."""


def installed() -> tuple[str, int, int]:
    """(version of this program, of summaries, of columns): client and workers must have the same."""
    return __version__, summary_file.VERSION, columnfile.VERSION


def read_for_client(
    path: str, key: str, choices: Choices, expected: tuple[str, int, int], shared: str | None
) -> Remote:
    """Summarise the report at ``path``, whose content the client knows as ``key`` (empty: unknown).

    Keeps nothing on the worker; a large summary goes to the folder ``shared``.
    """
    if tuple(installed()) != tuple(expected):
        return Remote(None, f"a worker has nsystui {versions_text(installed())}")
    source = Path(path)
    if key:
        try:
            if content_key(source)[0] != key:
                return Remote(None, "the workers have another file there")
        except ReportError:
            return Remote(None, "the workers don't see it")
    outcome = summarise_report(source, replace(choices, cache_dir=None, use_store=False))
    if outcome.data is None or shared is None or len(outcome.data) <= MESSAGE_BYTES:
        return Remote(outcome)
    try:
        return Remote(replace(outcome, data=None), file=_write(Path(shared), outcome.key, outcome.data))
    except OSError as error:
        return Remote(Outcome(error=f"{path}: its summary can't be written to {shared}: {error.strerror}"))


def versions_text(versions: tuple[str, int, int]) -> str:
    """Return the versions for people."""
    return f"{versions[0]} (summaries {versions[1]:08x}, columns {versions[2]:08x})"


def _write(folder: Path, key: str, data: bytes) -> str:
    """Write a file of this user's own that is whole once it has its name. Raises OSError."""
    descriptor, name = tempfile.mkstemp(".unfinished", f"{key}.", folder)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
        place = Path(name).with_suffix(".summary")
        return str(Path(name).replace(place))
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
