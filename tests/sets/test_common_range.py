"""A time range of a set is on the common axis; steps and names are those of each report."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sets.conftest import Ask
from tests.support.export import Export

SECOND = 1_000_000_000


@pytest.fixture
def shifted(tmp_path: Path) -> Path:
    """Two ranks of one host; what b does at 5 s of its own is at the same moment as what a does at 15 s.

    a began at 1,000 s UTC, b ten seconds later; times of c, which is a again, are UTC.
    """
    for name, began, at, shift, number in (
        ("a", 1000, 15, 0, 0), ("b", 1010, 5, 0, 1), ("c", 1000, 1015, 1000, 2)
    ):  # fmt: skip
        export = Export(tmp_path / f"{name}.sqlite")
        first = shift * SECOND
        export.kernel(first, first + 100, name="first")
        export.kernel(at * SECOND, at * SECOND + 100 + number, name="late")
        export.session_start(began * SECOND)
        export.sql(
            "INSERT INTO META_DATA_EXPORT (name, value) VALUES ('EXPORT_CONFIG_TIME_SHIFT', ?)", str(first)
        )
        export.row("TARGET_INFO_SYSTEM_ENV", globalVid=1, devStateName="x", name="Hostname", value="h")
        export.row(
            "META_DATA_CAPTURE", name="PROCESS_0:ENVIRONMENT_VARIABLE", value=f'SLURM_PROCID="{number}"'
        )
        export.write()
    return tmp_path


@pytest.mark.parametrize("rest", [[], ["--pool"]])
def test_one_moment_of_all_ranks(rest: list[str], shifted: Path, ask: Ask) -> None:
    axis = ask("ranks", ".", "--clocks", "-f", "json").json
    assert axis is not None
    late = ask("stats", ".", "-r", "cuda_gpu_kern_sum", "-f", "csv", "--range", "14.9s/15.1s", *rest)
    rows = [line.split(",") for line in late.out.splitlines()[1:]]
    assert late.code == 0
    assert {row[-1] for row in rows} == {"late"}
    if rest:
        assert [row[:4] for row in rows] == [["3", "100.0", "303", "3"]]
    else:
        assert [row[0] for row in rows] == ["0", "1", "2"]
    assert any(line.startswith("nsystui: the range is on the common axis, by ") for line in late.err)


def test_a_range_of_everything_and_of_names_is_each_reports_own(shifted: Path, ask: Ask) -> None:
    everything = ask("stats", ".", "-r", "cuda_gpu_kern_sum", "-f", "csv")
    assert ask("stats", ".", "-r", "cuda_gpu_kern_sum", "-f", "csv", "--range", "/").out == everything.out
    said = ask("stats", ".", "-r", "cuda_gpu_kern_sum", "--range", "nvtx:nothing/else")
    assert said.code == 3
    assert ask("stats", ".", "--range", "soon/later").code == 2
