"""What looks like one fault and is another: loops in a few lines, their costs counted by hand."""

from __future__ import annotations

import pytest

from fixtures.faults.loop import MS, US
from tests.diagnose.test_faults import Steps, told
from tests.support.export import Export

# --- MPI ---


@pytest.mark.parametrize(
    ("call", "table"),
    [
        ("MPI_Allreduce", "MPI_COLLECTIVES_EVENTS"),
        ("MPI_Recv", "MPI_P2P_EVENTS"),
        ("MPI_Waitall", "MPI_START_WAIT_EVENTS"),
        ("MPI_Win_fence", "MPI_OTHER_EVENTS"),
    ],
)
@pytest.mark.parametrize("ranges", [True, False])
@pytest.mark.parametrize("syncs", [True, False])
def test_waiting_for_other_ranks_is_mpis(tmp_path, call, table, ranges, syncs):
    """Each 50 ms: 30 ms of kernel, then 15 ms in MPI with a poll inside, then the next kernel."""
    loop = Steps(tmp_path / "x.sqlite")
    for step in range(loop.count):
        at = loop.start(step)
        if ranges:
            loop.ranged("timestep", step, 0, 49 * MS)
        loop.kernel(at + 10 * US, at + 20 * US, at + 30 * MS)
        if syncs:
            loop.export.runtime("cudaDeviceSynchronize_v3020", at + 40 * US, at + 30 * MS + 5 * US)
        loop.export.mpi(call, at + 30 * MS + 10 * US, at + 45 * MS, table=table)
        loop.export.osrt("poll", at + 31 * MS, at + 44 * MS)
        loop.kernel(at + 45 * MS + 10 * US, at + 45 * MS + 20 * US, at + 50 * MS)
    findings = told(loop.write())
    assert next(iter(findings)) == "mpi-wait"
    finding = findings["mpi-wait"]
    assert call in finding.title
    assert finding.cost_ns == 10 * (15 * MS - 10 * US)
    assert not {"input-starvation", "gc-pauses", "hidden-sync"} & set(findings)


def test_mpi_beside_queued_work_costs_nothing(tmp_path):
    loop = Steps(tmp_path / "x.sqlite")
    for step in range(loop.count):
        at = loop.start(step)
        loop.export.mpi("MPI_Allreduce", at + 1 * MS, at + 45 * MS)
        loop.kernel(at + 46 * MS, at + 50 * MS, at + 100 * MS)
    assert "mpi-wait" not in told(loop.write())


# --- compilers as processes ---


class Stalling:
    """Steps of 20 ms of kernel, 12 of them; before the kernel of some of them the host stalls."""

    def __init__(self, path, count=12, ranges=True):
        self.export = Export(path)
        self.export.process(100, "python")
        self.export.thread_name(100, 1, "python")
        self.count, self.ranges = count, ranges
        self.at = 0

    def run(self, stalls, stall, name="gemm", middle=False, inside=None):
        """``stall(export, start, end, step)`` fills ``stalls`` (step -> ns); ``inside``: their range."""
        for step in range(self.count):
            begun, ns = self.at, stalls.get(step, 0)
            if middle:
                self.launch(20 * MS, "first")
            if ns:
                stall(self.export, self.at, self.at + ns, step)
                if inside:
                    self.export.push_pop(inside, self.at, self.at + ns)
            self.at += ns
            self.launch(20 * MS, name(step) if callable(name) else name)
            if self.ranges:
                self.export.push_pop("train_step", begun, self.at - 2 * US)
        return told(self.export.write())

    def launch(self, ns, name):
        corr = self.export.runtime("cudaLaunchKernel_v7000", self.at + 10 * US, self.at + 16 * US)
        self.export.kernel(self.at + 20 * US, self.at + 20 * US + ns, corr=corr, name=name)
        self.at += ns + 30 * US


def compiler(program, spawn="fork", wait="waitpid", *, thread=None, recorded=True, process=True):
    """A stall in which a program is started, reads and writes files, and is waited for."""

    def stall(export, start, end, step):
        pid = 200 + step
        export.osrt(spawn, start, start + 50 * US)
        export.osrt(wait, start + 60 * US, end - 20 * US)
        if process:
            export.process(pid, program)
        if thread:
            export.thread_name(pid, pid, thread)
        if recorded:
            export.osrt("open64", start + 100 * US, start + 150 * US, pid=pid, tid=pid)
            export.osrt("read", start + 150 * US, start + 170 * US, pid=pid, tid=pid)
            export.osrt("write", end - 200 * US, end - 150 * US, pid=pid, tid=pid)

    return stall


