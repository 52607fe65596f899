"""The command lines that print a figure again, and the captures that would settle a question."""

from __future__ import annotations

import shlex

from tui.analysis.scope import Scope
from tui.report.model import Report


class Commands:
    """Spells ``nsystui`` commands for one report and scope."""

    def __init__(self, report: Report, scope: Scope, step: str | None = None) -> None:
        self._report = report
        self._window = scope.window
        self._path = shlex.quote(str(report.path))
        self._step = f" --step {shlex.quote(step)}" if step else ""
        pids = ",".join(str(report.processes[p].pid) for p in scope.processes or ())
        self._processes = f" --process {pids}" if scope.processes is not None else ""

    def gaps(self, start: int, end: int, device: int) -> str:
        """Idle and busy time of a stretch of a device, and what the host did in it."""
        number = self._report.devices[device].cuda_id
        return f"nsystui gaps {self._path} --range {start}/{end} --device {number}{self._processes}"

    def steps(self, number: int) -> str:
        """Duration, busy and exposed communication of a step (numbered as the steps command does)."""
        return f"nsystui steps {self._path} --range step:{number}{self._step}{self._processes}"

    def stats(self, report: str, start: int, end: int) -> str:
        """A summary of a stretch."""
        return f"nsystui stats {self._path} -r {report} --range {start}/{end}{self._processes}"

    def diagnose(self, fault: str) -> str:
        """The stretches that a fault is charged with, which only the diagnosis works out."""
        where = f" --range {self._window.start}/{self._window.end}" if self._window.chosen else ""
        return f"nsystui diagnose {self._path} --only {fault}{where}{self._step}{self._processes}"

    def analyze(self, rule: str) -> str:
        """The rows of one rule in the window."""
        where = f"--range {self._window.start}/{self._window.end}"
        return f"nsystui analyze {self._path} -r {rule} {where}{self._processes}"

    def info(self) -> str:
        """What the export holds."""
        return f"nsystui info {self._path}"

    def capture(self, trace: str = "cuda,nvtx,osrt", *options: str, output: str = "run") -> str:
        """An ``nsys profile`` line that records what is missing."""
        return " ".join(["nsys profile", f"--trace={trace}", *options, f"-o {output}", self.program])

    @property
    def program(self) -> str:
        """The command that starts the program, as far as its name is known."""
        using = {user for device in self._report.devices for user in device.users}
        names = [p.name for p in self._report.processes if p.name and (p.global_pid in using or not using)]
        if not names or any("python" in name.lower() for name in names):
            return "python train.py"
        return shlex.quote(f"./{names[0].rsplit('/', 1)[-1]}")
