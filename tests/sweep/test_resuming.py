"""Whatever ends a sweep, the same call goes on from there: nothing lost, nothing doubled, the same bytes."""

import errno
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import mpps
from mpps.errors import MppsError
from mpps.sweep import executors, frames, parts, plan, run
from samples import ROOT
from small_sweep import DRIVER, SPEC


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    """Ten chunks, as tests/sweep_driver.py cuts them."""
    monkeypatch.setattr(plan, "_RATES", 1 << 12)
    monkeypatch.setattr(plan, "code", lambda: "of the test")


@pytest.fixture(scope="module")
def spec_file(tmp_path_factory):
    file = tmp_path_factory.mktemp("spec") / "sweep.yaml"
    file.write_text(json.dumps(SPEC))
    return file


@pytest.fixture(scope="module")
def reference(tmp_path_factory, spec_file):
    """Bytes of the result and of what stands beside it, from a run that nothing ended."""
    out = tmp_path_factory.mktemp("reference") / "sweep.parquet"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "_RATES", 1 << 12)
        patch.setattr(plan, "code", lambda: "of the test")
        result = swept(spec_file, out)
    assert result.chunks == 10 and result.resumed == 0 and result.rows == 4800
    return contents(out)


def swept(spec, out, **options):
    return mpps.sweep(spec, out=out, **({"workers": 1, "progress": False} | options))


def contents(out):
    assert not out.with_name(f"{out.name}.parts").exists()
    assert sorted(file.name for file in out.parent.iterdir()) == [out.name, f"{out.name}.json"]
    return out.read_bytes(), out.with_name(f"{out.name}.json").read_bytes()


def driven(spec_file, out, kill: int, workers: int = 1, limit: int | None = None):
    command = [sys.executable, str(DRIVER), str(spec_file), str(out), str(kill), str(workers)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "model"), str(ROOT / "tests")])}
    limited = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))) if limit else None
    return subprocess.run(command, capture_output=True, text=True, env=environment, preexec_fn=limited, check=False)


def test_rows_stand_in_their_order(tmp_path, spec_file, reference):
    frame = swept(spec_file, tmp_path / "sweep.parquet").frame()
    grid = [(section, peak) for section in np.linspace(20, 100, 60) for peak in (30.0, 60.0) for _ in range(40)]

    np.testing.assert_allclose(frame.select("section_ns", "handoff_peak_ns").to_numpy(), grid, rtol=1e-11)
    np.testing.assert_array_equal(frame["private_ns"][:40], frame["private_ns"][-40:])


def test_the_bytes_do_not_depend_on_the_workers(tmp_path, spec_file, reference):
    swept(spec_file, tmp_path / "sweep.parquet", workers=3)

    assert contents(tmp_path / "sweep.parquet") == reference


def killed_at(step, tmp_path, spec_file, reference):
    """Kill a sweep before the call number `step` that changes the disk, and go on; how many chunks were there already."""
    out = tmp_path / "sweep.parquet"
    ended = driven(spec_file, out, step)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    if out.exists():
        assert out.read_bytes() == reference[0]
    again = swept(spec_file, out)
    assert contents(out) == reference
    assert again.rows == 4800
    return again.resumed


