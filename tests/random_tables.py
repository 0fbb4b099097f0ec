"""Random tables for property tests: shapes that scale, shapes that do not, and rows that no system would give."""

import contextlib
from unittest import mock

import numpy as np
from hypothesis import strategies as st

from mpps.table import posterior

COUNTS = st.one_of(
    st.lists(st.integers(1, 16), min_size=1, max_size=8),
    st.lists(st.integers(1, 300), min_size=1, max_size=12),
    st.lists(st.integers(0, 16).map(lambda power: 2**power), min_size=1, max_size=10),
    st.lists(st.integers(1, 100_000), min_size=1, max_size=6),
    st.integers(1, 20).map(lambda last: list(range(1, last + 1))),
)


@st.composite
def tables(draw):
    """Counts and rates: a law with scatter, a constant, or nothing but numbers from 1e-9 to 1e12."""
    n = np.array(draw(COUNTS), float)
    unit = 10.0 ** draw(st.floats(-9, 12))
    kind = draw(st.sampled_from(["law", "constant", "wild", "repeats"]))
    if kind == "constant":
        return n, np.full(len(n), unit)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if kind == "wild":
        return n, 10.0 ** rng.uniform(-9, 12, len(n))
    if kind == "repeats":
        n = np.repeat(n, draw(st.integers(1, 4)))
    contention, coherence = 10.0 ** rng.uniform(-4, 0), 10.0 ** rng.uniform(-7, 0)
    rate = n / (1 + contention * (n - 1) + coherence * n * (n - 1))
    return n, np.clip(unit * rate * np.exp(10.0 ** rng.uniform(-4, -0.3) * rng.standard_normal(len(n))), 1e-30, 1e30)


@contextlib.contextmanager
def few_draws(first: int = 128, rounds: int = 3):
    """Fits that look at an eighth of the draws or fewer: nothing is left out, answers are rougher."""
    with mock.patch.multiple(posterior, _FIRST=first, _ROUND=first // 2, _ROUNDS=rounds):
        yield


def sound(quantiles) -> bool:
    """Positive, finite, in order."""
    return bool((np.isfinite(quantiles) & (quantiles > 0)).all() and (np.diff(quantiles, axis=0) >= 0).all())
