"""stats, analyze, export and help as commands: stdout, stderr, files and exit codes."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.e2e.terminal import Terminal
from tests.support.export import Export
from tests.support.real import EXPORTS, needs_real
from tui.analysis.rules import RULES
from tui.analysis.stats import DEFAULT, REPORTS
from tui.cli import main
from tui.commands.lookup import COMMANDS


def test_the_default_reports_and_what_is_skipped(run: Run, small: Path) -> None:
    done = run("stats", small)
    assert done.returncode == 0
    titles = [line for line in done.stdout.splitlines() if line.startswith(" **")]
    assert titles == [
        " ** NVTX Range Summary (nvtx_sum)",
        " ** OS Runtime Summary (osrt_sum)",
        " ** CUDA API Summary (cuda_api_sum)",
        " ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum)",
        " ** CUDA GPU MemOps Summary (by Time) (cuda_gpu_mem_time_sum)",
        " ** CUDA GPU MemOps Summary (by Size) (cuda_gpu_mem_size_sum)",
    ]
    assert done.stderr.splitlines() == [
        f"SKIPPED: {small} does not contain {data} data ({report})."
        for data, report in (
            ("OpenMP event", "openmp_sum"),
            ("KHR Extension (KHR_DEBUG)", "opengl_khr_range_sum"),
            ("GPU KHR Extension (KHR_DEBUG)", "opengl_khr_gpu_range_sum"),
            ("Vulkan Debug Extension (Vulkan Debug Util)", "vulkan_marker_sum"),
            ("GPU Vulkan Debug Extension (GPU Vulkan Debug markers)", "vulkan_gpu_marker_sum"),
            ("DX11 CPU debug marker", "dx11_pix_sum"),
            ("DX12 GPU debug marker", "dx12_gpu_marker_sum"),
            ("DX12 CPU debug marker", "dx12_pix_sum"),
            ("WDDM queue packet", "wddm_queue_sum"),
            ("CUDA Unified Memory", "um_sum"),
            ("CUDA Unified Memory", "um_total_sum"),
            ("CUDA Unified Memory CPU page fault", "um_cpu_page_faults_sum"),
            ("OpenACC event", "openacc_sum"),
            ("syscall trace", "syscall_sum"),
        )
    ]


def test_nothing_but_skipped_is_exit_code_3(run: Run, small: Path) -> None:
    done = run("stats", small, "-r", "openmp_sum,mpi_event_sum", "-f", "csv")
    assert (done.returncode, done.stdout) == (3, "")
    *skipped, last = done.stderr.splitlines()
    assert len(skipped) == 2
    assert last == "nsystui: small run.sqlite holds none of the data that these reports need"


def test_csv_on_stdout_is_only_csv(run: Run, small: Path) -> None:
    done = run("stats", small, "--report", "cuda_gpu_kern_sum:base", "--format", "csv")
    assert done.stderr == ""
    header, *rows = csv.reader(io.StringIO(done.stdout))
    assert header[-1] == "Name"
    assert [row[-1] for row in rows] == ["gemm<float,4>", "'=1+1"]
    raw = run("stats", small, "-r", "cuda_gpu_kern_sum", "-f", "csv", "--raw").stdout
    assert [row[-1] for row in csv.reader(io.StringIO(raw))][1:] == ["gemm<float,4>", "=1+1"]


def test_json_names_the_report_and_the_window(run: Run, small: Path) -> None:
    done = run("stats", small, "-r", "cuda_gpu_kern_sum,openmp_sum", "-f", "json", "--range", "0/65")
    document = json.loads(done.stdout)
    assert document["report"] == str(small)
    assert document["window"] == {
        "start_ns": 0, "end_ns": 65, "label": "0/65", "chosen": True, "note": None,
    }  # fmt: skip
    assert [report["name"] for report in document["reports"]] == ["cuda_gpu_kern_sum"]
    assert document["reports"][0]["rows"] == [[100.0, 30, 1, 30.0, 30.0, 30, 30, 0.0, "gemm<float,4>"]]
    missing = "does not contain OpenMP event data in this selection (openmp_sum)"
    assert done.stderr == f"SKIPPED: {small} {missing}.\n"


def test_o_is_a_file_a_basename_or_a_directory(run: Run, small: Path, tmp_path: Path) -> None:
    reports = ("-r", "cuda_gpu_kern_sum:base,cuda_api_sum")
    assert run("stats", small, *reports, "-o", "all.csv").returncode == 0
    text = (tmp_path / "all.csv").read_bytes().decode()
    assert text.count("\r\n\r\n") == 1
    done = run("stats", small, *reports, "-o", "out", "-f", "csv")
    assert done.stdout == ""
    assert done.stderr.splitlines() == [
        "nsystui: wrote out_cuda_gpu_kern_sum_base.csv",
        "nsystui: wrote out_cuda_api_sum.csv",
    ]
    first, second = (tmp_path / f"out_{n}.csv" for n in ("cuda_gpu_kern_sum_base", "cuda_api_sum"))
    assert first.read_bytes().decode() + "\r\n" + second.read_bytes().decode() == text
    (tmp_path / "there").mkdir()
    run("stats", small, *reports, "-o", "there", "-f", "json")
    assert sorted(p.name for p in (tmp_path / "there").iterdir()) == [
        "small run_cuda_api_sum.json",
        "small run_cuda_gpu_kern_sum_base.json",
    ]


def test_nothing_is_written_over_the_report(run: Run, small: Path) -> None:
    before = small.read_bytes()
    done = run("export", small, "-o", small)
    assert done.returncode == 2
    assert done.stderr == f"nsystui: {small} is the report itself; nothing is ever written to a report\n"
    assert small.read_bytes() == before


def test_time_units(run: Run, small: Path) -> None:
    done = run("stats", small, "-r", "cuda_api_sum", "-f", "csv", "--timeunit", "usec")
    header, first, *_ = csv.reader(io.StringIO(done.stdout))
    assert header[1:4] == ["Total Time (us)", "Num Calls", "Avg (us)"]
    assert first[1:4] == ["0.017", "1", "0.0170"]


def test_the_width_of_the_terminal_is_kept(run: Run, small: Path, environment: dict[str, str]) -> None:
    chosen = ["-r", "cuda_gpu_mem_size_sum", "-r", "cuda_gpu_sum"]

    def on_terminal(*options: str) -> str:
        command = [sys.executable, "-m", "tui", "stats", str(small), *chosen, *options]
        with Terminal(command, 60, 24, environment) as terminal:
            assert terminal.wait() == 0
            return terminal.raw.decode().replace("\r\n", "\n")

    narrow = on_terminal()
    assert max(map(len, narrow.splitlines())) <= 60
    assert "--wide shows everything" in narrow
    assert on_terminal("--wide") == run("stats", small, *chosen).stdout


def test_nothing_is_cut_that_goes_into_a_pipe(run: Run, small: Path) -> None:
    assert run("stats", small, COLUMNS="60").stdout == run("stats", small).stdout
    assert run(small, COLUMNS="60").stdout == run(small).stdout
    assert run("diagnose", small, COLUMNS="60").stdout == run("diagnose", small).stdout


def test_list_and_help_say_what_reports_mean(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stats", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3 * len(REPORTS)
    assert sum(line.endswith("(default)") for line in lines) == len(DEFAULT)
    for topic, words in (
        ("gpukernsum", ("cuda_gpu_kern_sum:base", "looks idle", "one of the default reports")),
        ("gpu_time_util", ("union", "--chunks N", "nsystui analyze REPORT -r gpu_time_util")),
        ("stats", ("--timeunit",)),
    ):
        assert main(["help", topic]) == 0
        shown = " ".join(capsys.readouterr().out.split())
        assert [word for word in words if word not in shown] == []


def test_help_knows_every_name_that_a_list_prints(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diagnose", "--list"]) == 0
    faults = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    reports = [name for report in REPORTS.values() for name in (report.name, *report.aliases)]
    assert {"unexplained-idle", "one-rank", "cuda_api_sync"} <= set(faults)
    for name in (*faults, *reports, *RULES):
        assert main(["help", name]) == 0, name
        shown = capsys.readouterr().out
        assert name in shown.split("\n\n", 1)[1] or shown.startswith(f"{name}: "), name
    for name in COMMANDS:
        assert main(["help", name]) == 0, name
        helped = capsys.readouterr().out
        assert main([name, "--help"]) == 0
        assert helped == capsys.readouterr().out


def test_analyze_prints_figures_reasons_and_advice(run: Run, small: Path) -> None:
    done = run("analyze", small, "--gap", "5ns")
    assert done.returncode == 0
    shown = " ".join(done.stdout.split())
    assert "2 found, 20 ns in all. For so long the device had no kernel" in shown
    assert "what to do: `nsystui gaps` names what the host was doing" in shown
    (skipped,) = [line for line in done.stderr.splitlines() if line.startswith("SKIPPED")]
    assert skipped.endswith("(dx12_mem_ops).")


def test_analyze_as_a_check(run: Run, small: Path) -> None:
    assert run("analyze", small, "-r", "gpu_gaps", "--check").returncode == 0
    done = run("analyze", small, "-r", "gpu_gaps", "--gap", "5ns", "--check", "-f", "json")
    assert done.returncode == 1
    assert done.stderr == "nsystui: findings of gpu_gaps\n"
    (rule,) = json.loads(done.stdout)["rules"]
    assert (rule["found"], rule["total_ns"]) == (2, 20)
    assert rule["rows"][0] == {
        "row": 1, "duration_ns": 10, "start_ns": 60, "pid": 100, "device_id": 0, "context_id": 1,
    }  # fmt: skip


def test_analyze_lists_the_longest_and_says_how_many_more(run: Run, small: Path) -> None:
    done = run("analyze", small, "-r", "gpu_gaps", "--gap", "5ns", "--rows", "1", "-f", "csv")
    assert len(done.stdout.splitlines()) == 2
    assert done.stderr == "nsystui: gpu_gaps: 1 more rows; --rows 0 lists all\n"


def test_export_is_csv_by_default(run: Run, small: Path, tmp_path: Path) -> None:
    done = run("export", small, "--range", "60/")
    assert done.stderr == ""
    assert done.stdout.splitlines()[0].startswith("start_ns,duration_ns,kind,name,")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(row["kind"], row["bytes"], row["nvtx_path"]) for row in rows] == [
        ("range", "", ""),
        ("api", "", "step"),
        ("memcpy", "1000000", "step"),
        ("kernel", "", ""),
    ]
    run("export", small, "--range", "60/", "-o", "events.csv")
    assert (tmp_path / "events.csv").read_bytes().decode() == done.stdout.replace("\n", "\r\n")
    document = json.loads(run("export", small, "--range", "60/", "-f", "json").stdout)
    assert document["reports"][0]["columns"][0] == "start_ns"


def test_a_range_beyond_the_capture(run: Run, small: Path) -> None:
    done = run("export", small, "--range", "60/1s")
    assert done.returncode == 0
    assert done.stderr == "nsystui: range 60/1s reaches beyond the capture: clamped to 60/100 ns\n"
    done = run("export", small, "--range", "1s/2s")
    assert (done.returncode, done.stdout) == (2, "")
    assert "is outside the capture; the capture runs from" in done.stderr


def test_a_report_without_events(run: Run, tmp_path: Path) -> None:
    path = Export(tmp_path / "empty.sqlite").write()
    for command in ("stats", "analyze", "export"):
        done = run(command, path)
        assert (done.returncode, done.stdout) == (3, "")
        assert done.stderr.count("\n") == 1


def test_rows_that_are_in_no_figure_are_said(run: Run, tmp_path: Path) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.notation("K 0-0, K 100-50, K 200-260 name=k")
    path = export.write()
    for command in ("stats", "export", "analyze"):
        done = run(command, path, "-f", "csv")
        assert done.returncode == 0
        first = done.stderr.splitlines()[0]
        assert (
            first == "nsystui: 2 rows whose times can't be true are in no figure; `nsystui info` lists them"
        )


@needs_real
@pytest.mark.parametrize("path", EXPORTS, ids=lambda path: path.stem)
def test_every_report_of_every_export_parses(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = ("--cache-dir", str(tmp_path / "store"))
    without = {"stats": ("no-kernels-2026",), "analyze": ("no-kernels-2026", "nvtx-only-startend-2022.4")}
    for command in (["stats", str(path), "-r", "all"], ["analyze", str(path)]):
        for fmt in ("csv", "json"):
            target = tmp_path / f"{command[0]}.{fmt}"
            empty = path.stem in without[command[0]]
            assert main([*command, *store, "-o", str(target)]) == (3 if empty else 0)
            if empty:
                assert not target.exists()
            elif fmt == "json":
                document = json.loads(target.read_text())
                assert document["report"] == str(path)
            else:
                for table in target.read_bytes().decode().split("\r\n\r\n"):
                    assert len({len(row) for row in csv.reader(io.StringIO(table, newline=""))}) == 1
    assert capsys.readouterr().out == ""


def test_what_a_selection_lacks_is_said_to_be_lacking_in_it(run: Run, small: Path) -> None:
    for command in ("stats", "analyze"):
        names = {"stats": "openmp_sum", "analyze": "cuda_memset_sync"}[command]
        done = run(command, small, "-r", names, "--range", "0/65")
        assert done.returncode == 3
        assert f"data in this selection ({names})." in done.stderr
        assert done.stderr.endswith("need in this selection\n")


def test_the_overview_says_what_it_leaves_out(run: Run, tmp_path: Path) -> None:
    export = Export(tmp_path / "many.sqlite")
    for i in range(12):
        at = i * 1_000_000
        export.launch((at, at + 10), (at + 20, at + 30_020 + i), name=f"kernel_{i}")
    export.notation("G(0,8,50-70)")
    path = export.write()
    done = run(path)
    assert done.returncode == 0
    command = f"`nsystui stats {path} -r cuda_gpu_kern_sum`"
    assert f"note: 3 more rows; {command} lists all" in " ".join(done.stdout.split())
    assert "note: 6 shorter ones of 11 left out" in done.stdout
    assert done.stdout.count("recorded whole") == 1


def test_the_overview_of_a_report_without_device_work(run: Run, tmp_path: Path) -> None:
    export = Export(tmp_path / "host.sqlite")
    export.push_pop("load", 0, 100)
    export.osrt("read", 10, 20)
    done = run(export.write())
    assert done.returncode == 0
    assert "NVTX Range Summary" in done.stdout
    assert "OS Runtime Summary" in done.stdout
    assert "everything recorded (no GPU work) · 100 ns" in done.stdout
    assert done.stdout.count("no GPU work recorded") == 1  # a note