def test_a_sweep_that_was_killed_goes_on(tmp_path, spec_file, reference, request):
    """At moments spread over the run; tests/slow kills it at each of them."""
    out = tmp_path / "whole" / "sweep.parquet"
    out.parent.mkdir()
    calls, chunks, _ = map(int, driven(spec_file, out, 0).stdout.split())
    assert contents(out) == reference and chunks == 10
    resumed = []
    for place, step in enumerate((calls // 4, calls // 2, calls * 3 // 4)):
        folder = tmp_path / str(place)
        folder.mkdir()
        resumed.append(killed_at(step, folder, spec_file, reference))
    assert resumed == sorted(resumed) and resumed[0] < 10 and resumed[-1] > 0


def test_a_run_that_is_done_is_not_done_again(tmp_path, spec_file, reference, monkeypatch):
    out = tmp_path / "sweep.parquet"
    swept(spec_file, out)
    monkeypatch.setattr(run, "estimated", None)
    monkeypatch.setattr(frames, "merge", None)
    out.with_name("sweep.parquet.json").unlink()

    again = swept(spec_file, out)

    assert again.resumed == again.chunks == 10 and contents(out) == reference


def test_a_run_that_is_done_leaves_the_parts_of_another_one(tmp_path, spec_file, reference, monkeypatch):
    out = tmp_path / "sweep.parquet"
    swept(spec_file, out)
    with monkeypatch.context() as patch:
        patch.setattr(frames, "merge", lambda *_: stop())
        with pytest.raises(KeyboardInterrupt):
            swept(SPEC | {"seed": 2}, out, force=True)
    swept(spec_file, out)

    assert out.read_bytes() == reference[0]
    assert len(list((tmp_path / "sweep.parquet.parts").glob("*.parquet"))) == 10


def test_a_sweep_that_never_began_leaves_nothing(tmp_path, spec_file):
    with pytest.raises(MppsError, match="no scheduler answers"):
        swept(spec_file, tmp_path / "sweep.parquet", workers=None, scheduler="tcp://127.0.0.1:1")

    assert list(tmp_path.iterdir()) == []


def test_a_damaged_part_is_made_anew(tmp_path, spec_file, reference, monkeypatch):
    out = tmp_path / "sweep.parquet"
    with monkeypatch.context() as patch:
        patch.setattr(frames, "merge", lambda *_: stop())
        with pytest.raises(KeyboardInterrupt):
            swept(spec_file, out)
    kept = sorted((tmp_path / "sweep.parquet.parts").glob("*.parquet"))
    assert len(kept) == 10
    kept[2].write_bytes(kept[2].read_bytes()[:-9])
    flipped = bytearray(kept[5].read_bytes())
    flipped[len(flipped) // 2] ^= 1
    kept[5].write_bytes(bytes(flipped))

    assert swept(spec_file, out).resumed == 8
    assert contents(out) == reference


def stop():
    raise KeyboardInterrupt


def test_ctrl_c_keeps_what_is_done(tmp_path, spec_file, reference, monkeypatch):
    out, add = tmp_path / "sweep.parquet", parts.Parts.add

    def third(self, index, content):
        return stop() if index == 3 else add(self, index, content)

    with monkeypatch.context() as patch:
        patch.setattr(parts.Parts, "add", third)
        with pytest.raises(KeyboardInterrupt):
            swept(spec_file, out)

    assert swept(spec_file, out).resumed == 3
    assert contents(out) == reference


#: A command that waits for a signal once it has written a part.
WAITING = """
import signal
from mpps import cli
from mpps.sweep import parts, plan
plan._RATES, plan.code = 1 << 12, lambda: "of the test"
add = parts.Parts.add
def waiting(self, index, content):
    add(self, index, content)
    print("a part is there", file=sys.stderr, flush=True)
    signal.pause()
parts.Parts.add = waiting
"""


def test_ctrl_c_on_the_terminal_is_told_once(tmp_path, spec_file, reference):
    """The terminal sends it to the whole group of processes, while some workers may just have started."""
    out = tmp_path / "sweep.parquet"
    code = f"import sys; sys.path[:0] = [{str(ROOT / 'model')!r}]\n" + WAITING
    code += f"sys.exit(cli.main(['sweep', {str(spec_file)!r}, '--out', {str(out)!r}, '--workers', '2']))"
    running = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True, start_new_session=True)
    while "a part is there" not in running.stderr.readline():
        assert running.poll() is None
    os.killpg(running.pid, signal.SIGINT)
    _, rest = running.communicate()

    assert running.returncode == 130
    assert rest.startswith("mpps: interrupted: what is done is kept in") and rest.count("\n") == 1
    assert swept(spec_file, out).resumed == 1 and contents(out) == reference


def test_a_worker_that_dies_ends_nothing(tmp_path, spec_file, reference, monkeypatch):
    """Both first workers are killed while they are at work."""
    out, start, started = tmp_path / "sweep.parquet", executors.Processes._start, []

    def deadly(self):
        connection = start(self)
        started.append(self._alive[connection][0])
        if len(started) <= 2:
            started[-1].kill()
        return connection

    monkeypatch.setattr(executors.Processes, "_start", deadly)

    assert swept(spec_file, out, workers=2).resumed == 0
    assert len(started) == 4 and contents(out) == reference


def test_a_chunk_that_kills_every_worker_leaves_the_others(tmp_path, spec_file, monkeypatch):
    out = tmp_path / "sweep.parquet"

    class Deadly(executors.Here):
        def run(self, function, tasks):
            for place, arguments in enumerate(tasks):
                if place != 4 or function is run.prepare:
                    yield place, function(*arguments)
            if function is run.chunk_bytes:
                raise executors.WorkersDied([4])

    with monkeypatch.context() as patch:
        patch.setattr(executors, "Here", Deadly)
        with pytest.raises(MppsError, match="ended their worker 3 times.*fewer --workers"):
            swept(spec_file, out)
    assert not out.exists() and swept(spec_file, out).resumed == 9


def test_a_full_disk_keeps_the_parts(tmp_path, spec_file, reference, monkeypatch):
    out, flush, flushed = tmp_path / "sweep.parquet", os.fsync, []

    def full(handle):
        flushed.append(handle)
        if len(flushed) > 12:
            raise OSError(errno.ENOSPC, "No space left on device")
        return flush(handle)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(MppsError, match=r"cannot be written \(the disk is full\): make room.*goes on from there"):
            swept(spec_file, out)
    assert not out.exists() and not list((tmp_path / "sweep.parquet.parts").glob("*.new"))

    assert 0 < swept(spec_file, out).resumed < 10
    assert contents(out) == reference


def test_a_disk_that_is_full_while_merging_leaves_no_half_file(tmp_path, spec_file, reference):
    """The operating system refuses files that are larger than the parts."""
    out = tmp_path / "sweep.parquet"
    ended = driven(spec_file, out, 0, limit=len(reference[0]) // 2)

    assert ended.returncode == 1 and "cannot be written" in ended.stderr
    assert not out.exists() and not out.with_name("sweep.parquet.tmp").exists()
    assert swept(spec_file, out).resumed == 10 and contents(out) == reference


def test_no_room_is_told_before_anything_runs(tmp_path, spec_file, monkeypatch):
    monkeypatch.setattr(run.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 1000}))

    with pytest.raises(MppsError, match="needs about .* [kMG]B there .parts and result.*are free: make room"):
        swept(spec_file, tmp_path / "sweep.parquet")


def test_what_is_not_of_this_sweep_stays_unless_forced(tmp_path, spec_file, reference, monkeypatch):
    out = tmp_path / "sweep.parquet"
    out.write_bytes(b"mine")
    with pytest.raises(MppsError, match=r"the file exists and is not the result of this spec.*--force"):
        swept(spec_file, out)
    assert out.read_bytes() == b"mine" and len(list(tmp_path.iterdir())) == 1
    swept(spec_file, out, force=True)
    assert contents(out) == reference
    with pytest.raises(MppsError, match="the file exists"):
        swept(SPEC | {"seed": 2}, out)
    assert contents(out) == reference


def test_parts_of_another_sweep_are_not_mixed_in(tmp_path, spec_file, reference, monkeypatch):
    out = tmp_path / "sweep.parquet"
    with monkeypatch.context() as patch:
        patch.setattr(frames, "merge", lambda *_: stop())
        with pytest.raises(KeyboardInterrupt):
            swept(SPEC | {"seed": 2}, out)
    with pytest.raises(MppsError, match=r"10 parts of another sweep \(the spec differ\): finish that one.*--force"):
        swept(spec_file, out)
    assert len(list((tmp_path / "sweep.parquet.parts").glob("*.parquet"))) == 10
    assert swept(spec_file, out, force=True).resumed == 0
    assert contents(out) == reference


def test_two_sweeps_at_once_do_not_share_parts(tmp_path, spec_file):
    out = tmp_path / "sweep.parquet"
    held = parts.Parts(tmp_path / "sweep.parquet.parts", "0" * 16)
    held.open({})
    try:
        with pytest.raises(MppsError, match="another sweep is at work on these parts"):
            swept(spec_file, out)
    finally:
        held.close()


@pytest.mark.parametrize("where", ["missing/sweep.parquet", "", "file/sweep.parquet", "sweep.csv"])
def test_a_place_that_cannot_be_written_is_told_at_once(tmp_path, spec_file, where):
    (tmp_path / "file").write_bytes(b"")

    with pytest.raises(MppsError, match=r"does not exist: make it|found a folder|does not end in .parquet"):
        swept(spec_file, tmp_path / where)


def test_somebody_elses_files_among_the_parts_stay(tmp_path, spec_file, reference):
    folder = tmp_path / "sweep.parquet.parts"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    swept(spec_file, tmp_path / "sweep.parquet")

    assert [file.name for file in folder.iterdir()] == ["notes.txt"]
    assert (tmp_path / "sweep.parquet").read_bytes() == reference[0]


def test_the_file_says_what_it_is(tmp_path, spec_file, reference):
    out = tmp_path / "sweep.parquet"
    result = swept(spec_file, out)
    inside = json.loads(pl.read_parquet_metadata(out)["mpps"])
    beside = json.loads(pathlib.Path(f"{out}.json").read_text())

    assert inside == beside == result.metadata
    assert inside["schema"] == "mpps.sweep/1" and inside["spec"] == SPEC and inside["seed"] == 1
    assert {"python", "numpy", "polars", "mpps"} <= set(inside["versions"])
    assert inside["rows"] == 4800 and inside["cells"][0]["assumptions"]
    block = np.random.default_rng(np.random.SeedSequence(1, spawn_key=(0,))).random((65536, 1))
    from scipy.special import ndtri

    said = np.sqrt(300 * 900) * np.exp(np.log(3) / (2 * 1.645) * ndtri(block[:40, 0]))
    np.testing.assert_allclose(result.frame()["private_ns"][:40], said, rtol=1e-12)
