"""Try many mutants and say what came of them.

python -m tests.fuzz --count 5000 --seed 1 --workers 2
python -m tests.fuzz --seed 1 --only 4711 --keep mutant.sqlite     one of them, kept for a look
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.fuzz import mutants
from tests.fuzz.runner import Limits, Verdict, campaign


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=500, help="how many mutants (default: 500)")
    parser.add_argument("--seed", type=int, default=1, help="which mutants (default: 1)")
    parser.add_argument("--first", type=int, default=0, help="number of the first (default: 0)")
    parser.add_argument("--only", type=int, action="append", help="try just this number")
    parser.add_argument("--workers", type=int, default=1, help="processes side by side (default: 1)")
    parser.add_argument("--seconds", type=float, default=20.0, help="time limit of a command (default: 20)")
    parser.add_argument("--memory", type=float, default=4.0, help="memory limit in GB (default: 4)")
    parser.add_argument("--keep", type=Path, help="with --only: write the mutant here and stop")
    args = parser.parse_args(argv)
    numbers = args.only or range(args.first, args.first + args.count)
    limits = Limits(args.seconds, int(args.memory * (1 << 30)))
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="nsystui-fuzz-") as temporary:
        folder = Path(temporary)
        if args.keep:
            print(mutants.make(mutants.Seeds.in_folder(folder / "seeds"), args.seed, numbers[0], args.keep))
            return 0
        verdicts = campaign(numbers, args.seed, folder, workers=args.workers, limits=limits, tell=tell)
    print(summary(verdicts, time.monotonic() - began))
    return 1 if any(v.faults for v in verdicts) else 0


def tell(verdict: Verdict) -> None:
    """A faulty mutant at once, and now and then how far it is."""
    if verdict.faults:
        print(f"{verdict.number} ({verdict.said})", *verdict.faults, sep="\n    ", flush=True)
    if verdict.number % 100 == 99:
        print(f"... {verdict.number + 1}", file=sys.stderr, flush=True)


def summary(verdicts: Sequence[Verdict], seconds: float) -> str:
    """How many were tried, how they ended, how many were faulty."""
    ends = Counter(code for v in verdicts for code in v.codes.values())
    refused = sum(v.codes.get("info") == 2 for v in verdicts)
    slowest = max(verdicts, key=lambda v: v.seconds)
    faulty = [v for v in verdicts if v.faults]
    return "\n".join(
        (
            f"{len(verdicts)} mutants, {ends.total()} commands in {seconds:.0f} s; "
            f"exit codes {dict(sorted(ends.items()))}; {refused} files refused",
            f"slowest: {slowest.number} in {slowest.seconds:.1f} s ({slowest.said[:100]})",
            f"{len(faulty)} faulty" + (f": {[v.number for v in faulty]}" if faulty else ""),
        )
    )


if __name__ == "__main__":
    sys.exit(main())
