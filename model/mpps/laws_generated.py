"""NumPy functions of the laws, written by `python -m mpps.symbolic`: do not edit, regenerate.

One function per form of each law in `mpps.symbolic`. Arguments are scalars or arrays and broadcast.
No guards: limits, domains and units are the business of `mpps.laws`.
"""

# fmt: off
import numpy as np


def _floats(*arguments):
    return [np.asarray(argument, dtype=float) for argument in arguments]


def amdahl_speedup(n, contention):
    """Rate relative to one sender [1]."""
    n, contention = _floats(n, contention)
    return (n/(contention*(n - 1) + 1))


def amdahl_efficiency(n, contention):
    """Speed-up per sender [1]."""
    n, contention = _floats(n, contention)
    return ((contention*(n - 1) + 1)**(-1.0))


def amdahl_limit(contention):
    """Speed-up of infinitely many senders [1]."""
    contention, = _floats(contention)
    return (contention**(-1.0))


def amdahl_half_efficiency_n(contention):
    """Senders at half of the linear rate [1]."""
    contention, = _floats(contention)
    return (1 + contention**(-1.0))


def amdahl_n_for_speedup(speedup, contention):
    """Senders that reach a speed-up [1]."""
    speedup, contention = _floats(speedup, contention)
    return (speedup*(1 - contention)/(-contention*speedup + 1))


def amdahl_contention_from_speedup(n, speedup):
    """Contention that one measured speed-up implies (Karp and Flatt, CACM 33(5) 1990) [1]."""
    n, speedup = _floats(n, speedup)
    return ((n/speedup - 1)/(n - 1))


def gustafson_speedup(n, serial):
    """Work relative to one sender [1]."""
    n, serial = _floats(n, serial)
    return (n - serial*(n - 1))


def gustafson_efficiency(n, serial):
    """Speed-up per sender [1]."""
    n, serial = _floats(n, serial)
    return ((n - serial*(n - 1))/n)


def gustafson_n_for_speedup(speedup, serial):
    """Senders that reach a speed-up [1]."""
    speedup, serial = _floats(speedup, serial)
    return ((-serial + speedup)/(1 - serial))


def gustafson_amdahl_contention(n, serial):
    """Contention with which Amdahl's law gives the same speed-up [1]."""
    n, serial = _floats(n, serial)
    return (serial/(n*(1 - serial) + serial))


def usl_rate(n, rate_one, contention, coherence):
    """Rate of n senders [rate]."""
    n, rate_one, contention, coherence = _floats(n, rate_one, contention, coherence)
    return (n*rate_one/(coherence*n*(n - 1) + contention*(n - 1) + 1))


def usl_capacity(n, contention, coherence):
    """Rate relative to one sender [1]."""
    n, contention, coherence = _floats(n, contention, coherence)
    return (n/(coherence*n*(n - 1) + contention*(n - 1) + 1))


def usl_efficiency(n, contention, coherence):
    """Rate per sender, relative to one sender [1]."""
    n, contention, coherence = _floats(n, contention, coherence)
    return ((coherence*n*(n - 1) + contention*(n - 1) + 1)**(-1.0))


def usl_response_time(n, rate_one, contention, coherence):
    """Time of one lap of a sender (Little's law: n / rate) [1 / rate]."""
    n, rate_one, contention, coherence = _floats(n, rate_one, contention, coherence)
    return ((coherence*n*(n - 1) + contention*(n - 1) + 1)/rate_one)


def usl_peak_n(contention, coherence):
    """Senders at the highest rate [1]."""
    contention, coherence = _floats(contention, coherence)
    return (np.sqrt(1 - contention)/np.sqrt(coherence))


def usl_peak_rate(rate_one, contention, coherence):
    """Highest rate [rate]."""
    rate_one, contention, coherence = _floats(rate_one, contention, coherence)
    return (rate_one/(2*np.sqrt(coherence)*np.sqrt(1 - contention) - coherence + contention))


def usl_knee(contention, coherence):
    """Senders where the linear rate meets the highest rate [1]."""
    contention, coherence = _floats(contention, coherence)
    return ((2*np.sqrt(coherence)*np.sqrt(1 - contention) - coherence + contention)**(-1.0))


