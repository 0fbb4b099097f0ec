"""Thresholds near a bound: what the rise of a profile does there when the truth is where the profile was cut.

Far from bounds the rise at the true value follows t^2. Near one the best fit cannot follow the noise beyond the bound, and t^2
covers 97 to 98 % instead of 95 for a parameter on its bound. In the problem linearised at the end of an interval, bounds
kept, the quantile of the rise can be drawn: that is the unified interval of Feldman and Cousins 1998 with the other parameters
at their profile (Cranmer 2005). It takes those as known, though, and covers 92 to 96 % where they are near bounds themselves.
The threshold used lies between both on a log scale: 93.5 to 96.6 % over 8,000 repeats of the hardest truths of `coverage`.
"""

import functools
import itertools

import numpy as np

from mpps.profiles.descent import slopes
from mpps.profiles.trace import Questions, gradients

#: Draws for a quantile. The same for every question, and held against the known quantile of the problem without bounds.
_DRAWS = 500
#: A bound further away than this many standard errors is not felt.
_NEAR = 4.0
#: Power of the drawn ratio in the threshold: 0 is t^2, 1 the unified interval.
_SHARE = 0.6
#: Weight of the constraint against the rows.
_STIFF = 1e4
#: A quantity known to no better than this many scatters counts as not seen.
_BLIND = 1e5


def thresholds(questions: Questions, index, x, plain, level: float) -> np.ndarray:
    """Threshold of the rise for questions index (A,) whose truth is x (A, p) on the profile; plain (A,): t^2 of each."""
    result = np.array(plain, float)
    for first in range(0, len(index), 500):
        part = slice(first, first + 500)
        result[part] = _some(questions, index[part], x[part], result[part], level)
    return result


def _some(questions, index, x, plain, level):
    fitted, table = questions.fitted, questions.table[index]
    lower, upper = fitted.box(len(index))
    spread = fitted.spread[table]
    call = lambda at, here: fitted.residual(table[at], here, spread[at])
    everyone = np.arange(len(index))
    slope = slopes(call, everyone, x, call(everyone, x), lower, upper, fitted.step[table])
    asked = gradients(questions, index, x)
    normal = np.einsum("arp,arq->apq", slope, slope)
    scale = 1 / np.sqrt(np.maximum(np.einsum("app->ap", normal), 1e-12))
    normal = normal * scale[:, :, None] * scale[:, None, :] + 1e-7 * np.eye(x.shape[1])
    asked = asked * scale
    low, high = (lower - x) / scale, (upper - x) / scale
    covariance = np.linalg.inv(normal)
    error = np.sqrt(np.einsum("app->ap", covariance))
    # One bound of each parameter, the nearer one, and only where it can be felt.
    below = -low < high
    bound = np.where(below, low, high)
    near = np.abs(bound) < _NEAR * error
    told = np.sqrt(np.einsum("ap,apq,aq->a", asked, covariance, asked))
    # What the rows hardly see at all has no linear problem: its threshold stays.
    part = np.flatnonzero(near.any(axis=1) & np.isfinite(told) & (told > 0) & (told < _BLIND * spread))
    result = plain.copy()
    if part.size:
        measured = questions.measured[index]
        held = asked[part] / np.where(measured, spread, told)[part, None]
        given = (part_of[part] for part_of in (bound, below, near, measured, fitted.freedom[table]))
        result[part] = plain[part] * _ratio(normal[part], held, *given, level) ** _SHARE
    return result


def _ratio(normal, held, bound, below, near, measured, freedom, level):
    """Quantile of the rise with bounds over the one without, (A,)."""
    size = normal.shape[1]
    noise, fresh, uniform = _draws(size)
    pushed = np.linalg.cholesky(normal) @ noise  # (A, p, M): the gradient that the noise of the rows makes
    stiff = np.where(measured, 1.0, _STIFF)
    new = np.where(measured[:, None], fresh, 0.0)
    tied = normal + stiff[:, None, None] * held[:, :, None] * held[:, None, :]
    tied_push = pushed + (stiff[:, None] * new)[:, None, :] * held[:, :, None]
    free = _lowest(normal, pushed, bound, below, near)
    fixed = _lowest(tied, tied_push, bound, below, near) + np.where(measured[:, None], new**2, 0.0)
    square = (noise**2).sum(axis=0)
    inverse = np.linalg.inv(normal)
    leverage = np.einsum("ap,apq,aq->a", held, inverse, held)
    moved = np.einsum("ap,apm->am", np.einsum("ap,apq->aq", held, inverse), pushed)
    plain = np.where(measured[:, None], (new - moved) ** 2 / (1 + leverage)[:, None], moved**2 / leverage[:, None])
    rest = _rest(freedom, uniform)
    told = np.isfinite(freedom)[:, None]
    degrees = np.where(told, freedom[:, None], 1.0)
    bounded = (fixed - free) / np.where(told, (rest + np.maximum(square + free, 0.0)) / degrees, 1.0)
    unbounded = plain / np.where(told, rest / degrees, 1.0)
    return np.quantile(bounded, level, axis=1) / np.quantile(unbounded, level, axis=1)


def _lowest(normal, push, bound, below, near):
    """Minimum of d normal d - 2 push d over the d inside the near bounds, (A, M): the best of all sets of held bounds."""
    members, size, draws = push.shape
    best = np.full((members, draws), np.inf)
    for pattern in itertools.product((False, True), repeat=size):
        at = np.array(pattern)
        who = np.flatnonzero((near | ~at).all(axis=1))
        if not who.size:
            continue
        edge = bound[who][:, :, None]
        matrix = normal[who] * (~at[:, None] & ~at[None, :]) + np.diag(at.astype(float))
        right = np.where(at[:, None], edge, push[who] - normal[who] @ np.where(at[:, None], edge, 0.0))
        d = np.linalg.inv(matrix) @ right
        slack = 1e-9 * (1 + np.abs(edge))
        way = np.where(below[who], 1.0, -1.0)[:, :, None]
        inside = (way * d >= way * edge - slack) | ~near[who][:, :, None]
        value = (d * (normal[who] @ d - 2 * push[who])).sum(axis=1)
        best[who] = np.minimum(best[who], np.where(inside.all(axis=1), value, np.inf))
    return best


@functools.lru_cache(maxsize=8)
def _draws(size):
    random = np.random.default_rng(20261130)
    half = random.standard_normal((size + 1, _DRAWS // 2))
    noise = np.concatenate([half, -half], axis=1)
    share = random.permutation((np.arange(_DRAWS) + 0.5) / _DRAWS)
    return noise[:size], noise[size], share


def _rest(freedom, share):
    """Draws of the residual sum of squares, chi-square with the freedom of each question, (A, M)."""
    from scipy.special import gammaincinv

    known, back = np.unique(np.where(np.isfinite(freedom), freedom, 1.0), return_inverse=True)
    return np.array([2 * gammaincinv(one / 2, share) for one in known])[back]
