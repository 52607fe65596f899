"""Whole frames, kept as text and looked at by people.

`UPDATE_GOLDENS=1 pytest tests/timeline/test_goldens.py` writes them anew; read the difference before you
commit it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fixtures.registry import find
from tests.support.export import Export
from tui.cli import main

GOLDENS = Path(__file__).parent / "goldens"
CASES = (
    'K(0,7,0-4000) name="void foo<int>[with T = bool]"; K(0,7,4000-9000) name="[bold red]x[/]";'
    "K(0,7,6000-8000) name=overlapping; K(0,9,2500-2500) name=instant; M(0,13,9000-16000);"
    "R cudaLaunchKernel_v7000 100-300 corr=5; R cudaStreamSynchronize_v3020 9500-30000;"
    "R cudaLaunchKernel_v7000 30100-30400 corr=6; K(0,7,30600-40000) corr=6 name=gemm;"
    'N A 0-20000; N B 10000-25000; N(59,26000-NULL,"epoch"); N(60,2000-33000,"request 7");'
    'N(34,12000-NULL,"checkpoint"); O poll 9600-29000 tid=2; S(0,7,41000-41000); G(0,7,42000-47000);'
    "K(1,7,0-1000); K(1,7,50000-51000); Y(0,7,9500-30000)"
)
FRAMES = [
    ("cases", ["--size", "120x34", "--min-gap", "1us"]),
    ("cases", ["--size", "80x34", "--min-gap", "1us", "--ascii"]),
    ("finetune", ["--size", "160x48"]),
    ("finetune", ["--size", "160x48", "--range", "step:3..4"]),
    ("finetune", ["--size", "120x34", "--range", "gap:3"]),
    ("finetune", ["--size", "80x24", "--range", "step:3", "--ascii"]),
    ("resnet", ["--size", "120x34"]),
    ("ddp", ["--size", "160x48", "--range", "step:2"]),
    ("ddp", ["--size", "80x24", "--ascii"]),
    ("decode-graph", ["--size", "120x34"]),
]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for reports, each made once."""
    return tmp_path_factory.mktemp("reports")


def report(folder: Path, name: str) -> Path:
    path = folder / f"{name}.sqlite"
    if not path.exists():
        if name == "cases":
            Export(path).notation(CASES).write()
        else:
            find(name).build(path)
    return path


@pytest.mark.parametrize(("name", "look"), FRAMES, ids=[" ".join([n, *look]) for n, look in FRAMES])
def test_frame(capsys: pytest.CaptureFixture[str], built: Path, name: str, look: list[str]) -> None:
    assert main(["view", str(report(built, name)), *look, "--cache-dir", str(built / "store")]) == 0
    drawn = capsys.readouterr().out
    words = [word.strip("-").replace("/", "-").replace(":", "") for word in look]
    golden = GOLDENS / f"{'-'.join([name, *(w for w in words if w not in ('size', 'range'))])}.txt"
    if os.environ.get("UPDATE_GOLDENS"):
        golden.write_text(drawn, "utf-8")
    assert drawn.splitlines() == golden.read_text("utf-8").splitlines()
