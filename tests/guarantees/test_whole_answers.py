"""Nothing is shown as complete that is not: from half a file come no figures, from half a run no file.

Thousands of damaged files are in tests/fuzz; tests/report/test_files.py has what is said of each fault.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.runner import known_commands
from tests.support.export import Export

OF_NO_REPORT = {"explore", "demo", "cache", "help"}
OF_MORE = {"compare", "check"}
"""They need a second side or a baseline, too: tests/cli/test_compare.py breaks those."""
COMMANDS = sorted(set(known_commands()) - OF_NO_REPORT - OF_MORE)


def nsystui(
    environment: dict[str, str], *arguments: object, script: str = ""
) -> subprocess.CompletedProcess[str]:
    """The finished process; ``script`` runs in it first."""
    code = f"import sys\n{script}\nfrom tui.cli import main\nsys.exit(main(sys.argv[1:]))"
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        env=environment, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("command", [*COMMANDS, ""])
def test_half_a_file_gives_one_line_and_no_figure(
    report: Path, environment: dict[str, str], command: str
) -> None:
    assert nsystui(environment, *filter(None, [command]), report).returncode == 0  # it is in the store now
    data = report.read_bytes()
    report.write_bytes(data[: len(data) // 2 // 4096 * 4096])
    done = nsystui(environment, *filter(None, [command]), report)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("nsystui: ")
    assert done.stderr.count("\n") == 1
    assert "damaged or truncated" in done.stderr


NO_ROOM = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
"""


def test_a_file_that_can_not_be_finished_leaves_the_old_one(
    report: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    target = folder / "events.csv"
    target.write_text("of yesterday\n")
    done = nsystui(environment, "export", report, "--no-cache", "-o", target, script=NO_ROOM)
    assert done.returncode == 2
    assert done.stderr == f"nsystui: can't write {target}: File too large\n"
    assert target.read_text() == "of yesterday\n"
    assert list(folder.iterdir()) == [target]
    assert nsystui(environment, "export", report, "--no-cache", "-o", target).returncode == 0
    assert target.stat().st_size > 4096


def test_a_store_that_can_not_be_finished_is_none(report: Path, environment: dict[str, str]) -> None:
    plain = nsystui(environment, "gaps", "-f", "csv", report, "--no-cache")
    done = nsystui(environment, "gaps", "-f", "csv", report, script=NO_ROOM)
    assert (done.returncode, done.stdout) == (0, plain.stdout)
    assert "nsystui: File too large: the opened report can't be kept for the next time\n" in done.stderr
    folder = Path(environment["XDG_CACHE_HOME"]) / "nsystui"
    assert [p.name for p in folder.iterdir() if p.suffix == ".columns"] == []
    again = nsystui(environment, "gaps", "-f", "csv", report)
    assert (again.returncode, again.stdout, again.stderr) == (0, plain.stdout, plain.stderr)


@pytest.mark.parametrize("fmt", ["table", "csv", "tsv", "json"])
def test_no_document_without_figures(tmp_path: Path, environment: dict[str, str], fmt: str) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.kernel(0, 10)
    done = nsystui(environment, "stats", export.write(), "-r", "openmp_sum", "-f", fmt)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.endswith("x.sqlite holds none of the data that these reports need\n")


def test_what_is_refused_is_one_line_even_of_a_doubtful_report(
    environment: dict[str, str], tmp_path: Path
) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.notation("K 0-0 K 100-200")
    path = export.write()
    done = nsystui(environment, "stats", path, "--process", "7")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "no process 7" in done.stderr
    done = nsystui(environment, "stats", path, "-r", "cuda_gpu_kern_sum")
    assert done.returncode == 0
    assert "`nsystui info` lists them" in done.stderr
