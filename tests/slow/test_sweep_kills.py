"""Sweeps killed at every call that changes the disk, and from outside at random moments with two workers."""

import json
import os
import random
import signal
import subprocess
import sys

import pytest

import mpps
from mpps.sweep import plan
from samples import ROOT
from small_sweep import DRIVER, SPEC

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def small_chunks():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "_RATES", 1 << 12)
        patch.setattr(plan, "code", lambda: "of the test")
        yield


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """The spec's file, and the bytes of what comes of it."""
    folder = tmp_path_factory.mktemp("reference")
    (folder / "sweep.yaml").write_text(json.dumps(SPEC))
    mpps.sweep(folder / "sweep.yaml", out=folder / "sweep.parquet", workers=1, progress=False)
    return folder / "sweep.yaml", [(folder / name).read_bytes() for name in ("sweep.parquet", "sweep.parquet.json")]


def command(spec, out, kill, workers):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "model"), str(ROOT / "tests")])}
    line = [sys.executable, str(DRIVER), str(spec), str(out), str(kill), str(workers)]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def whole(out, reference):
    assert sorted(file.name for file in out.parent.iterdir()) == [out.name, f"{out.name}.json"]
    assert [out.read_bytes(), out.with_name(f"{out.name}.json").read_bytes()] == reference


def test_at_every_step(given, tmp_path):
    spec, reference = given
    (tmp_path / "0").mkdir()
    told, _ = command(spec, tmp_path / "0" / "sweep.parquet", 0, 1).communicate()
    calls = int(told.split()[0])
    assert calls > 60
    for step in range(1, calls + 1):
        out = tmp_path / str(step) / "sweep.parquet"
        out.parent.mkdir()
        ended = command(spec, out, step, 1)
        ended.communicate()
        assert ended.returncode == -signal.SIGKILL
        mpps.sweep(spec, out=out, workers=1, progress=False)
        whole(out, reference)


def test_from_outside_with_two_workers_again_and_again(given, tmp_path):
    """Each time it goes on a little further; what is read of its progress says when it is killed."""
    spec, reference = given
    out, rng, killed = tmp_path / "sweep.parquet", random.Random(1), 0
    while True:
        running = command(spec, out, 0, 2)
        lines = rng.randint(1, 4)
        for _ in range(lines + 1):
            if not running.stderr.readline():
                break
        else:
            running.send_signal(signal.SIGKILL)
        running.communicate()
        if running.returncode == 0:
            break
        assert running.returncode == -signal.SIGKILL
        killed += 1
        assert killed < 20
    assert killed >= 2
    whole(out, reference)
