"""The command lines that print a figure again, and the captures that would settle a question."""

from __future__ import annotations

from tui.analysis.index import Busy, Comm, Index
from tui.analysis.scope import Scope
from tui.text.shell import option, path_word, quoted


class Commands:
    """Spells ``nsystui`` commands for one report, with the options that the diagnosis was given.

    Each names its part of the report: a figure of a finding is that of the scope, and the command without
    the scope would print another.
    """

    def __init__(self, index: Index, scope: Scope, step: str | None = None, *, guess: bool = False) -> None:
        """``guess``: whether the steps are guessed."""
        report = index.report
        self._report = report
        self._window = scope.window
        self._path = path_word(str(report.path))
        self._guess = guess
        step = step or index.step
        self._step = f" {option('--step', step)}" if step else ""
        pids = ",".join(str(report.processes[p].pid) for p in scope.processes or ())
        self._processes = f" --process {pids}" if scope.processes is not None else ""
        numbers = ",".join(str(report.devices[d].cuda_id) for d in scope.devices or ())
        self._devices = f" --device {numbers}" if scope.devices is not None else ""
        self._comm = f" --comm {index.comm.value}" if index.comm is not Comm.CLASS else ""

    def gaps(self, start: int, end: int, device: int, busy: Busy = Busy.ALL) -> str:
        """Busy, idle and communication time of a stretch of a device, and what the host did in it.

        ``busy``: of a stretch that is not idle but has no kernel, or no compute, what it is without.
        """
        number = self._report.devices[device].cuda_id
        without = f" --busy {busy.value}" if busy is not Busy.ALL else ""
        where = f"{_range(start, end)} --device {number}{self._processes}"
        return f"nsystui gaps {self._path} {where}{without}{self._comm}"

    def steps(self, number: int, start: int, end: int, *, alone: bool = True) -> str:
        """Duration, busy time and exposed communication of a step from ``start`` to ``end``.

        ``alone``: only one process has steps, so that its number means this one. A guess of the diagnosis
        begins where a step's first kernel was launched, so that only the diagnosis prints it.
        """
        if self._guess:
            return f"nsystui diagnose {self._path} --guess{self._chosen}{self._scope}{self._step}"
        where = f"--range step:{number}" if alone else _range(start, end)
        return f"nsystui steps {self._path} {where}{self._step}{self._scope}"

    def stats(self, report: str, start: int, end: int) -> str:
        """A summary of a stretch."""
        devices = self._devices if report.startswith("cuda_gpu") else ""
        return f"nsystui stats {self._path} -r {report} {_range(start, end)}{self._processes}{devices}"

    def samples(self, start: int, end: int, tid: int | None) -> str:
        """The functions that a thread was in during a stretch, by CPU samples."""
        thread = "" if tid is None else f" --thread {tid}"
        return f"nsystui samples {self._path} {_range(start, end)}{thread}{self._processes}"

    def threads(self, start: int, end: int) -> str:
        """How long each thread ran in a stretch, and how often it changed CPUs."""
        return f"nsystui threads {self._path} {_range(start, end)}{self._processes}"

    def diagnose(self, fault: str) -> str:
        """The stretches that a fault is charged with, which only the diagnosis works out."""
        guess = " --guess" if self._guess else ""
        only = f"--only {fault}{guess}{self._chosen}{self._scope}{self._step}"
        return f"nsystui diagnose {self._path} {only}"

    def analyze(self, rule: str) -> str:
        """The rows of one rule in the window."""
        where = _range(self._window.start, self._window.end)
        return f"nsystui analyze {self._path} -r {rule} {where}{self._processes}{self._devices}"

    def metrics(self, device: int, key: str, by: str = "") -> str:
        """A metric of a device in the window; ``by``: of each kernel, class, step, range or gap."""
        where = _range(self._window.start, self._window.end)
        number = self._report.devices[device].cuda_id
        divided = f" --by {by} --top 0" if by else ""
        return f"nsystui metrics {self._path}{divided} --metric {key} {where} --device {number}"

    def classes(self) -> str:
        """Kernel time of the window by class, with what metrics say of each."""
        where = _range(self._window.start, self._window.end)
        return f"nsystui classes {self._path} --top 0 {where}{self._scope}"

    def memory(self) -> str:
        """The memory of the window by kind and process, with each device's peak and growth."""
        where = _range(self._window.start, self._window.end)
        return f"nsystui memory {self._path} {where}{self._step}{self._processes}{self._devices}"

    def unified(self, by: str) -> str:
        """What unified memory did in the window, by ``cause`` or ``kernel``."""
        where = _range(self._window.start, self._window.end)
        return f"nsystui um {self._path} --by {by} {where}{self._processes}{self._devices}"

    def files(self, start: int, end: int) -> str:
        """The files that were read in a stretch."""
        return f"nsystui files {self._path} {_range(start, end)}{self._processes}{self._devices}"

    def class_names(self) -> str:
        """The kernels of the window by name, each with its time, class and pipe."""
        where = _range(self._window.start, self._window.end)
        return f"nsystui classes {self._path} --names --top 0 {where}{self._scope}"

    def collectives(self) -> str:
        """The communication of the report by kind."""
        return f"nsystui collectives {self._path}"

    def network(self) -> str:
        """What network adapters moved in the window."""
        return f"nsystui network {self._path} {_range(self._window.start, self._window.end)}"

    def info(self) -> str:
        """What the export holds."""
        return f"nsystui info {self._path}"

    @property
    def _chosen(self) -> str:
        return f" {_range(self._window.start, self._window.end)}" if self._window.chosen else ""

    @property
    def _scope(self) -> str:
        return f"{self._processes}{self._devices}{self._comm}"

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
        return quoted(f"./{names[0].rsplit('/', 1)[-1]}")


def _range(start: int, end: int) -> str:
    """A stretch of time as the commands take it, in nanoseconds."""
    return option("--range", f"{start}/{end}")
