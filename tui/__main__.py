"""``python -m tui`` is ``nsystui``."""

import gc
import os
import sys

from tui import INTERRUPTED


def run() -> int:
    """Run the command line of the process and return its exit code; an interrupted process ends here.

    From here on Ctrl-C has nothing more to end: while the interpreter shuts down it would leave a traceback
    or another exit code.
    """
    try:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy would start threads that nothing uses
        gc.disable()  # what is imported stays: the collector need not scan it again and again
        import signal  # within the block, as all that takes a while: Ctrl-C is no traceback either

        from tui.cli import main

        status = main()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        gc.freeze()  # nor search all of it once more before the process ends
    except KeyboardInterrupt:
        status = INTERRUPTED
    if status == INTERRUPTED:
        os._exit(status)
    return status


if __name__ == "__main__":
    sys.exit(run())
