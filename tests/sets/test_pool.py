"""`stats --pool`: all ranks as one."""

from __future__ import annotations

import sqlite3
import statistics
from pathlib import Path

import pytest

from tests.sets.conftest import Ask, rank_export
from tests.support.real import REAL, needs_real


@pytest.fixture
def three(tmp_path: Path) -> Path:
    """Ranks 0 and 2 run gemm for 30 and 60 ns, rank 1 conv for 40; each twice."""
    for number, more in ((0, 0), (1, 10), (2, 30)):
        rank_export(tmp_path / f"{number}.sqlite", number, long=more)
    return tmp_path


KERNELS = ("-r", "cuda_gpu_kern_sum")


def test_pooled(three: Path, ask: Ask) -> None:
    said = ask("stats", ".", "--pool", *KERNELS, "-f", "csv")
    assert said.out.splitlines() == [
        "Ranks,Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name",
        "2,69.2,180,4,45.0,45.0,30,60,17.3,gemm",
        "1,30.8,80,2,40.0,40.0,40,40,0.0,conv",
    ]
    assert (said.code, said.err) == (0, [])


def test_pooled_json(three: Path, ask: Ask) -> None:
    (three / "x.sqlite").write_bytes(b"none")
    said = ask("stats", ".", "--pool", *KERNELS, "-f", "json")
    assert said.code == 2
    found = said.json
    assert list(found) == ["ranks", "notes", "broken", "reports"]
    assert found["ranks"] == ["0", "1", "2"]
    assert found["notes"][0] == "3 of 4 reports, 1 can't be read"
    (table,) = found["reports"]
    assert (table["name"], table["rows"][0][:4]) == ("cuda_gpu_kern_sum", [2, 69.2, 180, 4])


def test_histogram(three: Path, ask: Ask) -> None:
    said = ask("stats", ".", "--pool", "--hist", *KERNELS, "-f", "csv")
    assert said.out.splitlines() == [
        "Ranks,From (ns),Below (ns),Count,Share (%),Name",
        "2,16,32,2,50.0,gemm",
        "2,32,64,2,50.0,gemm",
        "1,32,64,2,100.0,conv",
    ]
    assert ask("stats", ".", "--hist").code == 2


def test_chosen_ranks_are_pooled(three: Path, ask: Ask) -> None:
    said = ask("stats", ".", "--pool", "--ranks", "1-2", *KERNELS, "-f", "csv").out.splitlines()
    assert [line.split(",")[0::3][:2] for line in said[1:]] == [["1", "2"], ["1", "2"]]


def test_one_report_can_be_pooled(three: Path, ask: Ask) -> None:
    said = ask("stats", "0.sqlite", "--pool", *KERNELS, "-f", "csv").out.splitlines()
    alone = ask("stats", "0.sqlite", *KERNELS, "-f", "csv").out.splitlines()
    assert said == [f"Ranks,{alone[0]}", f"1,{alone[1]}"]


def test_what_has_no_sums_is_refused_where_asked_for(three: Path, ask: Ask) -> None:
    said = ask("stats", ".", "--pool", "-r", "cuda_gpu_trace,cuda_gpu_kern_sum")
    assert (said.code, said.out) == (2, "")
    assert said.err[-1].startswith("nsystui: cuda_gpu_trace: there are no sums of values to pool")
    assert ask("stats", ".", "--pool").code == 0  # the default reports


def test_no_data_at_all(three: Path, ask: Ask) -> None:
    assert ask("stats", ".", "--pool", "-r", "openmp_sum").code == 3


@needs_real
def test_all_reduces_of_four_real_ranks(ask: Ask) -> None:
    paths = sorted((REAL / "ranks-mpi-2023.4").glob("straggler-rank?.sqlite"))
    if not paths:
        pytest.skip("the captures of four ranks are not beside this checkout")
    values: list[int] = []
    for path in paths:
        db = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
        sql = (
            'SELECT "end" - start FROM MPI_COLLECTIVES_EVENTS JOIN StringIds ON id = textId '
            "WHERE value = 'MPI_Allreduce'"
        )
        values += [length for (length,) in db.execute(sql)]
        db.close()
    found = ask("stats", *paths, "--pool", "-r", "mpi_event_sum", "-f", "json").json["reports"][0]
    row = dict(zip(found["columns"], next(r for r in found["rows"] if r[-1] == "MPI_Allreduce"), strict=True))
    assert (row["Ranks"], row["Count"]) == (4, 160)
    assert row["Total Time (ns)"] == sum(values)
    assert row["Med (ns)"] == statistics.median(values)
    assert row["StdDev (ns)"] == round(statistics.stdev(values), 1)
