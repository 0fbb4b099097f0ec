"""Upper and lower bounds of closed networks, and the smooth passage between two bounds.

Times are ns per packet, rates packets per second. A network has private work on the sender's own core and
serial stations with `total_ns` together, of which the busiest takes `largest_ns`.
"""

import numpy as np

from mpps import laws_generated as generated
from mpps.errors import MppsError
from mpps.laws.domain import senders, within
from mpps.units import NS_PER_SECOND


def smooth_minimum(first, *others, sharpness):
    """Rounded minimum of two or more upper bounds: (first^-p + other^-p + ...)^(-1/p), p = `sharpness`.

    Bounds positive, in one unit, inf for a bound that is not there; broadcasts.
    Of m bounds it lies between m^(-1/p) of the hard minimum and the hard minimum.
    """
    result = within("bound", first, above=True, infinite=True)
    p = within("sharpness", sharpness, above=True)
    for other in others:
        other = within("bound", other, above=True, infinite=True)
        lower, higher = np.minimum(result, other), np.maximum(result, other)
        # In units of the lower bound no power can overflow. Two absent bounds stay absent.
        with np.errstate(invalid="ignore", under="ignore", over="ignore"):
            ratio = np.where(np.isinf(lower), 1.0, higher / lower)
            result = lower * generated.smooth_minimum_value(1.0, ratio, p)
    return result


def upper_bound_pps(n, private_ns, total_ns, largest_ns=None):
    """Rate that no closed network exceeds: the smaller of n / (private + total) and 1 / largest.

    largest_ns is total_ns when it is left out: one station. inf when there is no work at all.
    Source: Lazowska et al., Quantitative System Performance, 1984, chapter 5.
    """
    private, total, largest = _work(private_ns, total_ns, largest_ns)
    with np.errstate(divide="ignore", over="ignore"):
        return NS_PER_SECOND * generated.asymptotic_upper(senders(n), private, total, largest)


def lower_bound_pps(n, private_ns, total_ns):
    """Rate that a closed network reaches even when all senders arrive at once: n / (private + n total).

    It is Amdahl's law with contention total / (private + total): Gunther, arXiv:0808.1431.
    """
    private, total, _ = _work(private_ns, total_ns, None)
    with np.errstate(divide="ignore", over="ignore"):
        return NS_PER_SECOND * generated.asymptotic_lower(senders(n), private, total)


def bound_knee_n(private_ns, total_ns, largest_ns=None):
    """Senders at which the busiest station starts to limit, (private + total) / largest; inf without a station."""
    private, total, largest = _work(private_ns, total_ns, largest_ns)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        return np.where(largest > 0, generated.asymptotic_knee(private, total, largest), np.inf)


def smooth_bound_pps(n, private_ns, total_ns, largest_ns=None, *, sharpness):
    """`upper_bound_pps` with a rounded knee: 1 / rate = (((private + total) / n)^p + largest^p)^(1/p)."""
    private, total, largest = _work(private_ns, total_ns, largest_ns)
    with np.errstate(divide="ignore", over="ignore"):
        rising, level = senders(n) / (private + total), 1.0 / largest
    return NS_PER_SECOND * smooth_minimum(rising, level, sharpness=sharpness)


def balanced_upper_pps(n, private_ns, total_ns, largest_ns, stations):
    """Rate that a network of exponential stations does not exceed: the one whose `stations` are equally busy.

    Source: Zahorjan, Sevcik, Eager, Galler, CACM 25(2) 1982.
    """
    private, total, largest = _work(private_ns, total_ns, largest_ns)
    stations = within("stations", stations, 1)
    if (largest * stations < total * (1 - 1e-12)).any():
        raise MppsError("largest_ns times stations is less than total_ns: the busiest station cannot be below average")
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        rate = generated.balanced_upper(senders(n), private, total, largest, total / stations)
        return NS_PER_SECOND * np.where(private + total > 0, rate, np.inf)


def balanced_lower_pps(n, private_ns, total_ns, largest_ns):
    """Rate that a network of exponential stations reaches: the one whose stations are all as busy as the busiest.

    Source: Zahorjan, Sevcik, Eager, Galler, CACM 25(2) 1982.
    """
    private, total, largest = _work(private_ns, total_ns, largest_ns)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        rate = generated.balanced_lower(senders(n), private, total, largest)
        return NS_PER_SECOND * np.where(private + total > 0, rate, np.inf)


def _work(private_ns, total_ns, largest_ns):
    private, total = within("private_ns", private_ns), within("total_ns", total_ns)
    if largest_ns is None:
        return private, total, total
    largest = within("largest_ns", largest_ns)
    if (largest > total * (1 + 1e-12)).any():
        raise MppsError("largest_ns is above total_ns: the busiest station is part of the total")
    return private, total, largest
