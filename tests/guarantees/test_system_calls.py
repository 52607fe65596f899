"""Seen from the operating system: no command and no key writes beside a report, or speaks to a network.

None starts another program either, but for nsys where a .nsys-rep is to be exported.

That opening a report writes nothing there, cold and warm, tests/report/test_store.py shows too.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.fuzz.runner import known_commands
from tests.guarantees.conftest import Traced
from tests.support.fake_nsys import FakeNsys, report_at

ALL_COMMANDS = """
import contextlib, io, sys
from tui.cli import main
report, commands = sys.argv[1], sys.argv[2].split(",")
for command in commands:
    for more in ([], ["--no-cache"], ["-f", "csv"], ["-f", "json"], ["-f", "svg"]):
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            main([command, report, *more])
with contextlib.redirect_stdout(io.StringIO()):
    assert main([report]) == 0
"""

EXPLORER = """
import asyncio, sys
from pathlib import Path
from tui.app.app import Explorer
from tui.app.settings import Config
from tui.browse.loader import Load
from tui.app.looks import Looks
from tui.timeline.style_colours import Depth

async def walk():
    path = Path(sys.argv[1])
    app = Explorer(Load(path).start(), [path], Config(), Looks(Depth.TRUE, False), Load)
    async with app.run_test(size=(160, 48)) as pilot:
        while app.browse.capture is None:
            await pilot.pause(0.01)
        for key in sys.argv[2].split():
            await pilot.press(key)
        await pilot.pause()
    assert app.crash is None

asyncio.run(walk())
"""

KEYS = (
    "right_curly_bracket f enter escape c right_square_bracket r 3 tab down enter escape 0 v right y escape "
    "question_mark escape z"
)
CHANGES = (
    "open,openat,openat2,creat,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,write,pwrite64,pwritev,writev,"
    "truncate,ftruncate,link,linkat,symlink,symlinkat,chmod,fchmod,fchmodat,utime,utimes,utimensat,rmdir,fallocate"
)


def check_untouched(calls: list[str], report: Path, before: dict[str, tuple[int, int]]) -> None:
    """Every call that names the report's folder only reads, and nothing there has changed."""
    touched = [line for line in calls if str(report.parent) in line]
    assert any("O_RDONLY" in line for line in touched)
    for line in touched:
        # Where another thread's call comes between, the second line of a call has its result alone.
        opening = any(word in line for word in ("openat(", "open(", "openat resumed>", "open resumed>"))
        assert opening, line
        assert not any(flag in line for flag in ("O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND")), (
            line
        )
    assert looks(report) == before


def looks(report: Path) -> dict[str, tuple[int, int]]:
    """Size and time of everything in the report's folder, and of the folder."""
    found = [report.parent, *report.parent.iterdir()]
    return {p.name: (p.stat().st_size, p.stat().st_mtime_ns) for p in found}


def check_silent(calls: list[str]) -> None:
    """No socket of a network is made, nothing connected to; an event loop's pipe to itself is neither."""
    spoken = [line for line in calls if "AF_INET" in line or "AF_PACKET" in line or "connect(" in line]
    assert spoken == []


def commands() -> str:
    return ",".join(sorted(set(known_commands()) - {"explore", "demo", "cache", "help"}))


def test_no_command_writes_beside_the_report(report: Path, traced: Traced) -> None:
    before = looks(report)
    check_untouched(traced(CHANGES, ALL_COMMANDS, report, commands()), report, before)


def test_no_key_writes_beside_the_report(report: Path, traced: Traced) -> None:
    before = looks(report)
    check_untouched(traced(CHANGES, EXPLORER, report, KEYS), report, before)


def test_no_command_speaks_to_a_network(report: Path, traced: Traced) -> None:
    check_silent(traced("network", ALL_COMMANDS, report, commands()))


def test_the_explorer_speaks_to_no_network(report: Path, traced: Traced) -> None:
    check_silent(traced("network", EXPLORER, report, KEYS))


SET = """
import sys
from pathlib import Path
from tui.ranks.collecting import collect
if __name__ == "__main__":
    paths = sorted(Path(sys.argv[1]).parent.iterdir())
    assert all(member.error is None for member in collect(paths, jobs=2)), "cold, by two processes"
    assert all(member.error is None for member in collect(paths)), "warm"
"""


