"""The seam for spread work: processes that die, errors of tasks, clusters."""

import itertools
import json
import os
import pickle
import shutil
import signal
import socket
import subprocess
import sys

import numpy as np
import pytest

import mpps
import sweep_tasks
from mpps.errors import MppsError
from mpps.sweep import WorkersDied, bootstrap, cluster, executors, pool
from mpps.uncertainty import members
from samples import ROOT

SPEC = {
    "network": "hump",
    "cores": "1-64",
    "parameters": {
        "private_ns": {"distribution": "lognormal", "lower": 300, "upper": 900, "draws": 200},
        "growth_ns": 2,
        "section_ns": {"from": 20, "to": 100, "steps": 60},
        "handoff_peak_ns": [30, 60],
        "handoff_depth": 3,
    },
    "outputs": ["peak_cores", "peak_rate"],
}


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_every_task_is_answered_once(workers):
    with pool(workers) as some:
        for count in (0, 1, 7):
            assert sorted(some.run(sweep_tasks.square, ((k,) for k in range(count)))) == [
                (k, k * k) for k in range(count)
            ]
        assert some.workers == workers


def test_tasks_are_taken_a_few_at_a_time():
    taken = itertools.count()
    with pool(2) as two:
        results = two.run(sweep_tasks.square, ((next(taken),) for _ in range(1000)))
        for _ in range(5):
            next(results)
        assert next(taken) < 5 + 2 * 2 + 2


@pytest.mark.parametrize("times", [1, 2])
def test_what_a_dead_worker_had_is_done_again(tmp_path, times):
    with pool(2) as two:
        tasks = [(k, str(tmp_path), times) for k in range(8)]
        assert sorted(two.run(sweep_tasks.square_once_killed, tasks)) == [(k, k * k) for k in range(8)]
    assert len(list(tmp_path.iterdir())) == times


def test_a_task_that_always_kills_is_named_and_the_others_are_done(tmp_path):
    done = []
    with (
        pool(2) as two,
        pytest.raises(
            WorkersDied, match=r"1 of the tasks ended their worker 3 times each .first: task 3.*memory"
        ) as died,
    ):
        done.extend(two.run(sweep_tasks.square_once_killed, [(k, str(tmp_path), 99) for k in range(8)]))
    assert died.value.places == (3,) and sorted(place for place, _ in done) == [0, 1, 2, 4, 5, 6, 7]


def test_errors_of_tasks_are_told_as_they_are():
    with pool(2) as two:
        with pytest.raises(MppsError, match="found 5: expected another one"):
            list(two.run(sweep_tasks.refuse, [(5,)]))
        with pytest.raises(RuntimeError, match="ZeroDivisionError: task 6"):
            list(two.run(sweep_tasks.stumble, [(6,)]))
        # The pool can be used again.
        assert list(two.run(sweep_tasks.square, [(4,)])) == [(0, 16)]


def test_workers_end_with_whoever_started_them():
    """A parent that is killed leaves no process behind."""
    code = (
        "import sys; sys.path[:0] = [{!r}, {!r}]\nimport sweep_tasks\nfrom mpps.sweep import pool\n"
        "with pool(2) as two:\n list(two.run(sweep_tasks.square, [(1,), (2,)]))\n"
        " print(*[held[0].pid for held in two._alive.values()], flush=True)\n sys.stdin.read()"
    ).format(str(ROOT / "model"), str(ROOT / "tests"))
    parent = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    workers = list(map(int, parent.stdout.readline().split()))
    handles = [os.pidfd_open(pid) for pid in workers]
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdin.close()
    parent.stdout.close()
    import select

    for handle in handles:
        assert select.select([handle], [], [], 20)[0], "a worker is still there"
        os.close(handle)
    assert len(workers) == 2


def test_a_script_without_a_guard_may_sweep(tmp_path):
    """Worker processes do not import the script that started them."""
    script = tmp_path / "script.py"
    script.write_text(
        f"import sys; sys.path[:0] = [{str(ROOT / 'model')!r}]\nimport mpps\n"
        f"print(mpps.sweep({SPEC!r}, out={str(tmp_path / 'out.parquet')!r}, workers=2, progress=False).rows)\n"
    )
    ended = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)

    assert (ended.stdout, ended.stderr) == ("24000\n", "")


