"""Run commands on a mutant, each in a forked process of its own with limits on time and memory."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.fuzz import answers, judge, mutants, oracle
from tests.fuzz.judge import Outcome

SUMS = ",".join(name for name, _, _ in answers.SUMS)
ALWAYS: dict[str, tuple[tuple[str, ...], str]] = {
    "info": (("info", "-f", "json"), "json"),
    "sums": (("stats", "-r", SUMS, "-f", "json"), "json"),
    "gaps": (("gaps", "-f", "json"), "json"),
    "steps": (("steps", "-f", "json"), "json"),
    "export": (("export", "--raw"), "csv"),
    "view": (("view", "--size", "110x30"), "text"),
}
"""Name -> (arguments, format of what it prints). Every mutant goes through all of these."""
SOMETIMES: dict[str, tuple[tuple[str, ...], str]] = {
    "stats": (("stats", "-r", "all"), "text"),
    "stats csv": (("stats", "-r", "all", "-f", "csv", "--timeunit", "usec"), "csv"),
    "stats json": (("stats", "-r", "all", "-f", "json"), "json"),
    "gaps midpoint": (("gaps", "--busy", "kernels", "--blame", "midpoint", "--min-gap", "0"), "text"),
    "gaps csv": (("gaps", "--phase", "outer", "--min-gap", "1us", "-f", "csv"), "csv"),
    "steps text": (("steps", "--step", ".*"), "text"),
    "steps guessed": (("steps", "--guess", "--wide"), "text"),
    "export table": (("export", "-f", "table", "--range", "gap:1"), "text"),
    "view unfolded": (("view", "--size", "200x300", "--unfold", "--pane", "none"), "text"),
    "view ascii": (("view", "--ascii", "--range", "gap:1", "--size", "40x8"), "text"),
    "analyze": (("analyze", "-f", "json"), "json"),
    "analyze text": (("analyze", "--gap", "1us"), "text"),
    "diagnose": (("diagnose", "-f", "json"), "json"),
    "diagnose text": (("diagnose",), "text"),
    "overview": ((), "text"),
    "gaps of a step": (("gaps", "--range", "step:1..2", "-f", "json"), "json"),
    "steps csv": (("steps", "-f", "csv", "--device", "0"), "csv"),
    "stats of a range": (("stats", "--range", "nvtx:step 1#1", "--process", "100"), "text"),
    "view of time": (("view", "--range", "300us/", "-f", "svg"), "text"),
    "info text": (("info", "--all"), "text"),
    "ranks": (("ranks", "-f", "json"), "json"),
    "pace": (("pace", "--by", "phase"), "text"),
    "collectives": (("collectives", "--instances", "-f", "csv"), "csv"),
    "samples": (("samples", "-f", "json", "--by", "stack"), "json"),
    "samples by phase": (("samples", "--per", "phase", "--range", "/"), "text"),
    "callers": (("samples", "--callers", "cuda", "-f", "csv"), "csv"),
    "threads": (("threads", "-f", "json"), "json"),
    "memory": (("memory", "-f", "json"), "json"),
    "memory at the peak": (("memory", "--at", "peak", "-f", "csv"), "csv"),
    "memory over time": (("memory", "--series", "--every", "100us", "--range", "/"), "text"),
    "unified memory": (("um", "--by", "kernel", "-f", "json"), "json"),
    "unified blocks": (("um", "--by", "address"), "text"),
    "metrics": (("metrics", "-f", "json"), "json"),
    "metrics by kernel": (("metrics", "--by", "kernel", "--range", "/"), "text"),
    "metrics by step": (("metrics", "--by", "step", "-f", "csv"), "csv"),
    "metrics over time": (("metrics", "--samples", "--every", "1ms", "-f", "json"), "json"),
    "classes": (("classes", "-f", "json"), "json"),
    "view of metrics": (("view", "--tab", "metrics", "--size", "140x40"), "text"),
    "gaps on CPUs": (("gaps", "--cpu", "--min-gap", "0"), "text"),
    "network": (("network", "-f", "json", "--range", "/"), "json"),
    "network by step": (("network", "--by", "step"), "text"),
    "collectives by kind": (("collectives", "-f", "json"), "json"),
    "uncached": (("export", "--raw", "--no-cache"), "csv"),
}
"""Two of these, by the mutant's number."""
WALKED = 25
"""Every so many mutants one is opened in the explorer."""
NARROWED = (
    "export table", "view ascii", "gaps of a step", "steps csv", "stats of a range", "view of time",
)  # fmt: skip
"""Commands that ask for a range or a device, of which there may be none: that too is exit code 2."""
READING_MORE = (
    "samples", "samples by phase", "callers", "threads", "gaps on CPUs", "memory", "memory at the peak",
    "network", "network by step", "memory over time", "unified memory", "unified blocks", "metrics",
    "metrics by kernel", "metrics by step", "metrics over time",
    "diagnose", "diagnose text",
)  # fmt: skip
"""Commands that read tables which no other does: they alone notice that one of those is damaged."""


