"""Open queues in closed form: what a packet waits at an offered load below saturation.

Arrivals are Poisson, rates in packets per second, times in ns; everything broadcasts.
At or above saturation an endless queue has no steady state: its length and times are inf, its server is busy all
the time, and it delivers what it can serve. Sources: Kleinrock, Queueing Systems I, 1975, chapters 3 and 5.
"""

from dataclasses import dataclass

import numpy as np

from mpps.errors import MppsError
from mpps.units import NS_PER_SECOND


@dataclass(frozen=True)
class OpenQueue:
    """Steady state of an open queue; arrays of one shape.

    utilisation: share of time that a server is busy. waiting_probability: chance that an accepted packet waits.
    loss_probability: chance that an arriving packet finds no room. throughput_pps: packets served per second.
    mean_in_system and mean_waiting: packets, with and without those in service.
    response_ns and wait_ns: mean time of an accepted packet, with and without its service.
    """

    utilisation: np.ndarray
    waiting_probability: np.ndarray
    loss_probability: np.ndarray
    throughput_pps: np.ndarray
    mean_in_system: np.ndarray
    mean_waiting: np.ndarray
    response_ns: np.ndarray
    wait_ns: np.ndarray

    @property
    def stable(self) -> np.ndarray:
        """True where a steady state exists."""
        return np.isfinite(self.mean_in_system)


def single_server(arrival_pps, service_ns) -> OpenQueue:
    """M/M/1: one server, exponential service, endless queue."""
    return single_server_general(arrival_pps, service_ns, 1.0)


def single_server_general(arrival_pps, service_ns, variation) -> OpenQueue:
    """M/G/1: one server, service of any distribution with coefficient of variation `variation` (0: constant).

    wait = load service (1 + variation^2) / (2 (1 - load)), Pollaczek 1930 and Khinchine 1932.
    """
    arrival, service = _not_negative("arrival_pps", arrival_pps), _positive("service_ns", service_ns)
    variation = _not_negative("variation", variation)
    arrival, service, variation = np.broadcast_arrays(arrival, service, variation)
    load = arrival * service / NS_PER_SECOND
    below = load < 1
    room = np.where(below, 1 - load, 1.0)
    wait = np.where(below, load * service * (1 + variation**2) / (2 * room), np.inf)
    return _endless(arrival, service, 1.0, np.minimum(load, 1.0), wait)


def many_servers(arrival_pps, service_ns, servers) -> OpenQueue:
    """M/M/m: `servers` equal servers behind one endless queue, exponential service.

    The chance to wait is Erlang's C, from the recursion of Erlang's B, which is stable for thousands of servers.
    """
    arrival, service = _not_negative("arrival_pps", arrival_pps), _positive("service_ns", service_ns)
    arrival, service, servers = np.broadcast_arrays(arrival, service, _whole("servers", servers))
    offered = arrival * service / NS_PER_SECOND
    load = offered / servers
    below = load < 1
    waiting = np.where(below, erlang_c(np.where(below, offered, 0.0), servers), 1.0)
    wait = np.where(below, waiting * service / (servers * np.where(below, 1 - load, 1.0)), np.inf)
    return _endless(arrival, service, servers, waiting, wait)


def finite_room(arrival_pps, service_ns, room) -> OpenQueue:
    """M/M/1/K: one server, exponential service, `room` packets in the system at most, the one in service included.

    A packet that finds the system full is lost. Holds at any load.
    """
    arrival, service = _not_negative("arrival_pps", arrival_pps), _positive("service_ns", service_ns)
    arrival, service, room = np.broadcast_arrays(arrival, service, _whole("room", room))
    load = arrival * service / NS_PER_SECOND
    with np.errstate(divide="ignore"):
        log_load = np.log(load)
    full = _geometric_end(log_load, room)
    empty = _geometric_end(-log_load, room)
    mean = geometric_mean(log_load, room)
    # What comes in goes out: load (1 - full) = 1 - empty. Each side is taken where it does not cancel.
    room_left = np.where(load <= 1, 1 - full, (1 - empty) / np.maximum(load, 1.0))
    accepted = arrival * room_left
    busy = np.where(load <= 1, load * room_left, 1 - empty)
    waiting = np.clip(1 - empty / room_left, 0.0, 1.0)
    # A packet on its own, the limit of no arrivals, just takes its service.
    lone = accepted == 0
    response = np.where(lone, service, mean / np.where(lone, 1.0, accepted) * NS_PER_SECOND)
    response = np.maximum(response, service)
    return OpenQueue(
        utilisation=busy,
        waiting_probability=np.where(room == 1, 0.0, waiting),
        loss_probability=full,
        throughput_pps=accepted,
        mean_in_system=mean,
        mean_waiting=np.maximum(mean - busy, 0.0),
        response_ns=response,
        wait_ns=response - service,
    )


