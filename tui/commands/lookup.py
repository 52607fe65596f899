"""The commands by name: which there are, what a command is, and the parser of each."""

from __future__ import annotations

import argparse
import importlib
from typing import TYPE_CHECKING, NoReturn, Protocol, cast

from tui.commands.shared import options
from tui.errors import UsageError

if TYPE_CHECKING:
    from tui.commands import analyze, cache, demo, diagnose, explore, export, gaps, info, stats, steps, view
    from tui.commands import help as help_

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
"""Every command, in the order in which the help lists them: each is a module beside this one."""


class Command(Protocol):
    """What a command's module has.

    At module level it imports the standard library, :mod:`tui.errors` and :mod:`tui.commands.shared`, and
    nothing else: ``nsystui --help`` imports every command and must load neither NumPy nor Textual.
    """

    @property
    def NAME(self) -> str:  # noqa: N802
        """The word on the command line."""

    @property
    def SUMMARY(self) -> str:  # noqa: N802
        """One line for ``nsystui --help``, lower case, no full stop."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add its options, the shared ones from :mod:`tui.commands.shared.options`, and maybe an epilog."""

    def run(self, args: argparse.Namespace) -> int:
        """Do the work and return the exit code: data to stdout, talk to stderr.

        Failures are raised as :class:`tui.errors.NsystuiError`. A closed pipe, Ctrl-C and unexpected
        exceptions are the business of :mod:`tui.cli`.
        """


if TYPE_CHECKING:
    CHECKED: tuple[Command, ...] = (
        explore, demo, info, stats, gaps, steps, analyze, diagnose, export, view, cache, help_
    )  # fmt: skip
    """Each of them has what a command has: mypy sees to it here."""

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


def load(name: str) -> Command:
    """The module of a command."""
    return cast("Command", importlib.import_module(f"tui.commands.{name}"))


def parser_of(command: Command) -> argparse.ArgumentParser:
    """The parser of one command."""
    parser = Parser(
        prog="nsystui" if command.NAME == DEFAULT else f"nsystui {command.NAME}",
        description=command.SUMMARY[:1].upper() + command.SUMMARY[1:] + ".",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_arguments(parser)
    options.add_debug(parser)
    return parser


def overview() -> argparse.ArgumentParser:
    """The parser behind ``nsystui --help``: it lists the commands and parses nothing."""
    listing = "\n".join(f"  {command.NAME:<9} {command.SUMMARY}" for command in map(load, COMMANDS))
    parser = Parser(
        prog="nsystui",
        usage="nsystui [COMMAND] REPORT... [options]",
        description=f"{DESCRIPTION}\ncommands:\n{listing}\n",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("-V", "--version", action="store_true", help="print the version and exit")
    options.add_debug(parser)
    return parser