@dataclass(frozen=True)
class Limits:
    seconds: float = 20.0
    memory: int = 4 << 30


@dataclass
class Verdict:
    """What came of one mutant."""

    number: int
    said: str
    codes: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def line(self) -> str:
        return json.dumps(asdict(self))


def known_commands() -> tuple[str, ...]:
    from tui.commands.lookup import COMMANDS

    return tuple(COMMANDS)


def chosen(number: int) -> dict[str, tuple[tuple[str, ...], str]]:
    """The commands for mutant ``number``."""
    have = known_commands()
    more = {name: c for name, c in SOMETIMES.items() if not c[0] or c[0][0] in have}
    rng = random.Random(number)
    return {**ALWAYS, **{name: more[name] for name in rng.sample(sorted(more), 2)}}


def run(arguments: Sequence[str], folder: Path, limits: Limits) -> Outcome:
    """The outcome of ``nsystui ARGUMENTS``."""
    from tui.cli import main

    return in_a_fork(lambda: main(arguments), folder, limits)


def in_a_fork(work: Callable[[], int], folder: Path, limits: Limits) -> Outcome:
    """The outcome of ``work`` in a fork of this process; a killed one has code -SIGNAL."""
    out, err = folder / "stdout", folder / "stderr"
    logs = folder / "state"
    child = os.fork()
    if not child:
        code = 70
        try:
            _become_a_process(out, err, logs, limits)
            code = work()
            sys.stdout.flush()
        except BaseException:
            err.write_text(traceback.format_exc())
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    log = "".join(p.read_text() for p in logs.rglob("*.log")) if logs.exists() else ""
    shutil.rmtree(logs, ignore_errors=True)
    return Outcome(code, out.read_bytes(), err.read_bytes(), log)


def _become_a_process(out: Path, err: Path, logs: Path, limits: Limits) -> None:
    """Be as the installed script would be, with stdout and stderr in files."""
    os.environ["XDG_STATE_HOME"] = str(logs)
    for number, path in ((1, out), (2, err)):
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(descriptor, number)
        os.close(descriptor)
    sys.stdout = sys.__stdout__ = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = sys.__stderr__ = os.fdopen(
        2, "w", encoding="utf-8", errors="backslashreplace", closefd=False, buffering=1
    )
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, limits.seconds)


