"""A .nsys-rep instead of its export: where nsys is at hand and someone to ask, offer to export it."""

from __future__ import annotations

import sys
from pathlib import Path

QUESTION = "is a report, not its SQLite export. Export it now with nsys, into nsystui's cache? [Y/n] "


def offer_export(path: Path, cache_dir: Path | None = None) -> None:
    """Ask, and run `nsys export` where the answer is yes; does nothing for any other file.

    Afterwards `open_report(path)` finds the export. Without a terminal, without nsys or with a no it is
    `open_report` that says which command to run.
    """
    if path.suffix.lower() not in (".nsys-rep", ".qdrep"):
        return
    from tui.report import NeedsExport
    from tui.report.nsys import export_of, make_export, nsys_program
    from tui.report.recognise import examine
    from tui.text import safe

    if nsys_program() is None or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return
    try:
        examine(path)
    except NeedsExport:
        if export_of(path, cache_dir) is not None:
            return
    else:
        return
    sys.stderr.write(f"nsystui: {safe(path.name)} {QUESTION}")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() in ("", "y", "yes"):
        make_export(path, cache_dir)