@pytest.mark.parametrize(
    ("program", "thread"),
    [
        ("ptxas", None),
        ("/usr/local/cuda/bin/ptxas", "ptxas"),
        ("cicc", None),
        ("nvcc", None),
        ("cudafe++", None),
        ("/usr/lib/gcc/x86_64-linux-gnu/11/cc1plus", "cc1plus"),
        ("x86_64-linux-gnu-g++-11", None),
        ("x86_64-linux-gn", "x86_64-linux-gn"),
        ("gcc", None),
        ("clang-17", None),
        ("ld", None),
        ("ninja", None),
        ("python -m torch._inductor.compile_worker", None),
        ("python", "triton-compile"),
        ("python", "ptxas"),
    ],
)
@pytest.mark.parametrize(("spawn", "wait"), [("fork", "waitpid"), ("vfork", "poll"), ("posix_spawn", "read")])
def test_a_compiler_that_is_started_is_recompilation(tmp_path, program, thread, spawn, wait):
    stall = compiler(program, spawn, wait, thread=thread)
    findings = Stalling(tmp_path / "x.sqlite").run({4: 30 * MS, 5: 30 * MS, 9: 30 * MS}, stall)
    assert list(findings) == ["recompilation"]
    assert findings["recompilation"].cost_ns == pytest.approx(3 * 30 * MS, rel=0.02)
    assert findings["recompilation"].confidence.value == "high"


@pytest.mark.parametrize("middle", [True, False])
@pytest.mark.parametrize("stall_ms", [4, 20, 200])
@pytest.mark.parametrize("every", [1, 3])
def test_compilers_of_any_length_anywhere_in_a_step(tmp_path, middle, stall_ms, every):
    stalls = dict.fromkeys(range(1, 12, every), stall_ms * MS)
    findings = Stalling(tmp_path / "x.sqlite").run(stalls, compiler("cc1plus", "vfork"), middle=middle)
    assert list(findings) == ["recompilation"]
    assert findings["recompilation"].cost_ns == pytest.approx(len(stalls) * stall_ms * MS, rel=0.05)


@pytest.mark.parametrize("recorded", [True, False])
def test_a_program_of_any_name_before_new_kernels_compiles(tmp_path, recorded):
    """The name says nothing, but a kernel runs for the first time right after it."""
    stall = compiler("sh", recorded=recorded)
    name = lambda step: f"fused_{sum(step >= s for s in (4, 9))}"  # noqa: E731
    findings = Stalling(tmp_path / "x.sqlite").run({4: 30 * MS, 9: 30 * MS}, stall, name=name)
    assert list(findings) == ["recompilation"]


def test_a_pool_that_calls_programs_compiles(tmp_path):
    """Four processes of no telling name live on, as workers do; they call programs, and a new kernel runs."""

    def stall(export, start, end, step):
        for number in range(4):
            pid = 300 + number
            export.osrt("fork", start + number * 300 * US, start + number * 300 * US + 250 * US)
            export.process(pid, "python3")
            export.osrt("read", start + 2 * MS, start + 3 * MS, pid=pid, tid=pid)
            export.osrt("vfork", start + 3 * MS, start + 4 * MS, pid=pid, tid=pid)
            export.osrt("waitpid", start + 4 * MS, end - 1 * MS, pid=pid, tid=pid)
            export.osrt("read", end - 1 * MS, end + 60 * MS, pid=pid, tid=pid)
        export.osrt("poll", start + 1300 * US, end - 20 * US)

    name = lambda step: "triton_1" if step >= 5 else "gemm"  # noqa: E731
    findings = Stalling(tmp_path / "x.sqlite").run({5: 30 * MS}, stall, name=name)
    assert list(findings) == ["recompilation"]


def test_a_program_that_is_waited_for_is_no_worker(tmp_path):
    """Nothing says what it does: not a compiler, and no worker either. The steps are longer by it."""
    findings = Stalling(tmp_path / "x.sqlite").run({4: 30 * MS, 5: 30 * MS}, compiler("sh", recorded=False))
    assert list(findings) == ["uneven-steps"]


