"""The entry point: find the command, run it, and turn what can go wrong into one line and an exit code."""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from tui import INTERRUPTED, __version__
from tui.commands.lookup import COMMANDS, DEFAULT, load, overview, parser_of
from tui.commands.shared import crash, interrupts, talk, terminal
from tui.errors import NsystuiError, UsageError

_NEGATIVE_TIME = re.compile(r"-[\d.]")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line ``argv`` (default: the process's own) and return its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        with interrupts.watched() as interrupted:
            status = finished(arguments, interrupted)
    except KeyboardInterrupt:
        status = INTERRUPTED
    if status == INTERRUPTED:
        talk.abandon_stdout()
    return status


def finished(arguments: list[str], interrupted: Callable[[], bool]) -> int:
    """Run the command and return its exit code, failures explained unless it was ``interrupted``."""
    try:
        status = dispatch(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()  # a full disk or a closed pipe is noticed here
    except SystemExit as leaving:  # argparse's --help and --version
        status = leaving.code if isinstance(leaving.code, int) else 0
    except Exception as error:  # of an interrupted import too: NumPy's says that NumPy is broken
        status = INTERRUPTED if interrupted() else explained(error, arguments)
    return INTERRUPTED if interrupted() else status


def explained(error: Exception, arguments: list[str]) -> int:
    """Say what went wrong in one line and return the exit code."""
    if isinstance(error, NsystuiError):
        talk.tell(f"nsystui: {error}")
        return error.exit_code
    if isinstance(error, BrokenPipeError):
        talk.abandon_stdout()
        return 0
    crash.report(error, debug="--debug" in arguments)
    return 2


def dispatch(arguments: list[str]) -> int:
    """Find the command that ``arguments`` mean, parse its options and run it."""
    if not arguments and not (terminal.places_cursor(sys.stdin) and terminal.places_cursor(sys.stdout)):
        overview().print_help(sys.stderr)
        return 2
    if not arguments:  # the explorer lists what there is to open
        return load(DEFAULT).run(parser_of(DEFAULT).parse_args([]))
    first = arguments[0]
    if first in ("-h", "--help"):
        overview().print_help()
        return 0
    if first in ("-V", "--version"):
        print(f"nsystui {__version__}")
        return 0
    name, rest = (first, arguments[1:]) if first in COMMANDS else (DEFAULT, arguments)
    if first not in COMMANDS:
        check_no_mistyped_command(first)
    if name == "help" and (not rest or rest[0] in COMMANDS):
        (parser_of(rest[0]) if rest else overview()).print_help()
        return 0
    args = parser_of(name).parse_args(with_negative_times(rest))
    args.command = name
    return load(name).run(args)


def with_negative_times(words: Sequence[str]) -> list[str]:
    """Join ``--range -5ms/1s`` into one word: argparse reads whatever begins with a dash as an option."""
    joined: list[str] = []
    for word in words:
        if joined and joined[-1] == "--range" and _NEGATIVE_TIME.match(word):
            joined[-1] = f"--range={word}"
        else:
            joined.append(word)
    return joined


def check_no_mistyped_command(word: str) -> None:
    """Raise UsageError where ``word`` is no file and looks like the name of a command."""
    if word.startswith("-") or Path(word).exists():
        return
    if close := difflib.get_close_matches(word, COMMANDS, n=1):
        raise UsageError(f"there is no file and no command {word!r}; did you mean `nsystui {close[0]}`?")
