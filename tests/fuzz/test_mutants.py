"""Damaged and hostile exports through every command; more of them with ``--fuzz-count``."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz import mutants

ROOT = Path(__file__).resolve().parents[2]


def test_no_mutant_gets_a_wrong_answer(request: pytest.FixtureRequest) -> None:
    count, seed, workers = (
        request.config.getoption(f"--fuzz-{name}") for name in ("count", "seed", "workers")
    )
    # A process of its own: it forks, which is no good in one that may have threads.
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz",
         "--count", str(count), "--seed", str(seed), "--workers", str(workers)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert re.search(rf"^{count} mutants, \d+ commands in", done.stdout, re.MULTILINE)
    assert done.stdout.endswith("0 faulty\n")


def test_a_mutant_is_the_same_every_time(tmp_path: Path) -> None:
    seeds = mutants.Seeds.in_folder(tmp_path / "seeds")
    for number in range(12):
        one, two = tmp_path / "one", tmp_path / "two"
        assert mutants.make(seeds, 7, number, one) == mutants.make(seeds, 7, number, two)
        assert one.read_bytes() == two.read_bytes()
        one.unlink()
        two.unlink()
    said = {mutants.make(seeds, 7, number, tmp_path / f"m{number}") for number in range(12)}
    assert len(said) == 12
