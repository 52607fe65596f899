"""Several processes give what one gives, and one that dies harms no report but its own."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ranks.sets import computes, packed, small_set
from tui.errors import UsageError
from tui.ranks import pool
from tui.ranks.collecting import collect
from tui.ranks.one_report import Choices, Outcome, summarise_report
from tui.ranks.pool import read_in_pool, worker_count
from tui.ranks.set_progress import SetMeter
from tui.ranks.tasks import Task

ROOT = Path(__file__).resolve().parents[2]
KILLED = "the worker was killed (out of memory?)"


def die_on_poison(path: Path, choices: Choices) -> Outcome:
    """Read a report, but for those named `poison`, which kill whoever reads them."""
    if path.stem.startswith("poison"):
        os.kill(os.getpid(), signal.SIGKILL)
    return summarise_report(path, choices)


def die_once(path: Path, choices: Choices) -> Outcome:
    """The first to read `once` is killed, the second is not."""
    if path.stem == "once":
        try:
            path.with_suffix(".died").touch(exist_ok=False)
        except FileExistsError:
            return summarise_report(path, choices)
        os.kill(os.getpid(), signal.SIGKILL)
    return summarise_report(path, choices)


def modules_of_worker(path: Path, choices: Choices) -> Outcome:
    """What a worker has imported after it has read a report."""
    outcome = summarise_report(path, choices)
    assert outcome.error is None
    return Outcome(error=" ".join(sorted({name.split(".")[0] for name in sys.modules})))


def say_and_sleep(path: Path, choices: Choices) -> Outcome:
    """Never come to an end."""
    os.write(1, f"{os.getpid()}\n".encode())  # whole, whatever others write
    time.sleep(60)
    raise AssertionError("nobody ended it")


def tasks_of(paths: list[Path]) -> list[Task]:
    return [Task(place, path, path.stat().st_size, "") for place, path in enumerate(paths)]


def outcomes(paths: list[Path], cache: Path, work: pool.Work, jobs: int = 2) -> dict[str, Outcome]:
    tasks = tasks_of(paths)
    found = read_in_pool(tasks, Choices(cache), SetMeter(tasks, None), jobs, work)
    return {task.path.stem: outcome for task, outcome in found}


@pytest.fixture(autouse=True)
def no_child_is_left() -> Iterator[None]:
    import multiprocessing

    yield
    assert multiprocessing.active_children() == []


def test_several_processes_give_the_same_bytes(tmp_path: Path) -> None:
    paths = small_set(tmp_path / "set", 5)
    (tmp_path / "set" / "bad.sqlite").write_bytes(paths[0].read_bytes()[:8192])
    paths.insert(2, tmp_path / "set" / "bad.sqlite")
    one = collect(paths, cache_dir=tmp_path / "one", jobs=1)
    four = collect(paths, cache_dir=tmp_path / "four", jobs=4)
    unkept = collect(paths, use_store=False, jobs=4)
    assert packed(four) == packed(one) == packed(unkept)
    assert computes(one) == [50, 51, None, 52, 53, 54]
    kept = [sorted(p.name for p in (tmp_path / name).glob("*.summary")) for name in ("one", "four")]
    assert kept[0] == kept[1]
    for name in kept[0]:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "four" / name).read_bytes()


def test_a_warm_set_starts_no_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = small_set(tmp_path / "set", 4)
    before = packed(collect(paths, cache_dir=tmp_path / "cache", jobs=1))
    monkeypatch.setattr(pool, "read_in_pool", None)
    assert packed(collect(paths, cache_dir=tmp_path / "cache", jobs=4)) == before


def test_a_killed_worker_leaves_the_others_as_they_are(tmp_path: Path) -> None:
    paths = small_set(tmp_path / "set", 5)
    poison = paths[1].rename(tmp_path / "set" / "poison.sqlite")
    paths[1] = poison
    found = outcomes(paths, tmp_path / "cache", die_on_poison)
    assert found.pop("poison").error == f"{poison}: {KILLED}"
    assert sorted(found) == ["rank0", "rank2", "rank3", "rank4"]
    assert all(outcome.error is None for outcome in found.values())
    members = collect(paths, cache_dir=tmp_path / "cache", jobs=1)
    assert computes(members) == [50, 51, 52, 53, 54]


def test_who_dies_once_is_read_again(tmp_path: Path) -> None:
    paths = small_set(tmp_path / "set", 3)
    paths[0] = paths[0].rename(tmp_path / "set" / "once.sqlite")
    found = outcomes(paths, tmp_path / "cache", die_once)
    assert {name: outcome.error for name, outcome in found.items()} == {
        "once": None,
        "rank1": None,
        "rank2": None,
    }


def test_where_all_die_all_are_broken(tmp_path: Path) -> None:
    paths = [
        path.rename(path.with_stem(f"poison{i}")) for i, path in enumerate(small_set(tmp_path / "set", 3))
    ]
    found = outcomes(paths, tmp_path / "cache", die_on_poison)
    assert {name: outcome.error for name, outcome in found.items()} == {
        path.stem: f"{path}: {KILLED}" for path in paths
    }


def test_a_worker_imports_nothing_that_draws(tmp_path: Path) -> None:
    found = outcomes(small_set(tmp_path / "set", 1), tmp_path / "cache", modules_of_worker)
    imported = set((found["rank0"].error or "").split())
    assert "numpy" in imported
    assert not imported & {"textual", "rich", "distributed", "dask"}


def test_bad_usage_in_a_worker_ends_them_all(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no regular expression"):
        collect(small_set(tmp_path / "set", 4), cache_dir=tmp_path / "cache", step="(", jobs=2)


def test_an_interrupt_ends_the_workers(tmp_path: Path) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        collect(small_set(tmp_path / "set", 4), cache_dir=tmp_path / "c", jobs=2, progress=interrupted)
    assert packed(collect(small_set(tmp_path / "again", 2), cache_dir=tmp_path / "c", jobs=2))


SLEEPING = """
import functools, sys
from tests.ranks.test_pool import say_and_sleep
from tui import __main__
from tui.ranks import pool
if __name__ == "__main__":
    pool.read_in_pool = functools.partial(pool.read_in_pool, work=say_and_sleep)
    sys.exit(__main__.run())
