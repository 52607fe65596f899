"""The door: finds the command, runs it, and turns what can go wrong into one line and an exit code."""

from __future__ import annotations

import argparse
import difflib
import importlib
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import NoReturn

from tui import __version__
from tui.commands import common, crash
from tui.errors import NsystuiError, UsageError

COMMANDS = (
    "explore",
    "demo",
    "info",
    "stats",
    "gaps",
    "steps",
    "analyze",
    "diagnose",
    "export",
    "view",
    "cache",
    "help",
)
DEFAULT = "explore"

INTERRUPTED = 130

DESCRIPTION = """\
A terminal timeline explorer for NVIDIA Nsight Systems exports: why is my GPU idle, answered over SSH.

  nsystui report.sqlite             open the explorer
  nsystui COMMAND report.sqlite     print what the explorer shows, for scripts
"""

EPILOG = """\
`nsystui COMMAND --help` tells a command's options, `nsystui help REPORT-NAME` what a report means.
Stdout is data, stderr is talk. Exit codes: 0 done, 1 a check failed, 2 bad usage or unreadable
input, 3 the report holds none of what was asked, 130 interrupted.
"""


class Parser(argparse.ArgumentParser):
    """An argument parser that fails as everything else does: in one line, with exit code 2."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see `{self.prog} --help`)")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line ``argv`` (default: the process's own) and return its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        status = dispatch(arguments)
        common.flush()
    except NsystuiError as error:
        common.tell(f"nsystui: {error}")
        return error.exit_code
    except BrokenPipeError:
        common.abandon_stdout()
        return 0
    except KeyboardInterrupt:
        common.abandon_stdout()
        return INTERRUPTED
    except SystemExit as leaving:  # argparse's --help and --version
        return leaving.code if isinstance(leaving.code, int) else 0
    except Exception as error:
        crash.report(error, debug="--debug" in arguments)
        return 2
    return status


def dispatch(arguments: list[str]) -> int:
    """Find the command that ``arguments`` mean, parse its options and run it."""
    if not arguments:
        overview().print_help(sys.stderr)
        return 2
    first = arguments[0]
    if first in ("-h", "--help"):
        overview().print_help()
        return 0
    if first in ("-V", "--version"):
        print(f"nsystui {__version__}")
        return 0
    name, rest = (first, arguments[1:]) if first in COMMANDS else (DEFAULT, arguments)
    if name == DEFAULT and first != DEFAULT:
        check_no_mistyped_command(first)
    command = load(name)
    if command is None:
        raise UsageError(f"this build has no command {name!r}")
    parser = parser_of(command)
    args = parser.parse_args(rest)
    status: int = command.run(args)
    return status


def load(name: str) -> ModuleType | None:
    """The module of a command; None where this build has none."""
    module = f"tui.commands.{name}"
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as missing:
        if missing.name != module:
            raise
        return None


def parser_of(command: ModuleType) -> argparse.ArgumentParser:
    """The parser of one command."""
    parser = Parser(
        prog="nsystui" if command.NAME == DEFAULT else f"nsystui {command.NAME}",
        description=command.SUMMARY[:1].upper() + command.SUMMARY[1:] + ".",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_arguments(parser)
    common.add_debug(parser)
    return parser


def overview() -> argparse.ArgumentParser:
    """The parser behind ``nsystui --help``: it lists the commands and parses nothing."""
    commands = [module for module in map(load, COMMANDS) if module is not None]
    listing = "\n".join(f"  {module.NAME:<9} {module.SUMMARY}" for module in commands)
    parser = Parser(
        prog="nsystui",
        usage="nsystui [COMMAND] REPORT... [options]",
        description=f"{DESCRIPTION}\ncommands:\n{listing}\n",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("-V", "--version", action="store_true", help="print the version and exit")
    common.add_debug(parser)
    return parser


def check_no_mistyped_command(word: str) -> None:
    """Raise UsageError where ``word`` is no file and looks like the name of a command."""
    if word.startswith("-") or Path(word).exists():
        return
    close = difflib.get_close_matches(word, COMMANDS, n=1)
    if close:
        raise UsageError(f"there is no file and no command {word!r}; did you mean `nsystui {close[0]}`?")
