"""What waking up costs a core below saturation: a busy period starts with an interrupt, after the idle time that
moderation adds.

A core that ran dry waits for the next packet (1/a in the mean), then for the interrupt that moderation holds back
(tau), then takes D to wake up before it serves. Of the time that it does not serve, 1 - busy, it is idle for
(tau + 1/a) / (tau + 1/a + D) (renewal reward). `idle_share` says so; `fit_wake` reads D and tau off idle times.
"""

import numpy as np

from mpps.machine import Assumption

_WHY = (
    "fitted to the idle time of one core that drops in XDP and in the raw table (cpu_idle_vs_offered_load, 245 and 1290 ns at "
    "40 and 198 ns a packet); taken in proportion to the packet's time, {}; polling and threads that never sleep have none"
)
WAKE = Assumption(
    "waking up an idle core, in times of one packet", 6.3, 2.0, 12.0, "ratio", _WHY.format("6.1 and 6.5 of it")
)
MODERATION = Assumption(
    "idle time that interrupt moderation adds before that, in times of one packet",
    9.5,
    3.0,
    25.0,
    "ratio",
    _WHY.replace("245 and 1290", "308 and 2340").format("7.6 and 11.8 of it"),
)


def idle_share(busy, arrival_pps, wake_ns, moderation_ns):
    """Share of time that a core idles: busy (serving share), packets/s per core, times in ns; broadcasts."""
    busy, arrival = np.asarray(busy, float), np.asarray(arrival_pps, float)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        gap = np.where(arrival > 0, 1e9 / np.where(arrival > 0, arrival, 1.0), np.inf) + moderation_ns
        share = np.where(np.isfinite(gap), gap / (gap + wake_ns), 1.0)
    return (1.0 - np.minimum(busy, 1.0)) * share


def fit_wake(arrival_pps, idle, service_ns: float) -> tuple[float, float]:
    """Wake-up and moderation in ns (D, tau) from idle shares at offered loads, by least squares; service_ns: one over the
    load at which nothing is idle."""
    from scipy.optimize import least_squares

    arrival, idle = np.asarray(arrival_pps, float), np.asarray(idle, float)

    def misfit(logs):
        return idle_share(arrival * service_ns / 1e9, arrival, *np.exp(logs)) - idle

    found = least_squares(misfit, np.log([6.0 * service_ns, 9.0 * service_ns]))
    return tuple(float(each) for each in np.exp(found.x))