"""


def test_ctrl_c_ends_a_command_and_its_workers(tmp_path: Path) -> None:
    """As a terminal sends it: to all of them."""
    script = tmp_path / "sleeping.py"
    script.write_text(SLEEPING)
    paths = small_set(tmp_path / "set", 3)
    with subprocess.Popen(
        [sys.executable, str(script), "steps", *map(str, paths), "--jobs", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NSYSTUI_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)},
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        try:
            workers = [int(process.stdout.readline()) for _ in range(2)]
            os.killpg(process.pid, signal.SIGINT)
            out, err = process.communicate(timeout=30)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    assert (process.returncode, out, err) == (130, "", "")
    for worker in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(worker, 0)


@pytest.mark.parametrize(
    ("tasks", "jobs", "memory", "cores", "expected"),
    [
        (9, None, 64 << 30, 4, 4),
        (2, None, 64 << 30, 4, 2),
        (9, None, 3 << 30, 4, 2),  # half of 3 GiB holds two workers of 600 MiB
        (9, None, 100 << 20, 4, 1),
        (9, 16, 100 << 20, 4, 9),
        (9, 1, 64 << 30, 4, 1),
    ],
)
def test_how_many_workers(
    tasks: int, jobs: int | None, memory: int, cores: int, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "available_memory", lambda: memory)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(cores)), raising=False)
    assert worker_count(tasks, jobs) == expected


def test_available_memory_is_some() -> None:
    assert 0 < pool.available_memory() <= os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


COMMANDS = """
import contextlib, io, sys
from tui.cli import main
for command in ("info", "stats", "gaps", "steps", "diagnose", "view"):
    with contextlib.redirect_stdout(io.StringIO()):
        assert main([command, sys.argv[1]]) == 0, command
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    main(["--help"])
print(*sorted(name for name in sys.modules if name.split(".")[0] in sys.argv[2].split(",")))
"""


def test_commands_on_one_report_import_no_pool(tmp_path: Path) -> None:
    (path,) = small_set(tmp_path / "set", 1)
    run = subprocess.run(
        [sys.executable, "-c", COMMANDS, str(path), "multiprocessing,concurrent,distributed,dask"],
        capture_output=True,
        text=True,
        env={**os.environ, "NSYSTUI_CACHE_DIR": str(tmp_path / "cache")},
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == ""
