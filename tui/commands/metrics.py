"""``nsystui metrics``: what GPUs and the machine measured of themselves while the program ran."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from tui.commands.shared import opening, options, writing
from tui.errors import NothingThere, ReportError, UsageError

if TYPE_CHECKING:
    from tui.analysis.index import Index
    from tui.analysis.metrics.metric import Metric
    from tui.analysis.scope import Scope
    from tui.analysis.table import Table

BY = ("kernel", "class", "step", "nvtx", "gap")
TOP = 40

EPILOG = """\
A value describes the time since the sample before it. A sample that comes more than 2.5 periods after the
one before is missing: nothing is known of that time, and the coverage falls. Means are weighted by time.
Percentiles and the maximum are of the samples that touch the window. Fewer than 5 samples are unknown (?),
never zero. In busy is the mean while kernels of any process run, in idle while nothing is recorded.
GPU metrics are of the whole device, whichever process uses it.

--by kernel and --by class: `alone` counts the samples whose time lies inside that kernel's (that class's),
with no other kernel beside it, and `mean alone` is their mean, unknown for fewer than 5; `mean` is over all
of its time, whatever else runs, by however few samples. --by step, nvtx and gap go by the time of the step,
of the ranges of one name (while they are open on the host) or of the gap. A hint says where to look, by the
samples that are a row's alone: tensor bound, memory bandwidth bound (reading and writing from 60% on), does
not fill the GPU (SM active under 50%), latency bound, link bound; [metrics] of the config file changes the
limits. SM active is residency: an SM with one warp counts as active.

A metric has a key where its name is known under any release; all others are `other`, with the name and the
unit that the export gives. Values are in %, Hz, bytes/s, W and °C: stored values of another scale than
their name says are told by their size. A link that reads as full throughout is inactive: unknown.
Energy is power times time, each value until the next one; of windows under a second none is given.
Unverified: how exports hold metrics is taken from their documentation; no file with such rows was at hand.

examples:
  nsystui metrics run.sqlite                                  every metric of the work window
  nsystui metrics run.sqlite --by kernel --metric sm_active,dram_read,dram_write
  nsystui metrics run.sqlite --by step -f csv                 one row a step and metric
  nsystui metrics run.sqlite --samples --every 1ms -f csv     a time series
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``nsystui metrics``."""
    options.add_report(parser)
    add = parser.add_argument_group("metrics").add_argument
    add("--by", choices=BY, help="one row a kernel, class, step, NVTX range or gap, and metric")
    add("--metric", metavar="KEY,...", action="append", help="only these metrics, by key or by name")
    add("--samples", action="store_true", help="one row a stretch of time and metric")
    add("--every", metavar="TIME", help="--samples: how long a stretch is (default: 1ms)")
    add("--top", metavar="N", type=int, help=f"--by: the first N rows (default: {TOP} in a table, else all)")
    options.add_all(parser)


def run(args: argparse.Namespace) -> int:
    """Print the metrics."""
    if args.samples and args.by:
        raise UsageError("--samples is a table of its own: it goes without --by")
    if args.every is not None and not args.samples:
        raise UsageError("--every goes with --samples")
    if args.top is not None and args.top < 0:
        raise UsageError(f"--top {args.top} is negative")
    every = stretch(args.every or "1ms")
    from tui.analysis.captured import lacking
    from tui.analysis.kinds.metrics import GPU_METRICS
    from tui.analysis.metrics.capture import metrics_of
    from tui.analysis.metrics.table import chosen

    index, scope = opening.open_scope(args)
    if problem := metrics_of(index).problem:
        raise ReportError(problem)
    if not metrics_of(index):
        raise NothingThere(lacking(index.report, GPU_METRICS))
    wanted = [word.strip() for words in args.metric or () for word in words.split(",") if word.strip()]
    metrics = chosen(index, scope, wanted)
    if not metrics:
        raise NothingThere(f"{index.report.path.name}: no metrics of the chosen devices")
    table = made(index, scope, metrics, args, every)
    if not len(table):
        raise NothingThere(f"{index.report.path.name}: no {args.by or 'sample'} in {scope.window.label}")
    return written(index, scope, metrics, table, args)


def stretch(text: str) -> int:
    """The time that ``--every`` means (ns). UsageError: it is none, or nothing."""
    from tui.text.times import parse_duration

    found = parse_duration(text)
    if found <= 0:
        raise UsageError(f"--every {text} is no time to step by")
    return found


def made(index: Index, scope: Scope, metrics: list[Metric], args: argparse.Namespace, every: int) -> Table:
    """The table that the options ask for."""
    from tui.analysis.metrics.groups import By
    from tui.analysis.metrics.hints import configured_thresholds
    from tui.analysis.metrics.table import groups_table, metrics_table, series_table

    if args.samples:
        return series_table(index, scope, metrics, every)
    if args.by:
        return groups_table(index, scope, metrics, By(args.by), configured_thresholds())
    return metrics_table(index, scope, metrics)


def written(index: Index, scope: Scope, metrics: list[Metric], table: Table, args: argparse.Namespace) -> int:
    """Write a table, or its rows as one JSON document."""
    from tui.analysis.metrics.about_tables import coverage, energies, energy_words, notes_on, worded_table
    from tui.output.json_text import head, records
    from tui.output.text_table import readable

    notes = notes_on(index, metrics)
    fmt = writing.output_format(args)
    if fmt == "json":
        shown = table if args.top is None else table.head(args.top)
        document = {
            **head(index.report, scope),
            "by": args.by,
            "coverage": coverage(scope, metrics),
            "energy": energies(index, scope, metrics),
            "rows": records(shown),
            "notes": notes,
        }
        writing.write_document(document, index.report, args)
        return 0
    table = replace(table, note="; ".join([*energy_words(index, scope, metrics), *notes]) or None)
    top = args.top if args.top is not None else TOP if fmt == "table" and args.by else None
    if top is not None:
        table = table.head(top, "--top 0")
    if fmt == "table":
        table = worded_table(table)
        if args.timeunit is None:
            table = readable(table)
    writing.write_tables([table], index.report, scope, args)
    return 0
