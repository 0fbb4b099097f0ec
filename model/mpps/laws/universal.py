"""The universal scalability law, what follows from it, and its inverse questions.

Rates are in any one unit, times of a lap in its reciprocal.
Contention and coherence are at least 0, except in `usl`, `usl_efficiency` and `usl_response_time`,
which also take the negative values of an unbounded fit as long as the rate stays finite.
Source of all forms: Gunther, Guerrilla Capacity Planning, 2007, equations 4.31 and 4.33; arXiv:0808.1431.
"""

from typing import NamedTuple

import numpy as np

from mpps import laws_generated as generated
from mpps.errors import MppsError
from mpps.laws.domain import senders, within

# A rate equal to the highest one may come out above it by rounding.
_ROUNDING = 1e-12


class Overhead(NamedTuple):
    """Time of a unit of work on n senders, relative to one sender, in three parts that add up to 1 / capacity.

    The R package usl prints half of `coherence` here, so that its parts do not add up.
    """

    parallel: np.ndarray
    contention: np.ndarray
    coherence: np.ndarray


def usl(n, rate_one, contention, coherence):
    """Rate of n senders: rate_one n / (1 + contention (n - 1) + coherence n (n - 1)).

    rate_one: rate of one sender; broadcasts.
    Raises `MppsError` where negative parameters make the rate infinite or negative.
    """
    n, s, k = _finite_rate(n, contention, coherence)
    return generated.usl_rate(n, within("rate_one", rate_one, above=True), s, k)


def usl_efficiency(n, contention, coherence):
    """Rate per sender relative to one sender."""
    return generated.usl_efficiency(*_finite_rate(n, contention, coherence))


def usl_response_time(n, rate_one, contention, coherence):
    """Time of one lap of a sender, n / rate by Little's law."""
    n, s, k = _finite_rate(n, contention, coherence)
    return generated.usl_response_time(n, within("rate_one", rate_one, above=True), s, k)


def usl_overhead(n, contention, coherence) -> Overhead:
    """How a unit of work on n senders spends its time, as shares of the time of one sender."""
    n, s, k = np.broadcast_arrays(senders(n), *_costs(contention, coherence))
    return Overhead(
        generated.usl_time_parallel(n), generated.usl_time_contention(n, s), generated.usl_time_coherence(n, k)
    )


def usl_peak_n(contention, coherence):
    """Senders at the highest rate, sqrt((1 - contention) / coherence), at least 1; inf when the rate only rises."""
    s, k = np.broadcast_arrays(*_costs(contention, coherence))
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        n = generated.usl_peak_n(np.minimum(s, 1.0), k)
    return np.where(s >= 1, 1.0, np.maximum(n, 1.0))


def usl_peak_rate(rate_one, contention, coherence):
    """Highest rate of any n >= 1; inf without contention and coherence."""
    rate_one, s, k = np.broadcast_arrays(within("rate_one", rate_one, above=True), *_costs(contention, coherence))
    rises = s + k < 1
    with np.errstate(divide="ignore", over="ignore"):
        rate = generated.usl_peak_rate(rate_one, np.where(rises, s, 0.0), np.where(rises, k, 1.0))
    return np.where(rises, rate, rate_one)


def usl_knee(contention, coherence):
    """Senders with which the linear rate would meet the highest rate; 1 / contention without coherence."""
    return usl_peak_rate(1.0, contention, coherence)


@np.errstate(divide="ignore", over="ignore")
def usl_contention_limit(rate_one, contention):
    """Rate that contention alone would allow with infinitely many senders, rate_one / contention; inf without."""
    rate_one, s = within("rate_one", rate_one, above=True), within("contention", contention)
    return generated.usl_contention_limit(rate_one, s)


@np.errstate(divide="ignore", over="ignore")
def usl_contention_point(contention):
    """Senders with which the linear rate meets `usl_contention_limit`, 1 / contention; inf without."""
    return generated.usl_contention_point(within("contention", contention))


def usl_half_efficiency_n(contention, coherence):
    """Senders at which the rate is half of the linear one; inf without contention and coherence."""
    return usl_n_for_response_time(2.0, 1.0, contention, coherence)


