"""The commands by name: which there are, and the parser of each."""

from __future__ import annotations

import argparse
import importlib
from types import ModuleType
from typing import NoReturn

from tui.commands import common
from tui.errors import UsageError

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
"""Every command, in the order in which the help lists them."""

DEFAULT = "explore"
"""The command of a command line that names none."""

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
