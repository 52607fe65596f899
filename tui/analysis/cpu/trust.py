"""How far a table of samples can be trusted: how many there are, and of how many the function is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from tui.analysis.captured import sampling_period
from tui.analysis.cpu.frames import FrameKind
from tui.analysis.cpu.sample_table import has_stack
from tui.analysis.cpu.sampling import Samples
from tui.analysis.cpu.scheduling import scheduling
from tui.analysis.index import Index
from tui.analysis.scope import Scope
from tui.report.columns import NULL, Bool, distinct_values
from tui.text.numbers import hundredths, percent, plural, share
from tui.text.times import show_duration

_BEGINNINGS = frozenset(("_start", "__clone", "clone", "__clone3", "clone3", "thread_start", "start_thread"))
"""The functions that threads begin with."""


@dataclass(frozen=True)
class Coverage:
    """What some samples cover. Shares are of all of them, that of broken stacks of those with a stack."""

    samples: int
    with_stack: int
    unresolved: int
    """Whose function is an address only."""
    broken: int
    """Whose stack could not be followed to where its thread began."""
    profiler: int
    kernel: int
    threads: int
    """How many threads have samples."""
    on_cpu_ns: int | None
    """How long these threads ran; None where that is not known of each of them."""
    outside: int
    """How many more the report has of these processes and threads, before and after the window."""
    period_cycles: int | None
    """After how many cycles of a CPU a sample was taken, as the capture says."""

    def document(self) -> dict[str, Any]:
        """The figures in JSON, with shares in percent."""
        counts = {
            "unresolved": self.unresolved,
            "broken": self.broken,
            "profiler": self.profiler,
            "kernel": self.kernel,
        }
        return {
            "samples": self.samples,
            "with_stack": self.with_stack,
            **counts,
            **{f"{name}_pct": hundredths(percent(n, self._whole(name))) for name, n in counts.items()},
            "threads": self.threads,
            "on_cpu_ns": self.on_cpu_ns,
            "outside": self.outside,
            "period_cycles": self.period_cycles,
        }

    def _whole(self, name: str) -> int:
        return self.with_stack if name == "broken" else self.samples

    def words(self) -> str:
        """One sentence about them."""
        parts = [
            f"{share(count, self.samples)} {what}"
            for count, what in (
                (self.unresolved, "in functions without a name"),
                (self.profiler, "in the profiler"),
                (self.kernel, "in the kernel"),
            )
        ]
        if self.with_stack:
            parts.append(f"{share(self.broken, self.with_stack)} of the stacks broken or cut")
        ran = "" if self.on_cpu_ns is None else f", {show_duration(self.on_cpu_ns)} on a CPU"
        whose = f"{plural(self.samples, 'sample')} of {plural(self.threads, 'thread')}"
        more = f"; {self.outside:,} more outside this window" if self.outside else ""
        return f"{whose}{ran}: {', '.join(parts)}{more}"


def coverage_of(index: Index, scope: Scope, samples: Samples, outside: int = 0) -> Coverage:
    """What ``samples``, those of a scope, cover; ``outside``: how many more there are beside its window."""
    frames, kind = samples.tree.frames, samples.kind
    threads = distinct_values(samples.thread)
    places = np.array([samples.threads[thread].position for thread in threads.tolist()], np.intp)
    low, high = (np.full(len(places), edge, np.int64) for edge in (scope.window.start, scope.window.end))
    ran = scheduling(index).on_cpu(low, high, places)
    return Coverage(
        samples=len(samples),
        with_stack=int(has_stack(samples).sum()),
        unresolved=int(np.append(frames.unresolved, True)[samples.leaf].sum()),
        broken=int(_broken(samples).sum()),
        profiler=int((kind == FrameKind.PROFILER).sum()),
        kernel=int((kind == FrameKind.KERNEL).sum()),
        threads=len(threads),
        on_cpu_ns=int(ran.sum()) if len(ran) and (ran != NULL).all() else None,
        outside=outside,
        period_cycles=sampling_period(index.report),
    )


def _broken(samples: Samples) -> Bool:
    """Which samples have a stack that ends before it comes to the function that a thread begins with.

    Unwinding goes on above that function, too, and then fails: such a stack is whole.
    """
    tree, frames = samples.tree, samples.tree.frames
    stops = (frames.kind == FrameKind.BROKEN)[tree.frame]
    begins = np.array([name in _BEGINNINGS for name in frames.name], bool)[tree.frame]
    whole = begins & np.append(stops, False)[tree.parent]
    found: Bool = tree.passes(samples.node, stops) & ~tree.passes(samples.node, whole) & has_stack(samples)
    return found
