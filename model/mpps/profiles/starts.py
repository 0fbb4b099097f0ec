"""Where the search begins: the best of many curves of a family, found for all tables by one matrix product."""

from dataclasses import dataclass

import numpy as np

from mpps.profiles.family import Family

#: Curves among which the search looks, per shape coordinate.
_CANDIDATES = 400
#: Shapes that the candidates are sorted into; the best of each of the most promising ones is followed.
_SHAPES = 12


@dataclass(frozen=True)
class Pool:
    """Curves of a family beside B tables: x (M, p) with the scale at 0; squares (B, M): weighted squared residuals
    once the scale is fitted; level (B, M): that scale; shape (M,): label of the curve's shape."""

    x: np.ndarray
    squares: np.ndarray
    level: np.ndarray
    shape: np.ndarray


def pool(family: Family, n, target, weight) -> Pool:
    """Hold the candidates of the family against log rates target (B, k) at n (k,), each row counting weight (B, k)."""
    x = candidates(family)
    with np.errstate(all="ignore"):
        curve = family.log_rate(x, n)
    finite = np.isfinite(curve).all(axis=1)
    if not finite.any():
        raise ValueError(f"family {family.name} has no finite curve at {n} among its starts")
    x, curve = x[finite], curve[finite]
    total = np.maximum(weight.sum(1, keepdims=True), 1e-300)
    weighted = weight * target
    level = np.zeros((len(target), len(x)))
    squares = weight @ (curve**2).T - 2 * weighted @ curve.T + (weighted * target).sum(1, keepdims=True)
    if family.scale is not None:
        level = (weighted.sum(1, keepdims=True) - weight @ curve.T) / total
        squares -= total * level**2
        curve = curve - curve.mean(1, keepdims=True)
    return Pool(x, np.maximum(squares, 0.0), level, _shapes(curve))


def starts_of(family: Family, pool: Pool, count: int) -> np.ndarray:
    """`count` starts for each of B tables, best first, of different shape: (B, count, p)."""
    chosen = _best_of_shapes(pool.squares, pool.shape, count)
    begin = pool.x[chosen]
    if family.scale is not None:
        begin[:, :, family.scale] += np.take_along_axis(pool.level, chosen, 1)
    return begin


def candidates(family: Family) -> np.ndarray:
    """Coordinates (M, p) that fill the ranges of the family's starts evenly, the scale at 0, and the sides of the box.

    The additive recurrence of Roberts 2018 ("R sequence"), a generalised golden ratio: the same points every time.
    """
    shapes = [column for column, start in enumerate(family.starts) if start is not None]
    if not shapes:
        return np.zeros((1, family.size))
    ratio = 2.0
    for _ in range(60):
        ratio = (1 + ratio) ** (1 / (len(shapes) + 1))
    index = np.arange(1, _CANDIDATES * len(shapes) + 1)[:, None]
    share = (0.5 + index * ratio ** -np.arange(1.0, len(shapes) + 1)) % 1
    x = np.zeros((len(index), family.size))
    for place, column in enumerate(shapes):
        x[:, column] = family.starts[column].at(share[:, place])
    lower, upper = np.array(family.lower), np.array(family.upper)
    sides = []
    for column in shapes:
        if np.isfinite(lower[column]):
            sides.append(x[::8].copy())
            sides[-1][:, column] = lower[column]
    return np.clip(np.concatenate([x, *sides]), lower, upper)


def _shapes(curve):
    """Label of each curve: the nearest of a few curves that lie far from one another."""
    centers = [curve.mean(axis=0)]
    away = ((curve - centers[0]) ** 2).sum(1)
    label = np.zeros(len(curve), int)
    for number in range(1, _SHAPES):
        center = curve[away.argmax()]
        distance = ((curve - center) ** 2).sum(1)
        label = np.where(distance < away, number, label)
        away = np.minimum(away, distance)
    return label


def _best_of_shapes(square, label, count):
    """Indices (B, count): the best candidate of each shape, the most promising shapes first, filled up with the best."""
    tables = len(square)
    numbers = np.unique(label)
    winners = np.empty((tables, len(numbers)), int)
    for place, number in enumerate(numbers):
        members = np.flatnonzero(label == number)
        winners[:, place] = members[square[:, members].argmin(axis=1)]
    order = np.take_along_axis(square, winners, 1).argsort(axis=1, kind="stable")
    chosen = np.take_along_axis(winners, order, 1)
    while chosen.shape[1] < count:
        chosen = np.concatenate([chosen, chosen[:, :1]], axis=1)
    return chosen[:, :count]
