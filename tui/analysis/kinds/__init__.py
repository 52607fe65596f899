"""What the tables of a capture that not every capture has give, one module a subject."""

from __future__ import annotations

from tui.analysis.kinds import cpu, metrics
from tui.analysis.kinds.kind import Kind

KINDS: tuple[Kind, ...] = (*cpu.KINDS, *metrics.KINDS)
"""Every kind of data, in the order in which `nsystui info` lists them."""
