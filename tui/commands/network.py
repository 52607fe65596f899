"""``nsystui network``: what network adapters and switches moved, and how busy they were."""

from __future__ import annotations

import argparse
from dataclasses import replace

from tui.commands.shared import opening, options, writing
from tui.errors import NothingThere

EPILOG = """\
One row a device, port and metric. Samples hold the rate over a stretch of time: bytes are these rates by
their time, in the time that samples cover. Mean and Max are of that time too, p95 is the rate that 95% of
it does not exceed, busy the share of it with more than 1% of the port's greatest rate of the capture; both
need 5 samples. What no sample covers is unknown (?), never zero.

An adapter belongs to its host, not to a process or rank. No export has the speed of a link; with
  [network]
  speed = {"mlx5_0" = "400Gbit", "eth*" = "25Gbit"}
in the config file, Used is the mean's share of it. `nsys profile --nic-metrics=true` (later releases: lf or
hf) records adapters, `--ib-switch-metrics-device=GUID` switches. How nsys exports these samples is taken from
its documentation: no file with such rows was there to check against.

examples:
  nsystui network run.sqlite                      of the work window
  nsystui network run.sqlite --by step            bytes of every step
  nsystui network run.sqlite -f json              everything, exact
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``nsystui network``."""
    options.add_report(parser)
    parser.add_argument_group("rows").add_argument(
        "--by", choices=("port", "step"), default="port", help="one row a port and metric, or also a step"
    )
    options.add_all(parser)


def run(args: argparse.Namespace) -> int:
    """Print one row a device, port and metric."""
    from tui.analysis.captured import lacking
    from tui.analysis.kinds.network import NIC_SAMPLES
    from tui.analysis.network.series import network_samples
    from tui.analysis.network.speeds import configured_speeds
    from tui.analysis.network.table import network_notes, network_table, steps_table
    from tui.analysis.network.words import in_words
    from tui.output.json_text import head, records

    speeds = configured_speeds()
    index, scope = opening.open_scope(args)
    name = index.report.path.name
    samples = network_samples(index)
    if not samples:
        raise NothingThere(lacking(index.report, NIC_SAMPLES))
    if args.by == "step":
        table = steps_table(index, samples, scope, speeds)
        if table is None:
            raise NothingThere(f"{name}: no steps found; --step NAME names the range that is one")
    else:
        table = network_table(samples, scope, speeds)
    if not len(table):
        raise NothingThere(f"{name}: no samples of network devices in {scope.window.label}")
    notes = network_notes(samples, speeds)
    if writing.output_format(args) == "json":
        document = {
            **head(index.report, scope),
            "host": index.report.origin.host,
            "coverage": {"series": len(samples.series), "left_out": samples.left_out},
            "rows": records(table),
            "notes": notes,
        }
        writing.write_document(document, index.report, args)
        return 0
    table = replace(table, note="; ".join(notes))
    if writing.output_format(args) == "table":
        table = in_words(table)
    writing.write_tables([table], index.report, scope, args)
    return 0