def test_without_ranges_compilers_are_recompilation_too(tmp_path):
    findings = Stalling(tmp_path / "x.sqlite", ranges=False).run({4: 30 * MS, 9: 30 * MS}, compiler("ptxas"))
    assert next(iter(findings)) == "recompilation"
    assert findings["recompilation"].cost_ns == pytest.approx(2 * 30 * MS, rel=0.02)
    assert not {"worker-respawn", "warm-up", "input-starvation"} & set(findings)


def test_a_compiler_in_the_background_costs_nothing(tmp_path):
    loop = Stalling(tmp_path / "x.sqlite")
    loop.export.process(300, "ptxas")
    loop.export.osrt("read", 5 * MS, 100 * MS, pid=300, tid=300)
    loop.export.osrt("write", 200 * MS, 210 * MS, pid=300, tid=300)
    assert loop.run({}, None) == {}


def test_what_was_compiled_is_no_compiler(tmp_path):
    """`Torch-Compiled Region` is the name of code that runs."""
    stall = lambda export, start, end, step: None  # noqa: E731
    stalls = dict.fromkeys(range(12), 5 * MS)
    findings = Stalling(tmp_path / "x.sqlite").run(stalls, stall, inside="Torch-Compiled Region: 0/0")
    assert "recompilation" not in findings


def workers(name="python", thread=None, count=3, outlive=True, spawn="fork"):
    """A stall in which workers are started that read files and live on."""

    def stall(export, start, end, step):
        for number in range(count):
            at, pid = start + number * 400 * US, 300 + 10 * step + number
            export.osrt(spawn, at, at + 300 * US)
            if name:
                export.process(pid, name)
            if thread:
                export.thread_name(pid, pid, thread)
            for again in range(10 if outlive else 1):
                export.osrt(
                    "openat", at + 350 * US + again * 9 * MS, at + 360 * US + again * 9 * MS, pid=pid, tid=pid
                )
                export.osrt(
                    "pread64", at + 360 * US + again * 9 * MS, at + 2 * MS + again * 9 * MS, pid=pid, tid=pid
                )
        export.osrt("poll", start + count * 400 * US, end - 20 * US)

    return stall


@pytest.mark.parametrize(
    ("name", "thread"),
    [("python", "pt_data_worker"), ("python", None), (None, None), ("DataLoader worker", None)],
)
@pytest.mark.parametrize("spawn", ["fork", "clone", "posix_spawn"])
def test_workers_that_live_on_are_respawned(tmp_path, name, thread, spawn):
    stall = workers(name, thread, spawn=spawn)
    findings = Stalling(tmp_path / "x.sqlite").run({4: 30 * MS, 8: 30 * MS}, stall)
    assert next(iter(findings)) == "worker-respawn"
    assert findings["worker-respawn"].cost_ns == pytest.approx(2 * 30 * MS, rel=0.02)
    assert set(findings) == {"worker-respawn"}


def test_the_share_of_forks_leaves_the_warm_up_out(tmp_path):
    """Workers are started in the first two steps too, 100 ms each; those are warm-up."""
    stall = workers("python", "pt_data_worker", count=3)
    stalls = {0: 100 * MS, 1: 100 * MS, 6: 40 * MS, 9: 40 * MS}
    finding = Stalling(tmp_path / "x.sqlite").run(stalls, stall)["worker-respawn"]
    # 3 forks of 0.3 ms of 40 ms are 2 %
    assert "the launching thread forks in these gaps (2 % of the lost time)" in finding.reasons


# --- stalls every n-th step ---


def filled(call):
    """A stall inside one call; None: host code."""

    def stall(export, start, end, step):
        if call:
            export.osrt(call, start + 5 * US, end - 5 * US)

    return stall


@pytest.mark.parametrize("call", ["write", "fsync", "nanosleep", None])
@pytest.mark.parametrize(("every", "phase"), [(3, 2), (5, 4), (10, 9), (4, 1)])
@pytest.mark.parametrize("stall_ms", [6, 25, 120])
@pytest.mark.parametrize("middle", [True, False])
def test_a_stall_every_nth_step_is_periodic(tmp_path, call, every, phase, stall_ms, middle):
    count = 3 * every + phase + 1
    stalls = dict.fromkeys(range(phase, count, every), stall_ms * MS)
    loop = Stalling(tmp_path / "x.sqlite", count)
    findings = loop.run(stalls, filled(call), middle=middle)
    assert list(findings) == ["periodic-stall"]
    finding = findings["periodic-stall"]
    assert finding.title.startswith(f"every {every} steps the host stops launching for")
    assert (call or "host code") in finding.title
    assert finding.cost_ns == pytest.approx(len(stalls) * stall_ms * MS, rel=0.05)