def try_mutant(seeds: mutants.Seeds, seed: int, number: int, folder: Path, limits: Limits) -> Verdict:
    """Make mutant ``number``, send it through its commands and judge what comes."""
    began = time.monotonic()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "mutant.sqlite"
    verdict = Verdict(number, mutants.make(seeds, seed, number, path))
    before = path.read_bytes()
    outcomes: dict[str, Outcome] = {}
    for name, (arguments, fmt) in chosen(number).items():
        store = () if "--no-cache" in arguments else ("--cache-dir", str(folder / "store"))
        head, rest = arguments[:1], arguments[1:]
        outcome = run((*head, str(path), *rest, *store), folder, limits)
        verdict.codes[name] = outcome.code
        verdict.faults += [f"{name}: {what}" for what in judge.complaints(outcome, fmt)]
        if outcome.code >= 0 and not (
            name in (*NARROWED, *READING_MORE) and outcome.code == judge.UNREADABLE
        ):
            outcomes[name] = outcome
    verdict.faults += judge.contradictions(outcomes)
    if not verdict.faults:
        try:
            known: oracle.Truth | None = oracle.truth(path)
        except oracle.Unreadable:
            known = None
        verdict.faults += answers.wrong(outcomes, known)
        if "uncached" in outcomes and outcomes["uncached"].out != outcomes["export"].out:
            verdict.faults.append("uncached: not what the store gives")
    if number % WALKED == 0:
        verdict.faults += walk(path, folder, limits, refused=verdict.codes["info"] == judge.UNREADABLE)
    left = {p.name for p in folder.iterdir()} - {"mutant.sqlite", "store", "stdout", "stderr"}
    if path.read_bytes() != before or left:
        verdict.faults.append(f"the report was touched: {sorted(left)}")
    shutil.rmtree(folder, ignore_errors=True)
    verdict.seconds = time.monotonic() - began
    return verdict


def walk(path: Path, folder: Path, limits: Limits, *, refused: bool) -> list[str]:
    """Open a mutant in the explorer and press keys; what is wrong with how that ends."""
    from tests.fuzz.walk import walked

    outcome = in_a_fork(lambda: walked(path, folder / "store"), folder, limits)
    if outcome.code == (judge.UNREADABLE if refused else judge.GOOD):
        return []
    last = judge.last_lines(outcome.err.decode("utf-8", "replace")) or outcome.reason()
    return [f"explorer: exit code {outcome.code}: {last}"]


def warm_up(seeds: mutants.Seeds, folder: Path) -> None:
    """Run every command once, in this process: its forks have all modules loaded."""
    import contextlib
    import io

    from tui.cli import main

    report = str(seeds.small[0])
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for arguments, _ in chosen(0).values():
            main([*arguments[:1], report, *arguments[1:], "--cache-dir", str(folder / "warm")])
        for name, (arguments, _) in SOMETIMES.items():
            if name in ("stats", "stats csv", "overview", "analyze", "diagnose"):
                main([*arguments[:1], report, *arguments[1:], "--no-cache"])


def campaign(
    numbers: Sequence[int],
    seed: int,
    folder: Path,
    *,
    workers: int = 1,
    limits: Limits = Limits(),
    tell: Callable[[Verdict], None] = lambda verdict: None,
) -> list[Verdict]:
    """Try the mutants of these numbers in ``workers`` processes; the verdicts, by number."""
    seeds = mutants.Seeds.in_folder(folder / "seeds")
    warm_up(seeds, folder)
    reading, writing = os.pipe()
    children = []
    for worker in range(workers):
        child = os.fork()
        if not child:
            code = 1
            try:
                os.close(reading)
                with os.fdopen(writing, "w") as pipe:
                    for number in numbers[worker::workers]:
                        where = folder / f"worker-{worker}"
                        try:
                            verdict = try_mutant(seeds, seed, number, where, limits)
                        except Exception:
                            verdict = Verdict(
                                number, "", faults=[f"could not be judged: {traceback.format_exc()}"]
                            )
                        pipe.write(verdict.line() + "\n")
                        pipe.flush()
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
        children.append(child)
    os.close(writing)
    verdicts = []
    with os.fdopen(reading) as pipe:
        for line in pipe:  # shorter than PIPE_BUF or not, each worker's lines come one at a time
            verdict = Verdict(**json.loads(line))
            verdicts.append(verdict)
            tell(verdict)
    for child in children:
        os.waitpid(child, 0)
    if len(verdicts) != len(numbers):
        raise RuntimeError(f"{len(numbers) - len(verdicts)} mutants were not tried: a worker died")
    return sorted(verdicts, key=lambda v: v.number)
