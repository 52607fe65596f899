"""A cluster gives what one process gives; what is wrong with it is one line."""

from __future__ import annotations

import json
import logging
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.ranks import cluster_workers
from tests.ranks.sets import computes, packed, small_set
from tui.cli import main
from tui.errors import UsageError
from tui.ranks import cluster
from tui.ranks.cluster import scheduler_address
from tui.ranks.collecting import collect
from tui.ranks.tasks import DaskChoices

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def start() -> Iterator[Callable[..., Any]]:
    """Starts a cluster of processes on this machine, which ends with the test."""
    distributed = pytest.importorskip("distributed", reason="distributed is not installed: nsystui[dask]")
    running: list[Any] = []

    def begin(workers: int = 2, **options: Any) -> Any:
        logging.getLogger("distributed").setLevel(logging.CRITICAL + 1)
        running.append(
            distributed.LocalCluster(
                n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None, **options
            )
        )
        return running[-1]

    yield begin
    for one in running:
        one.close()


def test_a_cluster_gives_the_same_bytes(tmp_path: Path, start: Callable[..., Any]) -> None:
    paths = small_set(tmp_path / "set", 5)
    bad = tmp_path / "set" / "bad.sqlite"
    bad.write_bytes(paths[0].read_bytes()[:8192])
    paths.insert(2, bad)
    one = collect(paths, cache_dir=tmp_path / "one", jobs=1)
    choices = DaskChoices(start().scheduler_address)
    done: list[int] = []
    found = collect(
        paths, cache_dir=tmp_path / "cluster", dask=choices, progress=lambda p: done.append(p.done)
    )
    assert packed(found) == packed(one)
    assert done[-1] == 5  # a file that is damaged at first sight is not sent
    for kept in (tmp_path / "one").glob("*.summary"):
        assert (tmp_path / "cluster" / kept.name).read_bytes() == kept.read_bytes()
    assert list((tmp_path / "cluster").glob("*.columns")) == []
    # Warm without a cluster, or with one that is gone.
    assert packed(
        collect(paths, cache_dir=tmp_path / "cluster", dask=DaskChoices("tcp://127.0.0.1:1"))
    ) == packed(one)


def test_one_file_given_twice(tmp_path: Path, start: Callable[..., Any]) -> None:
    (path,) = small_set(tmp_path / "set", 1)
    copy = path.with_stem("copy")
    copy.symlink_to(path)
    found = collect([path, copy], use_store=False, dask=DaskChoices(start(1).scheduler_address))
    assert computes(found) == [50, 50]