def test_a_periodic_stall_names_its_range(tmp_path):
    stalls = dict.fromkeys(range(3, 20, 4), 10 * MS)
    findings = Stalling(tmp_path / "x.sqlite", 20).run(
        stalls, filled(None), inside="write_summary", middle=True
    )
    assert findings["periodic-stall"].title.endswith("in host code under 'write_summary'")


def test_irregular_pauses_are_not_periodic(tmp_path):
    stalls = dict.fromkeys((2, 3, 7, 8, 13), 30 * MS)
    findings = Stalling(tmp_path / "x.sqlite", 20).run(stalls, filled(None), middle=True)
    assert list(findings) == ["gc-pauses"]


def test_a_late_batch_every_nth_step_is_input(tmp_path):
    """As many workers as steps between two waits: the loader, not a rhythm of the program's own."""
    stalls = dict.fromkeys(range(4, 20, 4), 20 * MS)
    findings = Stalling(tmp_path / "x.sqlite", 20).run(stalls, filled("poll"), inside="data_load")
    assert list(findings) == ["input-starvation"]


# --- without ranges ---


def batch_waits(call, reader, reads=True, rest=0):
    """Each stall is a wait of the launching thread in ``call``; a process reads files all the time."""

    def stall(export, start, end, step):
        export.osrt(call, start + 5 * US, end - rest - 5 * US)
        if reader:
            export.process(400, reader)
            export.thread_name(400, 400, reader)
        if reads:
            for at in range(start - 10 * MS, end, 2 * MS):
                export.osrt("pread64", at, at + 1500 * US, pid=400, tid=400)

    return stall


@pytest.mark.parametrize("call", ["poll", "pthread_cond_wait", "sem_wait", "read", "select", "epoll_wait"])
@pytest.mark.parametrize("reader", ["pt_data_worker", "python", None])
@pytest.mark.parametrize("wait_ms", [2, 20])
def test_without_ranges_loaders_and_waits_are_input(tmp_path, call, reader, wait_ms):
    stalls = dict.fromkeys(range(1, 12), wait_ms * MS)
    findings = Stalling(tmp_path / "x.sqlite", ranges=False).run(stalls, batch_waits(call, reader))
    assert next(iter(findings)) == "input-starvation"
    assert findings["input-starvation"].cost_ns == pytest.approx(11 * wait_ms * MS, rel=0.03)
    assert set(findings) == {"input-starvation", "no-ranges"}


def test_without_ranges_the_name_of_a_loader_is_enough(tmp_path):
    """Its reads were not traced, or it reads from memory."""

    def stall(export, start, end, step):
        batch_waits("poll", "pt_data_worker", reads=False)(export, start, end, step)
        export.osrt("sem_post", end - 9 * US, end - 8 * US, pid=400, tid=400)

    stalls = dict.fromkeys(range(1, 12), 10 * MS)
    findings = Stalling(tmp_path / "x.sqlite", ranges=False).run(stalls, stall)
    assert next(iter(findings)) == "input-starvation"


def test_without_ranges_a_wait_alone_says_nothing(tmp_path):
    stalls = dict.fromkeys(range(1, 12), 10 * MS)
    loop = Stalling(tmp_path / "x.sqlite", ranges=False)
    findings = loop.run(stalls, batch_waits("poll", None, reads=False))
    assert next(iter(findings)) == "unexplained-idle"


@pytest.mark.parametrize(("name", "thread"), [("python", "pt_data_worker"), ("python", None)])
def test_without_ranges_workers_are_respawned_too(tmp_path, name, thread):
    loop = Stalling(tmp_path / "x.sqlite", ranges=False)
    findings = loop.run({4: 30 * MS, 8: 30 * MS}, workers(name, thread))
    assert next(iter(findings)) == "worker-respawn"
    assert findings["worker-respawn"].cost_ns == pytest.approx(2 * 30 * MS, rel=0.02)
