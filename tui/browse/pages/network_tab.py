"""Network: what each port of the host's adapters moved in the window, and how busy it was."""

from __future__ import annotations

from tui.analysis.kinds.network import NIC_SAMPLES
from tui.analysis.network.congestion import congestion_events
from tui.analysis.network.series import network_samples
from tui.analysis.network.speeds import configured_speeds
from tui.analysis.network.table import network_notes, network_table
from tui.analysis.network.words import in_words
from tui.browse.page import Page, Section
from tui.browse.pages.request import PageRequest
from tui.errors import UsageError
from tui.text import safe
from tui.text.numbers import plural

HEADS = {
    "device": "device",
    "port": "port",
    "metric": "metric",
    "bytes": "bytes",
    "mean": "mean",
    "p95": "p95",
    "max": "max",
    "busy_pct": "busy %",
    "used_pct": "used %",
    "coverage_pct": "covered %",
}


def network_page(request: PageRequest) -> Page:
    """Show the figures of all ports in the window."""
    index, window = request.index, request.scope.window
    problem = None
    try:
        speeds = configured_speeds()
    except UsageError as error:
        speeds, problem = {}, str(error)
    samples = network_samples(index)
    if not samples and not congestion_events(index):
        words = f"no samples of network devices; nsys profile {NIC_SAMPLES.option} records them"
        return [Section("Network", lines=(words,))]
    notes = [*([problem] if problem else []), *network_notes(samples, speeds)]
    table = network_table(samples, request.scope, speeds)
    title = f"Ports in {window.label}"
    if len(table):
        sections = [Section(title, in_words(table).pick(HEADS))]
    else:
        sections = [Section(title, lines=("no samples in it",))]
    lines = tuple(
        f"{safe(name)}: {plural(int(((times >= window.start) & (times < window.end)).sum()), 'event')}"
        for name, times in congestion_events(index)
    )
    if lines:
        sections.append(Section("Congestion in switches", lines=lines))
    return [*sections, Section("Notes", lines=tuple(map(safe, notes)))]
