"""``nsystui files``: which files were read and written, how often and how fast."""

from __future__ import annotations

import argparse
from typing import Any

from tui.commands.shared import opening, options, writing
from tui.errors import NothingThere, UsageError

TOP = 30

EPILOG = """\
Reads, bytes and time are those of calls that read; the time is that of the calls, added up over threads, and
the rate is bytes by that time. Bytes that the export does not tell are unknown (?), never zero. Everything
recorded counts; with --range, calls that overlap it. `nsystui gaps` names the files that were read while a
device waited. File accesses are recorded by `nsys profile --trace=osrt --osrt-file-access=true`.

examples:
  nsystui files run.sqlite                     the files that took longest to read
  nsystui files run.sqlite --range gap:1       those that were read while a device waited
  nsystui files run.sqlite -f json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``nsystui files``."""
    options.add_report(parser)
    add = parser.add_argument_group("files").add_argument
    add("--top", metavar="N", type=int, help=f"the first N files (default: {TOP} in a table, else all)")
    options.add_all(parser)


def run(args: argparse.Namespace) -> int:
    """Print one row a file."""
    from tui.analysis.captured import lacking
    from tui.analysis.files.accesses import file_accesses
    from tui.analysis.files.file_table import accesses_in, files_table
    from tui.analysis.kinds.calls import FILES

    if args.top is not None and args.top < 0:
        raise UsageError(f"--top {args.top} is negative")
    index, scope = opening.open_everything(args)
    if not len(file_accesses(index)):
        raise NothingThere(lacking(index.report, FILES))
    table = files_table(index, scope)
    if not len(table):
        raise NothingThere(f"{index.report.path.name}: no file was accessed in {scope.window.label}")

    def document(rows: list[dict[str, Any]]) -> dict[str, Any]:
        found = accesses_in(index, scope)
        for row in rows:
            known = row["bytes"] is not None and row["ns"]
            row["rate"] = row["bytes"] * 10**9 // row["ns"] if known else None
        return {
            "coverage": {"accesses": len(found), "named": int((found.file >= 0).sum())},
            "rows": rows,
            "notes": [table.note] if table.note else [],
        }

    return writing.write_rows(table, document, index.report, scope, args, most=TOP)
