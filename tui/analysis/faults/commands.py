"""The command lines that print a figure again, and the captures that would settle a question."""

from __future__ import annotations

import shlex

from tui.analysis.scope import Scope
from tui.report.model import Report


class Commands:
    """Spells ``nsystui`` commands for one report and scope."""

    def __init__(self, report: Report, scope: Scope, step: str | None = None) -> None:
        self._report = report
        self._scope = scope
        self._path = shlex.quote(str(report.path))
        self._step = f" --step {shlex.quote(step)}" if step else ""

    def gaps(self, start: int, end: int, device: int | None = None) -> str:
        """Idle and busy time of a stretch, and what the host did in it."""
        return f"nsystui gaps {self._path} --range {start}/{end}{self._device(device)}{self._processes()}"

    def steps(self, first: int | None = None, last: int | None = None) -> str:
        """Duration, busy and exposed communication of steps (numbers as the steps command prints them)."""
        which = ""
        if first is not None:
            which = f" --range step:{first}" + (f"..{last}" if last is not None and last != first else "")
        return f"nsystui steps {self._path}{which}{self._step}{self._processes()}"

    def stats(self, report: str, start: int | None = None, end: int | None = None) -> str:
        """A summary of a stretch (default: everything recorded)."""
        where = "" if start is None else f" --range {start}/{end}"
        return f"nsystui stats {self._path} -r {report}{where}{self._processes()}"

    def diagnose(self, fault: str) -> str:
        """What only the diagnosis works out: the stretches that a fault is charged with."""
        window = self._scope.window
        where = f" --range {window.start}/{window.end}" if window.chosen else ""
        return f"nsystui diagnose {self._path} --only {fault}{where}{self._step}{self._processes()}"

    def analyze(self, rule: str) -> str:
        """The rows of one rule in the window."""
        window = self._scope.window
        where = f" --range {window.start}/{window.end}"
        return f"nsystui analyze {self._path} -r {rule}{where}{self._processes()}"

    def info(self) -> str:
        """What the export holds."""
        return f"nsystui info {self._path}"

    def capture(self, trace: str = "cuda,nvtx,osrt", *options: str, output: str = "run") -> str:
        """An ``nsys profile`` line with the trace sources and options that would tell."""
        return " ".join(["nsys profile", f"--trace={trace}", *options, f"-o {output}", self.program])

    @property
    def program(self) -> str:
        """The program as one would start it, as far as its name tells."""
        using = {pid for device in self._report.devices for pid, _ in device.owners}
        names = [p.name for p in self._report.processes if p.name and (p.pid in using or not using)]
        if not names or any("python" in name.lower() for name in names):
            return "python train.py"
        return shlex.quote(f"./{names[0].rsplit('/', 1)[-1]}")

    def _device(self, device: int | None) -> str:
        return "" if device is None else f" --device {self._report.devices[device].cuda_id}"

    def _processes(self) -> str:
        if self._scope.processes is None:
            return ""
        return " --process " + ",".join(str(self._report.processes[p].pid) for p in self._scope.processes)
