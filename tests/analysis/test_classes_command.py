"""`nsystui classes`: kernel time by what kernels do, by name with what decided it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.export import Export
from tests.support.real import real_export
from tui.cli import main
from tui.report.kernels.class_table import KernelClass


@pytest.fixture
def path(tmp_path: Path) -> Path:
    export = Export(tmp_path / "capture.sqlite")
    for step in range(2):
        at = 1_000 * step
        export.push_pop("train_step", at, at + 900)
        for offset, ns, name in ((0, 100, "ampere_sgemm_128x64_nn"), (200, 50, "flash_fwd_kernel")):
            export.launch(
                (at + offset, at + offset + 5), (at + offset + 10, at + offset + 10 + ns), name=name
            )
    export.launch((1_950, 1_960), (1_970, 2_000), name="[red]mine\x1b[0m")
    return export.write()


def found(path: Path, capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, Any]:
    assert main(["classes", str(path), "--no-cache", "-f", "json", *options]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def test_one_row_a_class(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = found(path, capsys)
    keys = ("class", "kernels", "names", "ns", "pct", "mean_ns", "ns_per_step")
    assert [tuple(row[key] for key in keys) for row in document["rows"]] == [
        ("gemm", 2, 1, 200, 60.6, 100.0, 100.0),
        ("attention", 2, 1, 100, 30.3, 50.0, 50.0),
        ("other", 1, 1, 30, 9.1, 30.0, 0.0),
    ]
    assert document["notes"] == ["9.1% of kernel time has no class"]


def test_a_window_clips(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = found(path, capsys, "--range", "60/1030")["rows"]
    assert [(row["class"], row["kernels"], row["ns"], row["ns_per_step"]) for row in rows] == [
        ("gemm", 2, 70, None),
        ("attention", 1, 50, None),
    ]


def test_names_say_what_decided(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = found(path, capsys, "--names")["rows"]
    assert [(row["name"], row["class"], row["ns"], row["dtype"], row["rule"]) for row in rows] == [
        ("ampere_sgemm_128x64_nn", "gemm", 200, "fp32", "gemm"),
        ("flash_fwd_kernel", "attention", 100, None, "flash"),
        ("[red]mine\x1b[0m", "other", 30, None, None),
    ]


def test_as_csv_and_as_a_table(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["classes", str(path), "--no-cache", "-f", "csv", "--top", "1"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Class,Kernels,Names,Time (ns),Share (%),Mean (ns),Per step (ns)",
        "gemm,2,1,200,60.6,100.0,100.0",
    ]
    assert main(["classes", str(path), "--no-cache", "--names", "--wide"]) == 0
    text = capsys.readouterr().out
    assert "[red]mine␛[0m" in text
    assert "\x1b" not in text


def test_the_narrower_rule_for_communication(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export = Export(tmp_path / "capture.sqlite")
    export.kernel(0, 100, name="ncclDevKernel_AllReduce", short="ncclDevKernel_AllReduce")
    export.kernel(200, 250, name="vllm::cross_device_reduce_1stage", short="cross_device_reduce_1stage")
    path = export.write()
    by_class, by_name = found(path, capsys), found(path, capsys, "--comm", "nccl")
    assert [(r["class"], r["ns"]) for r in by_class["rows"]] == [("communication", 150)]
    assert [(r["class"], r["ns"]) for r in by_name["rows"]] == [("communication", 100), ("other", 50)]
    assert "--comm nccl would leave out of communication: cross_device_reduce_1stage" in by_class["notes"][0]
    assert "--comm nccl leaves out of communication: cross_device_reduce_1stage" in by_name["notes"][0]
    rules = [row["rule"] for row in found(path, capsys, "--comm", "nccl", "--names")["rows"]]
    assert rules == ["nccl", "--comm nccl"]


def test_graphs_and_captures_without_kernels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export = Export(tmp_path / "capture.sqlite")
    export.kernel(0, 100, name="relu_kernel")
    export.graph(200, 300)
    note = found(export.write(), capsys)["notes"]
    assert note == [
        "0.0% of kernel time has no class; graphs that were traced as a whole (100 ns) are in no class"
    ]
    export = Export(tmp_path / "none.sqlite")
    export.memcpy(0, 10)
    assert main(["classes", str(export.write()), "--no-cache"]) == 3
    assert capsys.readouterr().err == "nsystui: none.sqlite: no kernels in GPU work\n"


def configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    config = tmp_path / "config" / "nsystui" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text(text)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def test_rules_of_the_config_file_go_first(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    configured(tmp_path, monkeypatch, '[classes]\n"mine" = "attention"\n"sgemm" = "communication"\n')
    rows = found(path, capsys)["rows"]
    assert [(row["class"], row["ns"]) for row in rows] == [("communication", 200), ("attention", 130)]
    rows = found(path, capsys, "--names")["rows"]
    assert [(row["class"], row["rule"]) for row in rows] == [
        ("communication", "config: sgemm"),
        ("attention", "flash"),
        ("attention", "config: mine"),
    ]
    # What communicates no longer counts as compute, and counts as communication of steps.
    assert main(["steps", str(path), "--no-cache", "-f", "json"]) == 0
    steps = json.loads(capsys.readouterr().out)["sequences"][0]["steps"]
    assert [(step["comm_ns"], step["exposed_comm_ns"]) for step in steps] == [(100, 100), (100, 100)]
    assert main(["gaps", str(path), "--no-cache", "-f", "json", "--busy", "compute"]) == 0
    assert json.loads(capsys.readouterr().out)["devices"][0]["compute_ns"] == 130


def test_summaries_of_sets_follow_the_config_file(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def compute() -> int:
        assert main(["ranks", str(path), "-f", "json", "--cache-dir", str(tmp_path / "cache")]) == 0
        return int(json.loads(capsys.readouterr().out)["ranks"][0]["compute_ns"])

    assert compute() == 150
    configured(tmp_path, monkeypatch, '[classes]\nsgemm = "communication"\n')
    assert compute() == 50  # not the summary that was kept with other rules


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            '[classes]\nsgemm = "matrix"\n',
            "[classes] 'sgemm' = 'matrix' should be one of communication, cache",
        ),
        ('[classes]\n"(" = "gemm"\n', "[classes] '(' is no pattern: missing ), unterminated subpattern"),
        ("classes = 3\n", "[classes] is no table"),
    ],
)
def test_a_config_file_with_other_rules_ends_in_one_line(
    text: str, complaint: str, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    configured(tmp_path, monkeypatch, text)
    for command in ("classes", "info", "ranks"):
        assert main([command, str(path), "--no-cache"]) == 2
        error = capsys.readouterr().err
        assert error.startswith(f"nsystui: {tmp_path / 'config' / 'nsystui' / 'config.toml'}: ")
        assert complaint in error
        assert error.count("\n") == 1


def test_names_of_pipes_and_makers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export = Export(tmp_path / "capture.sqlite")
    names = ("ampere_sgemm_128x64_nn", "triton_poi_fused_mul_silu_12", "fused_allreduce_rmsnorm")
    for at, name in enumerate(names):
        export.kernel(100 * at, 100 * at + 50 - at, name=name, short=name)
    rows = found(export.write(), capsys, "--names")["rows"]
    assert [(row["name"], row["pipe"], row["tags"]) for row in rows] == [
        ("ampere_sgemm_128x64_nn", "fp32", None),
        ("triton_poi_fused_mul_silu_12", None, "generated by Triton"),
        ("fused_allreduce_rmsnorm", None, "fused"),
    ]


def test_every_kernel_of_a_real_capture_is_in_one_class(capsys: pytest.CaptureFixture[str]) -> None:
    path = real_export("ddp-after-2026.2")
    rows, names = (found(path, capsys, *options)["rows"] for options in ((), ("--names",)))
    assert sum(row["kernels"] for row in rows) == sum(row["kernels"] for row in names) == 3_587
    assert sum(row["ns"] for row in rows) == sum(row["ns"] for row in names)
    multiplied = [row["class"] for row in names if "BinaryFunctor" in row["name"]]
    assert multiplied
    assert set(multiplied) == {KernelClass.ELEMENTWISE.value}
