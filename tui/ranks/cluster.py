"""Reports read by a cluster of dask.distributed. Alone imports it, and alone opens a network connection."""

from __future__ import annotations

import json
import logging
import os
import queue
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tui.errors import UsageError
from tui.ranks import cluster_work
from tui.ranks.cluster_work import Remote, installed, read_for_client, versions_text
from tui.ranks.one_report import Choices, Outcome, file_summary
from tui.ranks.set_progress import SetMeter
from tui.ranks.tasks import DaskChoices, Task

CONNECT_S = 10
"""Seconds for the scheduler to answer."""
WORKERS_S = 10
"""Seconds for the first worker to come."""
LOST_S = 10
"""Seconds for a lost scheduler to come back."""
_LOOK_S = 0.5
_MISSING = "--dask needs the package distributed: pip install 'nsystui[dask]'"

Outcomes = Iterator[tuple[Task, Outcome]]


def read_on_cluster(
    tasks: Sequence[Task],
    choices: Choices,
    meter: SetMeter,
    dask: DaskChoices,
    read_here: Callable[[Sequence[Task]], Outcomes],
) -> Outcomes:
    """Read reports on the workers of a scheduler, the largest first; yield what comes of each as it comes.

    ``read_here`` reads those that the workers don't see, and the rest where the scheduler is lost and
    ``dask`` says so. Raises UsageError where the cluster can't be used, or is lost.
    """
    address = scheduler_address(dask.scheduler)
    left = {task.place: task for task in tasks}
    unseen: list[Task] = []
    with _quiet(), _connected(address) as client:
        _check_workers(client, address)
        for task, remote in _results(client, tasks, choices, meter, dask):
            if remote is None:
                break
            del left[task.place]
            if remote.outcome is None and task.key:
                unseen.append(task)
                continue
            meter.ended(task)
            if remote.outcome is None:
                yield task, Outcome(error=f"{task.path}: {remote.why}, and it is not here")
            else:
                yield task, _filed(task, remote, remote.outcome, choices)
    if left and not dask.fallback:
        done = len(tasks) - len(left)
        raise UsageError(
            f"--dask {address}: the scheduler was lost after {done:,} of {len(tasks):,} reports; what was "
            "read is kept: run it again, or add --dask-fallback to read the rest here"
        )
    yield from read_here([*unseen, *left.values()])


def scheduler_address(text: str) -> str:
    """The address that ``--dask`` means: one, that in a scheduler file, or that of the environment.

    Raises UsageError for what is none.
    """
    if text == "env":
        if found := os.environ.get("DASK_SCHEDULER_ADDRESS"):
            return found
        text = os.environ.get("NSYS_DASK_SCHEDULER_FILE", "")
        if not text:
            raise UsageError("--dask env: neither DASK_SCHEDULER_ADDRESS nor NSYS_DASK_SCHEDULER_FILE is set")
    if "://" in text:
        return text
    try:
        return str(json.loads(Path(text).read_bytes())["address"])
    except OSError as error:
        why = error.strerror or error
        raise UsageError(
            f"--dask {text}: no address (tcp://HOST:PORT), and no scheduler file: {why}"
        ) from None
    except (ValueError, KeyError, TypeError):
        raise UsageError(f"--dask {text}: no scheduler file: it holds no address") from None


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the log of distributed, and its warnings of other versions, off the terminal."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    """A client of the scheduler; its tasks are dropped when the context ends."""
    try:
        from distributed import Client
    except ImportError:
        raise UsageError(_MISSING) from None
    try:
        client = Client(address, timeout=CONNECT_S, set_as_default=False, name="nsystui")
    except (OSError, ValueError, TimeoutError) as error:
        raise UsageError(f"--dask {address}: no scheduler answers: {_one_line(error)}") from None
    try:
        yield client
    finally:
        with suppress(Exception):  # whatever it is, nothing more is wanted of the cluster
            client.close(timeout=2)


def _check_workers(client: Any, address: str) -> None:
    """Raise UsageError unless there are workers, and all have this version."""
    try:
        client.wait_for_workers(1, timeout=WORKERS_S)
    except TimeoutError:
        raise UsageError(f"--dask {address}: the scheduler has no workers") from None
    expected = installed()
    try:
        found = client.run(cluster_work.installed, on_error="return")
    except OSError as error:
        raise UsageError(f"--dask {address}: the workers can't be asked: {_one_line(error)}") from None
    for worker, versions in sorted(found.items()):
        if isinstance(versions, BaseException):
            raise UsageError(
                f"--dask {address}: worker {worker} has no nsystui that can be used: {_one_line(versions)}"
            )
        if tuple(versions) != expected:
            raise UsageError(
                f"--dask {address}: worker {worker} has nsystui {versions_text(tuple(versions))}, "
                f"here it is {versions_text(expected)}"
            )


def _results(
    client: Any, tasks: Sequence[Task], choices: Choices, meter: SetMeter, dask: DaskChoices
) -> Iterator[tuple[Task, Remote | None]]:
    """Yield what comes of each report; None for the first that will not come: the scheduler is lost."""
    done: queue.SimpleQueue[Any] = queue.SimpleQueue()
    waiting: dict[str, tuple[Any, list[Task]]] = {}
    shared = None if dask.store is None else str(dask.store.absolute())
    for task in tasks:
        key = _key(task, choices)
        if key in waiting:
            waiting[key][1].append(task)
            continue
        future = client.submit(
            read_for_client,
            str(task.path.absolute()),
            task.key,
            choices,
            installed(),
            shared,
            key=key,
            retries=1,
            pure=True,
            priority=task.size,
        )
        waiting[key] = future, [task]
        future.add_done_callback(done.put)
    lost_at: float | None = None
    while waiting:
        try:
            future = done.get(timeout=_LOOK_S)
        except queue.Empty:
            meter.show()
            if client.status == "running":
                lost_at = None
                continue
            lost_at = lost_at or time.monotonic()
            if client.status == "closed" or time.monotonic() - lost_at > LOST_S:
                break
            continue
        if future.status in ("cancelled", "lost") or future.key not in waiting:
            continue
        _, of = waiting.pop(future.key)
        remote = _remote(future, of[0])
        future.release()
        for task in of:
            yield task, remote
    for _, of in waiting.values():
        yield of[0], None


def _key(task: Task, choices: Choices) -> str:
    options = f"{choices.comm.value}-{choices.step}-{choices.use_nsys}-{choices.rules or ''}"
    return f"nsystui-{task.key or task.path.absolute()}-{options}-{'-'.join(map(str, installed()))}"


def _remote(future: Any, task: Task) -> Remote:
    """What a worker answered, or why none did."""
    from distributed import KilledWorker

    try:
        found: Remote = future.result()
        return found
    except KilledWorker:
        return Remote(Outcome(error=f"{task.path}: its worker was killed three times (out of memory?)"))
    except Exception as error:  # whatever went wrong there, it is this report's alone
        return Remote(Outcome(error=f"{task.path}: failed on its worker: {_one_line(error)}"))


def _filed(task: Task, remote: Remote, outcome: Outcome, choices: Choices) -> Outcome:
    """Put the summary that came into the own store; one in the shared folder is removed from there."""
    data = outcome.data
    if remote.file is not None:
        path = Path(remote.file)
        try:
            data = path.read_bytes()
        except OSError as error:
            return Outcome(error=f"{task.path}: its summary {path} can't be read: {error.strerror or error}")
        with suppress(OSError):
            path.unlink()
    return outcome if data is None else file_summary(outcome.key, data, choices, outcome.told)


def _one_line(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]
