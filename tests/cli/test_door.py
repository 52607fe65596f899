"""The door: help without the heavy libraries, one-line errors, exit codes, pipes, locales, Ctrl-C."""

from __future__ import annotations

import ast
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support.export import Export
from tui import __version__, cli
from tui.commands import lookup
from tui.errors import CheckFailed


def test_help_lists_every_command_and_loads_nothing_heavy(environment: dict[str, str]) -> None:
    script = (
        "import sys; from tui.cli import main; status = main(['--help']);"
        "print(sorted(m for m in ('numpy', 'textual', 'rich') if m in sys.modules), status)"
    )
    found = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    *_, last = found.stdout.splitlines()
    assert last == "[] 0"
    for command in cli.COMMANDS:
        assert f"\n  {command} " in found.stdout


def test_no_help_loads_anything_heavy(environment: dict[str, str]) -> None:
    script = (
        "import sys; from tui.cli import COMMANDS, main\n"
        "for name in COMMANDS: main([name, '--help'])\n"
        "print(sorted(m for m in ('numpy', 'textual', 'rich') if m in sys.modules))"
    )
    found = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert found.stdout.splitlines()[-1] == "[]"


def imported_at_the_top(path: Path) -> set[str]:
    """What a module imports whenever it is imported, but for what only mypy sees."""
    found: set[str] = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(str(node.module))
    return found


def test_every_module_beside_the_lookup_is_a_command_that_imports_nothing_heavy() -> None:
    folder = Path(lookup.__file__).parent
    commands = {path.stem: path for path in folder.glob("*.py") if path.stem not in ("__init__", "lookup")}
    assert sorted(commands) == sorted(lookup.COMMANDS)
    for name, path in (*commands.items(), *((p.stem, p) for p in (folder / "shared").glob("*.py"))):
        for module in imported_at_the_top(path):
            light = module.split(".")[0] in sys.stdlib_module_names
            assert (
                light or module == "tui" or module.startswith(("tui.errors", "tui.text", "tui.commands"))
            ), (name, module)