# A cluster


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory):
    """Address of a scheduler with no workers, and what starts one: processes of their own, as a cluster has them."""
    folder = tmp_path_factory.mktemp("dask")
    module = [sys.executable, "-m", "distributed.cli"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "model"), str(ROOT / "tests")])}
    # Where this package is installed, something that stands before it says that it is not.
    (folder / "without" / "mpps").mkdir(parents=True)
    (folder / "without" / "mpps" / "__init__.py").write_text("raise ModuleNotFoundError(\"No module named 'mpps'\")\n")
    processes = []

    def start(kind, *options):
        command = [module[0], module[1], f"{module[2]}.dask_{kind}", *options, "--no-dashboard"]
        # Neither the scheduler nor a bare worker has this package.
        lacking = os.environ | {"PYTHONPATH": str(folder / "without")}
        own = environment if kind == "worker" and "bare" not in options else lacking
        command = [part for part in command if part != "bare"]
        with (folder / f"{kind}{len(processes)}.log").open("w") as log:
            processes.append(subprocess.Popen(command, stdout=log, stderr=log, env=own, cwd=folder))
        return processes[-1]

    first = start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(folder / "address.json"))
    while not (folder / "address.json").exists() or not (folder / "address.json").read_text():
        assert first.poll() is None
    address = json.loads((folder / "address.json").read_text())["address"]
    yield address, lambda *bare: start("worker", address, "--nworkers", "1", "--nthreads", "1", "--no-nanny", *bare)
    for process in processes:
        process.kill()
        process.wait()


@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_without_workers_is_told(scheduler, monkeypatch):
    monkeypatch.setattr(cluster, "PATIENCE", 1)

    told = "the scheduler has no workers, and none came within 1 s: start some"
    with pytest.raises(MppsError, match=told), pool(scheduler=scheduler[0]):
        pass


@pytest.mark.filterwarnings("ignore")
def test_a_worker_without_the_package_is_told(scheduler, monkeypatch):
    address, start = scheduler
    bare = start("bare")
    monkeypatch.setattr(cluster, "PATIENCE", 60)

    with (
        pytest.raises(MppsError, match="a worker cannot import mpps .*install the same version there"),
        pool(scheduler=address),
    ):
        pass

    bare.kill()
    bare.wait()


def _until(client, condition):
    """Wait for what a scheduler tells its client; a task's round trip passes the time."""
    for _ in range(10_000):
        if condition():
            return
        client.sync(client.scheduler.identity)
    raise AssertionError("the scheduler told nothing")


@pytest.mark.filterwarnings("ignore")
def test_results_that_died_with_their_workers_are_computed_again(scheduler):
    """All workers hold results that nobody has fetched yet, and are killed."""
    address, start = scheduler
    held = [start(), start()]
    with pool(scheduler=address) as both:
        client = both._client
        client.wait_for_workers(2, timeout=60)
        results = both.run(sweep_tasks.square, [(k,) for k in range(6)])
        found = dict([next(results)])
        states = [state for key, state in client.futures.items() if key.startswith("mpps-")]
        assert len(states) >= 5
        _until(client, lambda: sum(state.status == "finished" for state in states) >= 5)
        for worker in held:
            worker.kill()
        _until(client, lambda: any(state.status == "lost" for state in states))
        last = start()
        found |= dict(results)
        last.kill()
        _until(client, lambda: not client.nthreads())

    assert found == {k: k * k for k in range(6)}


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_gives_the_same_bytes_when_a_worker_is_killed(scheduler, tmp_path, monkeypatch):
    from mpps.sweep import parts, plan

    monkeypatch.setattr(plan, "_RATES", 1 << 17)
    here, there = tmp_path / "here.parquet", tmp_path / "there.parquet"
    local = mpps.sweep(SPEC, out=here, workers=1, progress=False)
    address, start = scheduler
    workers = [start(), start()]
    add, added = parts.Parts.add, []

    def third(self, index, content):
        added.append(index)
        if len(added) == 3:
            workers[0].kill()
        return add(self, index, content)

    monkeypatch.setattr(parts.Parts, "add", third)
    with pool(scheduler=address) as both:
        both._client.wait_for_workers(2, timeout=60)
    result = mpps.sweep(SPEC, out=there, scheduler=address, progress=False)

    assert workers[0].wait() == -signal.SIGKILL and workers[1].poll() is None
    assert result.chunks == local.chunks == 12 and sorted(added) == list(range(12))
    assert there.read_bytes() == here.read_bytes()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_task_that_kills_workers_of_a_cluster_is_named(scheduler, tmp_path):
    address, start = scheduler
    started = [start() for _ in range(5)]
    with pool(scheduler=address) as several:
        several._client.wait_for_workers(5, timeout=60)
        done = []
        with pytest.raises(WorkersDied) as died:
            done.extend(several.run(sweep_tasks.square_once_killed, [(k, str(tmp_path), 99) for k in range(8)]))
        assert died.value.places == (3,) and len(done) == 7
    assert any(worker.poll() is not None for worker in started)