def usl_n_for_rate(rate, rate_one, contention, coherence):
    """Smallest n >= 1 that reaches `rate`; inf when none does.

    1 for any rate that one sender reaches. Always on the rising branch: no n beyond the peak is returned.
    """
    x, x1, s, k = np.broadcast_arrays(
        within("rate", rate, above=True), within("rate_one", rate_one, above=True), *_costs(contention, coherence)
    )
    peak = usl_peak_rate(x1, s, k)
    # Without coherence the limit is approached but not reached.
    reached = np.where(k > 0, x <= peak * (1 + _ROUNDING), x < peak)
    asked = reached & (x > x1)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        n = generated.usl_n_for_rate(x1, np.where(asked, s, 0.0), np.where(asked, k, 0.0), np.where(asked, x, x1))
    # Exactly at the peak rounding can make the root imaginary.
    n = np.where(np.isnan(n) | (n > usl_peak_n(s, k)), usl_peak_n(s, k), n)
    return np.where(x <= x1, 1.0, np.where(reached, n, np.inf))


def usl_response_time_for_rate(rate, rate_one, contention, coherence):
    """Time of a lap at `rate` on the rising branch; inf when no n reaches the rate.

    For rates below that of one sender it is the time of a sender that never waits, 1 / rate_one.
    """
    n = usl_n_for_rate(rate, rate_one, contention, coherence)
    time = usl_response_time(np.where(np.isfinite(n), n, 1.0), rate_one, contention, coherence)
    return np.where(np.isfinite(n), time, np.inf)


def usl_n_for_response_time(response_time, rate_one, contention, coherence):
    """The n at which a lap takes `response_time`; inf when it never takes that long.

    Raises `MppsError` when even a single sender takes longer: no n answers the question.
    """
    r, x1, s, k = np.broadcast_arrays(
        within("response_time", response_time, above=True),
        within("rate_one", rate_one, above=True),
        *_costs(contention, coherence),
    )
    short = x1 * r < 1 - _ROUNDING
    if short.any():
        raise MppsError(
            f"no n has a response time of {r[short].flat[0]:g}: one sender alone takes "
            f"1 / rate_one = {1 / x1[short].flat[0]:g}, and more senders never take less"
        )
    # Each form of the root divides by what the other subtracts: take the one that loses no digits.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        plain = generated.usl_n_for_response_time(x1, s, k, r)
        conjugate = generated.usl_n_for_response_time_conjugate(x1, s, k, r)
    n = np.where((s == 0) & (k == 0), np.inf, np.where(k > s, plain, conjugate))
    return np.maximum(n, 1.0)


def usl_rate_for_response_time(response_time, rate_one, contention, coherence):
    """Rate at which a lap takes `response_time`, on either branch (Little's law); inf for a linear law.

    Raises `MppsError` when even a single sender takes longer.
    """
    return usl_n_for_response_time(response_time, rate_one, contention, coherence) / np.asarray(response_time, float)


def _costs(contention, coherence):
    return within("contention", contention), within("coherence", coherence)


def _finite_rate(n, contention, coherence):
    """Arguments as arrays, when the slowdown 1 + contention (n - 1) + coherence n (n - 1) is positive from 1 to n."""
    n = senders(n)
    s, k = within("contention", contention, -np.inf), within("coherence", coherence, -np.inf)
    if (s < 0).any() or (k < 0).any():
        n, s, k = np.broadcast_arrays(n, s, k)
        lowest = np.clip((k - s) / np.where(k > 0, 2 * k, 1.0), 1.0, n)
        lowest = np.where(k > 0, lowest, n)
        bad = (1 + s * (lowest - 1) + k * lowest * (lowest - 1) <= 0) | (1 + s * (n - 1) + k * n * (n - 1) <= 0)
        if bad.any():
            raise MppsError(
                f"the universal scalability law has no finite rate up to n = {n[bad].flat[0]:g} with contention "
                f"{s[bad].flat[0]:g} and coherence {k[bad].flat[0]:g}: expected parameters of at least 0"
            )
    return n, s, k
