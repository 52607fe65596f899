"""The profiler itself said that the capture lacks data: what it lost, and what would keep it."""

from __future__ import annotations

from tui.analysis.diagnostics import Source, affected
from tui.analysis.faults.case import Case
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Confidence, Evidence, Findings, Found
from tui.text.cells import cut

ASIDE = frozenset((Source.SCHEDULING, Source.SAMPLES, Source.NETWORK, Source.GRAPHICS))
"""Sources that no figure of idle time comes from."""
SHOWN = 4
_ADVICE = {
    Source.CUDA: "Capture less at a time: `--duration`, or `--capture-range=cudaProfilerApi` around some "
    "steps; `--cuda-flush-interval` empties CUDA's buffers more often.",
    Source.NVTX: "Fewer ranges: `--nvtx-domain-include`, or a shorter capture.",
    Source.OS: "`--osrt-threshold` leaves short OS calls out.",
    Source.SCHEDULING: "Scheduling and samples need rights: `sysctl kernel.perf_event_paranoid=1`, or "
    "a container with CAP_PERFMON.",
    Source.METRICS: "A lower `--gpu-metrics-frequency`; the driver must let users read counters.",
    Source.MPI: "Name the library: `--mpi-impl`.",
}


def _examine(case: Case) -> Findings:
    messages = {m.text: m for m in case.report.diagnostics if affected(m)}
    if not messages:
        return
    sources = sorted(frozenset().union(*map(affected, messages.values())), key=list(Source).index)
    window, command = case.window, case.commands.info()
    told = list(messages.values())[:SHOWN]
    yield Found(
        title=f"the profiler lost data: {', '.join(source.value for source in sources)}",
        evidence=tuple(
            Evidence(f"{m.severity}: {cut(m.text, 200)}", None, "", command, window.start, window.end)
            for m in told
        ),
        confidence=Confidence.HIGH,
        reasons=("the profiler says so itself: figures made of these data may be too small",),
        advice=tuple(dict.fromkeys(_ADVICE[source] for source in sources if source in _ADVICE)) or None,
        confirm=case.commands.capture("cuda,nvtx", "--sample=none", "--cpuctxsw=none"),
        of_capture=True,
        minor=ASIDE.issuperset(sources),
    )


FAULT = Fault(
    "thin-capture",
    "the profiler lost data",
    _examine,
    "Warnings and errors of the profiler that say that something was not collected.",
    ("Capture again: shorter, with fewer kinds of data, or with the rights that are missing.",),
)