def test_mypy_sees_every_command() -> None:
    tree = ast.parse(Path(lookup.__file__).read_text())
    (checked,) = (
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "_CHECKED"
    )
    assert isinstance(checked, ast.Tuple)
    assert [ast.unparse(item).rstrip("_") for item in checked.elts] == list(lookup.COMMANDS)


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_every_command_tells_its_options(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([command, "--help"]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    assert shown.out.startswith("usage: nsystui")
    assert "--debug" in shown.out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"nsystui {__version__}\n"


def test_without_arguments_the_help_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "usage: nsystui" in shown.err


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["stats"], "nsystui: stats needs a REPORT (or --list)\n"),
        (
            ["stats", "x.sqlite", "--formt", "csv"],
            "nsystui: unrecognized arguments: --formt csv (see `nsystui stats --help`)\n",
        ),
        (
            ["stast", "x.sqlite"],
            "nsystui: there is no file and no command 'stast'; did you mean `nsystui stats`?\n",
        ),
        (
            ["stats", "x.sqlite", "--device", "one"],
            "nsystui: argument --device: 'one' is no list of numbers such as 0 or 0,2 "
            "(see `nsystui stats --help`)\n",
        ),
        (["stats", "x.sqlite", "-r", "nvtx_sun"], "nsystui: no report 'nvtx_sun'; did you mean nvtx_sum?\n"),
        (
            ["help", "zzz"],
            "nsystui: no command, report or rule 'zzz'; "
            "see `nsystui --help`, `nsystui stats --list`, `nsystui help analyze`\n",
        ),
    ],
)
def test_bad_usage_is_one_line(arguments: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(arguments) == 2
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", line)


def test_a_range_may_begin_below_zero(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export = Export(tmp_path / "r.sqlite")
    export.notation("K(0,7,0-100) K(0,7,200-300)")
    path = str(export.write())
    assert cli.main(["export", path, "--range", "-5us/150", "--no-cache"]) == 0
    shown = capsys.readouterr()
    assert len(shown.out.splitlines()) == 2
    assert "clamped to 0/150 ns" in shown.err
    assert cli.main(["export", path, "--range", "--no-cache"]) == 2


def test_a_wrong_time_unit_is_said_before_anything_else(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["stats", "x.sqlite", "--timeunit", "weeks"]) == 2
    line = "nsystui: unknown time unit 'weeks': use nsec, usec, msec or seconds\n"
    assert capsys.readouterr().err == line


def test_a_missing_file_is_one_line_and_makes_nothing(run: Run, tmp_path: Path) -> None:
    done = run("stats", "nowhere\x1b[31m.sqlite")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("nsystui: ")
    assert "\x1b" not in done.stderr
    assert not list(tmp_path.glob("nowhere*"))


def test_what_nobody_foresaw_is_one_line_and_a_log(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(arguments: list[str]) -> int:
        raise ZeroDivisionError("in the \x1b[31mworks")

    monkeypatch.setattr(cli, "dispatch", broken)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert cli.main(["stats"]) == 2
    line = capsys.readouterr().err
    (log,) = (tmp_path / "state" / "nsystui").iterdir()
    assert line == f"nsystui: unexpected error: ZeroDivisionError: in the ␛[31mworks (details in {log})\n"
    assert "Traceback" in log.read_text()
    assert log.stat().st_mode & 0o777 == 0o600
    assert cli.main(["stats", "--debug"]) == 2
    assert "Traceback" in capsys.readouterr().err


def test_a_failed_check_is_exit_code_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(arguments: list[str]) -> int:
        raise CheckFailed("not so")

    monkeypatch.setattr(cli, "dispatch", fails)
    assert cli.main(["analyze"]) == 1
    assert capsys.readouterr().err == "nsystui: not so\n"


def start(environment: dict[str, str], *arguments: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "tui", *map(str, arguments)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.mark.parametrize("read_first", [True, False])
def test_a_closed_pipe_is_no_error(small: Path, environment: dict[str, str], read_first: bool) -> None:
    process = start(environment, "stats", small, "-r", "cuda_gpu_trace", "-f", "csv")
    assert process.stdout is not None
    if read_first:
        process.stdout.readline()
    process.stdout.close()
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0
    assert errors == b""


def test_a_full_disk_is_one_line(small: Path, environment: dict[str, str]) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "tui", "export", str(small)],
            env=environment, stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == "nsystui: can't write to stdout: No space left on device\n"


def test_ctrl_c_is_exit_code_130(environment: dict[str, str], tmp_path: Path) -> None:
    export = Export(tmp_path / "long.sqlite")
    for at in range(4000):
        export.kernel(10 * at, 10 * at + 5, name="a_kernel_whose_name_fills_the_pipe")
    process = start(environment, "export", export.write())
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline().startswith(b"start_ns,")  # it is at work, and will wait for its reader
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130
    assert process.stderr.read() == b""
    process.stdout.close()
    process.stderr.close()


def test_an_interrupt_anywhere_is_exit_code_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(arguments: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "dispatch", interrupted)
    monkeypatch.setattr("tui.commands.shared.talk.abandon_stdout", lambda: None)
    assert cli.main(["stats"]) == 130


def test_an_ascii_locale_gets_the_whole_result(run: Run, tmp_path: Path) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.kernel(0, 10, name="核心 kernel …")
    export.kernel(20, 25, name="plain")
    path = export.write()
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii", "PYTHONCOERCECLOCALE": "0"}
    done = run("stats", path, "-r", "cuda_gpu_kern_sum", COLUMNS="100", **plain)
    assert done.returncode == 0
    assert done.stdout.isascii()
    assert "\\u6838\\u5fc3 kernel ..." in done.stdout
    assert "plain" in done.stdout
    done = run("stats", path, "-r", "cuda_gpu_kern_sum", "-f", "csv", **plain)
    assert "核心 kernel …" in done.stdout  # data is UTF-8, whatever the locale
    done = run("stats", path / "no such\u6838", **plain)
    assert done.returncode == 2
    assert done.stderr.isascii()
