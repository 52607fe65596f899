"""The list of commands, what a command is, and the parser of each."""

from __future__ import annotations

import argparse
import importlib
from typing import TYPE_CHECKING, NoReturn, Protocol, cast

from tui.commands.shared import options
from tui.errors import UsageError

if TYPE_CHECKING:
    from tui.commands import (
        analyze,
        baseline,
        cache,
        check,
        classes,
        collectives,
        compare,
        demo,
        diagnose,
        explore,
        export,
        files,
        flame,
        gaps,
        info,
        memory,
        metrics,
        network,
        pace,
        ranks,
        samples,
        stats,
        steps,
        threads,
        um,
        view,
    )
    from tui.commands import help as help_

COMMANDS = {
    "explore": "explore a report on the screen (the default command)",
    "demo": "the explorer on a bundled report: a fine-tune that waits for its data",
    "info": "versions, devices, processes, tables and doubtful rows of a report",
    "stats": "summaries and traces, equal to those of nsys stats",
    "gaps": "busy and idle time per device, the gaps and what explains them",
    "steps": "one row a training step: duration, busy, idle, kernels, launches, communication",
    "samples": "which functions threads were in, by CPU samples and backtraces",
    "threads": "how long each thread ran, in which function, in which calls",
    "files": "which files were read and written, how often and how fast",
    "memory": "allocated memory by kind and process: peak, what was alive at it, growth per step",
    "um": "unified memory: what migrated and why, page faults, and the kernels that waited for them",
    "network": "what network adapters and switches moved, and how busy they were; by step",
    "classes": "kernel time by what kernels do: gemm, attention, communication...",
    "flame": "NVTX ranges as a tree by path: host time, device time, idle inside",
    "metrics": "GPU metrics, clocks, power: in all, while kernels ran, by kernel, step or time",
    "analyze": "rules that look for known mistakes, with advice",
    "diagnose": "what slows it down, most costly first: evidence, cost, what to change",
    "ranks": "several reports of one job: which rank is late, why, and what the others lose by it",
    "pace": "how evenly steps go on over the ranks of a job; by phase; of anything that repeats",
    "collectives": "communication by kind: transfer, waiting for whom, bandwidth",
    "compare": "is one set of reports slower than another, by how much, how sure, and where it went",
    "baseline": "keep what runs took, for `check`",
    "check": "hold tonight's reports against a baseline: what got worse than it may",
    "export": "the events of a range as CSV, for a script or a spreadsheet",
    "view": "one frame of the explorer as text, ANSI colours or SVG",
    "cache": "list or clear what is kept of opened reports",
    "help": "what a command, a stats report, an analyze rule or a fault means",
}
"""Every command, a module beside this one, with its line of ``nsystui --help``, in the order of that help."""

DEFAULT = "explore"
"""The command that runs where the command line names none."""


class Command(Protocol):
    """A command's module. It may also have an ``EPILOG``, the end of its help.

    At module level it imports the standard library, :mod:`tui.errors`, :mod:`tui.text` and
    :mod:`tui.commands.shared`, and nothing else: help must load neither NumPy nor Textual.
    """

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add its options; those that commands share are in :mod:`tui.commands.shared.options`."""

    def run(self, args: argparse.Namespace) -> int:
        """Write data to stdout and talk to stderr, and return the exit code.

        Failures are raised as :class:`tui.errors.NsystuiError`. A closed pipe, Ctrl-C and unexpected
        exceptions are the business of :mod:`tui.cli`.
        """


if TYPE_CHECKING:  # mypy checks here that each module is a Command
    _CHECKED: tuple[Command, ...] = (
        explore, demo, info, stats, gaps, steps, samples, threads, files, memory, um, network, classes,
        flame, metrics, analyze, diagnose, ranks, pace, collectives, compare, baseline, check, export, view,
        cache, help_
    )  # fmt: skip

DESCRIPTION = """\
A terminal timeline explorer for NVIDIA Nsight Systems exports: why is my GPU idle, answered over SSH.

  nsystui report.sqlite             open the explorer (report.nsys-rep too, where nsys is on the PATH)
  nsystui COMMAND report.sqlite     print what the explorer shows, for scripts
"""

EPILOG = """\
`nsystui COMMAND --help` lists a command's options, `nsystui help REPORT-NAME` explains a report.
Figures of time are about the work window, from the first to the last device op or step, or what
--range says; tables that equal those of nsys are about everything recorded. Answers name their window.
Stdout is data, stderr is talk. Exit codes: 0 done, 1 a check failed, 2 bad usage or unreadable
input, 3 the report holds none of what was asked, 130 interrupted.
"""


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are one line and exit code 2, like all others."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (see `{self.prog} --help`)")


def load(name: str) -> Command:
    """The module of a command."""
    return cast("Command", importlib.import_module(f"tui.commands.{name}"))


def parser_of(name: str) -> argparse.ArgumentParser:
    """The parser of the command ``name``."""
    command = load(name)
    parser = Parser(
        prog="nsystui" if name == DEFAULT else f"nsystui {name}",
        description=COMMANDS[name][:1].upper() + COMMANDS[name][1:] + ".",
        epilog=getattr(command, "EPILOG", None),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.add_arguments(parser)
    options.add_debug(parser)
    return parser


def overview() -> argparse.ArgumentParser:
    """The parser behind ``nsystui --help``: it lists the commands and parses nothing."""
    listing = "\n".join(f"  {name:<11} {summary}" for name, summary in COMMANDS.items())
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
