"""Messages on stderr, and the end of stdout."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.analysis.scope import Scope
    from tui.report.model import Report


def tell(text: str) -> None:
    """Write one line to stderr, safe for a terminal."""
    from tui.text import safe

    if sys.stderr is None:
        return
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    with contextlib.suppress(OSError):  # stderr is closed: nobody listens
        print(safe(text).encode(encoding, "backslashreplace").decode(encoding), file=sys.stderr)


def tell_line(text: str) -> None:
    """Write one line to stderr, after the program's name."""
    tell(f"nsystui: {text}")


def said(args: argparse.Namespace, text: str) -> None:
    """Say ``text`` of the report that ``args`` are about: on stderr, of a report of a set among its notes."""
    getattr(args, "say", tell_line)(text)


def tell_doubtful(report: Report, say: Callable[[str], None] | None = None) -> None:
    """Say how many rows of the report are in no figure because their times can't be true.

    ``say``: to whom, instead of stderr.
    """
    count = sum(found.count for found in report.doubtful if found.excluded)
    if count:
        text = f"{count:,} rows whose times can't be true are in no figure; `nsystui info` lists them"
        (say or tell_line)(text)


def tell_skipped(report: Report, scope: Scope, needs: str, name: str) -> None:
    """Say why the report or rule ``name``, which ``needs`` such data, is left out."""
    tell(f"SKIPPED: {report.path} does not contain {needs} data{_where(scope)} ({name}).")


def lacking(report: Report, scope: Scope, what: str) -> str:
    """Return the error text for none of the reports or rules (``what``) having data."""
    return f"{report.path.name} holds none of the data that these {what} need{_where(scope)}"


def _where(scope: Scope) -> str:
    return " in this selection" if scope.narrowed else ""


def abandon_stdout() -> None:
    """Let nothing more go to stdout: its reader has left, and the interpreter flushes it at exit."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
