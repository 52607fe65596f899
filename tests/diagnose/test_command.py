"""``nsystui diagnose``: formats, exit codes, options."""

from __future__ import annotations

import csv
import io
import json
import sys

import pytest

from tests.support.export import Export
from tui.analysis.faults import CATALOGUE
from tui.cli import main
from tui.commands.shared.variant_matrix import MARK


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """A function: arguments -> (exit code, stdout, stderr), without the user's config file and cache."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("NSYSTUI_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("COLUMNS", raising=False)

    def call(*words: str) -> tuple[int, str, str]:
        code = main(["diagnose", *words])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def configured(tmp_path, text: str) -> None:
    folder = tmp_path / "config" / "nsystui"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(text)


def test_json_has_the_promised_shape(run, seen):
    path = str(seen("finetune").path)
    code, out, err = run(path, "-f", "json")
    document = json.loads(out)
    assert (code, err) == (0, "")
    assert document["report"] == path
    assert set(document["window"]) >= {"start_ns", "end_ns", "label"}
    finding = document["findings"][0]
    assert list(finding)[:4] == ["fault", "title", "cost_ns", "cost_pct"]
    assert {"confidence", "evidence", "also_possible", "advice", "confirm"} <= set(finding)
    assert set(finding["evidence"][0]) >= {"text", "value", "unit", "command", "start_ns", "end_ns"}
    assert isinstance(finding["cost_ns"], int)
    assert finding["cost_pct"] == 36.76
    assert finding["cost_per_step_ns"] * 10 == pytest.approx(finding["cost_ns"], abs=10)
    assert document["verdict"]["kind"] == "faults"
    for item in document["not_assessable"]:
        assert set(item) == {"fault", "also", "reason", "capture"}


def test_a_fault_of_the_capture_has_no_cost_rather_than_none(run, seen):
    _, out, _ = run(str(seen("fault:no-ranges").path), "-f", "json")
    finding = json.loads(out)["findings"][0]
    assert (finding["fault"], finding["cost_ns"], finding["cost_pct"]) == ("no-ranges", None, None)


def test_the_note_reads_top_down(run, seen):
    code, out, _ = run(str(seen("finetune").path))
    lines = out.splitlines()
    assert code == 0
    assert lines[0].startswith("finetune.sqlite - GPU work, 4.117 s from ")
    assert "10 x train_step - busy 63.1 %" in lines[0]
    assert lines[2].startswith("The GPU waits for input at the start of 10 of 10 steps, and 1 other finding")
    first = lines.index("1. The GPU waits for input at the start of 10 of 10 steps")
    assert lines[first + 1].strip().startswith("input-starvation; at most 36.8 % of the device time: 1.514 s")
    order = [
        out.index(word)
        for word in ("input-starvation;", "pageable-copies;", "Checked, and fine", "The largest")
    ]
    assert order == sorted(order)
    commands = [line.strip() for line in lines if line.strip().startswith("nsystui ")]
    assert len(commands) >= 8
    assert all(str(seen("finetune").path) in command for command in commands)


def test_the_note_keeps_to_the_width_but_for_commands(run, seen, monkeypatch):
    monkeypatch.setenv("COLUMNS", "72")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    _, out, _ = run(str(seen("fault:straggler").path))
    long = [line for line in out.splitlines() if len(line) > 72]
    assert all(
        line.strip().startswith(("nsystui ", "nsys profile ", "ncu ")) or "nsys profile" in line
        for line in long
    )


def test_a_capture_line_is_never_broken(run, seen):
    _, out, _ = run(str(seen("fault:hidden-sync").path))
    line = next(line for line in out.splitlines() if "nsys profile" in line)
    assert line.rstrip().endswith("-o run python train.py")


def test_ascii_only(run, seen):
    _, out, _ = run(str(seen("healthy").path), "--ascii")
    assert out.isascii()


def test_healthy_run_gets_the_line_for_nsight_compute(run, seen):
    _, out, _ = run(str(seen("healthy").path))
    assert "Healthy: the GPU is busy 99." in out
    assert "ncu --set full --target-processes all --kernel-name 'regex:^flash_bwd" in out


def test_csv_has_a_row_a_finding(run, seen):
    code, out, err = run(str(seen("finetune").path), "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 0
    assert [row["Fault"] for row in rows] == ["input-starvation", "pageable-copies"]
    assert int(rows[0]["Cost (ns)"]) > int(rows[1]["Cost (ns)"])
    assert "at most 38.9 %" in err


@pytest.mark.parametrize(("limit", "code"), [("5", 1), ("5%", 1), ("36.7", 1), ("37%", 0), ("100%", 0)])
def test_fail_on(run, seen, limit, code):
    status, out, err = run(str(seen("finetune").path), "--fail-on", limit)
    assert status == code
    assert "input-starvation" in out  # the note is written all the same
    assert err == (
        "" if code == 0 else f"nsystui: input-starvation: {limit.rstrip('%')} % or more of the device time\n"
    )


def test_fail_on_wants_a_percentage(run, seen):
    status, _, err = run(str(seen("finetune").path), "--fail-on", "5ms")
    assert status == 2
    assert "'5ms' is no percentage" in err


def test_only_one_fault_lists_what_it_is_charged_with(run, seen):
    case = seen("fault:gc-pauses")
    code, out, _ = run(str(case.path), "--only", "gc-pauses", "-f", "json")
    finding = json.loads(out)["findings"][0]
    assert code == 0
    assert len(finding["charged"]) == 5
    assert sum(row["duration_ns"] for row in finding["charged"]) == finding["cost_ns"]
    assert {row["lost"] for row in finding["charged"]} == {"idle"}
    _, text, _ = run(str(case.path), "--only", "gc-pauses")
    assert "The device time that it is charged with" in text


def test_only_a_fault_that_is_not_there(run, seen):
    code, out, err = run(str(seen("healthy").path), "--only", "gc-pauses")
    assert (code, out) == (3, "")
    assert err == "nsystui: healthy.sqlite: gc-pauses was not found\n"


def test_only_an_unknown_fault(run, seen):
    code, _, err = run(str(seen("healthy").path), "--only", "gremlins")
    assert code == 2
    assert err.startswith("nsystui: no fault 'gremlins'; there are profiler-distortion, ")


def test_range_looks_at_that_part_only(run, seen):
    case = seen("fault:warm-up")
    _, whole, _ = run(str(case.path), "-f", "json")
    _, rest, _ = run(str(case.path), "-f", "json", "--range", "step:4..10")
    assert json.loads(whole)["findings"][0]["fault"] == "warm-up"
    document = json.loads(rest)
    assert [f["fault"] for f in document["findings"]] == []
    assert document["verdict"]["kind"] == "healthy"
    assert document["steps"] == 7


def test_step_names_the_step(run, seen):
    _, out, _ = run(str(seen("finetune").path), "-f", "json", "--step", "forward")
    assert json.loads(out)["step_name"] == "forward"


def test_device_and_process_narrow_it_down(run, seen):
    case = seen("fault:exposed-all-reduce")
    _, both, _ = run(str(case.path), "-f", "json")
    _, one, _ = run(str(case.path), "-f", "json", "--device", "0")
    both, one = json.loads(both), json.loads(one)
    assert one["device_ns"] * 2 == both["device_ns"]
    assert one["findings"][0]["cost_ns"] * 2 == pytest.approx(both["findings"][0]["cost_ns"], rel=0.02)
    _, mine, _ = run(str(case.path), "-f", "json", "--process", "7100")
    assert json.loads(mine)["findings"][0]["evidence"][0]["command"].endswith("--process 7100 --busy compute")


def test_config_file_moves_a_threshold(run, seen, tmp_path):
    configured(tmp_path, "[diagnose]\nmin_cost_pct = 5\ninput_wait_ns = '2ms'\n")
    _, out, _ = run(str(seen("finetune").path), "-f", "json")
    assert [f["fault"] for f in json.loads(out)["findings"]] == ["input-starvation"]
    _, listing, _ = run("--limits")
    assert "min_cost_pct = 5.0\n" in listing
    assert "input_wait_ns = 2000000\n" in listing


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[diagnose]\nspeed = 3\n", "no limit 'speed'; `nsystui diagnose --limits` lists them"),
        ("[diagnose]\nmin_cost_pct = 'much'\n", "min_cost_pct = 'much' should be a number of 0 or more"),
        ("[diagnose]\nlead_ns = -1\n", "lead_ns = -1 should be a duration such as \"2ms\" or nanoseconds"),
        ("[diagnose]\nlead_ns = 'soon'\n", "'soon' is no time such as 1.5s"),
        ("diagnose = 3\n", "[diagnose] is no table"),
        ("[diagnose\n", "is no TOML"),
    ],
)  # fmt: skip
def test_a_config_file_that_can_not_be_meant_is_one_line(run, seen, tmp_path, text, complaint):
    configured(tmp_path, text)
    code, out, err = run(str(seen("healthy").path))
    assert (code, out) == (2, "")
    assert complaint in err
    assert err.count("config.toml") == 1
    assert err.count("\n") == 1


def test_every_limit_is_listed_with_its_reason(run):
    code, out, _ = run("--limits")
    lines = out.splitlines()
    assert code == 0
    assert len(lines) % 2 == 0
    for name, reason in zip(lines[::2], lines[1::2], strict=True):
        assert " = " in name
        assert reason.startswith("    ")
        assert reason.rstrip().endswith(".")


def test_list_names_the_catalogue(run):
    code, out, _ = run("--list")
    slugs = [line.split()[0] for line in out.splitlines()]
    assert code == 0
    assert len(slugs) == len(set(slugs))
    assert {"input-starvation", "one-rank", "unexplained-idle", "comm-slows-compute"} <= set(slugs)


def test_without_a_report(run):
    code, _, err = run()
    assert code == 2
    assert err == "nsystui: diagnose needs a REPORT (or --list, --limits, --matrix)\n"


def test_the_matrix_of_some_variants(run, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{MARK}\nold\n")
    code, out, err = run("--matrix", "launch-blocking-0[26]", "-o", str(page))
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert lines[0].split("  ")[0] == "made with"
    assert lines[1].split() == ["launch-blocking", "2", "2", "2", "2", "of", "2", "launch-blocking", "2"]
    assert "first finding right: 100.0 % (goal: 97 %)" in lines
    assert "| launch-blocking | 2 | 2 | 2 | 2 of 2 | launch-blocking 2 |" in page.read_text()


def test_a_matrix_of_nothing(run):
    code, _, err = run("--matrix", "no-such-variant")
    assert code == 3
    assert "no variant has 'no-such-variant' in its name" in err


def test_a_capture_without_gpu_work(run, tmp_path):
    export = Export(tmp_path / "host.sqlite")
    export.notation('R cudaGetDeviceCount 0-100; N(59,0-50,"main")')
    code, out, err = run(str(export.write()))
    assert (code, out) == (3, "")
    assert err.startswith(
        "nsystui: host.sqlite: no GPU work recorded, nothing to diagnose; capture with `nsys profile"
    )


def test_hostile_names_reach_neither_terminal_nor_shell(run, tmp_path):
    """Names with escapes and markup in ranges, kernels and the file's own name."""
    path = tmp_path / "it's $(date).sqlite"
    export = Export(path)
    evil = "\x1b[31m[bold]$(rm -rf ~)`x`'\"\n"
    ms = 1_000_000
    for step in range(6):
        at = step * 50 * ms
        export.push_pop("step", at, at + 49 * ms)
        export.push_pop(f"data_load {evil}", at + 1, at + 30 * ms)
        export.osrt(f"read{evil}", at + 2, at + 29 * ms)
        corr = export.runtime("cudaLaunchKernel_v7000", at + 30 * ms, at + 30 * ms + 9_000)
        export.kernel(at + 30 * ms + 10_000, at + 50 * ms, corr=corr, name=f"k{evil}")
    code, out, _ = run(str(export.write()))
    assert code == 0
    assert "\x1b" not in out
    assert "'\"'\"'" in out  # the path is quoted for a shell
    assert "input-starvation" in out
    code, out, _ = run(str(path), "-f", "json")
    assert json.loads(out)["findings"][0]["fault"] == "input-starvation"


