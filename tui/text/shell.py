"""Texts as words of a shell's command line, to be copied from a screen and run as they stand."""

from __future__ import annotations

import os
import shlex

from tui.text.safe import safe


def quoted(text: str) -> str:
    """Return ``text`` as one word of a command line.

    What a terminal would act on, or not show as it is, is escaped as bash, zsh and ksh read it (``$'...'``):
    on the screen it is then the same text as in the shell. A byte that is no UTF-8 stays that byte.
    """
    if safe(text) == text:
        return shlex.quote(text)
    return "$'" + "".join(map(_escaped, text)) + "'"


def option(name: str, value: str) -> str:
    """Return ``name value``, or ``name=value`` where the value could be taken for an option itself."""
    return f"{name}={quoted(value)}" if value.startswith("-") else f"{name} {quoted(value)}"


def path_word(path: str) -> str:
    """Return a file's path as one word that is never taken for an option."""
    return quoted(f"./{path}" if path.startswith("-") else path)


def _escaped(char: str) -> str:
    if char in "'\\":
        return f"\\{char}"
    if safe(char) == char:
        return char
    return "".join(f"\\{byte:03o}" for byte in os.fsencode(char))