def test_a_set_is_read_without_a_network_or_a_trace(report: Path, traced: Traced) -> None:
    for number in range(2):
        shutil.copy(report, report.with_name(f"copy{number}.sqlite"))
    before = looks(report)
    calls = traced(f"network,{CHANGES}", SET, report)
    spoken = ("AF_INET", "AF_PACKET", "connect(", "socket(", "socketpair(")
    check_silent(calls)
    check_untouched([line for line in calls if not any(word in line for word in spoken)], report, before)


def started(calls: list[str]) -> list[str]:
    """The programs that were started, after the Python that runs the commands."""
    return [line for line in calls if "execve(" in line and "ENOENT" not in line][1:]


def test_no_command_starts_a_program(report: Path, traced: Traced, environment: dict[str, str]) -> None:
    environment["PATH"] = f"{FakeNsys(report.parents[1]).folder}:{environment['PATH']}"
    assert started(traced("execve,execveat", ALL_COMMANDS, report, commands())) == []


def test_no_key_starts_a_program(report: Path, traced: Traced) -> None:
    assert started(traced("execve,execveat", EXPLORER, report, KEYS)) == []


def test_a_report_has_nsys_started_once(tmp_path: Path, traced: Traced, environment: dict[str, str]) -> None:
    nsys = FakeNsys(tmp_path)
    environment["PATH"] = f"{nsys.folder}:{environment['PATH']}"
    path = report_at(tmp_path / "reports" / "run.nsys-rep")
    before = looks(path)
    code = "import sys; from tui.cli import main; [main(['info', sys.argv[1]]) for _ in (1, 2)]"
    calls = traced(f"execve,execveat,{CHANGES}", code, path)
    (call,) = started(calls)
    assert f'execve("{nsys.program}", ' in call
    assert [call["args"][:4] for call in nsys.calls] == [["export", "--type", "sqlite", "--output"]]
    check_untouched([line for line in calls if "execve(" not in line], path, before)


def test_nsys_leaves_nothing_beside_a_report(
    tmp_path: Path, traced: Traced, environment: dict[str, str]
) -> None:
    """The real one: it opens the report for writing, too, and writes nothing to it."""
    program = shutil.which("nsys")
    if program is None:
        pytest.skip("nsys is not on the PATH")
    path = tmp_path / "reports" / "it's a run.nsys-rep"
    path.parent.mkdir()
    made = subprocess.run(
        [program, "profile", "--trace=osrt", "--sample=none", "--cpuctxsw=none", "-o", str(path), "true"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    if made.returncode or not path.is_file():
        pytest.skip(f"nsys can't profile here: {made.stderr[-200:]}")
    before, content = looks(path), path.read_bytes()
    code = "import sys; from tui.cli import main; sys.exit(main(['info', sys.argv[1], '--no-cache']))"
    calls = traced(f"execve,execveat,{CHANGES}", code, path)
    assert any(f'execve("{program}"' in line for line in started(calls))
    touched = [line for line in calls if str(path.parent) in line and "execve(" not in line]
    assert all("openat(" in line and "O_CREAT" not in line and "O_TRUNC" not in line for line in touched)
    assert (looks(path), path.read_bytes()) == (before, content)
    check_silent(traced("network", code, path))


def test_such_calls_would_be_noticed(report: Path, traced: Traced) -> None:
    """The checks above see what they are there to see."""
    script = (
        "import sys, pathlib; open(sys.argv[1], 'rb').close(); pathlib.Path(sys.argv[1] + '-wal').touch()"
    )
    calls = traced(CHANGES, script, report)
    assert any("O_CREAT" in line for line in calls if str(report.parent) in line)
    script = "import socket; s = socket.socket(); s.settimeout(0.1); s.connect_ex(('127.0.0.1', 9))"
    assert [line for line in traced("network", script) if "connect(" in line]
    script = "import subprocess; subprocess.run(['true'], check=True)"
    assert len(started(traced("execve,execveat", script))) == 1