@pytest.mark.parametrize("fault", CATALOGUE, ids=lambda f: f.slug)
def test_help_says_what_a_fault_looks_like(fault, capsys):
    assert main(["help", fault.slug]) == 0
    out = capsys.readouterr().out
    assert f"{fault.slug}: {fault.about}" in out.splitlines()
    assert "seen as" in out
    assert f"nsystui diagnose REPORT --only {fault.slug}" in out


def test_help_knows_idle_time_that_nothing_explains(capsys):
    assert main(["help", "unexplained-idle"]) == 0
    assert capsys.readouterr().out == (
        "unexplained-idle: idle time that nothing else explains\n"
        "\n"
        "seen as  Idle time that no other fault is charged with, by what the host was\n"
        "         doing in it.\n"
        "set by   [diagnose] unexplained_pct\n"
        "\n"
        "nsystui diagnose REPORT --only unexplained-idle\n"
    )


def test_a_rule_of_nsys_is_a_fault_that_can_be_asked_for_alone(run, seen):
    code, out, _ = run(str(seen("finetune").path), "--only", "cuda_api_sync", "-f", "json")
    (finding,) = json.loads(out)["findings"]
    assert (code, finding["fault"], finding["minor"], finding["charged"]) == (0, "cuda_api_sync", True, [])
    assert finding["title"] == "the only wait for the device is the final drain"


def test_nothing_is_held_against_a_process_without_gpu_work(run, tmp_path):
    """A wait of a process that uses no device is no finding: there is no device time that it could cost."""
    export = Export(tmp_path / "two.sqlite")
    export.notation("R cudaLaunchKernel 0-5 corr=1 pid=100, K 10-20 corr=1 pid=100")
    export.notation("R cudaDeviceSynchronize 0-900 pid=200")
    code, out, _ = run(str(export.write()), "--process", "200", "-f", "json")
    document = json.loads(out)
    assert (code, document["verdict"]["kind"]) == (0, "no GPU work")
    assert (document["findings"], document["not_assessable"]) == ([], [])
