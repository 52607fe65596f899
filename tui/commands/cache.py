"""``nsystui cache``: the columns that are kept of opened reports."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui.commands import common

if TYPE_CHECKING:
    from tui.analysis.table import Table
    from tui.report.store.folder import Entry

NAME = "cache"
SUMMARY = "list or clear what is kept of opened reports"

EPILOG = """\
The first opening of a report keeps its columns in a private folder, so that the next one is instant.
The least recently used go when all together pass the limit: NSYSTUI_CACHE_LIMIT, or cache_limit = "20 GB"
in the config file. The report itself is never written to. --no-cache keeps nothing.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``nsystui cache``."""
    parser.epilog = EPILOG
    parser.add_argument("action", choices=("list", "clear"), help="list what is kept, or remove all of it")
    parser.add_argument(
        "--cache-dir",
        metavar="DIR",
        type=Path,
        help="the folder (default: $NSYSTUI_CACHE_DIR, else $XDG_CACHE_HOME/nsystui)",
    )
    common.add_output(parser)


def run(args: argparse.Namespace) -> int:
    """List or clear the store."""
    from tui.report.store.folder import Store, default_folder
    from tui.report.store.size_limit import cache_limit

    store = Store(args.cache_dir or default_folder())
    rows = [_about(entry) for entry in store.entries()]
    if args.action == "clear":
        store.clear()
    limit, total = cache_limit(), sum(row["bytes"] for row in rows)
    fmt = common.output_format(args)
    with common.destination(args.output, fmt, store.folder) as stream:
        if fmt == "json":
            from tui.output.json_text import write_document

            what = "cleared" if args.action == "clear" else "stored"
            document = {
                "folder": str(store.folder), "limit_bytes": limit, "total_bytes": total, what: rows
            }  # fmt: skip
            write_document(document, stream)
        elif args.action == "clear":
            common.tell(f"nsystui: removed {len(rows)} reports, {total:,} bytes, from {store.folder}")
        elif not rows:
            common.tell(f"nsystui: nothing is kept in {store.folder}")
        else:
            from tui.output import render

            note = f"{total:,} of at most {limit:,} bytes in {store.folder}"
            render([_table(rows, note)], fmt, stream, head={}, layout=common.layout(args, stream))
    return 0


def _about(entry: Entry) -> dict[str, Any]:
    from datetime import datetime, timezone

    used = datetime.fromtimestamp(entry.used_ns / 1e9, timezone.utc)
    return {"used": used.strftime("%Y-%m-%d %H:%M:%SZ"), "bytes": entry.size, "report": entry.source()}


def _table(rows: list[dict[str, Any]], note: str) -> Table:
    from tui.analysis.table import Column, Table, Unit

    columns = (
        ("Last used", "used", Unit.TEXT), ("Bytes", "bytes", Unit.BYTES), ("Report", "report", Unit.TEXT)
    )  # fmt: skip
    return Table(
        "stored",
        "Opened reports that are kept",
        tuple(Column(header, key, unit, [row[key] for row in rows]) for header, key, unit in columns),
        note,
    )
