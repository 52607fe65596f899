"""``nsystui network``: what network adapters and switches moved, and how busy they were."""

from __future__ import annotations

import argparse
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tui.commands.shared import many, opening, options, talk, writing
from tui.commands.shared.each_rank import Answer, answer_each
from tui.errors import NothingThere, ReportError

if TYPE_CHECKING:
    from tui.analysis.index import Index
    from tui.analysis.network.hosts import Shown
    from tui.analysis.network.series import NetworkSamples
    from tui.analysis.scope import Scope
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
its documentation: no file with such rows was there to check against. What plugins for networks and storage
sample (EFA, network interfaces, disks) is among the metrics of the machine: `nsystui metrics`.

Of several reports each adapter of a host is shown once: from the rank with most samples of it, and which that
is is said. JSON is a list of what one report says, as of other commands.

examples:
  nsystui network run.sqlite                      of the work window
  nsystui network run.sqlite --by step            bytes of every step
  nsystui network ranks/                          of every host of a job
  nsystui network run.sqlite -f json              everything, exact
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``nsystui network``."""
    many.add_inputs(parser)
    parser.add_argument_group("rows").add_argument(
        "--by", choices=("port", "step"), default="port", help="one row a port and metric, or also a step"
    )
    options.add_all(parser)
    many.add_options(parser)


@dataclass(frozen=True)
class _Found:
    index: Index
    scope: Scope
    samples: NetworkSamples
    table: Table
    notes: list[str]

    def document(self) -> dict[str, Any]:
        """All of it as JSON."""
        from tui.output.json_text import head, records

        return {
            **head(self.index.report, self.scope),
            "host": self.index.report.origin.host,
            "coverage": {"series": len(self.samples.series), "left_out": self.samples.left_out},
            "rows": records(self.table),
            "notes": self.notes,
        }


def run(args: argparse.Namespace) -> int:
    """Print one row a device, port and metric."""
    if not many.is_one(args):
        return _of_set(args)
    found = _find(args, None)
    fmt = writing.output_format(args)
    if fmt == "json":
        writing.write_document(found.document(), found.index.report, args)
        return 0
    table = replace(found.table, note="; ".join(found.notes))
    if fmt == "table":
        from tui.analysis.network.words import in_words

        table = in_words(table)
    writing.write_tables([table], found.index.report, found.scope, args)
    return 0


def _of_set(args: argparse.Namespace) -> int:
    """Answer about several reports, each port of a host once."""
    from tui.analysis.network.hosts import Shown

    shown = Shown()

    def gather(args: argparse.Namespace, opened: many.OpenSet) -> None:
        from tui.analysis.index import Index
        from tui.analysis.network.series import network_samples

        for path in opened.paths:
            with suppress(ReportError):  # told where it is answered about
                report = opening.open_report(args, str(path))
                shown.add(str(path), report.origin.host, network_samples(Index(report)))

    def answer(own: argparse.Namespace) -> Answer:
        found = _find(own, shown)
        for note in found.notes:
            talk.said(own, note)
        return Answer([found.table], found.document)

    return answer_each(args, answer, split=False, host=True, over=gather)


def _find(args: argparse.Namespace, shown: Shown | None) -> _Found:
    """Find the rows of a report: all, or those that ``shown`` gives it. Raises NothingThere for none."""
    from tui.analysis.captured import lacking
    from tui.analysis.kinds.network import NIC_SAMPLES
    from tui.analysis.network.series import network_samples
    from tui.analysis.network.speeds import configured_speeds
    from tui.analysis.network.table import network_notes, network_table, steps_table

    speeds = configured_speeds()
    index, scope = opening.open_scope(args)
    name = index.report.path.name
    samples = network_samples(index)
    if not samples:
        raise NothingThere(lacking(index.report, NIC_SAMPLES))
    others: list[str] = []
    if shown is not None:
        samples, others = shown.of(args.report, index.report.origin.host, samples)
    elsewhere = f"the adapters of its host are shown from {', '.join(others)}, which has more samples of them"
    if not samples:
        raise NothingThere(f"{name}: {elsewhere}")
    if args.by == "step":
        table = steps_table(index, samples, scope, speeds)
        if table is None:
            raise NothingThere(f"{name}: no steps found; --step NAME names the range that is one")
    else:
        table = network_table(samples, scope, speeds)
    if not len(table):
        raise NothingThere(f"{name}: no samples of network devices in {scope.window.label}")
    notes = network_notes(samples, speeds)
    return _Found(index, scope, samples, table, [*notes, *([f"some of {elsewhere}"] if others else [])])
