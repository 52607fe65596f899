"""``nsystui demo``: the explorer on a generated report, for a first look without a GPU."""

from __future__ import annotations

import argparse
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tui.commands import explore
from tui.commands.shared.capture_generator import generator_version, load_generator
from tui.errors import NsystuiError, UsageError

DEFAULT = "finetune"

EPILOG = """\
examples:
  nsystui demo                        explore a fine-tune whose GPU idles 37 % of the time: find out why
  nsystui demo resnet                 another one; --list names them all
  nsystui demo -o demo.sqlite         only write the report, to try the other commands on it
  nsystui demo finetune --ascii       with the explorer's own options
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``nsystui demo``."""
    parser.add_argument("name", nargs="?", default=DEFAULT, help=f"which report (default: {DEFAULT})")
    parser.add_argument("--list", action="store_true", help="list the reports that can be generated")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the report there and do not open it")
    explore.add_options(parser)


def run(args: argparse.Namespace) -> int:
    """Generate the report (once per version of the generator) and open the explorer on it."""
    generator = load_generator()
    if args.list:
        for scenario in generator.scenarios().values():
            print(f"{scenario.name:<34} {scenario.summary}")
        return 0
    try:
        scenario = generator.find(args.name)
    except ValueError:
        raise UsageError(f"no demo {args.name!r}; `nsystui demo --list` names them") from None
    if args.output is not None:
        write(scenario, Path(args.output))
        return 0
    with bundled_report(scenario, args.cache_dir) as path:
        return explore.run(argparse.Namespace(**vars(args), reports=[str(path)]))


@contextmanager
def bundled_report(scenario: Any, cache_dir: Path | None) -> Iterator[Path]:
    """Yield the path of the report of `scenario`: in the cache, or temporary where that can't be written."""
    from tui.report.store.folder import default_folder

    root = cache_dir or default_folder()
    stem = scenario.name.replace(":", "-")
    path = root / "demo" / f"{stem}-{generator_version()}.sqlite"
    with suppress(OSError, NsystuiError):  # a read-only home
        if not path.is_file():
            root.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.parent.mkdir(mode=0o700, exist_ok=True)
            write(scenario, path)
            for other in path.parent.glob(f"{stem}-????????.sqlite"):  # of an older generator
                if other != path:
                    other.unlink()
    if path.is_file():
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="nsystui-demo-") as folder:
        path = Path(folder) / path.name
        write(scenario, path)
        yield path


def write(scenario: Any, path: Path) -> None:
    """Generate the report beside `path` and rename it, so that a half-written one is never opened."""
    try:
        handle, half = tempfile.mkstemp(suffix=".sqlite", prefix=".demo-", dir=path.parent)
        os.close(handle)
        try:
            scenario.build(half)
            Path(half).replace(path)
        finally:
            Path(half).unlink(missing_ok=True)
    except (OSError, sqlite3.Error) as error:
        raise NsystuiError(f"can't write {path}: {error}") from error
