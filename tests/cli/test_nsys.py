"""Commands and the explorer on a .nsys-rep: one line where nsys fails, nothing left when interrupted."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT, Run
from tests.e2e.terminal import Terminal
from tests.fuzz.runner import known_commands
from tests.support.fake_nsys import EXPORTS, WAITS, FakeNsys, ends, report_at
from tui.commands.lookup import parser_of

COMMANDS = sorted(
    name for name in known_commands() if any(action.dest == "report" for action in parser_of(name)._actions)
)


@pytest.fixture
def nsys(tmp_path: Path, environment: dict[str, str]) -> FakeNsys:
    """An `nsys` on the PATH of the commands."""
    fake = FakeNsys(tmp_path)
    environment["PATH"] = f"{fake.folder}:/usr/bin:/bin"
    return fake


@pytest.fixture
def rep(tmp_path: Path) -> Path:
    return report_at(tmp_path / "reports" / "a run.nsys-rep")


def store(environment: dict[str, str]) -> Path:
    return Path(environment["XDG_CACHE_HOME"]) / "nsystui"


@pytest.mark.parametrize("command", [*COMMANDS, ""])
def test_every_command_takes_a_report_as_it_is(command: str, run: Run, rep: Path, nsys: FakeNsys) -> None:
    export = rep.parent.with_name("exports") / "a run12.sqlite"  # as wide as the report's name
    export.parent.mkdir()
    shutil.copy(nsys.ready, export)
    words, of_export = ([word for word in (command, path) if word] for path in (rep, export))
    done, expected = run(*words), run(*of_export)

    def named(text: str) -> str:
        return text.replace(str(export), str(rep)).replace(export.name, rep.name)

    assert (done.returncode, done.stderr) == (expected.returncode, named(expected.stderr))
    assert done.stdout == named(expected.stdout)
    assert len(nsys.calls) == 1
    assert run(*words).stdout == done.stdout
    assert run(*words, "--no-nsys").stdout == done.stdout
    assert len(nsys.calls) == 1
    assert [p.name for p in rep.parent.iterdir()] == [rep.name]


@pytest.mark.parametrize("command", [*COMMANDS, ""])
def test_every_command_can_be_kept_from_it(command: str, run: Run, rep: Path, nsys: FakeNsys) -> None:
    for more in (["--no-nsys"], ["--no-nsys", "--no-cache"]):
        done = run(*[word for word in (command, rep) if word], *more)
        assert (done.returncode, done.stdout) == (2, "")
        output = rep.with_suffix(".sqlite")
        command_line = f"nsys export --type sqlite --output '{output}' '{rep}'"
        assert done.stderr == f"nsystui: {rep}: a report, not its SQLite export; run: {command_line}\n"
    assert nsys.calls == []


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (
            "say('Exportation error: it is newer\\n\\x1b[2Jwhat?\\n'); sys.exit(1)",
            "(exit code 1): it is newer",
        ),
        ("os.kill(os.getpid(), 9)", "(killed by SIGKILL)"),
        ("print('\\x1b]0;x\\x07 ' * 99999)", "failed: ␛]0;x␇ ␛]0;x␇"),
        ("open(output, 'w').close()", "can't be read: empty"),
    ],
)
def test_one_line_where_nsys_fails(
    code: str, said: str, run: Run, rep: Path, nsys: FakeNsys, environment: dict[str, str]
) -> None:
    nsys.does(code)
    done = run("info", rep)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"nsystui: {rep}: ")
    assert said in done.stderr
    assert "\x1b" not in done.stderr
    assert [p for p in store(environment).rglob("*") if p.is_file()] == []
    nsys.does(EXPORTS)
    assert run("info", rep).returncode == 0


def test_a_name_that_is_no_text(run: Run, tmp_path: Path, nsys: FakeNsys) -> None:
    path = report_at(tmp_path / "reports" / os.fsdecode(b"-\xff \n\x1b[2J.nsys-rep"))
    nsys.does("sys.exit(1)")
    done = run("info", path)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "\x1b" not in done.stderr
    nsys.does(EXPORTS)
    assert run("info", path).returncode == 0
    assert nsys.calls[1]["args"][5] == str(path)


def test_a_file_too_large_for_the_limit(rep: Path, nsys: FakeNsys, environment: dict[str, str]) -> None:
    nsys.does("signal.signal(signal.SIGXFSZ, signal.SIG_DFL); open(output, 'w').write('x' * 99999)")
    limited = (
        "import resource as r, sys; r.setrlimit(r.RLIMIT_FSIZE, (9999, 9999)); from tui.cli import main; "
    )
    done = subprocess.run(
        [sys.executable, "-c", f"{limited}sys.exit(main(['info', sys.argv[1]]))", str(rep)],
        cwd=rep.parent, env=environment, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == f"nsystui: {rep}: nsys export failed (killed by SIGXFSZ)\n"
    assert [p for p in store(environment).rglob("*") if p.is_file()] == []


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, -15), (signal.SIGHUP, -1)]
)
@pytest.mark.parametrize("more", [[], ["--no-cache"]])
def test_an_interrupted_export_leaves_nothing(
    number: int, status: int, more: list[str], rep: Path, nsys: FakeNsys, environment: dict[str, str]
) -> None:
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip("these tests run where the signal is ignored")
    nsys.does(
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); open(output, 'w').write('x' * 9999)\n"
        "print(os.getpid(), file=open(gate, 'w'), flush=True); signal.pause()"
    )
    temporary = rep.parent.with_name("tmp")
    temporary.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "tui", "info", str(rep), *more],
        cwd=ROOT, env={**environment, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    with nsys.gate.open() as gate:
        child = int(gate.read())
    process.send_signal(number)
    assert process.communicate() == ("", "")
    assert process.returncode == status
    assert ends(child)
    assert list(temporary.iterdir()) == []
    assert [p for p in store(environment).rglob("*") if p.suffix != ".lock"] == []
    nsys.does(EXPORTS)


def test_progress_on_a_terminal_only(
    rep: Path, run: Run, nsys: FakeNsys, environment: dict[str, str]
) -> None:
    nsys.does(f"say('Processing 19236 events: [==50%   ]'); {WAITS}; {EXPORTS}")
    with Terminal([sys.executable, "-m", "tui", "info", str(rep)], 100, 60, environment) as terminal:
        terminal.expect("reading the report with nsys: 50% of 19,236 events")
        nsys.go_on()
        terminal.expect("Tables of the export")
        assert terminal.wait() == 0
        assert "reading" not in terminal.text
    nsys.does(f"say('Processing 19236 events: [==50%   ]'); {EXPORTS}")
    assert run("info", rep, "--no-cache").stderr == ""


Explore = Callable[..., Terminal]


@pytest.fixture
def explore(environment: dict[str, str], rep: Path) -> Explore:
    """The explorer on the report, in a terminal."""

    def start(*more: str) -> Terminal:
        return Terminal([sys.executable, "-m", "tui", str(rep), *more], 100, 30, environment)

    return start


QUESTION = "Export it now with nsys, into nsystui's"


def test_the_explorer_asks_first(explore: Explore, nsys: FakeNsys) -> None:
    nsys.does(f"say('Processing 19236 events: [==50%   ]'); {WAITS}; {EXPORTS}")
    with explore() as terminal:
        terminal.expect(QUESTION)
        assert nsys.calls == []
        terminal.send("y\n")
        terminal.expect("50% of 19,236 events  the report with nsys")
        nsys.go_on()
        terminal.expect("GPU 0")
        assert terminal.leave() == 0
    with explore() as terminal:
        terminal.expect("GPU 0")  # without a question
        assert QUESTION not in terminal.text
        assert terminal.leave() == 0
    assert len(nsys.calls) == 1


@pytest.mark.parametrize("answer", ["n\n", "what?\n", "\x04"])
def test_the_explorer_takes_no_for_an_answer(answer: str, explore: Explore, nsys: FakeNsys) -> None:
    with explore() as terminal:
        terminal.expect(QUESTION)
        terminal.send(answer)
        assert terminal.wait() == 2
        terminal.expect("run: nsys export --type sqlite")
    assert nsys.calls == []


def test_the_explorer_does_not_ask_in_vain(explore: Explore, nsys: FakeNsys) -> None:
    with explore("--no-nsys") as terminal:
        assert terminal.wait() == 2
        assert QUESTION not in terminal.text
    nsys.program.unlink()
    with explore() as terminal:
        assert terminal.wait() == 2
        assert QUESTION not in terminal.text


def test_the_explorer_asks_once_for_several(explore: Explore, rep: Path, nsys: FakeNsys) -> None:
    others = [report_at(rep.with_name(f"rank{i}.nsys-rep")) for i in range(2)]
    shutil.copy(nsys.ready, export := rep.with_name("other.sqlite"))
    with explore(*map(str, others), str(export)) as terminal:
        terminal.expect("a run.nsys-rep and 2 more are reports, not SQLite exports")
        terminal.send("\n")
        terminal.expect("Straggler")  # all of them are summed up for the ranks view
        assert len(nsys.calls) == 3
        terminal.send("R")
        terminal.expect("GPU 0")
        assert len(nsys.calls) == 3
        assert terminal.leave() == 0


@pytest.mark.parametrize("how", ["quit", "terminated", "hung up"])
def test_leaving_the_explorer_ends_nsys(
    how: str, explore: Explore, nsys: FakeNsys, environment: dict[str, str]
) -> None:
    nsys.does(
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); say('Processing 9 events: [ 5%]'); signal.pause()"
    )
    with explore() as terminal:
        terminal.expect(QUESTION)
        terminal.send("y\n")
        terminal.expect("the report with nsys")
        if how == "quit":
            assert terminal.leave() == 0
        else:
            terminal.signal(signal.SIGTERM if how == "terminated" else signal.SIGHUP)
            assert terminal.wait() != 0
    assert ends(nsys.calls[0]["pid"])
    assert [p for p in store(environment).rglob("*") if p.suffix != ".lock"] == []


def test_the_explorer_ends_with_the_line_of_a_failure(explore: Explore, nsys: FakeNsys) -> None:
    nsys.does("say('Exportation error: it is \\x1b[2Jnewer'); sys.exit(1)")
    with explore() as terminal:
        terminal.expect(QUESTION)
        terminal.send("y\n")
        assert terminal.wait() == 2
        assert "nsys export failed (exit code 1): it is newer" in terminal.afterwards