def usl_contention_limit(rate_one, contention):
    """Rate that contention alone would allow [rate]."""
    rate_one, contention = _floats(rate_one, contention)
    return (rate_one/contention)


def usl_contention_point(contention):
    """Senders where the linear rate meets that limit [1]."""
    contention, = _floats(contention)
    return (contention**(-1.0))


def usl_half_efficiency_n(contention, coherence):
    """Senders at half of the linear rate [1]."""
    contention, coherence = _floats(contention, coherence)
    return ((2*contention + 2)/(-coherence + contention + np.sqrt(4*coherence*(contention + 1) + (-coherence +
        contention)**2)))


def usl_time_parallel(n):
    """Parallel part of the time of a unit of work [time of one sender]."""
    n, = _floats(n)
    return (n**(-1.0))


def usl_time_contention(n, contention):
    """What contention adds to it [time of one sender]."""
    n, contention = _floats(n, contention)
    return (contention*(n - 1)/n)


def usl_time_coherence(n, coherence):
    """What coherence adds to it [time of one sender]."""
    n, coherence = _floats(n, coherence)
    return (coherence*(n - 1))


def usl_n_for_rate(rate_one, contention, coherence, rate):
    """Senders that reach a rate, before the peak [1]."""
    rate_one, contention, coherence, rate = _floats(rate_one, contention, coherence, rate)
    return ((2 - 2*contention)/(coherence - contention + np.sqrt(-4*coherence*(1 - contention) + (coherence -
        contention + rate_one/rate)**2) + rate_one/rate))


def usl_n_for_response_time(rate_one, contention, coherence, response_time):
    """Senders at which a lap takes that long [1]."""
    rate_one, contention, coherence, response_time = _floats(rate_one, contention, coherence, response_time)
    return ((1/2)*(coherence - contention + np.sqrt(4*coherence*(contention + rate_one*response_time - 1) +
        (-coherence + contention)**2))/coherence)


def usl_n_for_response_time_conjugate(rate_one, contention, coherence, response_time):
    """The same without a division by coherence [1]."""
    rate_one, contention, coherence, response_time = _floats(rate_one, contention, coherence, response_time)
    return ((2*contention + 2*rate_one*response_time - 2)/(-coherence + contention +
        np.sqrt(4*coherence*(contention + rate_one*response_time - 1) + (-coherence + contention)**2)))


def critical_sections_time(n, serial, critical, contention_probability):
    """Time relative to one sender [1]."""
    n, serial, critical, contention_probability = _floats(n, serial, critical, contention_probability)
    return (serial + np.maximum(contention_probability*critical + (1/2)*(critical*(1 - contention_probability)
        - critical - serial + 1)/n, contention_probability*critical**2/(1 - serial) +
        (critical*(-contention_probability*critical/(1 - serial) + 1) - critical - serial + 1)/n))


def critical_sections_speedup(n, serial, critical, contention_probability):
    """Rate relative to one sender [1]."""
    n, serial, critical, contention_probability = _floats(n, serial, critical, contention_probability)
    return ((serial + np.maximum(contention_probability*critical + (1/2)*(critical*(1 -
        contention_probability) - critical - serial + 1)/n, contention_probability*critical**2/(1 - serial) +
        (critical*(-contention_probability*critical/(1 - serial) + 1) - critical - serial + 1)/n))**(-1.0))


def critical_sections_limit(serial, critical, contention_probability):
    """Speed-up of infinitely many senders [1]."""
    serial, critical, contention_probability = _floats(serial, critical, contention_probability)
    return ((contention_probability*critical + serial)**(-1.0))


def smooth_minimum_value(first, second, sharpness):
    """Rounded minimum of both bounds [as the bounds]."""
    first, second, sharpness = _floats(first, second, sharpness)
    return ((second**(-sharpness) + first**(-sharpness))**(-1/sharpness))


def smooth_minimum_crossing(sharpness):
    """Its ratio to the bounds where they are equal, the lowest [1]."""
    sharpness, = _floats(sharpness)
    return (2**(-1/sharpness))


