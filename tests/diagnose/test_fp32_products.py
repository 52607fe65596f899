"""Products on the FP32 pipe: told where a framework could do otherwise and they are a fifth of the time."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnose.test_evidence import check, findings
from tests.diagnose.test_faults import opened
from tests.support.export import Export
from tests.support.printed import Printer
from tui.analysis.diagnosis import Diagnosis, Kind, diagnose

US = 1_000
SGEMM, TENSOR = "ampere_sgemm_128x64_nn", "nvjet_tst_192x192_64x4_2x1_v_bz_coopB_TNN"
NATIVE = "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int)"
MINE = "my_stencil(float*)"


def capture(path: Path, kernels: list[tuple[str, int]], ranges: tuple[str, ...] = ()) -> Path:
    """Kernels back to back in six steps; each: a name and how many microseconds."""
    export, at = Export(path), 0
    for _ in range(6):
        begun = at
        for name, us in kernels:
            corr = export.runtime("cudaLaunchKernel_v7000", at - 900 * US, at - 894 * US)
            export.kernel(at, at + us * US, corr=corr, name=name, short=name.partition("(")[0])
            at += us * US
        export.push_pop("train_step", begun, at - 2 * US)
        for name in ranges:
            export.push_pop(name, begun + 1, begun + 2)
    return export.write()


def diagnosis_of(path: Path, **choices: object) -> Diagnosis:
    return diagnose(opened(path), **choices)


@pytest.mark.parametrize(
    ("kernels", "ranges", "expected"),
    [
        ([(SGEMM, 200), (NATIVE, 800)], (), "20 % of the kernel time is FP32 products: enable TF32 or AMP"),
        ([(SGEMM, 199), (NATIVE, 801)], (), None),
        ([(SGEMM, 500), (MINE, 500)], (), None),  # no framework: nobody's switch
        ([(SGEMM, 500), (MINE, 500)], ("aten::mm",), "50 % of"),
        ([(SGEMM, 500), ("triton_poi_fused_add_0", 500)], (), "50 % of"),
        ([(SGEMM, 500), ("loop_add_fusion", 500)], (), "50 % of"),
        ([(TENSOR, 900), (NATIVE, 100)], (), None),
        ([("my_sgemm_like_stencil_scale(float*)", 10), (NATIVE, 990)], (), None),
        ([("volta_scudnn_128x64_relu_interior_nn_v1", 600), (NATIVE, 400)], (), "60 % of"),
        (
            [("void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nt_align1>(P)", 300), (NATIVE, 700)],
            (),
            "30 % of",
        ),
        ([("void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_64x64>(P)", 900), (NATIVE, 100)], (), None),
    ],
)
def test_where_it_is_told(
    kernels: list[tuple[str, int]], ranges: tuple[str, ...], expected: str | None, tmp_path: Path
) -> None:
    found = diagnosis_of(capture(tmp_path / "x.sqlite", kernels, ranges)).findings
    titles = [f.title for f in found if f.fault == "fp32-products"]
    assert len(titles) == (expected is not None)
    assert expected is None or titles[0].startswith(expected)


def test_it_has_no_cost_and_no_run_with_it_is_healthy(tmp_path: Path) -> None:
    diagnosis = diagnosis_of(capture(tmp_path / "x.sqlite", [(SGEMM, 400)] * 20 + [(NATIVE, 100)] * 20))
    (finding,) = diagnosis.findings
    assert (finding.fault, finding.cost_ns) == ("fp32-products", None)
    assert [e.text for e in finding.evidence] == [
        "products on the FP32 pipe take 80 % of the kernel time",
        "ampere_sgemm_128x64_nn takes 48.000 ms",
    ]
    assert diagnosis.verdict.kind is Kind.UNCLEAR
    assert "80 % of the kernel time is FP32 products" in diagnosis.verdict.text


def test_its_figures_can_be_had_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = capture(tmp_path / "x.sqlite", [(SGEMM, 400), ("volta_sgemm_32x32_tn", 50), (NATIVE, 100)])
    printer = Printer(monkeypatch, capsys, tmp_path)
    for options in ("", "--range step:1..2", "--device 0"):
        found = findings(printer, path, options)
        assert [finding["fault"] for finding in found] == ["fp32-products"]
        check(printer, found)
