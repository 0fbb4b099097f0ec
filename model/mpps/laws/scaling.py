"""Amdahl, Gustafson and critical sections: speed-up of n senders over one, without units."""

import numpy as np

from mpps import laws_generated as generated
from mpps.errors import MppsError
from mpps.laws.domain import senders, within


def amdahl(n, contention):
    """Speed-up of n senders on fixed work of which the share `contention` is serial: n / (1 + contention (n - 1)).

    contention 0 to 1; broadcasts. Source: Amdahl, AFIPS 1967.
    """
    return generated.amdahl_speedup(senders(n), within("contention", contention, 0, 1))


def amdahl_efficiency(n, contention):
    """Speed-up per sender under Amdahl's law."""
    return generated.amdahl_efficiency(senders(n), within("contention", contention, 0, 1))


@np.errstate(divide="ignore", over="ignore")
def amdahl_limit(contention):
    """Speed-up that no number of senders exceeds, 1 / contention; inf without contention."""
    return generated.amdahl_limit(within("contention", contention, 0, 1))


@np.errstate(divide="ignore", over="ignore")
def amdahl_half_efficiency_n(contention):
    """Senders at which the speed-up is half of the linear one, 1 + 1 / contention; inf without contention."""
    return generated.amdahl_half_efficiency_n(within("contention", contention, 0, 1))


def amdahl_n_for_speedup(speedup, contention):
    """Senders that reach `speedup` (at least 1); inf when the limit 1 / contention is not above it."""
    c, s = np.broadcast_arrays(within("speedup", speedup, 1), within("contention", contention, 0, 1))
    reached = s * c < 1
    n = generated.amdahl_n_for_speedup(np.where(reached, c, 1.0), np.where(reached, s, 0.0))
    return np.where(c <= 1, 1.0, np.where(reached, n, np.inf))


def amdahl_contention(n, speedup):
    """Contention that a speed-up measured at n > 1 implies; negative when it is better than linear.

    Source: Karp and Flatt, CACM 33(5) 1990.
    """
    n, c = within("n", n, 1, above=True), within("speedup", speedup, above=True)
    return generated.amdahl_contention_from_speedup(n, c)


def gustafson(n, serial):
    """Work that n senders do in the time of one when the serial part stays the same: n - serial (n - 1).

    serial 0 to 1, as a share of the run on n senders.
    For more flows on more cores; a packet on a fixed path is Amdahl's case.
    Source: Gustafson, CACM 31(5) 1988.
    """
    return generated.gustafson_speedup(senders(n), within("serial", serial, 0, 1))


def gustafson_efficiency(n, serial):
    """Speed-up per sender under Gustafson's law; falls to 1 - serial."""
    return generated.gustafson_efficiency(senders(n), within("serial", serial, 0, 1))


def gustafson_n_for_speedup(speedup, serial):
    """Senders that reach `speedup` (at least 1); inf when all work is serial and more than 1 is asked."""
    c, s = np.broadcast_arrays(within("speedup", speedup, 1), within("serial", serial, 0, 1))
    n = generated.gustafson_n_for_speedup(c, np.where(s < 1, s, 0.0))
    return np.where(c <= 1, 1.0, np.where(s < 1, n, np.inf))


def gustafson_amdahl_contention(n, serial):
    """Contention with which Amdahl's law gives the same speed-up at the same n."""
    return generated.gustafson_amdahl_contention(senders(n), within("serial", serial, 0, 1))


def critical_section_time(n, serial, critical, contention_probability):
    """Time of fixed work on n senders relative to one, when part of it runs inside critical sections.

    serial: share that only one sender does; critical: share inside critical sections, serial + critical <= 1;
    contention_probability: chance that two critical sections meet, 1 for one hot lock.
    The larger of the average and of the slowest sender counts.
    Source: Eyerman and Eeckhout, ISCA 2010, section 3. For one hot lock a closed network is more exact.
    """
    return generated.critical_sections_time(senders(n), *_shares(serial, critical, contention_probability))


def critical_section_speedup(n, serial, critical, contention_probability):
    """Speed-up of n senders: 1 / `critical_section_time`."""
    return generated.critical_sections_speedup(senders(n), *_shares(serial, critical, contention_probability))


@np.errstate(divide="ignore", over="ignore")
def critical_section_limit(serial, critical, contention_probability):
    """Speed-up of infinitely many senders, 1 / (serial + critical contention_probability); inf when that is 1 / 0."""
    return generated.critical_sections_limit(*_shares(serial, critical, contention_probability))


def _shares(serial, critical, contention_probability):
    serial, critical = np.broadcast_arrays(within("serial", serial, 0, 1), within("critical", critical, 0, 1))
    over = serial + critical > 1 + 1e-12
    if over.any():
        first = f"{serial[over].flat[0]:g} + {critical[over].flat[0]:g}"
        raise MppsError(f"serial + critical is {first}: expected shares of one whole, at most 1 together")
    # All serial: nothing is left for critical sections, and their share of that nothing is 0 / 0.
    whole = serial >= 1
    probability = within("contention_probability", contention_probability, 0, 1)
    return np.where(whole, np.nextafter(1.0, 0.0), serial), np.where(whole, 0.0, critical), probability