def test_workers_of_another_version_are_refused():
    mine = cluster.fingerprint()

    cluster.compare(mine, dict(mine), "tcp://one")
    for name in ("mpps", "NumPy", "Python"):
        with pytest.raises(MppsError, match=f"worker tcp://one has {name} 1.0, this process .*install the same"):
            cluster.compare(mine, mine | {name: "1.0"}, "tcp://one")
    with pytest.raises(MppsError, match="that took a task has NumPy"):
        cluster.checked(mine | {"NumPy": "0"}, sweep_tasks.square, (2,))
    assert cluster.checked(mine, sweep_tasks.square, (2,)) == 4


@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_that_is_not_there_is_told_within_seconds(monkeypatch, tmp_path):
    monkeypatch.setattr(cluster, "PATIENCE", 1)

    silent = socket.create_server(("127.0.0.1", 0))
    mute = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
    reasons = {
        "tcp://127.0.0.1:1": "no scheduler answers there within 1 s",
        "tcp://host": "no scheduler answers there within 1 s .it has no port",
        "nonsense://x": "no scheduler",
        mute: "no scheduler answers there within 1 s .timed out",
    }
    for address, reason in reasons.items():
        with pytest.raises(MppsError, match=f"--scheduler {address}: {reason}.*tcp://host:8786"):
            mpps.sweep(SPEC, out=tmp_path / "sweep.parquet", scheduler=address, progress=False)
    silent.close()
    assert not (tmp_path / "sweep.parquet").exists()
    with pytest.raises(MppsError, match="--workers and --scheduler at once"), pool(2, "tcp://127.0.0.1:1"):
        pass


def test_a_worker_needs_none_of_the_workbooks_data(tmp_path):
    """A chunk, pickled, computed by a copy of the package that has no clone around it."""
    from mpps.sweep import plan_of, read_spec
    from mpps.sweep.cells import prepared
    from mpps.sweep.run import chunk_bytes

    spec = {"path": "packet_transmit", "variants": ["qdisc"], "machines": ["epyc_9654"], "cores": [1, 4], "draws": 20}
    plan = plan_of(read_spec(spec | {"outputs": ["knee", "limits_first", "cores_for_load"], "loads": [1e6]}))
    spec = plan.spec
    task = (prepared(spec, spec.keys[0]), spec.axes, 0, 1, spec.outputs, spec.loads, spec.queue)
    (tmp_path / "task").write_bytes(pickle.dumps(task))
    shutil.copytree(ROOT / "model" / "mpps", tmp_path / "lone" / "mpps", ignore=shutil.ignore_patterns("__pycache__"))
    code = (
        "import pickle, sys; from mpps.root import data_folder; from mpps.sweep.run import chunk_bytes\n"
        "assert not data_folder().exists()\n"
        "sys.stdout.buffer.write(chunk_bytes(*pickle.load(open('task', 'rb'))))"
    )
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "lone")}
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, check=False
    )

    assert ended.stderr == b"" and ended.stdout == chunk_bytes(*task)


def test_a_pool_uses_the_cores_that_there_are():
    assert executors.cores() == len(os.sched_getaffinity(0))


def test_replicates_are_the_same_whoever_computes_them():
    """They agree with the spread of those of the fit."""
    one = mpps.fit(mpps.load_path("tun_receive"), "all").best
    given = (one.problem, one.solved, one.scale, 600)
    with pool(1) as here, pool(2) as two:
        alone, spread = bootstrap(here, *given, seed=3), bootstrap(two, *given, seed=3)

    np.testing.assert_array_equal(alone, spread)
    assert alone.shape == (600, len(one.problem.parameters)) and len(np.unique(alone[:, 0])) == 600
    again = members(*given, 8)
    np.testing.assert_allclose(alone.mean(axis=0), again.mean(axis=0), atol=4 * again.std(axis=0).max() / np.sqrt(300))
    np.testing.assert_allclose(alone.std(axis=0), again.std(axis=0), rtol=0.2, atol=1e-4)
