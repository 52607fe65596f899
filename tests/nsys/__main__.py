"""Compare every report and rule with nsys over many generated exports.

python -m tests.nsys --exports 200 --seed 1
python -m tests.nsys --seed 17 --exports 1 --report cuda_gpu_trace     one of them, one report
python -m tests.nsys --seed 17 --report cuda_gpu_trace --shrink        the fewest rows that still differ
python -m tests.nsys --seed 17 --keep x.sqlite                         the export itself
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from tests.nsys.oracle.both import NSYS
from tests.nsys.oracle.compare import Difference
from tests.nsys.oracle.draft import Draft
from tests.nsys.oracle.generate import export
from tests.nsys.oracle.questions import REPORTS, RULES, Question
from tests.nsys.oracle.shrink import show, shrink
from tests.nsys.oracle.trial import trial


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.nsys", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--exports", type=int, default=200, help="how many exports (default: 200)")
    parser.add_argument("--seed", type=int, default=1, help="the first seed (default: 1)")
    parser.add_argument("--report", action="append", help="only this report or rule")
    parser.add_argument("--column", help="with --shrink: only where this column differs")
    parser.add_argument("--shrink", action="store_true", help="print the fewest rows of --seed that differ")
    parser.add_argument("--keep", type=Path, help="write the export of --seed here and stop")
    args = parser.parse_args(argv)
    if args.keep:
        print(export(args.seed).write(args.keep))
        return 0
    if NSYS is None:
        print("no nsys is on PATH", file=sys.stderr)
        return 2
    questions = [
        q for q in (*REPORTS, *RULES) if not args.report or q.report in args.report or q.ours in args.report
    ]
    if args.shrink:
        print(fewest(args.seed, questions, args.column))
        return 0
    seeds = range(args.seed, args.seed + args.exports)
    found: dict[tuple[str, str], list[tuple[int, Difference]]] = defaultdict(list)
    began = time.monotonic()
    for number, seed in enumerate(seeds, 1):
        for difference in trial(export(seed), questions):
            found[difference.report, difference.column].append((seed, difference))
        if number % 20 == 0:
            print(f"... {number}", file=sys.stderr, flush=True)
    print(summary(found, seeds, time.monotonic() - began))
    return 1 if found else 0


def fewest(seed: int, questions: Sequence[Question], column: str | None) -> str:
    """The fewest rows of an export over which the answers differ, and how."""

    def found(draft: Draft) -> list[Difference]:
        return [item for item in trial(draft, questions) if column in (None, item.column)]

    small = shrink(export(seed), lambda draft: bool(found(draft)))
    ends = [f"{item.report} | {item.column}\n  nsys {item.nsys}\n  ours {item.ours}" for item in found(small)]
    return "\n".join([show(small), *ends])


def summary(found: dict[tuple[str, str], list[tuple[int, Difference]]], seeds: range, seconds: float) -> str:
    """The differences by report and column, each with its number, its seeds and an example."""
    lines = []
    for (report, column), cases in found.items():
        numbers = sorted({seed for seed, _ in cases})
        seed, example = cases[0]
        lines.append(f"{report} | {column}: {len(cases)} in {len(numbers)} exports, seeds {_some(numbers)}")
        lines.append(f"    seed {seed}\n      nsys {example.nsys}\n      ours {example.ours}")
    count = sum(len(cases) for cases in found.values())
    which = f"{len(seeds)} exports, seeds {seeds[0]}..{seeds[-1]}"
    lines.append(f"{which}: {count} differences in {len(found)} columns, {seconds:.0f} s")
    return "\n".join(lines)


def _some(numbers: Sequence[int], most: int = 12) -> str:
    shown = " ".join(map(str, numbers[:most]))
    return shown if len(numbers) <= most else f"{shown} ..."


if __name__ == "__main__":
    sys.exit(main())
