"""``python -m tui`` is ``nsystui``."""

import os
import sys

from tui import INTERRUPTED


def run() -> int:
    """Run the command line of the process and return its exit code; an interrupted process ends here.

    From here on Ctrl-C has nothing more to end: while the interpreter shuts down it would leave a traceback
    or another exit code.
    """
    try:
        import signal  # within the block, as all that takes a while: Ctrl-C is no traceback either

        from tui.cli import main

        status = main()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    except KeyboardInterrupt:
        status = INTERRUPTED
    if status == INTERRUPTED:
        os._exit(status)
    return status


if __name__ == "__main__":
    sys.exit(run())
