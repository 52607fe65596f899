"""``nsystui cache``: the stored columns and exports of opened reports."""

from __future__ import annotations

import argparse
from pathlib import Path

from tui.commands.shared import options, talk, writing

EPILOG = """\
The first opening of a report keeps its columns in a private folder, so that the next one is instant, and
the SQLite export of a .nsys-rep beside them.
The least recently used go when all together pass the limit: NSYSTUI_CACHE_LIMIT, or cache_limit = "20 GB"
in the config file. The report itself is never written to. --no-cache keeps nothing.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``nsystui cache``."""
    parser.add_argument("action", choices=("list", "clear"), help="list what is kept, or remove all of it")
    about = f"the folder (default: {options.CACHE_FOLDER})"
    parser.add_argument("--cache-dir", metavar="DIR", type=Path, help=about)
    options.add_output(parser)


def run(args: argparse.Namespace) -> int:
    """List or clear the store."""
    from tui.output import render
    from tui.output.cache_json import cache_document, cache_table
    from tui.output.json_text import write_document
    from tui.report.store.folder import Store, cache_limit, default_folder

    store = Store(args.cache_dir or default_folder())
    entries = store.entries()
    cleared = args.action == "clear"
    if cleared:
        store.clear()
    document = cache_document(store, entries, cache_limit(), cleared=cleared)
    fmt = writing.output_format(args)
    with writing.destination(args.output, fmt, store.folder) as stream:
        if fmt == "json":
            write_document(document, stream)
        elif cleared:
            total = document["total_bytes"]
            talk.tell(f"nsystui: removed {len(entries)} reports, {total:,} bytes, from {store.folder}")
        elif not entries:
            talk.tell(f"nsystui: nothing is kept in {store.folder}")
        else:
            render([cache_table(document)], fmt, stream, head={}, layout=writing.layout(args, stream))
    return 0