def asymptotic_upper(n, private_ns, total_ns, largest_ns):
    """Highest rate [packets/ns]."""
    n, private_ns, total_ns, largest_ns = _floats(n, private_ns, total_ns, largest_ns)
    return (np.minimum(largest_ns**(-1.0), n/(private_ns + total_ns)))


def asymptotic_lower(n, private_ns, total_ns):
    """Lowest rate: all senders arrive at once [packets/ns]."""
    n, private_ns, total_ns = _floats(n, private_ns, total_ns)
    return (n/(n*total_ns + private_ns))


def asymptotic_knee(private_ns, total_ns, largest_ns):
    """Senders where both parts of the upper bound meet [1]."""
    private_ns, total_ns, largest_ns = _floats(private_ns, total_ns, largest_ns)
    return ((private_ns + total_ns)/largest_ns)


def balanced_upper(n, private_ns, total_ns, largest_ns, average_ns):
    """Highest rate [packets/ns]."""
    n, private_ns, total_ns, largest_ns, average_ns = _floats(n, private_ns, total_ns, largest_ns, average_ns)
    return (np.minimum(largest_ns**(-1.0), n/(average_ns*total_ns*(n - 1)/(private_ns + total_ns) + private_ns
        + total_ns)))


def balanced_lower(n, private_ns, total_ns, largest_ns):
    """Lowest rate [packets/ns]."""
    n, private_ns, total_ns, largest_ns = _floats(n, private_ns, total_ns, largest_ns)
    return (n/(largest_ns*n*total_ns*(n - 1)/(n*total_ns + private_ns) + private_ns + total_ns))


def coalescing_time_ns(per_packet_ns, lookup_ns, per_skb_ns, coalescing):
    """Time per packet [ns]."""
    per_packet_ns, lookup_ns, per_skb_ns, coalescing = _floats(per_packet_ns, lookup_ns, per_skb_ns, coalescing)
    return (lookup_ns + per_packet_ns + per_skb_ns/coalescing)


def coalescing_gain_ns(lookup_ns, per_skb_ns, coalescing):
    """Time per packet that coalescing saves [ns]."""
    lookup_ns, per_skb_ns, coalescing = _floats(lookup_ns, per_skb_ns, coalescing)
    return (-lookup_ns + per_skb_ns*(1 - 1/coalescing))


def coalescing_limit_ns(per_packet_ns, lookup_ns):
    """Time per packet in an endless skb [ns]."""
    per_packet_ns, lookup_ns = _floats(per_packet_ns, lookup_ns)
    return (lookup_ns + per_packet_ns)


def coalescing_break_even(lookup_ns, per_skb_ns):
    """Packets per skb from which coalescing pays [1]."""
    lookup_ns, per_skb_ns = _floats(lookup_ns, per_skb_ns)
    return (per_skb_ns/(-lookup_ns + per_skb_ns))


def coalescing_critical(n, per_packet_ns, lookup_ns, per_skb_ns, section_ns):
    """Packets per skb below which the lock is saturated: the sections of the other n - 1 senders fill the
    cycle outside the lock, (n - 1) section / G = per packet + lookup + per skb / G [1]."""
    n, per_packet_ns, lookup_ns, per_skb_ns, section_ns = _floats(n, per_packet_ns, lookup_ns, per_skb_ns, section_ns)
    return ((-per_skb_ns + section_ns*(n - 1))/(lookup_ns + per_packet_ns))


def line_rate_budget_ns(bits_per_second, frame_bytes):
    """Time between packets on a full wire [ns]."""
    bits_per_second, frame_bytes = _floats(bits_per_second, frame_bytes)
    return ((8000000000*frame_bytes + 160000000000)/bits_per_second)


def line_rate_rate_pps(bits_per_second, frame_bytes):
    """Packets on a full wire [packets/s]."""
    bits_per_second, frame_bytes = _floats(bits_per_second, frame_bytes)
    return (bits_per_second/(8*frame_bytes + 160))


def line_rate_cores(bits_per_second, frame_bytes, time_ns):
    """Cores that carry a full wire, if they scale linearly [1]."""
    bits_per_second, frame_bytes, time_ns = _floats(bits_per_second, frame_bytes, time_ns)
    return (np.ceil(bits_per_second*time_ns/(8000000000*frame_bytes + 160000000000)))
