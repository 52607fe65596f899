"""What a name reads like once it went through CSV."""

from __future__ import annotations

import sys


def in_csv(name: str) -> str:
    """Itself; on Python 3.10, whose csv module refuses NUL, with NUL as its picture."""
    return name.replace("\0", "\N{SYMBOL FOR NULL}") if sys.version_info < (3, 11) else name
