"""The parameter sets of a sweep: grids crossed with draws, any stretch of them without the others.

The draws are made in blocks of their own seed, so that a set is the same whatever chunk and worker it falls to.
"""

import functools
import math
from dataclasses import dataclass

import numpy as np

#: Draws in a block, which has one seed: SeedSequence(seed, spawn_key=(block,)).
BLOCK = 1 << 16
#: Rounds of the network of Feistel (1973) that permutes the strata; four rounds of random functions are a permutation
#: that is as good as random (Luby and Rackoff 1988).
_ROUNDS = 4


@dataclass(frozen=True)
class Drawn:
    """A parameter with a distribution: lognormal (median `first`, standard deviation of the logarithm `second`), or
    uniform and loguniform between `first` and `second`."""

    name: str
    kind: str
    first: float
    second: float

    def value(self, uniform) -> np.ndarray:
        """Values at places 0 < u < 1 of the distribution, same shape."""
        if self.kind == "uniform":
            return self.first + (self.second - self.first) * uniform
        if self.kind == "loguniform":
            return self.first * np.exp(uniform * math.log(self.second / self.first))
        from scipy.special import ndtri

        return self.first * np.exp(self.second * ndtri(uniform))


@dataclass(frozen=True)
class Axes:
    """Parameter sets: the product of `grid` (name, values), the first slowest, each with all `draws` of `drawn`.

    names: parameters in the order of the spec. stratified: draws form a Latin hypercube (McKay and others 1979).
    """

    names: tuple[str, ...]
    grid: tuple[tuple[str, tuple[float, ...]], ...]
    drawn: tuple[Drawn, ...] = ()
    draws: int = 1
    stratified: bool = False
    seed: int = 1

    @property
    def size(self) -> int:
        """Number of parameter sets."""
        return math.prod(len(values) for _, values in self.grid) * self.draws

    @functools.cached_property
    def _columns(self) -> list:
        return [(name, np.array(values)) for name, values in reversed(self.grid)]

    def take(self, first: int, last: int) -> dict[str, np.ndarray]:
        """Sets first..last - 1: name -> (last - first,), names in the order of the spec."""
        index = np.arange(first, last)
        place, draw = index // self.draws, index % self.draws
        found = {}
        for name, values in self._columns:
            found[name] = values[place % len(values)]
            place = place // len(values)
        if self.drawn:
            uniform = self._uniform(draw)
            found |= {one.name: one.value(uniform[:, column]) for column, one in enumerate(self.drawn)}
        return {name: found[name] for name in self.names}

    def _uniform(self, draw) -> np.ndarray:
        """Numbers between 0 and 1 for draws (b,): (b, drawn)."""
        blocks, where = np.unique(draw // BLOCK, return_inverse=True)
        numbers = np.stack([_block(self.seed, int(block), len(self.drawn)) for block in blocks])
        uniform = numbers[where, draw % BLOCK]
        if not self.stratified:
            return uniform
        strata = np.stack([_permuted(draw, self.draws, (self.seed, column)) for column in range(len(self.drawn))], 1)
        return (strata + uniform) / self.draws


@functools.lru_cache(maxsize=4)
def _block(seed: int, block: int, columns: int) -> np.ndarray:
    uniform = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(block,))).random((BLOCK, columns))
    # Neither end: a quantile there may be infinite.
    return np.clip(uniform, 2.0**-54, 1 - 2.0**-53)


def _permuted(index, count: int, seed) -> np.ndarray:
    """Where a random permutation of 0..count - 1 takes each index, (b,), without the permutation as a whole.

    A Feistel network permutes a square of at least `count` numbers; who lands outside goes round again.
    """
    half = max(1, math.ceil(math.log2(max(count, 2)) / 2))
    mask = np.uint64((1 << half) - 1)
    keys = np.random.default_rng([*seed, 7]).integers(1, 1 << 63, _ROUNDS, dtype=np.uint64) | np.uint64(1)
    found = np.array(index, np.uint64)
    moving = np.ones(len(found), bool)
    while moving.any():
        left, right = found[moving] >> np.uint64(half), found[moving] & mask
        for key in keys:
            left, right = right, left ^ (_mixed(right + key) & mask)
        found[moving] = (left << np.uint64(half)) | right
        moving[moving] = found[moving] >= count
    return found.astype(np.int64)


def _mixed(number) -> np.ndarray:
    """The finaliser of SplitMix64 (Steele, Lea and Flood 2014): every bit of the input reaches every bit of the output."""
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))
