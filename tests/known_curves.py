"""Curves whose truth is known, written down without the library."""

import numpy as np


def mean_value_analysis(think, section, most):
    """Throughput with 1..most senders, private work and one station (Reiser and Lavenberg 1980)."""
    waiting, rates = 0.0, []
    for n in range(1, most + 1):
        residence = section * (1 + waiting)
        rates.append(n / (think + residence))
        waiting = rates[-1] * residence
    return np.array(rates)


def usl(contention, coherence, n):
    """Throughput relative to one sender by the universal scalability law (Gunther, arXiv:0808.1431)."""
    return n / (1 + contention * (n - 1) + coherence * n * (n - 1))