def erlang_b(offered, servers):
    """Chance that all of `servers` are busy when a packet that finds them so is lost (Erlang 1917).

    offered: arrival rate times service time, at least 0; servers: whole numbers.
    """
    offered, servers = np.broadcast_arrays(_not_negative("offered", offered), _whole("servers", servers))
    blocked = np.ones(offered.shape)
    for count in range(1, int(servers.max(initial=0)) + 1):
        blocked = np.where(count <= servers, offered * blocked / (count + offered * blocked), blocked)
    return blocked


def erlang_c(offered, servers):
    """Chance that a packet waits when the queue is endless; 1 when offered >= servers (Erlang 1917)."""
    offered, servers = np.broadcast_arrays(_not_negative("offered", offered), _whole("servers", servers))
    load = np.minimum(offered / servers, 1.0)
    blocked = erlang_b(offered, servers)
    return np.where(load < 1, blocked / (1 - load * (1 - blocked)), 1.0)


def _endless(arrival, service, servers, waiting, wait):
    capacity = servers * NS_PER_SECOND / service
    throughput = np.minimum(arrival, capacity)
    queue = arrival * wait / NS_PER_SECOND
    return OpenQueue(
        utilisation=throughput / capacity,
        waiting_probability=waiting,
        loss_probability=np.zeros(arrival.shape),
        throughput_pps=throughput,
        mean_in_system=queue + arrival * service / NS_PER_SECOND,
        mean_waiting=queue,
        response_ns=wait + service,
        wait_ns=wait,
    )


def _geometric_end(log_load, room):
    """Last of room + 1 probabilities proportional to load^k, without cancellation around load 1 or overflow above."""
    step = -np.abs(log_load)
    with np.errstate(invalid="ignore"):
        share = np.where(step == 0, 1 / (room + 1.0), np.expm1(step) / np.expm1((room + 1) * step))
        return np.where(log_load > 0, share, share * np.where(step == 0, 1.0, np.exp(room * step)))


def geometric_mean(log_load, room):
    """Mean of k in 0..room with probabilities proportional to load^k."""
    step = -np.abs(log_load)
    size = room + 1.0
    near = np.abs(step) * size < 0.02
    small = np.where(near, step, 0.0)
    # The two terms of the closed form cancel around load 1; there its series is exact to rounding.
    series = room / 2 + small * (size**2 - 1) / 12 - small**3 * (size**4 - 1) / 720
    far = np.where(near, -1.0, step)
    with np.errstate(over="ignore"):
        closed = 1 / np.expm1(-far) - size / np.expm1(-size * far)
    below = np.where(near, series, closed)
    return np.where(log_load > 0, room - below, below)


def _positive(name, value):
    return _checked(name, value, lambda array: array > 0, "a number above 0")


def _not_negative(name, value):
    return _checked(name, value, lambda array: array >= 0, "a number of at least 0")


def _whole(name, value):
    return _checked(
        name, value, lambda array: (array >= 1) & (array == np.floor(array)), "a whole number of at least 1"
    )


def _checked(name, value, good, expected):
    array = np.asarray(value, dtype=float)
    fits = np.isfinite(array) & good(array)
    if not fits.all():
        raise MppsError(f"{name} is {array[~fits].flat[0]:g}: expected {expected}")
    return array
