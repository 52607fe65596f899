"""``nsystui network``: what network adapters and switches moved, and how busy they were."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from tui.commands.shared import opening, options, writing
from tui.errors import NothingThere

if TYPE_CHECKING:
    from tui.analysis.table import Table

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
        table = _in_words(table)
    writing.write_tables([table], index.report, scope, args)
    return 0


def _in_words(table: Table) -> Table:
    """The table with rates and bytes as people read them, and without the column of units."""
    from tui.analysis.table import Column, Unit
    from tui.text.rates import show_amount

    units = next(list(column.values) for column in table.columns if column.key == "unit")
    found: list[Column] = []
    for column in table.columns:
        if column.key in ("mean", "p95", "max", "bytes"):
            names = ["bytes"] * len(units) if column.key == "bytes" else units
            pairs = zip(column.values, names, strict=True)
            words = [column.blank if value is None else show_amount(value, unit) for value, unit in pairs]
            cells = max(map(len, (column.header, *words)))
            header, *texts = (word.rjust(cells) for word in (column.header, *words))
            column = replace(column, header=header, unit=Unit.TEXT, values=texts)
        if column.key != "unit":
            found.append(column)
    return replace(table, columns=tuple(found))
