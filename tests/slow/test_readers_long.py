"""A longer search for texts that break a reader, or keep it busy: samples cut, shuffled and peppered."""

import pathlib
import random

import pytest

from mpps.errors import MppsError
from mpps.readers import formats
from mpps.readers.core.reading import read_source
from mpps.readers.core.source import make_source

SAMPLES = sorted((pathlib.Path(__file__).parent.parent / "readers" / "samples").iterdir())

PEPPER = b"0123456789 .,%|-+=()\n\t:#xkMGabc/\"'{}[]"

pytestmark = pytest.mark.slow


def broken(rng: random.Random, raw: bytes, other: bytes) -> bytes:
    kind = rng.randrange(6)
    if kind == 0:
        return raw[: rng.randrange(len(raw) + 1)]
    if kind == 1:
        lines = raw.split(b"\n")
        rng.shuffle(lines)
        return b"\n".join(lines)
    if kind == 2:
        out = bytearray(raw)
        for _ in range(rng.randrange(1, 40)):
            out[rng.randrange(len(out))] = rng.choice(PEPPER)
        return bytes(out)
    if kind == 3:
        return raw + b"\n" + other[: rng.randrange(len(other) + 1)]
    if kind == 4:
        low, high = sorted(rng.randrange(len(raw) + 1) for _ in range(2))
        return raw[:low] + raw[high:]
    return bytes(rng.choice(PEPPER) for _ in range(rng.randrange(600)))


@pytest.mark.parametrize("seed", range(4))
def test_nothing_breaks_or_hangs(seed):
    rng = random.Random(seed)
    raws = [path.read_bytes() for path in SAMPLES]
    names = [None, None, *formats()]
    for _ in range(1500):
        source = make_or_none(broken(rng, rng.choice(raws), rng.choice(raws)))
        if source is None:
            continue
        try:
            read_source(source, format=rng.choice(names))
        except MppsError:
            pass


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("1 2 3 4 5 " * 100_000, 0),
        ("(" * 100_000, 0),
        ("a:" * 50_000, 0),
        ("[" * 100_000, 0),
        ((" " * 990 + "1\n") * 2000, 0),
        ("threads,rate\n" + "".join(f"{n},{n}\n" for n in range(1, 100_000)), 99_999),
        ("threads  rate\n" + "".join(f"{n}  {n / 7:.3f}\n" for n in range(1, 25_000)), 19_999),
    ],
    ids=lambda value: str(value)[:8].strip(),
)
def test_large_texts_come_to_an_end(text, rows):
    """A search that explodes would take hours; what is read is known."""
    try:
        found = len(read_source(make_source("any", "any", "", text.encode())).rows)
    except MppsError:
        found = 0
    assert found == rows


def make_or_none(raw: bytes):
    try:
        return make_source("any", "any", "", raw)
    except MppsError:
        return None
