"""`info`, `stats`, `gaps`, `steps` and `diagnose` over several reports."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from fixtures.registry import find
from tests.sets.conftest import Ask, rank_export
from tests.support.export import Export
from tests.support.real import REAL, needs_real

COMMANDS = ("info", "stats", "gaps", "steps", "diagnose")


def test_stats_leads_with_rank_and_host(two: Path, ask: Ask) -> None:
    said = ask("stats", "a.sqlite", "b.sqlite", "-r", "cuda_gpu_kern_sum", "-f", "csv")
    assert said.out.splitlines() == [
        "Rank,Host,Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name",
        "0,node-a,100.0,60,2,30.0,30.0,30,30,0.0,gemm",
        "1,node-b,100.0,140,2,70.0,70.0,70,70,0.0,conv",
    ]
    assert (said.code, said.err) == (0, [])


def test_steps_and_gaps_lead_with_rank(two: Path, ask: Ask) -> None:
    steps = ask("steps", ".", "-f", "csv").out.splitlines()
    assert steps[0].startswith("Rank,PID,Step,Name,Start (ns),Duration (ns),Busy (ns)")
    assert [line.split(",")[:7] for line in steps[1:]] == [
        ["0", "100", "1", "step", "0", "900", "30"],
        ["0", "100", "2", "step", "1000", "900", "30"],
        ["1", "101", "1", "step", "0", "900", "70"],
        ["1", "101", "2", "step", "1000", "900", "70"],
    ]
    gaps = ask("gaps", ".", "-f", "csv", "--min-gap", "0").out.splitlines()
    assert gaps[0].startswith("Rank,Device,Gap,Start (ns),Duration (ns)")
    assert [line.split(",")[:5] for line in gaps[1:4]] == [
        ["0", "0", "1", "0", "100"],
        ["0", "0", "2", "130", "970"],
        ["0", "0", "3", "1130", "770"],
    ]


@pytest.mark.parametrize("command", COMMANDS)
def test_json_lists_what_is_said_of_each_report(command: str, two: Path, ask: Ask) -> None:
    found = ask(command, "a.sqlite", "b.sqlite", "-f", "json").json
    assert [key for key in found if key != "over_ranks"] == ["reports", "notes", "broken"]
    assert ("over_ranks" in found) is (command == "diagnose")
    alone = [ask(command, name, "-f", "json").json for name in ("b.sqlite", "a.sqlite")]
    assert found["reports"] == [
        {"rank": 0, "host": "node-a", **alone[0]},
        {"rank": 1, "host": "node-b", **alone[1]},
    ]
    assert found["broken"] == []


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("form", ["table", "csv", "json"])
def test_a_folder_of_one_export_is_that_export(command: str, form: str, tmp_path: Path, ask: Ask) -> None:
    (tmp_path / "one").mkdir()
    path = rank_export(tmp_path / "one" / "x.sqlite", 0)
    assert ask(command, "one", "-f", form).out == ask(command, path.relative_to(tmp_path), "-f", form).out


@pytest.mark.parametrize("command", COMMANDS)
def test_texts_have_a_column_of_ranks(command: str, two: Path, ask: Ask) -> None:
    said = ask(command, ".")
    assert said.code == 0
    heads = [line for line in said.out.splitlines() if line.startswith(" Rank ")]
    titles = [line for line in said.out.splitlines() if line.startswith(" ** ") and "over-ranks" not in line]
    assert heads
    assert len(heads) == len(titles)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("form", ["csv", "json"])
def test_a_part_is_answered_and_said_to_be_one(command: str, form: str, broken: Path, ask: Ask) -> None:
    whole = ask(command, "a.sqlite", "b.sqlite", "-f", form)
    said = ask(command, ".", "-f", form)
    assert (whole.code, said.code) == (0, 2)
    assert said.err[0] == "nsystui: 2 of 3 reports, 1 can't be read"
    assert "nsystui: broken: c.sqlite: incomplete or not SQLite" in "\n".join(said.err)
    if form == "csv":
        assert said.out == whole.out
    else:
        found = said.json
        assert found["reports"] == whole.json["reports"]
        assert found["notes"][0] == "2 of 3 reports, 1 can't be read"
        assert [one["report"] for one in found["broken"]] == ["c.sqlite"]
    assert ask(command, ".", "-f", form, "--allow-missing", "1").code == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_is_answered_where_all_are_broken(command: str, tmp_path: Path, ask: Ask) -> None:
    for name in ("a.sqlite", "b.sqlite"):
        (tmp_path / name).write_bytes(b"no export, and that is all")
    said = ask(command, ".", "gone.sqlite", "--allow-missing", "5")
    assert (said.code, said.out) == (2, "")
    assert said.err[-1] == "nsystui: none of 3 reports can be read"
    assert len([line for line in said.err if line.startswith("nsystui: broken: ")]) == 3


def test_exit_codes_of_processes(
    broken: Path, process: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    """A caller that looks at the code never takes a part for the whole."""
    for words, code in (
        (["steps", "a.sqlite", "b.sqlite"], 0),
        (["steps", ".", "--allow-missing", "1"], 0),
        (["steps", "."], 2),
        (["steps", "c.sqlite", "nowhere"], 2),
        (["steps", "a.sqlite", "b.sqlite", "--step", "nothing"], 3),
        (["steps", "a.sqlite", "b.sqlite", "--rank-from", "name:(s)"], 2),
        (["steps", "a.sqlite", "b.sqlite", "--ranks", "9"], 2),
    ):
        ended = process(*words)
        assert ended.returncode == code, (words, ended.stderr)
        assert bool(ended.stdout) == (code < 2 or words == ["steps", "."]), words


def test_one_costly_report_fails_the_check(tmp_path: Path, ask: Ask) -> None:
    for name in ("x1.sqlite", "x2.sqlite"):
        find("fault:hidden-sync").build(tmp_path / name)
    said = ask("diagnose", ".", "--fail-on", "1%", "--rank-from", "order")
    assert said.code == 1
    assert said.err[-1].startswith("nsystui: rank 0: hidden-sync")
    assert said.out  # what was found all the same
    (tmp_path / "x3.sqlite").write_bytes(b"no export")
    assert ask("diagnose", ".", "--fail-on", "1%").code == 2


def test_what_one_rank_lacks_is_a_note(two: Path, ask: Ask) -> None:
    export = Export(two / "z.sqlite")
    export.push_pop("step", 0, 100, pid=50)
    export.push_pop("step", 200, 300, pid=50)
    export.write()
    said = ask("gaps", ".", "-f", "json")
    assert said.code == 0
    assert [one["rank"] for one in said.json["reports"]] == [0, 1]
    assert "rank z:50: z.sqlite: no GPU work recorded" in said.json["notes"]


def test_what_no_rank_has_is_exit_code_3(two: Path, ask: Ask) -> None:
    said = ask("stats", ".", "-r", "openmp_sum")
    assert (said.code, said.out) == (3, "")
    assert said.err[-1].endswith("holds none of the data that these reports need")


def test_ranks_of_one_report_are_ranks(tmp_path: Path, ask: Ask) -> None:
    export = Export(tmp_path / "node.sqlite")
    for pid, device in ((7, 1), (8, 0)):
        export.kernel(0, 10 * pid, pid=pid, device=device, name="k")
        export.row("MPI_RANKS", globalTid=(1 << 48) | pid << 24 | pid, rank=pid - 7)
    export.write()
    rank_export(tmp_path / "other.sqlite", 0)
    csv = ("-r", "cuda_gpu_kern_sum", "-f", "csv")
    said = ask("stats", "node.sqlite", "--ranks", "1", *csv)
    assert [line.split(",")[0::3] for line in said.out.splitlines()[1:]] == [["1", "80", "80.0", "0.0"]]
    both = ask("stats", "node.sqlite", "--ranks", "0-1", *csv).out.splitlines()
    assert [line.split(",")[0:4:3] for line in both[1:]] == [["0", "70"], ["1", "80"]]
    chosen = ask("stats", "node.sqlite", "--ranks", "0-1", "--process", "8", *csv)
    assert [line.split(",")[0:4:3] for line in chosen.out.splitlines()[1:]] == [["1", "80"]]
    assert chosen.err == ["nsystui: rank 0: node.sqlite: its processes are not among those of --process"]
    whole = ask("stats", "node.sqlite", *csv).out.splitlines()  # one report, unchanged
    assert whole[1].split(",")[:3] == ["100.0", "150", "2"]


def test_host_and_run(two: Path, ask: Ask) -> None:
    assert [r["rank"] for r in ask("info", ".", "--host", "node-b", "-f", "json").json["reports"]] == [1]
    said = ask("info", ".", "--host", "node-c")
    assert (said.code, said.err) == (2, ["nsystui: --host node-c: there are node-a, node-b"])
    assert ask("info", ".", "--run", "1").code == 0
    assert ask("info", ".", "--run", "2").code == 2


def test_runs_have_a_column_of_their_own(tmp_path: Path, ask: Ask) -> None:
    for job in (5, 6):
        export = Export(tmp_path / f"{job}.sqlite")
        export.kernel(0, job)
        export.row("META_DATA_CAPTURE", name="PROCESS_0:ENVIRONMENT_VARIABLE", value=f'PMI_JOBID="{job}"')
        export.row("META_DATA_CAPTURE", name="PROCESS_0:ENVIRONMENT_VARIABLE", value='PMI_RANK="0"')
        export.write()
    said = ask("stats", ".", "-r", "cuda_gpu_kern_sum", "-f", "csv").out.splitlines()
    assert said[0].startswith("Run,Rank,Host,")
    assert [line.split(",")[:2] for line in said[1:]] == [["5", "0"], ["6", "0"]]
    one = ask("stats", ".", "-r", "cuda_gpu_kern_sum", "-f", "csv", "--run", "6").out.splitlines()
    assert [line.split(",")[0] for line in one] == ["Rank", "0"]


def test_strict_counts_missing_ranks(tmp_path: Path, ask: Ask) -> None:
    for number in (0, 2):
        rank_export(tmp_path / f"{number}.sqlite", number, size=3)
    said = ask("info", ".", "-f", "json")
    assert said.code == 0
    assert said.json["notes"] == ["2 of 3 ranks: no report of rank 1"]
    assert ask("info", ".", "--strict").code == 2
    assert ask("info", ".", "--strict", "--allow-missing", "1").code == 0


def test_o_writes_files_and_never_over_a_report(two: Path, ask: Ask) -> None:
    before = (two / "b.sqlite").read_bytes()
    for command in COMMANDS:
        said = ask(command, ".", "-o", "b.sqlite")
        assert said.code == 2
        assert "is the report itself" in said.err[-1]
    assert (two / "b.sqlite").read_bytes() == before
    assert ask("stats", ".", "-f", "csv", "-r", "nvtx_sum,cuda_gpu_kern_sum", "-o", "out").code == 0
    assert (two / "out_cuda_gpu_kern_sum.csv").read_text().startswith("Rank,Host,Time (%)")
    for _ in range(2):  # the second time over the first
        assert ask("steps", ".", "-f", "json", "-o", "steps.json").code == 0
        assert ask("stats", ".", "--pool", "-f", "csv", "-o", "pool.csv").code == 0
    (two / "there").mkdir()
    assert ask("stats", ".", "-f", "csv", "-r", "nvtx_sum", "-o", "there").code == 0
    assert [path.name for path in (two / "there").iterdir()] == ["ranks_nvtx_sum.csv"]


def test_a_report_that_goes_after_it_was_summarised_is_told(
    two: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tui.commands.shared import many

    opened = many.open_set

    def then_gone(args: object) -> many.OpenSet:
        found = opened(args)  # type: ignore[arg-type]
        (two / "a.sqlite").unlink()
        return found

    monkeypatch.setattr(many, "open_set", then_gone)
    said = ask("steps", ".", "-f", "json")
    assert said.code == 2
    assert said.json["notes"][0] == "1 of 2 reports, 1 can't be read"
    assert [one["report"] for one in said.json["broken"]] == ["a.sqlite"]
    assert [one["rank"] for one in said.json["reports"]] == [0]


@pytest.mark.parametrize("words", [["steps"], ["steps", "-f", "json"], ["stats", "--pool"]])
def test_a_full_temporary_directory_is_one_line(
    words: list[str], two: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tempfile.SpooledTemporaryFile", full)
    said = ask(*words[:1], ".", *words[1:])
    assert (said.code, said.out) == (2, "")
    assert said.err[-1] == "nsystui: no room for what reports say: No space left on device; see TMPDIR"


def test_reports_of_different_columns_have_all_of_them(tmp_path: Path, ask: Ask) -> None:
    """Time that other APIs worked is a column of the ranks that have such, and none of the others'."""
    rank_export(tmp_path / "a.sqlite", 0)
    export = Export(tmp_path / "b.sqlite")
    export.kernel(0, 10, pid=101)
    export.kernel(90, 100, pid=101)
    export.row("META_DATA_CAPTURE", name="PROCESS_0:ENVIRONMENT_VARIABLE", value='SLURM_PROCID="1"')
    export.write()
    said = ask("gaps", ".", "--table", "devices", "-f", "csv").out.splitlines()
    assert [line.split(",")[0] for line in said] == ["Rank", "0", "1"]
    assert len({line.count(",") for line in said}) == 1


