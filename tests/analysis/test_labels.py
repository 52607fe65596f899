"""Labels: a name without what differs by instance."""

from __future__ import annotations

import pytest

from tui.text.labels import label


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("aten::mm, seq = 3, op_id = 71", "aten::mm"),
        ("aten::mm, op_id = 71, sizes = [[1, 2], [], []]", "aten::mm"),
        ("aten::to, seq = 1, op_id = 5, sizes = [[1]], input_op_ids = [(1,0)]", "aten::to"),
        ("step_12", "step"),
        ("step 3/100", "step"),
        ("iter [4]", "iter"),
        ("batch (12)", "batch"),
        ("Iteration: 12", "Iteration"),
        ("ProfilerStep#12", "ProfilerStep"),
        ("epoch 3 step 12", "epoch step"),
        ("step 7: forward", "step: forward"),
        ("sample_0", "sample"),
        ("FSDP::pre_forward (blocks.9._module)", "FSDP::pre_forward (blocks.*._module)"),
        # a number that belongs to the name stays
        ("conv2d", "conv2d"),
        ("fp16", "fp16"),
        ("sm80_xmma_gemm", "sm80_xmma_gemm"),
        ("", ""),
        ("12", "12"),
        ("_", "_"),
        ("step", "step"),
    ],
)
def test_label(name: str, expected: str) -> None:
    assert label(name) == expected


def test_long_names_take_no_long_time() -> None:
    name = "_" * 200_000
    assert label(name + "x") == name + "x"
    assert label("k<" + "int, " * 50_000 + "int>_7") == "k<" + "int, " * 50_000 + "int>"
