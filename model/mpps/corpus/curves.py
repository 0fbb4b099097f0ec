"""Curves: one rate against n, and how the hold-out protocol cuts them."""

import math
from dataclasses import dataclass

import numpy as np

#: Distinct n that a curve needs to be cut into training and held-out points.
NEEDED = 5
#: What a curve that is scored apart needs: one point more than train at least.
NEEDED_APART = 4


#: Tables that the protocol leaves out by name: n counts streams, shards or members of a group, not what shares the work.
LEFT_OUT = ("haproxy_stktable_shards_80threads", "udp_reuseport_group_size", "xdp_drop_stream_count_mlx5")
#: Tables of single points begin so.
SINGLE_POINTS = "sp_"


def in_protocol(dataset: str) -> bool:
    """Whether the hold-out protocol takes a table of that name."""
    return dataset not in LEFT_OUT and not dataset.startswith(SINGLE_POINTS)


def training_points(count: int) -> int:
    """How many of `count` distinct n train, the lowest ones; the others are held out."""
    return max(3, math.ceil(0.6 * count))


@dataclass(frozen=True, eq=False)
class Curve:
    """The rate of one variant against n, ascending, each n once. Arrays are (k,), float64, read-only.

    rate: mean of the values at an n, in `unit`; repeats: how many they are; scatter: their relative standard
    deviation, NaN for a single one; stated: the relative standard deviation that the source states, NaN without.
    row_n, row_rate (r,): the values before they are averaged, ascending in n.
    source: laboratory or host, the fold of a cross-validation; converted: how the rate came out of the metric, "" for
    a metric that is a rate.
    """

    dataset: str
    variant: str
    metric: str
    unit: str
    source: str
    n: np.ndarray
    rate: np.ndarray
    repeats: np.ndarray
    scatter: np.ndarray
    stated: np.ndarray
    row_n: np.ndarray
    row_rate: np.ndarray
    converted: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """Data set, variant and metric."""
        return self.dataset, self.variant, self.metric

    @property
    def cut(self) -> int:
        """How many points train."""
        return training_points(len(self.n))

    def training(self) -> "Training":
        """What a forecaster may see."""
        names = (self.dataset, self.variant, self.metric, self.unit, self.source)
        arrays = (self.n, self.rate, self.repeats, self.scatter, self.stated)
        seen = self.row_n <= self.train_n[-1]
        return Training(*names, *(each[: self.cut] for each in arrays), self.row_n[seen], self.row_rate[seen])

    @property
    def train_n(self) -> np.ndarray:
        return self.n[: self.cut]

    @property
    def train_rate(self) -> np.ndarray:
        return self.rate[: self.cut]

    @property
    def held_n(self) -> np.ndarray:
        return self.n[self.cut :]

    @property
    def held_rate(self) -> np.ndarray:
        return self.rate[self.cut :]


@dataclass(frozen=True, eq=False)
class Training:
    """The training points of a curve, without anything of the held-out ones; fields as those of `Curve`."""

    dataset: str
    variant: str
    metric: str
    unit: str
    source: str
    n: np.ndarray
    rate: np.ndarray
    repeats: np.ndarray
    scatter: np.ndarray
    stated: np.ndarray
    row_n: np.ndarray
    row_rate: np.ndarray


@dataclass(frozen=True)
class Skipped:
    """A series that is not scored, and why."""

    dataset: str
    variant: str
    metric: str
    why: str
