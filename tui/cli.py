"""The entry point: find the command, run it, and turn what can go wrong into one line and an exit code."""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from tui import __version__
from tui.commands.lookup import COMMANDS, DEFAULT, load, overview, parser_of
from tui.commands.shared import crash, talk
from tui.errors import NsystuiError, UsageError

INTERRUPTED = 130

_NEGATIVE_TIME = re.compile(r"-[\d.]")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line ``argv`` (default: the process's own) and return its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        status = dispatch(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()  # a full disk or a closed pipe is noticed here
    except NsystuiError as error:
        talk.tell(f"nsystui: {error}")
        return error.exit_code
    except BrokenPipeError:
        talk.abandon_stdout()
        return 0
    except KeyboardInterrupt:
        talk.abandon_stdout()
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
    if first not in COMMANDS:
        check_no_mistyped_command(first)
    if name == "help" and (not rest or rest[0] in COMMANDS):
        (parser_of(rest[0]) if rest else overview()).print_help()
        return 0
    return load(name).run(parser_of(name).parse_args(with_negative_times(rest)))


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
