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
from tui.report.columns import NULL
from tui.text.numbers import hundredths, percent, plural, share
from tui.text.times import show_duration


@dataclass(frozen=True)
class Coverage:
    """What some samples cover. Shares are of all of them."""

    samples: int
    with_stack: int
    unresolved: int
    """Whose function is an address only."""
    broken: int
    """Whose stack could not be followed to its root."""
    profiler: int
    kernel: int
    threads: int
    """How many threads have samples."""
    on_cpu_ns: int | None
    """How long these threads ran; None where that is not known of each of them."""
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
            **{f"{name}_pct": hundredths(percent(count, self.samples)) for name, count in counts.items()},
            "threads": self.threads,
            "on_cpu_ns": self.on_cpu_ns,
            "period_cycles": self.period_cycles,
        }

    def words(self) -> str:
        """One sentence about them."""
        parts = [
            f"{share(count, self.samples)} {what}"
            for count, what in (
                (self.unresolved, "in functions without a name"),
                (self.broken, "with a broken or cut stack"),
                (self.profiler, "in the profiler"),
                (self.kernel, "in the kernel"),
            )
        ]
        ran = "" if self.on_cpu_ns is None else f", {show_duration(self.on_cpu_ns)} on a CPU"
        return (
            f"{plural(self.samples, 'sample')} of {plural(self.threads, 'thread')}{ran}: {', '.join(parts)}"
        )


def coverage_of(index: Index, scope: Scope, samples: Samples) -> Coverage:
    """What ``samples``, those of a scope, cover."""
    frames, kind = samples.tree.frames, samples.kind
    stops = (frames.kind == FrameKind.BROKEN) if len(frames) else np.zeros(0, bool)
    threads = np.unique(samples.thread)
    places = np.array([samples.threads[thread].position for thread in threads.tolist()], np.intp)
    low, high = (np.full(len(places), edge, np.int64) for edge in (scope.window.start, scope.window.end))
    ran = scheduling(index).on_cpu(low, high, places)
    return Coverage(
        samples=len(samples),
        with_stack=int(has_stack(samples).sum()),
        unresolved=int(np.append(frames.unresolved, True)[samples.leaf].sum()),
        broken=int(samples.tree.holds(samples.node, stops).sum()),
        profiler=int((kind == FrameKind.PROFILER).sum()),
        kernel=int((kind == FrameKind.KERNEL).sum()),
        threads=len(threads),
        on_cpu_ns=int(ran.sum()) if len(ran) and (ran != NULL).all() else None,
        period_cycles=sampling_period(index.report),
    )
