"""Memory that is no longer needed, given back to the system.

The C library keeps what was freed, in case it is asked for again: after an import that is more than
all that an open report needs.
"""

from __future__ import annotations

import sys


def give_back() -> None:
    """Hand freed memory back, where the C library can (glibc): some milliseconds, outside Python's lock."""
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