def test_one_report_is_answered_without_what_sets_need(
    two: Path, process: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    for command in COMMANDS:
        script = (
            "import sys; from tui.cli import main; main(sys.argv[1:]);"
            "print([m for m in sys.modules if m.startswith(('multiprocessing', 'distributed', 'tui.ranks',"
            "'concurrent.futures.process'))], file=sys.stderr)"
        )
        ended = subprocess.run(
            [*process("--version").args[:1], "-c", script, command, "a.sqlite", "--no-cache"],
            cwd=two,
            env={"PYTHONPATH": str(Path(__file__).resolve().parents[2])},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert ended.stderr.splitlines()[-1] == "[]", command


def test_lists_and_folders_and_copies(two: Path, ask: Ask) -> None:
    (two / "list").write_text("b.sqlite\na.sqlite\nb.sqlite\n")
    said = ask("info", "@list", "-f", "json").json
    assert [one["report"] for one in said["reports"]] == ["b.sqlite", "a.sqlite"]
    assert said["notes"] == ["1 file given twice: each is read once"]
    shutil.copy2(two / "b.sqlite", two / "copy.sqlite")
    said = ask("info", ".", "-f", "json").json
    assert [one["rank"] for one in said["reports"]] == [0, 1]
    assert said["notes"] == ["copy.sqlite is the same report as b.sqlite: it counts once"]


@needs_real
@pytest.mark.parametrize("command", ["info", "stats", "steps"])
def test_four_real_ranks(command: str, ask: Ask) -> None:
    paths = sorted((REAL / "ranks-mpi-2023.4").glob("healthy-rank?.sqlite"))
    if not paths:
        pytest.skip("the captures of four ranks are not beside this checkout")
    said = ask(command, *paths, "-f", "json")
    assert (said.code, said.err) == (0, said.err)
    assert [(one["rank"], one["host"]) for one in said.json["reports"]] == [
        (0, "node0"), (1, "node0"), (2, "node1"), (3, "node1")
    ]  # fmt: skip
