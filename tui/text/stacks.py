"""How much of a stack of ranges is printed.

Ranges that are never closed pile up: each row would print all the rows before it.
"""

from __future__ import annotations

DEEPEST = 100
"""The most ranges of one printed stack: its innermost ones."""


def left_out(number: int) -> str:
    """The entry of a stack in place of its ``number`` outermost ranges."""
    return f"... {number:,} more"


def cut_note(number: int, where: str) -> str | None:
    """The note on ``number`` stacks that are printed cut; None for none. ``where``: where the rest is."""
    if not number:
        return None
    stacks = "1 stack of ranges is" if number == 1 else f"{number:,} stacks of ranges are"
    return f"{stacks} more than {DEEPEST} deep: only the innermost {DEEPEST} are printed ({where})"