def test_who_kills_its_workers_is_broken_alone(
    tmp_path: Path, start: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = small_set(tmp_path / "set", 3)
    paths[1] = paths[1].rename(tmp_path / "set" / "poison.sqlite")
    monkeypatch.setattr(cluster, "read_for_client", cluster_workers.die_on_poison)
    found = collect(paths, cache_dir=tmp_path / "cache", dask=DaskChoices(start().scheduler_address))
    assert computes(found) == [50, None, 52]
    assert found[1].error == f"{paths[1]}: its worker was killed three times (out of memory?)"


def test_a_fault_on_a_worker_is_one_line(
    tmp_path: Path, start: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = small_set(tmp_path / "set", 1)
    monkeypatch.setattr(cluster, "read_for_client", cluster_workers.fail)
    (member,) = collect(paths, cache_dir=tmp_path / "cache", dask=DaskChoices(start(1).scheduler_address))
    assert member.error == f"{paths[0]}: failed on its worker: ValueError: a fault of two lines"


def test_what_the_workers_do_not_see_is_read_here(
    tmp_path: Path, start: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = small_set(tmp_path / "set", 3)
    monkeypatch.setattr(cluster, "read_for_client", cluster_workers.see_nothing)
    address = start(1).scheduler_address
    found = collect(paths, cache_dir=tmp_path / "cache", jobs=1, dask=DaskChoices(address))
    assert computes(found) == [50, 51, 52]
    (gone,) = collect([tmp_path / "gone.sqlite"], cache_dir=tmp_path / "cache", dask=DaskChoices(address))
    assert gone.error == f"{tmp_path}/gone.sqlite: the workers don't see it, and it is not here"


def test_a_file_that_only_the_workers_see(tmp_path: Path, start: Callable[..., Any]) -> None:
    address = start(1).scheduler_address
    gone = tmp_path / "gone.sqlite"
    (member,) = collect([gone], cache_dir=tmp_path / "cache", dask=DaskChoices(address))
    assert member.error == f"{gone}: no such file"


def test_large_summaries_go_through_a_folder(
    tmp_path: Path, start: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    paths, shared = small_set(tmp_path / "set", 2), tmp_path / "shared"
    shared.mkdir()
    monkeypatch.setattr(cluster, "read_for_client", cluster_workers.all_to_a_file)
    address = start(1).scheduler_address
    found = collect(paths, cache_dir=tmp_path / "cache", dask=DaskChoices(address, store=shared))
    assert computes(found) == [50, 51]
    assert list(shared.iterdir()) == []
    (absent, _) = collect(
        paths, cache_dir=tmp_path / "other", dask=DaskChoices(address, store=tmp_path / "nowhere")
    )
    assert absent.error is not None
    assert absent.error.endswith("No such file or directory")


def test_a_worker_of_another_version_is_named(
    tmp_path: Path, start: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = small_set(tmp_path / "set", 1)
    monkeypatch.setattr(cluster, "installed", cluster_workers.other_version)
    one = start(1)
    with pytest.raises(UsageError) as raised:
        collect(paths, cache_dir=tmp_path / "cache", dask=DaskChoices(one.scheduler_address))
    text = str(raised.value)
    assert text.startswith(f"--dask {one.scheduler_address}: worker tcp://127.0.0.1:")
    assert text.endswith("here it is 0.0.7 (summaries 00000001, columns 00000002)")
    assert not (tmp_path / "cache").exists()


def test_no_workers(start: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "WORKERS_S", 0.2)
    address = start(0).scheduler_address
    with pytest.raises(UsageError, match=f"^--dask {address}: the scheduler has no workers$"):
        collect(small_set(tmp_path / "set", 1), cache_dir=tmp_path / "cache", dask=DaskChoices(address))


def test_nobody_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="distributed is not installed: nsystui[dask]")
    monkeypatch.setattr(cluster, "CONNECT_S", 0.5)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        with pytest.raises(UsageError, match=f"^--dask {address}: no scheduler answers: .*$"):
            collect(small_set(tmp_path / "set", 1), cache_dir=tmp_path / "c", dask=DaskChoices(address))


SCHEDULER = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    cluster = LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=False,
        host="127.0.0.1",
        protocol="tcp",
        dashboard_address=None,
    )
    print(cluster.scheduler_address, flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("fallback", [False, True])
def test_a_scheduler_that_is_lost(tmp_path: Path, fallback: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="distributed is not installed: nsystui[dask]")
    paths, cache = small_set(tmp_path / "set", 4), tmp_path / "cache"
    monkeypatch.setattr(cluster, "LOST_S", 1)
    script = tmp_path / "scheduler.py"
    script.write_text(SCHEDULER)
    with subprocess.Popen(
        [sys.executable, str(script)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        real = cluster._check_workers

        def check_and_kill(client: Any, where: str) -> None:
            real(client, where)
            process.kill()
            process.wait()

        monkeypatch.setattr(cluster, "_check_workers", check_and_kill)
        choices = DaskChoices(address, fallback=fallback)
        if fallback:
            assert computes(collect(paths, cache_dir=cache, jobs=1, dask=choices)) == [50, 51, 52, 53]
        else:
            with pytest.raises(UsageError, match="the scheduler was lost after 0 of 4 reports"):
                collect(paths, cache_dir=cache, jobs=1, dask=choices)


def test_addresses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DASK_SCHEDULER_ADDRESS", raising=False)
    monkeypatch.delenv("NSYS_DASK_SCHEDULER_FILE", raising=False)
    file = tmp_path / "scheduler.json"
    file.write_text(json.dumps({"address": "tcp://10.0.0.1:8786", "workers": {}}))
    assert scheduler_address("tcp://h:1") == "tcp://h:1"
    assert scheduler_address(str(file)) == "tcp://10.0.0.1:8786"
    with pytest.raises(
        UsageError, match="neither DASK_SCHEDULER_ADDRESS nor NSYS_DASK_SCHEDULER_FILE is set"
    ):
        scheduler_address("env")
    monkeypatch.setenv("NSYS_DASK_SCHEDULER_FILE", str(file))
    assert scheduler_address("env") == "tcp://10.0.0.1:8786"
    monkeypatch.setenv("DASK_SCHEDULER_ADDRESS", "tls://other:9")
    assert scheduler_address("env") == "tls://other:9"
    with pytest.raises(UsageError, match=r"no address .*, and no scheduler file: No such file"):
        scheduler_address(str(tmp_path / "none.json"))
    for text in ("[]", "{}", "no JSON"):
        file.write_text(text)
        with pytest.raises(UsageError, match="it holds no address"):
            scheduler_address(str(file))


def test_without_the_package_it_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(
        UsageError, match=r"^--dask needs the package distributed: pip install 'nsystui\[dask\]'$"
    ):
        collect(small_set(tmp_path / "set", 1), cache_dir=tmp_path / "c", dask=DaskChoices("tcp://h:1"))
    assert os.environ.get("PATH")


def answers(paths: list[Path], cache: Path, capsys: pytest.CaptureFixture[str], *options: str) -> list[str]:
    """What commands print of a set that no store knows yet."""
    found = []
    for command in ("ranks", "pace", "collectives", "steps"):
        arguments = [command, *map(str, paths), "--cache-dir", str(cache / command), *options]
        assert main(arguments) == 0, capsys.readouterr().err
        found.append(capsys.readouterr().out)
    return found


def test_commands_print_the_same_whoever_reads(
    tmp_path: Path, start: Callable[..., Any], capsys: pytest.CaptureFixture[str]
) -> None:
    paths = small_set(tmp_path / "set", 4)
    alone = answers(paths, tmp_path / "alone", capsys, "--jobs", "1")
    assert all(alone)
    assert answers(paths, tmp_path / "four", capsys, "--jobs", "4") == alone
    assert answers(paths, tmp_path / "cluster", capsys, "--dask", start().scheduler_address) == alone


def test_a_cluster_that_is_not_there_is_exit_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = small_set(tmp_path / "set", 2)
    options = ["--dask", str(tmp_path / "none.json"), "--cache-dir", str(tmp_path / "cache")]
    assert main(["ranks", *map(str, paths), *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    (line,) = err.splitlines()
    assert "no address (tcp://HOST:PORT), and no scheduler file: No such file or directory" in line
